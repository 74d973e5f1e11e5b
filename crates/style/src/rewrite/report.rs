//! The result of a rewrite and its progress.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::choose::CandidateFault;
use super::measures::{RewriteMeasures, SourceMeasures};
use crate::FactChanges;

/// What happened to a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PassageOutcome {
    /// It was rewritten.
    Rewritten,
    /// No candidate was good enough. The one that keeps most of the meaning was taken.
    Closest,
    /// No candidate was good enough. The original was kept.
    Kept,
    /// It was too short to rewrite. The original was kept.
    Short,
    /// No candidate was good enough. The text is not released.
    Refused,
}

/// The outcome of one passage.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageReport {
    /// What happened to the passage.
    pub outcome: PassageOutcome,
    /// The measures of the candidate that was taken.
    pub measures: Option<RewriteMeasures>,
    /// One fault for each candidate that was not good enough.
    pub faults: Vec<CandidateFault>,
    /// The number of candidates.
    pub candidates: usize,
    /// The largest share of the meaning that a candidate kept.
    pub closest: Option<f64>,
    /// How the facts of the candidate that was taken differ from the passage. **Private**: it quotes both.
    pub changes: FactChanges,
}

/// A rewritten text.
#[derive(Clone)]
pub struct Rewrite {
    /// The new text; none if it was refused.
    pub text: Option<String>,
    /// The outcomes of its passages, in order.
    pub passages: Vec<PassageReport>,
    /// The measures of the original.
    pub source: SourceMeasures,
    /// The measures of the new text; none if it was refused.
    pub measures: Option<RewriteMeasures>,
}

impl Rewrite {
    /// Returns the number of passages with this outcome.
    pub fn count(&self, outcome: PassageOutcome) -> usize {
        self.passages.iter().filter(|passage| passage.outcome == outcome).count()
    }
}

/// Shows no text.
impl fmt::Debug for Rewrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rewrite({} passages, {:?})", self.passages.len(), self.measures)
    }
}

/// The progress of a rewrite. It holds private text, so it has no `Debug`.
#[derive(Clone, Copy)]
pub enum RewriteProgress<'a> {
    /// The number of passages that are done, and the number of all passages.
    Passages {
        /// Passages that are done.
        done: usize,
        /// All passages.
        all: usize,
    },
    /// The next piece of a new text. Texts come in order, and so do the pieces of a text.
    Piece {
        /// The position of the text among those of the call.
        text: usize,
        /// The piece.
        piece: &'a str,
    },
}
