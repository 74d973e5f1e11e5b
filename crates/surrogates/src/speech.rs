//! Surrogates in other languages than English: the lists of a language, and its forms of address and streets.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use inkveil_detect::Kind;

use crate::error::Error;
use crate::generator::Generator;
use crate::lists::{List, Lists};
use crate::shape::{Casing, Form, Shape};

/// The name of the file with the lists of all languages in a pack.
pub(crate) const FILE: &str = "surrogates-languages.txt";

/// What values of one language are drawn from.
#[derive(Debug, Clone)]
pub(crate) struct Speech {
    code: String,
    sections: HashMap<String, Vec<String>>,
    /// The lists of names and places, with those of this language in place of all others. Made at their first use.
    lists: OnceLock<Arc<Lists>>,
}

impl Speech {
    /// Reads the file of all languages beside the lists, by code. A pack without the file has none.
    pub(crate) fn open(path: &Path) -> Result<BTreeMap<String, Speech>, Error> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(reason) if reason.kind() == std::io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(reason) => Err(Error::io(path, reason)),
        }
    }

    /// Reads sections such as `[de/family]`, each with an entry per line.
    pub(crate) fn parse(text: &str) -> BTreeMap<String, Speech> {
        let mut all: BTreeMap<String, HashMap<String, Vec<String>>> = BTreeMap::new();
        let mut open: Option<(&str, &str)> = None;
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(name) => open = name.split_once('/'),
                None => {
                    if let Some((code, section)) = open {
                        let sections = all.entry(code.to_owned()).or_default();
                        sections.entry(section.to_owned()).or_default().push(line.to_owned());
                    }
                }
            }
        }
        let speech = |(code, sections): (String, HashMap<String, Vec<String>>)| {
            (code.clone(), Speech { code, sections, lists: OnceLock::new() })
        };
        all.into_iter().map(speech).collect()
    }

    /// Returns the lists of this language; what it does not have comes from the base.
    pub(crate) fn lists(&self, base: &Lists) -> &Arc<Lists> {
        self.lists.get_or_init(|| Arc::new(base.in_language(&self.code, &self.sections)))
    }

    /// Draws a value for a kind that depends on the language; `None` for the others.
    pub(crate) fn draw(
        &self,
        original: &Grammar,
        shape: &Shape,
        generator: &mut Generator,
    ) -> Option<String> {
        let casing = match shape.form() {
            Form::Words(casing) => *casing,
            _ => Casing::Mixed,
        };
        let drawn = match shape.kind() {
            Kind::Title => match original {
                Grammar::Woman => self.entry("title-f", generator),
                Grammar::Man => self.entry("title-m", generator),
                _ => self.entry("doctor", generator),
            },
            Kind::Address => self.street(*original == Grammar::Numbered, generator),
            Kind::Location => self.entry("city", generator),
            Kind::Job => self.entry("job", generator),
            Kind::Health => self.entry("disease", generator),
            Kind::Organisation => self.company(generator),
            Kind::Person => return None,
            _ => return None,
        };
        (!drawn.is_empty()).then(|| casing.apply(drawn))
    }

    fn entry(&self, section: &str, generator: &mut Generator) -> String {
        let entries = self.sections.get(section).map_or(&[][..], Vec::as_slice);
        generator.dice.pick_common(entries).cloned().unwrap_or_default()
    }

    /// Draws a street in the order of the language: the number is first in French and last elsewhere.
    fn street(&self, numbered: bool, generator: &mut Generator) -> String {
        let name = self.entry("street", generator);
        let number = 1 + generator.dice.below(120);
        match (numbered, self.code.as_str()) {
            (false, _) => name,
            (true, "fr") => format!("{number} {name}"),
            (true, _) => format!("{name} {number}"),
        }
    }

    fn company(&self, generator: &mut Generator) -> String {
        let [family, word, suffix] =
            ["family", "company-word", "company-suffix"].map(|section| self.entry(section, generator));
        // The field comes first in the Romance languages.
        match self.code.as_str() {
            "de" | "nl" => format!("{family} {word} {suffix}"),
            _ => format!("{word} {family} {suffix}"),
        }
    }
}

/// What the replacement of a value must keep so that the sentence around it stays correct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// A form of address for a woman.
    Woman,
    /// A form of address for a man.
    Man,
    /// An address with a number.
    Numbered,
    /// Nothing.
    Any,
}

