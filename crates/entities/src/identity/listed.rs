//! Names of an identity for a person whose name is in another script than Latin.

use inkveil_detect::{ListedPart, ListedSpeech};
use inkveil_surrogates::ListedNames;

use crate::address::Draw;
use crate::names::Gender;
use crate::person::Person;

/// What an identity keeps of a name in another script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Listed {
    speech: ListedSpeech,
    gender: Option<Gender>,
    /// Whether the only name is a family name. In scripts without spaces, any other is a whole name.
    lone_family: bool,
}

impl Listed {
    /// Reads a person's names; `None` if they are in Latin letters.
    pub(crate) fn of(person: &Person) -> Option<Self> {
        let parts = || person.given.iter().chain(&person.middles).chain(&person.family).chain(&person.single);
        let speech = parts().find_map(|part| ListedSpeech::of_name(&part.text))?;
        let by_name = parts().find_map(|part| gender_of(speech, &part.text));
        let single = person.single.as_ref().map(|part| part.text.as_str());
        let lone_family = single.is_some_and(|name| speech.has(ListedPart::Family, name));
        Some(Listed { speech, gender: person.gender().or(by_name), lone_family })
    }

    /// Returns whether the name shows a gender.
    pub(crate) fn shows_gender(self) -> bool {
        self.gender.is_some()
    }

    /// Draws a given name, or what stands in its place: a whole name if the only name is one, and the family name
    /// where it comes first.
    pub(super) fn given(self, draw: &mut Draw, is_single: bool) -> String {
        let family_first = self.speech.is_family_first();
        self.draw(draw, |names| match is_single {
            true if self.lone_family => names.family(),
            true if family_first => names.whole(),
            false if family_first => names.family(),
            _ => names.given(),
        })
    }

    /// Draws a middle name: of Russian and Ukrainian names, the father's.
    pub(super) fn middle(self, draw: &mut Draw) -> String {
        self.draw(draw, |names| names.father())
    }

    /// Draws what stands in the place of the family name.
    pub(super) fn family(self, draw: &mut Draw) -> String {
        let family_first = self.speech.is_family_first();
        self.draw(draw, |names| if family_first { names.given() } else { names.family() })
    }

    fn draw(self, draw: &mut Draw, name: impl FnOnce(&mut ListedNames<'_>) -> String) -> String {
        let woman = self.gender.map_or_else(|| draw.below(2) == 0, |gender| gender == Gender::Female);
        let mut below = |end| draw.below(end);
        name(&mut ListedNames::new(self.speech, woman, &mut below))
    }
}

/// Returns the gender of a name by the lists and by the ending of the father's name.
fn gender_of(speech: ListedSpeech, name: &str) -> Option<Gender> {
    let in_list = |part| speech.has(part, name);
    match (in_list(ListedPart::Female), in_list(ListedPart::Male)) {
        (true, false) => Some(Gender::Female),
        (false, true) => Some(Gender::Male),
        _ if name.ends_with("вич") => Some(Gender::Male),
        _ if name.ends_with("вна") => Some(Gender::Female),
        _ => None,
    }
}
