//! Mentions of organisations: full names, short forms and abbreviations.

use std::collections::HashSet;
use std::ops::Range;

use inkveil_detect::{Kind, Span};

use super::{Entities, Mention, is, is_clean, mention_text};
use crate::letters::{Case, ascii, plain};

/// The name of an organisation, as its fullest mention states it.
#[derive(Clone, Default)]
pub(crate) struct OrganisationName {
    /// The words of the name in plain letters, without article and legal form.
    pub(crate) words: Vec<String>,
    /// The words as the text writes them.
    pub(crate) texts: Vec<String>,
    /// Whether only an abbreviation is known.
    pub(crate) is_acronym: bool,
    places: Vec<usize>,
}

/// How a mention writes a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OrganisationForm {
    /// The place of the name in the mention, without article and legal form.
    pub(crate) core: Range<usize>,
    /// The number of words of the name that are written; all if it is not a short form.
    pub(crate) words: usize,
    pub(crate) is_acronym: bool,
    pub(crate) case: Case,
}

const LEGAL_FORMS: &[&str] = &[
    "ltd",
    "limited",
    "inc",
    "incorporated",
    "llc",
    "llp",
    "plc",
    "corp",
    "corporation",
    "co",
    "company",
    "gmbh",
    "ag",
    "kg",
    "se",
    "sa",
    "sas",
    "sarl",
    "srl",
    "spa",
    "bv",
    "nv",
    "ab",
    "as",
    "asa",
    "oy",
    "oyj",
    "group",
    "holdings",
    "pty",
    "pvt",
    "private",
    "sdn",
    "bhd",
    "pte",
    "kk",
    "lp",
    "pc",
    "pllc",
    "jsc",
    "doo",
    "kft",
    "zrt",
    "sro",
    "cic",
    "cio",
];
/// Words that many names start with. Alone they are not a short form.
const COMMON_STARTS: &[&str] = &[
    "the",
    "national",
    "royal",
    "first",
    "new",
    "university",
    "bank",
    "department",
    "ministry",
    "hospital",
    "st",
    "saint",
    "city",
    "general",
    "american",
    "british",
    "european",
    "international",
    "united",
    "north",
    "south",
    "east",
    "west",
    "central",
    "county",
    "school",
    "college",
    "institute",
    "office",
    "council",
];
const SMALL_WORDS: &[&str] = &["of", "and", "for", "the", "in", "on", "&"];

struct Found<'t> {
    span: usize,
    place: usize,
    text: &'t str,
    ranges: Vec<Range<usize>>,
    words: Vec<String>,
}

/// Returns the spans, with lone names that are the first word of an organisation of the text as
/// organisations. Detection takes "Barlow" for a person where it does not see "Barlow Bank plc". A name that the
/// text defines for an organisation is one wherever it stands: `Quayside Analytics Limited ("Quayside")`.
pub(super) fn relabelled(text: &str, spans: &[Span]) -> Vec<Span> {
    let of =
        |kind: Kind| spans.iter().filter(move |span| span.kind == kind).map(|span| mention_text(text, span));
    let firsts: Vec<String> = of(Kind::Organisation)
        .filter(|name| core_words(name).len() > 1 || name.contains(' '))
        .filter_map(|name| distinctive_word(name).map(plain))
        .collect();
    let people: Vec<String> = of(Kind::Person).filter(|name| name.contains(' ')).map(plain).collect();
    let is_organisation = |span: &Span| {
        let name = plain(mention_text(text, span));
        let of_a_person = people.iter().any(|person| person.split(' ').any(|word| word == name));
        span.kind == Kind::Person && firsts.contains(&name) && !of_a_person
    };
    let defined = defined_names(text, spans);
    let is_defined = |span: &Span| {
        matches!(span.kind, Kind::Person | Kind::Location)
            && defined.contains(&plain(mention_text(text, span)))
    };
    let relabel = |span: &Span| match is_organisation(span) || is_defined(span) {
        true => Span { kind: Kind::Organisation, ..span.clone() },
        false => span.clone(),
    };
    spans.iter().map(relabel).collect()
}

