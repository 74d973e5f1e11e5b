//! The names of a document's placeholders, and the replacements that are free in it.

use std::collections::HashMap;

use inkveil_detect::Kind;
use inkveil_privacy::NoiseKey;

use crate::entity::{CODE, Entity};
use crate::known::{Id, Replacements};
use crate::{Consistency, Error};

/// The kinds whose names are forms of identities.
const NAMED: [Kind; 3] = [Kind::Person, Kind::Organisation, Kind::Location];

/// Letters and digits that cannot be confused with each other.
const LETTERS: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
/// There are 31⁵ codes, about 28 million for each kind.
const CODE_LENGTH: usize = 5;

/// Numbers the entities of a document by their first appearance, separately for each kind.
#[derive(Default)]
pub(crate) struct Numbers {
    numbers: HashMap<Entity, usize>,
    counts: HashMap<String, usize>,
}

impl Numbers {
    fn of(&mut self, entity: &Entity) -> usize {
        if let Some(number) = self.numbers.get(entity) {
            return *number;
        }
        let count = self.counts.entry(entity.label().to_owned()).or_default();
        *count += 1;
        self.numbers.insert(entity.clone(), *count);
        *count
    }

    /// Returns the placeholder of an entity: `[person 1]` within a document, `[person k7q2m]`
    /// within a job. If it could be confused with another one, further attempts give `[person
    /// 1-b]`, `[person 1-c]` …
    pub(crate) fn placeholder(
        &mut self,
        entity: &Entity,
        scope: Consistency,
        attempt: u32,
        key: &NoiseKey,
    ) -> Result<String, Error> {
        let name = match scope {
            Consistency::None => return Ok(format!("[{}]", entity.label())),
            Consistency::Document => self.of(entity).to_string(),
            Consistency::Job => code(entity, key)?,
        };
        let further = match attempt {
            0 => String::new(),
            1..=25 => format!("-{}", char::from(b'a' + attempt as u8)),
            _ => format!("-{attempt}"),
        };
        Ok(format!("[{} {name}{further}]", entity.label()))
    }
}

fn code(entity: &Entity, key: &NoiseKey) -> Result<String, Error> {
    let mut stream = entity.stream(key, CODE, 0);
    let mut code = String::with_capacity(CODE_LENGTH);
    for _ in 0..CODE_LENGTH {
        code.push(LETTERS[stream.below(LETTERS.len() as u64)? as usize].into());
    }
    Ok(code)
}

/// The replacements of a document that can be restored: those that neither another original nor the
/// rest of the released text has. The private text is not read: an original that is replaced cannot
/// be confused with a replacement, and rejecting its name would show that it is in the text.
pub(crate) struct Free<'k> {
    /// The replacements that were released before, within the scope.
    before: &'k Replacements,
    /// The replacements of this document so far.
    own: Replacements,
    /// The rest of the released text in lower case and with single spaces.
    rest: String,
}

impl<'k> Free<'k> {
    pub(crate) fn new(before: &'k Replacements, rest: &str) -> Self {
        Self { before, own: Replacements::default(), rest: plain(rest) }
    }

    /// Returns the replacement that an original already has, unless the rest contains it.
    pub(crate) fn known(&self, id: Id) -> Option<&str> {
        let before = || self.before.of(id).filter(|replacement| !self.occurs(replacement));
        self.own.of(id).or_else(before)
    }

    pub(crate) fn may_be(&self, replacement: &str, id: Id) -> bool {
        !replacement.is_empty()
            && self.own.may_be(replacement, id)
            && self.before.may_be(replacement, id)
            && !self.occurs(replacement)
    }

    /// Returns whether a form of an identity may stand for a form of an original: no other original
    /// of an earlier document has it, and the rest does not contain it.
    pub(crate) fn is_open(&self, form: &str, original: &str) -> bool {
        let open = |kind: &Kind| self.before.may_be(form, Id::new(kind.name(), original));
        NAMED.iter().any(open) && !self.occurs(form)
    }

    /// Returns the name that an earlier document gave to a name.
    pub(crate) fn known_form(&self, original: &str) -> Option<String> {
        let known = |kind: &Kind| self.before.of_name(kind.name(), original);
        let form = NAMED.iter().find_map(known).filter(|form| !form.starts_with('['))?;
        (!self.occurs(form)).then(|| form.to_owned())
    }

    pub(crate) fn take(&mut self, replacement: &str, id: Id) {
        self.own.take(replacement, id);
    }

    /// Returns whether the rest contains it as whole words, in any case.
    fn occurs(&self, replacement: &str) -> bool {
        let replacement = plain(replacement);
        let goes_on = |edge: Option<char>, near: Option<char>| {
            edge.is_some_and(char::is_alphanumeric) && near.is_some_and(char::is_alphanumeric)
        };
        self.rest.match_indices(&replacement).any(|(start, found)| {
            let (before, after) = (&self.rest[..start], &self.rest[start + found.len()..]);
            !goes_on(found.chars().next(), before.chars().next_back())
                && !goes_on(found.chars().next_back(), after.chars().next())
        })
    }
}

/// Returns a text in lower case and with single spaces.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_whitespace() {
            true if plain.ends_with(' ') => {}
            true => plain.push(' '),
            false => plain.extend(c.to_lowercase()),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(text: &str) -> Entity {
        Entity::new("person", Some(&Kind::Person), text, None)
    }

    #[test]
    fn placeholders_are_numbered_by_first_appearance() {
        let key = NoiseKey::insecure_from_seed(1);
        let mut numbers = Numbers::default();
        let mut named = |entity: &Entity, attempt| {
            numbers.placeholder(entity, Consistency::Document, attempt, &key).unwrap()
        };
        assert_eq!(named(&person("Ana"), 0), "[person 1]");
        assert_eq!(named(&person("Eva"), 0), "[person 2]");
        assert_eq!(named(&Entity::new("email", Some(&Kind::Email), "a@b", None), 0), "[email 1]");
        assert_eq!(named(&person("ANA"), 1), "[person 1-b]");
        assert_eq!(named(&person("ANA"), 26), "[person 1-26]");
    }

    #[test]
    fn codes_depend_on_the_key_and_the_entity() {
        let mut numbers = Numbers::default();
        let mut coded = |text: &str, seed: u64| {
            let key = NoiseKey::insecure_from_seed(seed);
            numbers.placeholder(&person(text), Consistency::Job, 0, &key).unwrap()
        };
        let ana = coded("Ana", 1);
        assert_eq!(ana, coded(" ANA", 1));
        assert!(ana != coded("Eva", 1) && ana != coded("Ana", 2));
        let code = ana.strip_prefix("[person ").unwrap().strip_suffix(']').unwrap();
        assert!(code.len() == 5 && code.bytes().all(|b| LETTERS.contains(&b)), "{code}");
    }

    #[test]
    fn replacements_that_the_rest_contains_are_not_free() {
        let before = Replacements::default();
        let free = Free::new(&before, "Banana, made\n antonov and [Person 1].");
        let id = Id::new("person", "Ana");
        for taken in ["Made Antonov", "MADE", "[person 1]", "", "banana"] {
            assert!(!free.may_be(taken, id), "{taken}");
        }
        for good in ["Ana", "Ade", "[person 2]", "Antonova"] {
            assert!(free.may_be(good, id), "{good}");
        }
    }
}
