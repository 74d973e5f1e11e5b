//! What the mentions of one person state.

use super::form::{NameForm, Slot, TokenKind};
use crate::letters::Case;
use crate::names::{Gender, gender_of};

/// A name of a person, or its first letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) plain: String,
    /// As the text writes it.
    pub(crate) text: String,
    pub(crate) is_initial: bool,
}

/// A person, as the mentions so far describe them.
#[derive(Clone, Default)]
pub(crate) struct Person {
    pub(crate) given: Option<Part>,
    pub(crate) middles: Vec<Part>,
    pub(crate) family: Option<Part>,
    pub(crate) single: Option<Part>,
    /// The gender of the titles in the mentions.
    pub(crate) by_title: Option<Gender>,
    /// Pronouns after mentions: female and male.
    pub(crate) pronouns: [u32; 2],
    /// The starts of the mentions in the text, in the order in which they were added.
    pub(crate) places: Vec<usize>,
    /// Other spellings of the given name: short forms and the name that they are short for.
    pub(crate) also: Vec<Part>,
}

impl Person {
    /// Adds the names that a mention states. `slots` are those of the mention's tokens.
    pub(crate) fn add(&mut self, form: &NameForm, mention: &str, slots: &[(usize, Slot)], place: usize) {
        self.places.push(place);
        for &(at, slot) in slots {
            let Some(token) = form.tokens.get(at) else { continue };
            let text = mention.get(token.range.clone()).unwrap_or_default().to_owned();
            let is_initial = token.kind == TokenKind::Initials;
            let part = Part { plain: token.plain.clone(), text, is_initial };
            match slot {
                Slot::Given => {
                    if let Some(known) = &self.given
                        && !part.is_initial
                        && !known.is_initial
                        && known.plain != part.plain
                        && self.also.iter().all(|other| other.plain != part.plain)
                    {
                        self.also.push(part.clone());
                    }
                    fuller(&mut self.given, part);
                }
                Slot::Family => fuller(&mut self.family, part),
                Slot::Single => fuller(&mut self.single, part),
                Slot::Middle(n) if n == self.middles.len() => self.middles.push(part),
                Slot::Middle(n) => match self.middles.get_mut(n) {
                    Some(known) if known.is_initial && !part.is_initial => *known = part,
                    _ => {}
                },
            }
        }
    }

    /// Returns the gender that titles imply, else the given name, else pronouns.
    pub(crate) fn gender(&self) -> Option<Gender> {
        self.by_title.or_else(|| self.gender_by_name()).or(match self.pronouns {
            [female, 0] if female > 0 => Some(Gender::Female),
            [0, male] if male > 0 => Some(Gender::Male),
            _ => None,
        })
    }

    pub(crate) fn gender_by_name(&self) -> Option<Gender> {
        let given = self.given.as_ref().filter(|given| !given.is_initial);
        let by_given = given.and_then(|given| gender_of(&given.plain));
        // A lone name is mostly a given name, unless a title shows that it is a family name.
        by_given.or_else(|| self.single.as_ref().and_then(|single| gender_of(&single.plain)))
    }

    /// Returns the fullest name, in plain letters.
    pub(crate) fn canonical(&self) -> String {
        let parts = [self.given.as_ref(), self.family.as_ref(), self.single.as_ref()];
        let names: Vec<&str> = parts.into_iter().flatten().map(|part| part.plain.as_str()).collect();
        names.join(" ")
    }
}

/// Keeps the first whole name; a letter gives way to a whole name.
fn fuller(known: &mut Option<Part>, part: Part) {
    match known {
        Some(known) if known.is_initial && !part.is_initial => *known = part,
        // A name in capitals does not show how it is written elsewhere.
        Some(known) if known.plain == part.plain && Case::of(&known.text) == Case::Upper => *known = part,
        Some(known) if !part.is_initial && part.plain.ends_with(&format!(" {}", known.plain)) => {
            *known = part
        }
        Some(_) => {}
        None => *known = Some(part),
    }
}
