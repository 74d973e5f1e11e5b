//! Forms of address.

use super::{Gender, is_given_name};

/// A form of address before a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Title {
    pub(crate) gender: Option<Gender>,
}

const FEMALE: &[&str] = &[
    "mrs",
    "ms",
    "miss",
    "madam",
    "madame",
    "dame",
    "lady",
    "sister",
    "frau",
    "mlle",
    "mme",
    "señora",
    "sra",
    "signora",
    "doña",
    "queen",
    "princess",
    "baroness",
    "countess",
    "duchess",
    "aunt",
    "auntie",
    "grandma",
    "sheikha",
    "fräulein",
    "mademoiselle",
    "señorita",
    "srta",
    "signorina",
    "dottoressa",
    "senhora",
    "dona",
    "mevrouw",
    "mevr",
];
const MALE: &[&str] = &[
    "mr", "sir", "lord", "father", "fr", "brother", "herr", "monsieur", "señor", "signor", "king", "prince",
    "baron", "count", "duke", "uncle", "grandpa", "sheikh", "imam", "master", "herrn", "senhor", "sig",
    "dhr", "meneer",
];
const EITHER: &[&str] = &[
    "mx",
    "dr",
    "prof",
    "professor",
    "doctor",
    "rev",
    "reverend",
    "rabbi",
    "pastor",
    "bishop",
    "judge",
    "justice",
    "hon",
    "captain",
    "capt",
    "lt",
    "lieutenant",
    "colonel",
    "col",
    "major",
    "general",
    "gen",
    "sergeant",
    "sgt",
    "officer",
    "detective",
    "inspector",
    "constable",
    "admiral",
    "commander",
    "corporal",
    "senator",
    "governor",
    "mayor",
    "councillor",
    "ambassador",
    "chancellor",
    "dean",
    "provost",
    "president",
    "nurse",
    "coach",
    "cllr",
    "pc",
    "cpl",
    "supt",
    "insp",
];

/// Titles that are names without their dot: "Sen. Gupta", but "Sen Gupta".
const WITH_DOT: &[&str] = &["sen.", "gov."];

/// Forms of address that stand before nothing but a name.
const BEFORE_NAMES: &[&str] = &["mr", "mrs", "ms", "mx", "dr", "prof"];

/// Relations before a name that imply its gender: "his wife Ana".
const FEMALE_KIN: &[&str] = &[
    "wife",
    "ex-wife",
    "mother",
    "mum",
    "mom",
    "daughter",
    "sister",
    "girlfriend",
    "granddaughter",
    "grandmother",
    "niece",
    "stepmother",
    "fiancée",
    "widow",
];
const MALE_KIN: &[&str] = &[
    "husband",
    "ex-husband",
    "father",
    "dad",
    "son",
    "brother",
    "boyfriend",
    "grandson",
    "grandfather",
    "nephew",
    "stepfather",
    "fiancé",
    "widower",
];

/// Returns the gender that a relation directly before a place of a text implies.
pub(crate) fn kin_gender(text: &str, start: usize) -> Option<Gender> {
    let before = text.get(..start)?.strip_suffix([' ', '\u{a0}'])?;
    let before = before.strip_suffix(',').unwrap_or(before);
    let word = before.rsplit(|c: char| !(c.is_alphabetic() || c == '-')).next()?.to_lowercase();
    match () {
        () if FEMALE_KIN.contains(&word.as_str()) => Some(Gender::Female),
        () if MALE_KIN.contains(&word.as_str()) => Some(Gender::Male),
        () => None,
    }
}

/// Returns the title that a word is.
pub(crate) fn title_of(word: &str) -> Option<Title> {
    let plain = word.trim_end_matches('.').to_lowercase();
    let is = |list: &[&str]| list.contains(&plain.as_str());
    match () {
        () if is(FEMALE) => Some(Title { gender: Some(Gender::Female) }),
        () if is(MALE) => Some(Title { gender: Some(Gender::Male) }),
        () if is(EITHER) || WITH_DOT.contains(&word.to_lowercase().as_str()) => Some(Title { gender: None }),
        () => None,
    }
}

/// Returns the gender that a text of one or more titles implies: "Prof. Dr.", "Ms".
pub(crate) fn title_gender(text: &str) -> Option<Gender> {
    text.split_whitespace().find_map(|word| title_of(word)?.gender)
}

/// Returns whether a word stands before nothing but a name: "Ms", "Dr".
pub(crate) fn stands_before_names(word: &str) -> bool {
    BEFORE_NAMES.contains(&word.trim_end_matches('.').to_lowercase().as_str())
}

/// Returns whether a word is a title, or a given name that is written like one: "Dean", "Major".
pub(crate) fn is_title_or_given_name(word: &str) -> bool {
    title_of(word).is_some_and(|title| title.gender.is_none()) && is_given_name(word)
}

/// Returns the title directly before a place in a text.
pub(crate) fn title_before(text: &str, start: usize) -> Option<&str> {
    let before = text.get(..start)?;
    let trimmed = before.trim_end_matches([' ', '\u{a0}']);
    if trimmed.len() == before.len() {
        return None;
    }
    let word_start = trimmed
        .rfind(|c: char| !(c.is_alphabetic() || c == '.'))
        .map_or(0, |at| at + trimmed[at..].chars().next().map_or(1, char::len_utf8));
    let word = trimmed.get(word_start..)?;
    // A title has a capital: "the general" is not a title.
    (title_of(word).is_some() && word.starts_with(char::is_uppercase)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_imply_a_gender() {
        for (text, gender) in [
            ("his wife Ana", Some(Gender::Female)),
            ("My husband, Ana", Some(Gender::Male)),
            ("her ex-husband Ana", Some(Gender::Male)),
            ("his friend Ana", None),
            ("Ana", None),
        ] {
            assert_eq!(kin_gender(text, text.find("Ana").unwrap()), gender, "{text}");
        }
    }

    #[test]
    fn some_titles_need_their_dot() {
        assert!(title_of("Sen.").is_some() && title_of("Sen").is_none() && title_of("Dr").is_some());
    }
}
