//! What a writer keeps of the original.

use std::collections::{BTreeMap, BTreeSet};

/// The passages that a writer keeps, wholly or in part, counted from 0. Everything else is replaced by its rewrite.
pub type Declined = BTreeMap<usize, DeclinedPart>;

/// What a writer keeps of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclinedPart {
    /// All of it.
    Whole,
    /// These of its [sentences](super::PassageReport::sentences), counted from 0. If they are not known, all of it.
    Sentences(BTreeSet<usize>),
}
