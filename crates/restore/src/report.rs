//! The result of restoring a text.

use std::collections::BTreeMap;

/// Counts of restored replacements and of those that were left unchanged. It contains counts, kinds and replacements, never
/// an original, so it may be shown.
///
/// ```
/// use inkveil_restore::{ReplacementMap, RestoreOptions, Restorer};
///
/// let mut pairs = ReplacementMap::builder();
/// pairs.add("[person]", "Ana Novak", "person")?;
/// pairs.add("[person]", "Eva Horak", "person")?; // the original is ambiguous
/// let map = pairs.build();
/// let (text, report) = Restorer::new(&map, RestoreOptions::default())?.restore_text("Ask [person].");
/// assert_eq!(text, "Ask [person].");
/// let left: Vec<_> = report.ambiguous().collect();
/// assert_eq!((left[0].replacement, left[0].kind, left[0].count), ("[person]", "person", 1));
/// # Ok::<(), inkveil_restore::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RestoreReport {
    restored: BTreeMap<String, u64>,
    /// By replacement and kind.
    ambiguous: BTreeMap<(String, String), u64>,
    /// By word and kind.
    words: BTreeMap<(String, String), u64>,
    /// By replacement and kind.
    in_longer_names: BTreeMap<(String, String), u64>,
    /// By replacement and kind.
    not_json: BTreeMap<(String, String), u64>,
}

/// A replacement, or a word of one, that was not restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnrestoredReplacement<'r> {
    /// The replacement, which is public.
    pub replacement: &'r str,
    /// Its kind.
    pub kind: &'r str,
    /// How often it was left unchanged.
    pub count: u64,
}

impl RestoreReport {
    /// The number of restored replacements.
    pub fn restored(&self) -> u64 {
        self.restored.values().sum()
    }

    /// The number of restored replacements of each kind.
    pub fn by_kind(&self) -> impl Iterator<Item = (&str, u64)> {
        self.restored.iter().map(|(kind, count)| (kind.as_str(), *count))
    }

    /// The replacements that were left unchanged because they stand for several originals.
    pub fn ambiguous(&self) -> impl Iterator<Item = UnrestoredReplacement<'_>> {
        unrestored(&self.ambiguous)
    }

    /// Words of replaced names that appear alone and were left unchanged: a first name, a family name.
    pub fn words(&self) -> impl Iterator<Item = UnrestoredReplacement<'_>> {
        unrestored(&self.words)
    }

    /// The replacements that were left unchanged because they are a part of the name of someone else.
    pub fn in_longer_names(&self) -> impl Iterator<Item = UnrestoredReplacement<'_>> {
        unrestored(&self.in_longer_names)
    }

    /// The replacements that were left unchanged because their originals would have broken the JSON around
    /// them.
    pub fn not_json(&self) -> impl Iterator<Item = UnrestoredReplacement<'_>> {
        unrestored(&self.not_json)
    }

    pub(crate) fn count_not_json(&mut self, replacement: &str, kind: &str) {
        *self.not_json.entry((replacement.to_owned(), kind.to_owned())).or_default() += 1;
    }

    pub(crate) fn count_in_longer_name(&mut self, replacement: &str, kind: &str) {
        *self.in_longer_names.entry((replacement.to_owned(), kind.to_owned())).or_default() += 1;
    }

    pub(crate) fn count_restored(&mut self, kind: &str) {
        match self.restored.get_mut(kind) {
            Some(count) => *count += 1,
            None => drop(self.restored.insert(kind.to_owned(), 1)),
        }
    }

    pub(crate) fn count_word(&mut self, word: &str, kind: &str) {
        *self.words.entry((word.to_owned(), kind.to_owned())).or_default() += 1;
    }

    pub(crate) fn count_ambiguous(&mut self, replacement: &str, kind: &str) {
        *self.ambiguous.entry((replacement.to_owned(), kind.to_owned())).or_default() += 1;
    }
}

fn unrestored(counts: &BTreeMap<(String, String), u64>) -> impl Iterator<Item = UnrestoredReplacement<'_>> {
    counts.iter().map(|((replacement, kind), &count)| UnrestoredReplacement { replacement, kind, count })
}
