//! The replacements of a job so far, for replacements that can be restored.

use std::collections::{HashMap, HashSet};
use std::fmt;

use inkveil_entities::plain_name;

use crate::entity::digest;

/// The replacements of a job so far. A job needs them if its replacements are
/// [restorable](crate::TextSettings::restorable) and consistent within the job. It holds
/// replacements, which are public, and digests of originals.
///
/// A resumed job fills it with the pairs that it has already released, in the same order. It then
/// continues as if it had not been interrupted.
///
/// ```
/// # fn example(veil: &inkveil_text::TextVeil, key: &inkveil_privacy::NoiseKey) -> Result<(), inkveil_text::Error> {
/// use inkveil_text::{Document, Replacements};
///
/// let mut known = Replacements::default();
/// let mut pairs = Vec::new();
/// for veiled in veil.veil_all_with(&mut known, &[Document::new("Ask Ana Lima.")], 0, key)? {
///     pairs.extend(veiled.replacements().map(|r| (r.replacement.to_owned(), r.original.to_owned(), r.kind.to_owned())));
/// }
/// // Later, in another process:
/// let mut known = Replacements::default();
/// pairs.iter().for_each(|(replacement, original, kind)| known.remember(replacement, original, kind));
/// veil.veil_all_with(&mut known, &[Document::new("Ana Lima is here.")], 1, key)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Replacements {
    by_original: HashMap<Id, String>,
    by_replacement: HashMap<String, Id>,
    /// By the original in plain letters: "LYON" and "Lyon" are one place.
    by_name: HashMap<Id, String>,
    /// Replacements that the user does not want.
    refused: HashSet<String>,
}

/// The digest of a kind and an original.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Id([u8; 32]);

impl Id {
    pub(crate) fn new(label: &str, original: &str) -> Self {
        Self(digest(&[label.as_bytes(), original.as_bytes()]))
    }
}

impl Replacements {
    /// Adds a released pair. If an original has several replacements, the first is used again.
    pub fn remember(&mut self, replacement: &str, original: &str, kind: &str) {
        self.take(replacement, Id::new(kind, original));
        // A replacement in capitals alone would be written for the name in any case.
        if original.starts_with(char::is_uppercase) && original.contains(char::is_lowercase) {
            let name = Id::new(kind, &plain_name(original));
            self.by_name.entry(name).or_insert_with(|| replacement.to_owned());
        }
    }

    /// Refuses a replacement: no original gets it, and neither its words if it is a name. Another one is
    /// drawn. It matters only if replacements are restorable and consistent within the job.
    pub fn refuse(&mut self, replacement: &str) {
        self.refused.insert(replacement.to_owned());
        // A name of several words is a form of an identity, which has other forms.
        let is_name = |word: &&str| word.chars().all(char::is_alphabetic) && word.len() > 1;
        self.refused.extend(replacement.split_whitespace().filter(is_name).map(str::to_owned));
    }

    pub(crate) fn take(&mut self, replacement: &str, id: Id) {
        self.by_original.entry(id).or_insert_with(|| replacement.to_owned());
        self.by_replacement.entry(replacement.to_owned()).or_insert(id);
    }

    /// Returns the number of originals.
    pub fn len(&self) -> usize {
        self.by_original.len()
    }

    /// Returns whether there are no originals.
    pub fn is_empty(&self) -> bool {
        self.by_original.is_empty()
    }

    /// Returns the replacement of an original.
    pub(crate) fn of(&self, id: Id) -> Option<&str> {
        self.by_original.get(&id).map(String::as_str)
    }

    /// Returns the replacement of a name, however it is written.
    pub(crate) fn of_name(&self, kind: &str, name: &str) -> Option<&str> {
        self.by_name.get(&Id::new(kind, &plain_name(name))).map(String::as_str)
    }

    /// Returns whether a replacement is free for an original: no other original has it.
    pub(crate) fn may_be(&self, replacement: &str, id: Id) -> bool {
        !self.refused.contains(replacement)
            && self.by_replacement.get(replacement).is_none_or(|taken| *taken == id)
    }
}

impl fmt::Debug for Replacements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Replacements({} originals)", self.by_original.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_replacement_is_kept_and_belongs_to_one_original() {
        let mut known = Replacements::default();
        known.remember("Made", "Ana", "person");
        known.remember("[person 1]", "Ana", "person");
        let ana = Id::new("person", "Ana");
        assert_eq!(known.of(ana), Some("Made"));
        assert!(known.may_be("Made", ana) && known.may_be("Iva", ana));
        for other in [Id::new("person", "ANA"), Id::new("location", "Ana")] {
            assert_eq!(known.of(other), None);
            assert!(!known.may_be("Made", other) && !known.may_be("[person 1]", other));
        }
        assert_eq!(known.of_name("person", "ANA"), Some("Made"));
        known.remember("ANTONOV", "NOVAK", "person");
        assert_eq!(known.of_name("person", "Novak"), None);
        assert_eq!(format!("{known:?}"), "Replacements(2 originals)");
    }
}
