//! What has been replaced so far, and by what: for replacements that can be put back.

use std::collections::HashMap;
use std::fmt;

use crate::entity::digest;

/// What has been replaced so far, and by what, where this must be known: for [`restorable`](crate::TextSettings::restorable) replacements that
/// are consistent within a job. It holds replacements, which are public, and digests of originals.
///
/// A job that goes on where it stopped fills it again with the pairs of what it has released, in the same order: then it goes on as if it had never
/// stopped.
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
}

/// A kind and an original, byte for byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Id([u8; 32]);

impl Id {
    pub(crate) fn new(label: &str, original: &str) -> Self {
        Self(digest(&[label.as_bytes(), original.as_bytes()]))
    }
}

impl Replacements {
    /// Remembers a pair of what was released. The first replacement of an original is the one that is used again.
    pub fn remember(&mut self, replacement: &str, original: &str, kind: &str) {
        self.take(replacement, Id::new(kind, original));
    }

    pub(crate) fn take(&mut self, replacement: &str, id: Id) {
        self.by_original.entry(id).or_insert_with(|| replacement.to_owned());
        self.by_replacement.entry(replacement.to_owned()).or_insert(id);
    }

    /// How many originals are known.
    pub fn len(&self) -> usize {
        self.by_original.len()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.by_original.is_empty()
    }

    /// What stands for an original.
    pub(crate) fn of(&self, id: Id) -> Option<&str> {
        self.by_original.get(&id).map(String::as_str)
    }

    /// Whether a replacement may stand for an original: it stands for nothing else.
    pub(crate) fn may_be(&self, replacement: &str, id: Id) -> bool {
        self.by_replacement.get(replacement).is_none_or(|taken| *taken == id)
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
    fn the_first_replacement_stays_and_belongs_to_one() {
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
        assert_eq!(format!("{known:?}"), "Replacements(1 originals)");
    }
}
