//! The result of a rewrite and its progress.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

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
    /// The writer wants to keep the original.
    Declined,
}

/// The outcome of one passage. **Private**: it holds the new text.
#[derive(Clone, PartialEq)]
pub struct PassageReport {
    /// The bytes of the passage in the original.
    pub range: Range<usize>,
    /// What replaces the passage; none if it stays or is refused.
    pub text: Option<String>,
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

/// A rewritten text. **Private**: it holds the original.
#[derive(Clone)]
pub struct Rewrite {
    /// The original.
    pub original: String,
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

    /// Returns a passage of the original.
    pub fn before(&self, passage: &PassageReport) -> &str {
        self.original.get(passage.range.clone()).unwrap_or_default()
    }

    /// Returns the line of the original on which a passage starts.
    pub fn line(&self, passage: &PassageReport) -> usize {
        1 + self.original.get(..passage.range.start).unwrap_or_default().matches('\n').count()
    }

    /// Keeps the original of these passages, counted from 0. The measures of the text are those from before.
    pub(crate) fn decline(&mut self, declined: &BTreeSet<usize>) {
        let passages = self.passages.iter_mut().enumerate();
        for (_, passage) in passages.filter(|(number, _)| declined.contains(number)) {
            passage.outcome = PassageOutcome::Declined;
            (passage.text, passage.measures, passage.changes) = (None, None, FactChanges::default());
        }
        let released = self.passages.iter().all(|passage| passage.outcome != PassageOutcome::Refused);
        self.text = released.then(|| self.joined());
    }

    /// The new passages, and what stands between them in the original.
    fn joined(&self) -> String {
        let (mut text, mut end) = (String::new(), 0);
        for passage in &self.passages {
            text.push_str(self.original.get(end..passage.range.start).unwrap_or_default());
            text.push_str(passage.text.as_deref().unwrap_or(self.before(passage)));
            end = passage.range.end;
        }
        text.push_str(self.original.get(end..).unwrap_or_default());
        text
    }
}

/// Shows no text.
impl fmt::Debug for PassageReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PassageReport({:?}, {} candidates)", self.outcome, self.candidates)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(range: Range<usize>, text: Option<&str>, outcome: PassageOutcome) -> PassageReport {
        PassageReport {
            range,
            text: text.map(str::to_owned),
            outcome,
            measures: None,
            faults: Vec::new(),
            candidates: 1,
            closest: None,
            changes: FactChanges::default(),
        }
    }

    #[test]
    fn declined_passages_are_those_of_the_original() {
        let source =
            SourceMeasures { mean_distance: 0.0, risk: 0.0, outlier: false, entities: 0, link: None };
        let mut rewrite = Rewrite {
            original: "One.\n\n Two.\nThree. ".into(),
            text: None,
            passages: vec![
                passage(0..4, Some("1."), PassageOutcome::Rewritten),
                passage(7..11, Some("2."), PassageOutcome::Rewritten),
                passage(12..18, None, PassageOutcome::Refused),
            ],
            source,
            measures: None,
        };
        assert_eq!((rewrite.line(&rewrite.passages[1]), rewrite.before(&rewrite.passages[2])), (3, "Three."));
        rewrite.decline(&BTreeSet::from([1]));
        assert_eq!(rewrite.text, None, "a passage is refused");
        rewrite.decline(&BTreeSet::from([2]));
        assert_eq!(rewrite.text.as_deref(), Some("1.\n\n Two.\nThree. "));
        assert_eq!(rewrite.count(PassageOutcome::Declined), 2);
        assert!(!format!("{rewrite:?}{:?}", rewrite.passages).contains("Two"));
    }
}
