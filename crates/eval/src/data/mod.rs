//! Test sets by name: texts with labels, marks or authors, passages with questions, sentence pairs
//! with scores, and queries with documents.
//!
//! A set is described in a few lines of TOML ([`Catalogue`]); common sets are known. Reading checks
//! the number of rows and every label, so that a wrong or incomplete file is found before anything
//! is computed from it.

mod authored;
mod catalogue;
mod files;
mod labelled;
mod marked;
mod pairs;
mod questions;
mod sample;
mod search;
mod spec;

pub use authored::{AuthoredSet, AuthoredText};
pub use catalogue::Catalogue;
pub use files::FileHashes;
pub use labelled::{LabelledSet, LabelledTexts};
pub(crate) use marked::Mark;
pub use marked::MarkedSet;
pub use pairs::ScoredPairs;
pub use questions::{Question, QuestionSet};
pub use sample::sample;
pub use search::SearchSet;
pub use spec::{MarkedFile, SearchFiles, SetFile, SetSpec};