const WOMEN: &[&str] = &[
    "frau",
    "fräulein",
    "fr",
    "mme",
    "madame",
    "mlle",
    "mademoiselle",
    "sra",
    "señora",
    "srta",
    "señorita",
    "doña",
    "d.ª",
    "dra",
    "sig.ra",
    "signora",
    "signorina",
    "dott.ssa",
    "dottoressa",
    "senhora",
    "dona",
    "doutora",
    "mevr",
    "mevrouw",
    "mw",
    "mej",
    "sra. d",
];
const MEN: &[&str] = &[
    "herr", "herrn", "m", "monsieur", "mr", "sr", "señor", "don", "d", "sig", "signor", "signore",
    "egr. sig", "senhor", "exmo", "dhr", "de heer", "heer", "meneer", "dott",
];

impl Grammar {
    pub(crate) fn of(original: &str, kind: &Kind) -> Self {
        match kind {
            Kind::Title => {
                let lower = original.trim().trim_end_matches('.').to_lowercase();
                let first = lower.split(' ').next().unwrap_or_default().trim_end_matches('.');
                let is = |list: &[&str]| list.contains(&lower.as_str()) || list.contains(&first);
                if is(WOMEN) {
                    Grammar::Woman
                } else if is(MEN) {
                    Grammar::Man
                } else {
                    Grammar::Any
                }
            }
            Kind::Address if original.contains(|c: char| c.is_ascii_digit()) => Grammar::Numbered,
            _ => Grammar::Any,
        }
    }
}

impl Lists {
    /// Returns these lists with the names, places and companies of a language in place of all others.
    fn in_language(&self, code: &str, sections: &HashMap<String, Vec<String>>) -> Lists {
        let of = |names: &[&str]| -> Vec<&str> {
            names.iter().filter_map(|name| sections.get(*name)).flatten().map(String::as_str).collect()
        };
        self.replaced(|list| {
            let entries = match list {
                List::Cities => of(&["city"]),
                List::CompanyWords | List::CompanyFields => of(&["company-word"]),
                List::CompanySuffixes => of(&["company-suffix"]),
                list if list.name().starts_with("given-") => of(&["given-f", "given-m"]),
                list if list.name().starts_with("family-") => of(&["family"]),
                _ => return None,
            };
            if entries.is_empty() {
                return None;
            }
            let country =
                if list == List::Cities { format!("\t{}", code.to_uppercase()) } else { String::new() };
            Some(entries.iter().map(|entry| format!("{entry}{country}\n")).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::ShapeLevel;
    use crate::surrogates::Surrogates;
    use crate::testing::{our_lists, words};

    const LISTS: &str = "# notes\n[de/given-f]\nAnna\n[de/given-m]\nKlaus\n[de/family]\nMüller\n[de/city]\nKöln\n\
        [de/street]\nAhornweg\n[de/title-f]\nFrau\n[de/title-m]\nHerr\n[de/doctor]\nDr.\n[de/job]\nBäckerin\n\
        [de/disease]\nAsthma\n[de/company-word]\nBau\n[de/company-suffix]\nGmbH\n[fr/street]\nrue Haute\n";

    fn drawn(code: &str, text: &str, kind: Kind) -> String {
        let surrogates = Surrogates::with_languages((*our_lists()).clone(), LISTS);
        let shape = Shape::of(text, &kind, ShapeLevel::Coarse);
        surrogates.draw_in(code, text, &shape, words(7), |_| true)
    }

    #[test]
    fn values_come_from_the_lists_of_the_language() {
        assert_eq!(drawn("de", "Hamburg", Kind::Location), "Köln");
        assert_eq!(drawn("de", "Lehrer", Kind::Job), "Bäckerin");
        assert_eq!(drawn("de", "Weber Druck AG", Kind::Organisation), "Müller Bau GmbH");
        let name = drawn("de", "Petra Weber", Kind::Person);
        assert!(["Anna Müller", "Klaus Müller"].contains(&name.as_str()), "{name}");
    }

    #[test]
    fn forms_of_address_keep_their_gender() {
        assert_eq!(drawn("de", "Frau", Kind::Title), "Frau");
        assert_eq!(drawn("de", "Herrn", Kind::Title), "Herr");
        assert_eq!(drawn("de", "Prof.", Kind::Title), "Dr.");
    }

    #[test]
    fn streets_have_the_order_of_the_language() {
        assert!(drawn("de", "Hauptstraße 5", Kind::Address).starts_with("Ahornweg "));
        assert_eq!(drawn("de", "Hauptstraße", Kind::Address), "Ahornweg");
        assert!(drawn("fr", "12 rue de la Paix", Kind::Address).ends_with(" rue Haute"));
    }

    #[test]
    fn a_language_without_lists_has_the_surrogates_of_english() {
        assert!(!drawn("nl", "Utrecht", Kind::Location).is_empty());
    }
}
