//! Given names: the gender that most bearers have, and short forms.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::letters::plain;

/// The gender that a name, title or pronoun implies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Gender {
    /// As in Ms, she, Anna.
    Female,
    /// As in Mr, he, Karl.
    Male,
}

struct GivenNames {
    genders: HashMap<String, Gender>,
    women: Vec<&'static str>,
    men: Vec<&'static str>,
}

static GIVEN: LazyLock<GivenNames> = LazyLock::new(|| {
    let mut names = GivenNames { genders: HashMap::new(), women: Vec::new(), men: Vec::new() };
    for line in include_str!("../../data/given-names.txt").lines() {
        let Some((gender, name)) = line.split_once(' ') else { continue };
        let gender = if gender == "f" { Gender::Female } else { Gender::Male };
        names.genders.entry(plain(name)).or_insert(gender);
        match gender {
            Gender::Female => names.women.push(name),
            Gender::Male => names.men.push(name),
        }
    }
    names
});

/// The names on the same line of the list of short forms as each name.
static SHORT_FORMS: LazyLock<HashMap<&'static str, HashSet<usize>>> = LazyLock::new(|| {
    let mut lines: HashMap<&'static str, HashSet<usize>> = HashMap::new();
    for (at, line) in include_str!("../../data/nicknames.txt").lines().enumerate() {
        line.split(' ').for_each(|name| {
            lines.entry(name).or_default().insert(at);
        });
    }
    lines
});

/// Returns the gender that most bearers of a given name have. Of a double name, the first part decides.
///
/// ```
/// use inkveil_entities::{Gender, gender_of};
///
/// assert_eq!(gender_of("Ana"), Some(Gender::Female));
/// assert_eq!(gender_of("Alex"), None);
/// ```
pub fn gender_of(given: &str) -> Option<Gender> {
    let name = plain(given);
    let first = name.split(['-', ' ']).next().unwrap_or_default();
    GIVEN.genders.get(&name).or_else(|| GIVEN.genders.get(first)).copied()
}

/// Returns whether a word is a given name of the list.
pub(crate) fn is_given_name(word: &str) -> bool {
    GIVEN.genders.contains_key(&plain(word))
}

/// Returns all given names of a gender, or all.
pub(crate) fn all_of(gender: Gender) -> &'static [&'static str] {
    match gender {
        Gender::Female => &GIVEN.women,
        Gender::Male => &GIVEN.men,
    }
}

/// Returns whether one name is a short form of the other, or both are short forms of the same name. Both
/// must be plain.
pub(crate) fn are_short_forms(one: &str, other: &str) -> bool {
    match (SHORT_FORMS.get(one), SHORT_FORMS.get(other)) {
        (Some(one), Some(other)) => !one.is_disjoint(other),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn genders_of_names() {
        assert_eq!(gender_of("Ana"), Some(Gender::Female));
        assert_eq!(gender_of("Karl-Erik"), Some(Gender::Male));
        assert_eq!(gender_of("ROBERT"), Some(Gender::Male));
        assert_eq!(gender_of("Alex"), None);
        assert_eq!(gender_of("Xyzzy"), None);
    }

    #[test]
    fn short_forms() {
        assert!(are_short_forms("kate", "katherine") && are_short_forms("bill", "will"));
        assert!(!are_short_forms("kate", "robert") && !are_short_forms("ana", "ana maria"));
        for line in include_str!("../../data/nicknames.txt").lines() {
            assert!(line.split(' ').count() > 1 && line.split(' ').all(|name| plain(name) == name), "{line}");
        }
    }
}
