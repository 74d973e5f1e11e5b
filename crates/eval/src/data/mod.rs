//! Test sets by name: texts with labels, marks or authors, passages with questions, sentences with scores, and queries with documents.
//!
//! A set is described in a few lines of TOML ([`Catalogue`]); the common ones are known already. Reading checks the number of rows and every
//! label, so that a wrong or cut file is noticed before anything is computed from it.

mod authored;
mod catalogue;
mod labelled;
mod marked;
mod pairs;
mod questions;
mod search;

pub use authored::{AuthoredSet, Writing};
pub use catalogue::{Catalogue, SetFile, SetSpec};
pub use labelled::{Labelled, LabelledSet};
pub(crate) use marked::Mark;
pub use marked::{MarkedFile, MarkedSet};
pub use pairs::ScoredPairs;
pub use questions::{Question, QuestionSet};
pub use search::{SearchFiles, SearchSet};

use std::collections::BTreeMap;

use inkveil_nn::SplitMix;

/// The SHA-256 of each file that was read, by its name.
pub type FileHashes = BTreeMap<String, String>;

/// So many of `count` items, drawn by the seed, in ascending order; all of them if that many are asked for.
///
/// ```
/// use inkveil_eval::data::sample;
///
/// assert_eq!(sample(3, 5, 1), [0, 1, 2]);
/// assert_eq!(sample(100, 5, 1), sample(100, 5, 1));
/// assert_ne!(sample(100, 5, 1), sample(100, 5, 2));
/// ```
pub fn sample(count: usize, wanted: usize, seed: u64) -> Vec<usize> {
    let mut items: Vec<usize> = (0..count).collect();
    if wanted < count {
        SplitMix::named(seed, "sample", &[]).shuffle(&mut items);
        items.truncate(wanted);
        items.sort_unstable();
    }
    items
}
