//! Names of people, in the forms that texts use.

use crate::generator::Generator;
use crate::listed::ListedNames;
use crate::lists::List;
use crate::shape::{Case, NameForm, NameWord};

/// The lists of names of one origin, and whether the family name is often first.
struct Origin {
    given: List,
    family: List,
    family_first: bool,
}

macro_rules! origins {
    ($($weight:literal $given:ident $family:ident $family_first:literal;)*) => {
        const ORIGINS: &[(usize, Origin)] = &[
            $(($weight, Origin { given: List::$given, family: List::$family, family_first: $family_first })),*
        ];
    };
}

origins! {
    46 GivenUs FamilyUs false;
    8 GivenHispanic FamilyHispanic false;
    6 GivenAsian FamilyAsian false;
    4 GivenGerman FamilyGerman false;
    4 GivenFrench FamilyFrench false;
    3 GivenItalian FamilyItalian false;
    4 GivenPortuguese FamilyPortuguese false;
    3 GivenDutch FamilyDutch false;
    4 GivenNordic FamilyNordic false;
    3 GivenSlavic FamilySlavic false;
    4 GivenEastern FamilyEastern false;
    1 GivenBaltic FamilyBaltic false;
    2 GivenHungarian FamilyHungarian false;
    3 GivenMediterranean FamilyMediterranean false;
    3 GivenTurkish FamilyTurkish false;
    5 GivenArabic FamilyArabic false;
    6 GivenIndian FamilyIndian false;
    4 GivenChinese FamilyChinese true;
    3 GivenJapanese FamilyJapanese false;
    3 GivenKorean FamilyKorean true;
    3 GivenVietnamese FamilyVietnamese true;
    2 GivenSoutheast FamilySoutheast false;
    4 GivenAfrican FamilyAfrican false;
}

const PARTICLES: &[&str] = &[
    "van", "van der", "van den", "van de", "de", "de la", "del", "della", "di", "da", "dos", "do", "du",
    "von", "von der", "zu", "ten", "ter", "le", "la", "bin", "ibn", "ben",
];

const SMALL_WORDS: &[&str] = &["van", "de", "von", "di", "da", "del"];
const SUFFIXES: &[&str] = &["Jr.", "Sr.", "II", "III"];

/// The parts of one person's name.
#[derive(Debug, Clone)]
pub(crate) struct PersonName {
    pub(crate) given: String,
    pub(crate) family: String,
    family_first: bool,
}

impl Generator {
    /// Draws a given name and a family name, mostly of the same origin.
    pub(crate) fn person(&mut self) -> PersonName {
        let Some(origin) = self.dice.pick_weighted(ORIGINS) else {
            return PersonName { given: String::new(), family: String::new(), family_first: false };
        };
        let family_from = match self.dice.chance(85) {
            true => origin,
            false => self.dice.pick_weighted(ORIGINS).unwrap_or(origin),
        };
        let given = self.common_entry(origin.given);
        let family = self.common_entry(family_from.family);
        PersonName { given, family, family_first: origin.family_first }
    }

    pub(crate) fn first(&mut self) -> String {
        let name = self.person();
        match self.dice.below(30) {
            0 => format!("{}-{}", name.given, self.person().given),
            1 => format!("{} {}", name.given, self.person().given),
            2 => format!("{}.", initial(&name.given)),
            _ => name.given,
        }
    }

    pub(crate) fn last(&mut self) -> String {
        let family = self.person().family;
        match self.dice.below(20) {
            0 => format!("{family}-{}", self.person().family),
            1 if !family.contains([' ', '-']) => format!("{} {family}", self.dice.one_of(PARTICLES)),
            2 if family.is_ascii() => format!("O'{family}"),
            _ => family,
        }
    }

    /// Draws a full name in any form.
    pub(crate) fn name(&mut self) -> String {
        let PersonName { given, family, family_first } = self.person();
        let middle = self.person().given;
        let (g, m) = (initial(&given), initial(&middle));
        match self.dice.below(100) {
            0..50 if family_first && self.dice.chance(40) => format!("{family} {given}"),
            0..50 => format!("{given} {family}"),
            50..58 => format!("{given} {m}. {family}"),
            58..65 => format!("{given} {middle} {family}"),
            65..70 => format!("{g}. {family}"),
            70..72 => format!("{g}. {m}. {family}"),
            72..74 => format!("{g}.{m}. {family}"),
            74..76 => format!("{g} {family}"),
            76..80 => format!("{given} {family}-{}", self.person().family),
            80..83 => format!("{given} {family} {}", self.person().family),
            83..88 => format!("{given} {}", self.last()),
            88..90 => format!("{given}-{middle} {family}"),
            90..92 => {
                format!("{given} {family} {}", self.dice.one_of(&["Jr.", "Jr", "Sr.", "II", "III", "IV"]))
            }
            92..94 => format!("{given} \"{}\" {family}", self.person().given),
            94..96 if !family.contains([' ', '-']) => {
                format!(
                    "{given} {}{family}",
                    self.dice.one_of(&["de ", "van ", "von ", "da ", "al-", "el-", "bin "])
                )
            }
            96 => format!("{family} {given}"),
            97 | 98 => format!("{family}, {given}"),
            99 => given,
            _ => format!("{given} {family}"),
        }
    }

