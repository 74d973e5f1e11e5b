//! Explains what happened to every word of a text, and why.
//!
//! An [`ExplainedDocument`] holds the original, so it is **private**. Interfaces show it to the person
//! who owns the text, and to nobody else.

mod counts;
mod document;
mod json;
mod summary;
mod terms;
mod verdict;

pub use counts::{Treated, TreatmentCounts};
pub use document::{
    DocumentOrigin, ExplainedDocument, ExplainedUnit, Explanation, OriginalDocument, ReleasedText,
    UnitReplacement,
};
pub use json::json_line;
pub use terms::{VeilTerms, rounded};
pub use verdict::{Telling, Verdict};

/// Samples for tests of interfaces.
#[doc(hidden)]
pub mod samples {
    pub use super::document::samples::{document, unit};
    pub use super::terms::samples::terms;
}
