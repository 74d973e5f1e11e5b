//! Names from the lists of languages in other scripts than Latin.

use inkveil_detect::{ListedPart, ListedSpeech};

use crate::shape::{NameForm, NameWord};

/// How often a name is drawn until it is one word.
const TRIES: usize = 16;

/// Names of fathers, of which Russian and Ukrainian make a part of a name.
const RUSSIAN_FATHERS: [&str; 10] = [
    "Иванович",
    "Петрович",
    "Сергеевич",
    "Николаевич",
    "Александрович",
    "Андреевич",
    "Алексеевич",
    "Дмитриевич",
    "Михайлович",
    "Владимирович",
];
const UKRAINIAN_FATHERS: [&str; 8] = [
    "Іванович",
    "Петрович",
    "Миколайович",
    "Олександрович",
    "Андрійович",
    "Михайлович",
    "Васильович",
    "Богданович",
];

/// Draws names of one language. `below` returns a number below its argument, all equally likely.
///
/// ```
/// use inkveil_detect::ListedSpeech;
/// use inkveil_surrogates::ListedNames;
///
/// let mut first = |_: usize| 0; // for an example; use a real generator
/// let mut names = ListedNames::new(ListedSpeech::Korean, false, &mut first);
/// let (given, family) = (names.given(), names.family());
/// assert_eq!(ListedSpeech::of_name(&format!("{family}{given}")), Some(ListedSpeech::Korean));
/// ```
pub struct ListedNames<'d> {
    speech: ListedSpeech,
    woman: bool,
    below: &'d mut dyn FnMut(usize) -> usize,
}

impl<'d> ListedNames<'d> {
    /// Draws names of a language for a woman or a man.
    pub fn new(speech: ListedSpeech, woman: bool, below: &'d mut dyn FnMut(usize) -> usize) -> Self {
        ListedNames { speech, woman, below }
    }

    /// Draws a given name.
    pub fn given(&mut self) -> String {
        self.name(if self.woman { ListedPart::Female } else { ListedPart::Male })
    }

    /// Draws a family name in the form for the gender.
    pub fn family(&mut self) -> String {
        let name = self.name(ListedPart::Family);
        let inflects = matches!(self.speech, ListedSpeech::Russian | ListedSpeech::Ukrainian);
        match self.woman && inflects {
            true => of_woman(name),
            false => name,
        }
    }

    /// Draws the name of the father as Russian and Ukrainian write it, and a given name in other languages.
    pub fn father(&mut self) -> String {
        let fathers: &[&str] = match self.speech {
            ListedSpeech::Russian => &RUSSIAN_FATHERS,
            ListedSpeech::Ukrainian => &UKRAINIAN_FATHERS,
            _ => return self.given(),
        };
        let drawn = fathers.get((self.below)(fathers.len())).copied().unwrap_or_default();
        match (self.woman, drawn.strip_suffix("ич")) {
            (true, Some(stem)) if self.speech == ListedSpeech::Russian => format!("{stem}на"),
            (true, Some(_)) => match drawn.strip_suffix("йович") {
                Some(stem) => format!("{stem}ївна"),
                None => format!("{}івна", drawn.trim_end_matches("ович")),
            },
            _ => drawn.to_owned(),
        }
    }

    /// Draws a whole name as one word or with a space, as the language writes it.
    pub fn whole(&mut self) -> String {
        let (given, family) = (self.given(), self.family());
        match self.speech.is_family_first() {
            true => format!("{family}{given}"),
            false => format!("{given} {family}"),
        }
    }

    fn name(&mut self, part: ListedPart) -> String {
        let names = self.speech.names(part);
        let mut drawn = "";
        for _ in 0..TRIES {
            drawn = names.get((self.below)(names.len())).copied().unwrap_or_default();
            if !drawn.contains([' ', '-', '\'', '"']) {
                break;
            }
        }
        drawn.to_owned()
    }

    /// Draws a name with as many words as a form has.
    pub(crate) fn like(&mut self, form: &NameForm) -> String {
        let initials = form.words.iter().any(|word| matches!(word, NameWord::Initials { .. }));
        match (form.words.len(), self.speech.is_family_first()) {
            (1, true) => self.whole(),
            (1, false) => self.given(),
            (_, true) => format!("{} {}", self.family(), self.given()),
            (_, false) if initials => {
                let given = self.given();
                format!("{}. {}", given.chars().next().unwrap_or_default(), self.family())
            }
            (2, false) => self.whole(),
            (_, false) => format!("{} {} {}", self.given(), self.father(), self.family()),
        }
    }
}

/// Returns the form of a Russian or Ukrainian family name for a woman.
fn of_woman(name: String) -> String {
    let stem = |ending| name.strip_suffix(ending);
    if let Some(stem) = stem("ський").or_else(|| stem("цький")) {
        let consonant = if name.ends_with("цький") { "цька" } else { "ська" };
        return format!("{stem}{consonant}");
    }
    if let Some(stem) = stem("ий").or_else(|| stem("ый")).or_else(|| stem("ой")) {
        return format!("{stem}ая");
    }
    match ["ов", "ев", "єв", "їв", "ин", "ын", "їн"].iter().any(|ending| name.ends_with(ending))
    {
        true => name + "а",
        false => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sequence that visits all entries.
    fn steps() -> impl FnMut(usize) -> usize {
        let mut at = 7_usize;
        move |end| {
            at = at.wrapping_mul(48_271).wrapping_add(11) % 2_147_483_647;
            at % end.max(1)
        }
    }

    #[test]
    fn names_have_the_letters_of_their_language() {
        for speech in ListedSpeech::ALL {
            for woman in [false, true] {
                let mut below = steps();
                let mut names = ListedNames::new(speech, woman, &mut below);
                for _ in 0..200 {
                    let (given, family, whole) = (names.given(), names.family(), names.whole());
                    for name in [given, family, whole, names.father()] {
                        assert!(
                            !name.is_empty() && !name.contains(|c: char| c.is_ascii_alphabetic()),
                            "{name}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn family_names_have_the_form_for_women() {
        for (man, woman) in [
            ("Петров", "Петрова"),
            ("Достоевский", "Достоевская"),
            ("Толстой", "Толстая"),
            ("Вишневський", "Вишневська"),
            ("Шевченко", "Шевченко"),
        ] {
            assert_eq!(of_woman(man.to_owned()), woman);
        }
    }

    #[test]
    fn a_name_has_the_words_of_its_form() {
        let mut below = steps();
        let mut names = ListedNames::new(ListedSpeech::Russian, true, &mut below);
        assert_eq!(names.like(&NameForm::of("Анна Павлова")).split(' ').count(), 2);
        assert_eq!(names.like(&NameForm::of("Анна Ивановна Павлова")).split(' ').count(), 3);
        assert_eq!(names.like(&NameForm::of("А. Павлова")).split(". ").count(), 2);
        let mut below = steps();
        let mut names = ListedNames::new(ListedSpeech::Chinese, false, &mut below);
        assert!((2..=4).contains(&names.like(&NameForm::of("王小明")).chars().count()));
    }
}