    /// Draws a name as in registers: the family name first, then a comma.
    pub(crate) fn full_formal(&mut self) -> String {
        let PersonName { given, family, .. } = self.person();
        let middle = self.person().given;
        let (g, m) = (initial(&given), initial(&middle));
        match self.dice.below(8) {
            0..3 => format!("{family}, {given}"),
            3..5 => format!("{family}, {given} {m}."),
            5 => format!("{family}, {g}."),
            6 => format!("{}, {given}", family.to_uppercase()),
            _ => format!("{family}, {given} {middle}"),
        }
    }

    /// Draws a name with the same types of words. A single word is a given name or a family name.
    pub(crate) fn name_like(&mut self, form: &NameForm) -> String {
        if let Some(speech) = form.speech {
            let woman = self.dice.chance(50);
            let mut below = |end| self.dice.below(end);
            return ListedNames::new(speech, woman, &mut below).like(form);
        }
        let PersonName { given, family, .. } = self.person();
        let alone = form.words.len() == 1 && self.dice.chance(50);
        let names = form.words.iter().filter(|word| matches!(word, NameWord::Name(_))).count();
        let family_at = if form.family_first || alone { 1 } else { names.max(2) };
        let mut given = Some(given);
        let mut seen = 0;
        let mut words = Vec::new();
        for word in &form.words {
            words.push(match word {
                NameWord::Name(case) => {
                    seen += 1;
                    // A single name after initials is a family name.
                    let is_family = seen == family_at || (names == 1 && form.words.len() > 1);
                    let name = match (is_family, given.take_if(|_| !is_family)) {
                        (true, _) => family.clone(),
                        (false, Some(given)) => given,
                        (false, None) => self.person().given,
                    };
                    cased(last_word(&name), *case)
                }
                NameWord::Initials { count, dotted } => {
                    let dot = if *dotted { "." } else { "" };
                    (0..*count).map(|_| format!("{}{dot}", initial(&self.person().given))).collect()
                }
                NameWord::Particle => self.dice.one_of(SMALL_WORDS).to_owned(),
                NameWord::Suffix => self.dice.one_of(SUFFIXES).to_owned(),
            });
        }
        let name = words.join(" ");
        if form.family_first { name.replacen(' ', ", ", 1) } else { name }
    }

    /// Draws a title such as "Dr.".
    pub(crate) fn title_like(&mut self, dotted: bool) -> String {
        let title = self.dice.one_of(&["Mr.", "Mrs.", "Ms.", "Dr.", "Prof."]);
        if dotted { title.to_owned() } else { title.trim_end_matches('.').to_owned() }
    }
}

/// Returns the last word of a name: some names of the lists have several words, but a form counts
/// words.
fn last_word(name: &str) -> &str {
    name.rsplit(' ').next().unwrap_or(name)
}

fn cased(name: &str, case: Case) -> String {
    match case {
        Case::Title => name.to_owned(),
        Case::Lower => name.to_lowercase(),
        Case::Upper => name.to_uppercase(),
    }
}

pub(crate) fn initial(name: &str) -> String {
    name.chars().next().map(|first| first.to_uppercase().collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::NameForm;
    use crate::testing::generator;

    #[test]
    fn names_vary_and_have_no_empty_parts() {
        let mut generator = generator(1);
        let names: HashSet<String> = (0..1000).map(|_| generator.name()).collect();
        assert!(names.len() > 980, "{}", names.len());
        assert!(names.iter().all(|name| !name.contains("  ") && name.trim() == name && !name.is_empty()));
        assert!(names.iter().any(|name| name.contains('-')) && names.iter().any(|name| name.contains(". ")));
    }

    #[test]
    fn surrogates_of_names_have_the_same_form() {
        let mut generator = generator(3);
        for text in ["Anna Keller", "anna", "KELLER, Anna M.", "J.R. van Dorn Jr.", "A B C D E"] {
            let form = NameForm::of(text);
            for _ in 0..200 {
                let name = generator.name_like(&form);
                assert_eq!(NameForm::of(&name), form, "{text}: {name}");
            }
        }
    }

    #[test]
    fn formal_names_have_a_comma() {
        let mut generator = generator(2);
        assert!((0..100).all(|_| generator.full_formal().contains(", ")));
    }
}