/// Returns the names in quotation marks or alone in brackets after an organisation that they begin, in plain letters.
fn defined_names(text: &str, spans: &[Span]) -> HashSet<String> {
    let mut defined = HashSet::new();
    for near in spans.windows(2) {
        let [whole, short] = near else { continue };
        let between = text.get(whole.end..short.start).unwrap_or_default().trim();
        let after = text.get(short.end..).unwrap_or_default().trim_start_matches(['"', '”', '\'', '’']);
        let opens = ["(", "(\"", "(“", "(the \"", "(the “", "('", "(‘"].contains(&between);
        let name = plain(mention_text(text, short));
        let begins = distinctive_word(mention_text(text, whole)).is_some_and(|word| plain(word) == name);
        if is(whole, &Kind::Organisation) && opens && after.starts_with(')') && begins {
            defined.insert(name);
        }
    }
    defined
}

pub(super) fn resolve(text: &str, spans: &[Span], entities: &mut Entities) {
    let mut found: Vec<Found<'_>> = Vec::new();
    for (at, span) in spans.iter().enumerate().filter(|(_, span)| is(span, &Kind::Organisation)) {
        let mention = mention_text(text, span);
        let ranges = core_words(mention);
        if !ranges.is_empty() && is_clean(mention) {
            let words = ranges.iter().map(|range| plain(&mention[range.clone()]).replace('.', "")).collect();
            found.push(Found { span: at, place: span.start, text: mention, ranges, words });
        }
    }
    // Longer names first, so that short forms find them.
    found.sort_by_key(|mention| (std::cmp::Reverse(mention.words.len()), mention.span));
    for mention in found {
        let (organisation, is_acronym) = match choose(&mention, &entities.organisations) {
            Some(chosen) => chosen,
            None => {
                let texts =
                    mention.ranges.iter().map(|range| mention.text[range.clone()].to_owned()).collect();
                let is_acronym = mention.is_acronym();
                entities.organisations.push(OrganisationName {
                    words: mention.words.clone(),
                    texts,
                    is_acronym,
                    places: Vec::new(),
                });
                (entities.organisations.len() - 1, is_acronym)
            }
        };
        entities.organisations[organisation].places.push(mention.place);
        let core = mention.ranges[0].start..mention.ranges[mention.ranges.len() - 1].end;
        let case = Case::of(&mention.text[core.clone()]);
        let form = OrganisationForm { core, words: mention.words.len(), is_acronym, case };
        entities.set(mention.span, Mention::Organisation { organisation, form });
    }
}

impl Found<'_> {
    fn is_acronym(&self) -> bool {
        let only = match self.ranges.as_slice() {
            [one] => &self.text[one.clone()],
            _ => return false,
        };
        (2..=6).contains(&only.len()) && only.chars().all(|c| c.is_ascii_uppercase() || c == '.')
    }
}

/// Returns the organisation that a mention is of, and whether the mention is its abbreviation.
fn choose(mention: &Found<'_>, known: &[OrganisationName]) -> Option<(usize, bool)> {
    let acronym = mention.is_acronym();
    let fits = known.iter().enumerate().filter_map(|(at, name)| {
        if name.words == mention.words {
            return Some((2, at, name.is_acronym));
        }
        if name.starts_with(&mention.words) {
            return Some((1, at, false));
        }
        (acronym && name.is_abbreviated_by(&mention.words[0])).then_some((1, at, true))
    });
    let nearest = |at: usize| known[at].places.iter().filter(|place| **place < mention.place).max().copied();
    let best = fits.max_by_key(|&(closeness, at, _)| (closeness, nearest(at)));
    best.map(|(_, at, acronym)| (at, acronym))
}

