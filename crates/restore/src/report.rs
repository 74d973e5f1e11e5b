//! What was restored, and what could not be.

use std::collections::BTreeMap;

/// What was restored, and what could not be. It holds counts, kinds and replacements, never an original, so it may be shown.
///
/// ```
/// use inkveil_restore::{Map, Options, Restorer};
///
/// let mut pairs = Map::builder();
/// pairs.add("[person]", "Ana Novak", "person")?;
/// pairs.add("[person]", "Eva Horak", "person")?; // nobody knows which is meant
/// let map = pairs.build();
/// let (text, report) = Restorer::new(&map, Options::default())?.restore_text("Ask [person].");
/// assert_eq!(text, "Ask [person].");
/// let left: Vec<_> = report.ambiguous().collect();
/// assert_eq!((left[0].replacement, left[0].kind, left[0].count), ("[person]", "person", 1));
/// # Ok::<(), inkveil_restore::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    restored: BTreeMap<String, u64>,
    /// By replacement and kind.
    ambiguous: BTreeMap<(String, String), u64>,
}

/// A replacement that stands for several originals, and how often it was left as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ambiguous<'r> {
    /// The replacement, which is public.
    pub replacement: &'r str,
    /// What it is.
    pub kind: &'r str,
    /// How often it was left.
    pub count: u64,
}

impl Report {
    /// How many replacements were put back.
    pub fn restored(&self) -> u64 {
        self.restored.values().sum()
    }

    /// How many replacements of each kind were put back.
    pub fn by_kind(&self) -> impl Iterator<Item = (&str, u64)> {
        self.restored.iter().map(|(kind, count)| (kind.as_str(), *count))
    }

    /// What was left because it stands for several originals.
    pub fn ambiguous(&self) -> impl Iterator<Item = Ambiguous<'_>> {
        self.ambiguous.iter().map(|((replacement, kind), &count)| Ambiguous { replacement, kind, count })
    }

    pub(crate) fn count_restored(&mut self, kind: &str) {
        match self.restored.get_mut(kind) {
            Some(count) => *count += 1,
            None => drop(self.restored.insert(kind.to_owned(), 1)),
        }
    }

    pub(crate) fn count_ambiguous(&mut self, replacement: &str, kind: &str) {
        *self.ambiguous.entry((replacement.to_owned(), kind.to_owned())).or_default() += 1;
    }
}
