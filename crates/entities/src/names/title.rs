//! Forms of address.

use super::Gender;

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
];

/// Returns the title that a word is.
pub(crate) fn title_of(word: &str) -> Option<Title> {
    let plain = word.trim_end_matches('.').to_lowercase();
    let is = |list: &[&str]| list.contains(&plain.as_str());
    match () {
        () if is(FEMALE) => Some(Title { gender: Some(Gender::Female) }),
        () if is(MALE) => Some(Title { gender: Some(Gender::Male) }),
        () if is(EITHER) => Some(Title { gender: None }),
        () => None,
    }
}

/// Returns the gender that a text of one or more titles implies: "Prof. Dr.", "Ms".
pub(crate) fn title_gender(text: &str) -> Option<Gender> {
    text.split_whitespace().find_map(|word| title_of(word)?.gender)
}
