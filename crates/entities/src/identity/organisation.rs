//! The identity of an organisation.

use inkveil_detect::Kind;
use inkveil_surrogates::List;

use super::person::family_name;
use super::{Cast, NameForms, Source};
use crate::address::Draw;
use crate::letters::{Case, ascii};
use crate::resolve::{OrganisationForm, OrganisationName};

/// The name of one identity.
pub(super) struct OrganisationIdentity {
    words: Vec<String>,
    /// The abbreviation, also if the original has no other name.
    acronym: String,
}

/// Words that say what sort of organisation it is. They are kept.
const SORTS: &[&str] = &[
    "bank",
    "hospital",
    "university",
    "college",
    "school",
    "council",
    "trust",
    "clinic",
    "court",
    "ministry",
    "department",
    "church",
    "insurance",
    "airlines",
    "airways",
    "police",
    "academy",
    "institute",
    "association",
    "society",
    "foundation",
    "charity",
    "union",
    "federation",
    "agency",
    "authority",
    "commission",
    "committee",
    "office",
    "service",
    "services",
    "surgery",
    "practice",
    "pharmacy",
    "hotel",
    "restaurant",
    "cafe",
    "museum",
    "library",
    "team",
    "club",
    "party",
    "parliament",
    "inspectorate",
    "tribunal",
    "solicitors",
    "consulting",
    "logistics",
    "software",
    "energy",
    "group",
    "partners",
    "associates",
    "centre",
    "center",
    "nursery",
    "primary",
    "secondary",
    "infirmary",
    "housing",
    "transport",
    "railway",
    "construction",
    "engineering",
    "foods",
    "pharmaceuticals",
    "electronics",
    "media",
    "studios",
    "press",
    "news",
    "fire",
    "ambulance",
    "health",
];
const SMALL_WORDS: &[&str] = &["of", "and", "for", "the", "in", "on", "&"];

impl Cast {
    pub(super) fn draw_organisation(
        &mut self,
        source: &Source<'_>,
        at: usize,
        name: &OrganisationName,
        ordinal: usize,
    ) {
        let address = Cast::address(source.scope, ordinal, name.canonical());
        let draw = |what: &str, attempt| Draw::at(source.key, source.scope, &[what, &address], attempt);
        let original = name.texts.join(" ");
        if name.is_acronym {
            let length = original.chars().filter(|c| c.is_alphabetic()).count();
            let letters = |attempt| {
                let mut draw = draw("abbreviation", attempt);
                (0..length).map(|_| char::from(b'A' + draw.below(26) as u8)).collect()
            };
            let acronym = self.free(source, &original, letters);
            self.organisations.insert(at, OrganisationIdentity { words: Vec::new(), acronym });
            return;
        }
        let replaced = name.words.iter().filter(|word| !is_kept_word(word)).count();
        let mut words: Vec<String> = Vec::new();
        for (n, (word, text)) in name.words.iter().zip(&name.texts).enumerate() {
            if is_kept_word(word) {
                words.push(text.clone());
                continue;
            }
            let number = n.to_string();
            let draw = |attempt| {
                let fields = ["organisation", &address, &number];
                let mut draw = Draw::at(source.key, source.scope, &fields, attempt);
                // A word that may stand alone is a family name, because an ordinary word could not be
                // told from others in an answer.
                match n + 1 == name.words.len() && replaced > 1 {
                    true => one_word(&mut draw, source, List::CompanyFields),
                    false => family_name(&mut draw, source.lists),
                }
            };
            words.push(self.free(source, text, draw));
        }
        let acronym = words
            .iter()
            .filter(|word| !SMALL_WORDS.contains(&word.to_lowercase().as_str()))
            .filter_map(|word| word.chars().find(|c| c.is_alphanumeric()))
            .flat_map(char::to_uppercase)
            .collect();
        self.organisations.insert(at, OrganisationIdentity { words, acronym });
    }
}

/// Returns whether a word of an organisation's name is kept.
pub(crate) fn is_kept_word(word: &str) -> bool {
    SORTS.contains(&word) || SMALL_WORDS.contains(&word)
}

fn one_word(draw: &mut Draw, source: &Source<'_>, list: List) -> String {
    for _ in 0..16 {
        if let Some(entry) = draw.pick(source.lists.of(list)).filter(|entry| !entry.text.contains(' ')) {
            return entry.text.clone();
        }
    }
    String::new()
}

impl OrganisationIdentity {
    pub(super) fn write(&self, mention: &str, form: &OrganisationForm) -> String {
        let core = mention.get(form.core.clone()).unwrap_or_default();
        let name = match form.is_acronym {
            true if core.contains('.') => self.acronym.chars().flat_map(|c| [c, '.']).collect(),
            true => self.acronym.clone(),
            false => {
                let name = self.words.get(..form.words).unwrap_or(&self.words).join(" ");
                if form.case == Case::Upper { name.to_uppercase() } else { name }
            }
        };
        let before = mention.get(..form.core.start).unwrap_or_default();
        let after = mention.get(form.core.end..).unwrap_or_default();
        format!("{before}{name}{after}")
    }

    /// Returns the name as a label of a domain.
    pub(super) fn domain(&self) -> String {
        let name = if self.words.is_empty() { ascii(&self.acronym) } else { ascii(&self.words.concat()) };
        name.chars().take(40).collect()
    }

    pub(super) fn forms(&self, name: &OrganisationName) -> NameForms {
        let mut forms = NameForms::new(Kind::Organisation);
        if name.is_acronym {
            forms.add(self.acronym.as_str(), name.texts.concat());
            return forms;
        }
        forms.add(self.words.join(" "), name.texts.join(" "));
        // The first word is a short form if it is not one of those that are kept.
        if let (Some(own), Some(original)) = (self.words.first(), name.texts.first())
            && own != original
        {
            forms.add(own.as_str(), original.as_str());
        }
        if self.words.len() > 2 && self.acronym.len() > 2 {
            let letters =
                name.texts.iter().filter(|word| !SMALL_WORDS.contains(&word.to_lowercase().as_str()));
            let acronym: String =
                letters.filter_map(|word| word.chars().find(|c| c.is_alphanumeric())).collect();
            forms.add(self.acronym.as_str(), acronym.to_uppercase());
        }
        forms
    }
}
