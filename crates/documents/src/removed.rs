//! What was removed from a document.

use std::collections::BTreeMap;

/// What was removed from a document, and how often. It names places and holds no text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removed {
    counts: BTreeMap<&'static str, u64>,
}

impl Removed {
    /// Counts one more of a place.
    pub(crate) fn add(&mut self, what: &'static str) {
        self.add_many(what, 1);
    }

    /// Counts several more of a place.
    pub(crate) fn add_many(&mut self, what: &'static str, count: u64) {
        if count > 0 {
            *self.counts.entry(what).or_default() += count;
        }
    }

    /// Returns what was removed, in order of the names, and how often.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.counts.iter().map(|(what, count)| (*what, *count))
    }

    /// Returns how often something was removed.
    pub fn count(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or(0)
    }

    /// Returns whether nothing was removed.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}