impl OrganisationName {
    fn starts_with(&self, short: &[String]) -> bool {
        let alone = short.len() == 1 && COMMON_STARTS.contains(&short[0].as_str());
        let begins = short.len() < self.words.len() && self.words.starts_with(short);
        // A short form does not end within a phrase: "University of" of "University of Ghent".
        let ends_well = short.last().is_some_and(|word| !SMALL_WORDS.contains(&word.as_str()));
        begins && ends_well && !alone
    }

    fn is_abbreviated_by(&self, letters: &str) -> bool {
        let initials = |skip: bool| -> String {
            let words = self.words.iter().filter(|word| !skip || !SMALL_WORDS.contains(&word.as_str()));
            words.filter_map(|word| word.chars().find(|c| c.is_alphanumeric())).collect()
        };
        self.words.len() > 1 && (initials(true) == letters || initials(false) == letters)
    }

    /// Returns whether a label of a domain is made from this name.
    pub(crate) fn owns_domain(&self, label: &str) -> bool {
        let label = ascii(label);
        let joined = ascii(&self.words.concat());
        let first = self.words.first().map(|word| ascii(word)).unwrap_or_default();
        let distinctive = first.len() > 3 && !COMMON_STARTS.contains(&first.as_str());
        label == joined || (distinctive && label == first) || self.is_abbreviated_by(&label)
    }

    /// Returns the whole name, in plain letters.
    pub(crate) fn canonical(&self) -> String {
        self.words.join(" ")
    }
}

/// Returns the word that a name starts with, if it may stand for the whole name.
pub(super) fn distinctive_word(name: &str) -> Option<&str> {
    let first = name.get(core_words(name).into_iter().next()?)?;
    let plain = plain(first);
    let common = COMMON_STARTS.contains(&plain.as_str()) || crate::identity::is_kept_word(&plain);
    (!common).then_some(first)
}

/// Returns the places of the words of a name without article and legal form.
fn core_words(name: &str) -> Vec<Range<usize>> {
    let start_of = |part: &str| part.as_ptr() as usize - name.as_ptr() as usize;
    let mut words: Vec<Range<usize>> = name
        .split(|c: char| c.is_whitespace() || c == ',' || c == '(' || c == ')')
        .map(|word| word.trim_matches(['"', '“', '”', '\'', '’', ';', ':']))
        .filter(|word| word.chars().any(char::is_alphanumeric) || *word == "&")
        .map(|word| start_of(word)..start_of(word) + word.len())
        .collect();
    if words.len() > 1 && name[words[0].clone()].eq_ignore_ascii_case("the") {
        words.remove(0);
    }
    while words.len() > 1 {
        let Some(last) = words.last() else { break };
        let last = plain(&name[last.clone()]).replace(['.', '/'], "");
        match LEGAL_FORMS.contains(&last.as_str()) || last == "&" || last == "and" {
            true => drop(words.pop()),
            false => break,
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_and_legal_forms_are_not_part_of_the_name() {
        let core = |name: &str| core_words(name).into_iter().map(|r| name[r].to_owned()).collect::<Vec<_>>();
        assert_eq!(core("The Barclays Bank plc"), ["Barclays", "Bank"]);
        assert_eq!(core("Novak & Sund GmbH & Co. KG"), ["Novak", "&", "Sund"]);
        assert_eq!(core("Limited"), ["Limited"]);
        assert_eq!(core("Hart, Inc."), ["Hart"]);
    }

    #[test]
    fn abbreviations_and_domains() {
        let name = |text: &str| OrganisationName {
            words: core_words(text).into_iter().map(|r| plain(&text[r])).collect(),
            ..OrganisationName::default()
        };
        let service = name("Advisory, Conciliation and Arbitration Service");
        assert!(service.is_abbreviated_by("acas") && service.is_abbreviated_by("acaas"));
        assert!(!service.is_abbreviated_by("aca") && service.owns_domain("acas"));
        let bank = name("Barclays Bank plc");
        assert!(
            bank.owns_domain("barclays") && bank.owns_domain("barclaysbank") && !bank.owns_domain("bank")
        );
    }
}
