//! One replacement and its original.

use std::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

/// A replacement and its original. **Private**: never printed, and overwritten when dropped.
///
/// ```
/// use inkveil_restore::ReplacementMap;
///
/// let mut pairs = ReplacementMap::builder();
/// pairs.add("[person 1]", "Ana Novak", "person")?;
/// let map = pairs.build();
/// let pair = map.pairs().next().unwrap();
/// assert_eq!((pair.replacement(), pair.original(), pair.kind()), ("[person 1]", "Ana Novak", "person"));
/// assert_eq!(format!("{pair:?}"), "ReplacementPair(redacted)");
/// # Ok::<(), inkveil_restore::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Zeroize, ZeroizeOnDrop)]
pub struct ReplacementPair {
    pub(crate) replacement: String,
    pub(crate) original: String,
    pub(crate) kind: String,
}

impl ReplacementPair {
    /// The text in the veiled document.
    pub fn replacement(&self) -> &str {
        &self.replacement
    }

    /// The text that was replaced.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// The kind: `person`, `email` and so on.
    pub fn kind(&self) -> &str {
        &self.kind
    }
}

impl fmt::Debug for ReplacementPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplacementPair(redacted)")
    }
}

/// The longest replacement. Restoring holds back this many bytes.
pub(crate) const LONGEST_REPLACEMENT: usize = 64 << 10;
/// The longest original.
pub(crate) const LONGEST_ORIGINAL: usize = 16 << 20;
/// The longest name of a kind.
pub(crate) const LONGEST_KIND: usize = 1 << 10;
