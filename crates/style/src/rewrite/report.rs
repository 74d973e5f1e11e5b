//! The result of a rewrite and its progress.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::align::SentencePair;
use super::choose::CandidateFault;
use super::declined::{Declined, DeclinedPart};
use super::goal::GoalReport;
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
    /// It is a heading, a quote, a table or code. The original was kept.
    Fixed,
    /// No candidate was good enough. The text is not released.
    Refused,
    /// The writer wants to keep the original.
    Declined,
    /// The writer wants to keep some sentences of the original.
    Mixed,
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
    /// The sentences of the passage and of its rewrite, where they correspond one by one and were compared.
    pub sentences: Vec<SentencePair>,
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
    /// How it meets a goal, if there is one.
    pub goal: Option<GoalReport>,
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

    /// Returns the number of sentences that the writer keeps in passages that are rewritten otherwise.
    pub fn sentences_kept(&self) -> usize {
        self.passages.iter().flat_map(|passage| &passage.sentences).filter(|pair| pair.declined).count()
    }

    /// Returns whether there is a goal and the rewrite misses it.
    pub fn misses_goal(&self) -> bool {
        self.goal.as_ref().is_some_and(|goal| !goal.is_reached())
    }

    /// Keeps parts of the original. The measures of the text and of mixed passages are those from before.
    pub(crate) fn decline(&mut self, declined: &Declined) {
        for (number, part) in declined {
            let Some(passage) = self.passages.get_mut(*number) else { continue };
            let before = self.original.get(passage.range.clone()).unwrap_or_default();
            passage.decline(before, part);
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

impl PassageReport {
    /// Keeps all of a passage or some of its sentences.
    fn decline(&mut self, before: &str, part: &DeclinedPart) {
        let mixed = match part {
            DeclinedPart::Sentences(kept) if kept.is_empty() => return,
            DeclinedPart::Sentences(kept) => {
                let pairs = self.sentences.iter_mut().enumerate();
                pairs.for_each(|(number, pair)| pair.declined = kept.contains(&number));
                self.mixture(before)
            }
            DeclinedPart::Whole => None,
        };
        match mixed {
            Some(mixed) => (self.outcome, self.text) = (PassageOutcome::Mixed, Some(mixed)),
            None => {
                self.outcome = PassageOutcome::Declined;
                (self.text, self.measures, self.changes) = (None, None, FactChanges::default());
                self.sentences.clear();
            }
        }
    }

    /// The new sentences, the original ones where they are kept, and what stands between them in the original. None if
    /// nothing new is left.
    fn mixture(&mut self, before: &str) -> Option<String> {
        let after = self.text.as_deref()?;
        let (mut text, mut end) = (String::new(), 0);
        for pair in &mut self.sentences {
            text.push_str(before.get(end..pair.before.start)?);
            let start = text.len();
            text.push_str(match pair.declined {
                true => before.get(pair.before.clone())?,
                false => after.get(pair.after.clone())?,
            });
            pair.after = start..text.len();
            end = pair.before.end;
        }
        text.push_str(before.get(end..)?);
        self.sentences.iter().any(|pair| !pair.declined).then_some(text)
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
    use std::collections::BTreeSet;

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
            sentences: Vec::new(),
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
            goal: None,
        };
        assert_eq!((rewrite.line(&rewrite.passages[1]), rewrite.before(&rewrite.passages[2])), (3, "Three."));
        rewrite.decline(&Declined::from([(1, DeclinedPart::Whole)]));
        assert_eq!(rewrite.text, None, "a passage is refused");
        rewrite.decline(&Declined::from([(2, DeclinedPart::Whole)]));
        assert_eq!(rewrite.text.as_deref(), Some("1.\n\n Two.\nThree. "));
        assert_eq!(rewrite.count(PassageOutcome::Declined), 2);
        assert!(!format!("{rewrite:?}{:?}", rewrite.passages).contains("Two"));
    }

    #[test]
    fn sentences_of_a_passage_can_be_kept_one_by_one() {
        let (before, after) = ("It rained.\n We left. They stayed.", "Rain fell. We went. They did not go.");
        let pairs = [(0..10, 0..10), (12..20, 11..19), (21..33, 20..36)];
        let rewritten = || PassageReport {
            sentences: pairs
                .clone()
                .map(|(before, after)| SentencePair { before, after, declined: false })
                .to_vec(),
            ..passage(0..33, Some(after), PassageOutcome::Rewritten)
        };
        let declined = |kept: &[usize]| {
            let mut passage = rewritten();
            passage.decline(before, &DeclinedPart::Sentences(kept.iter().copied().collect()));
            passage
        };
        let mixed = declined(&[1]);
        assert_eq!(mixed.text.as_deref(), Some("Rain fell.\n We left. They did not go."));
        assert_eq!(mixed.outcome, PassageOutcome::Mixed);
        let text = mixed.text.as_deref().unwrap();
        let after: Vec<&str> = mixed.sentences.iter().map(|pair| &text[pair.after.clone()]).collect();
        assert_eq!(after, ["Rain fell.", "We left.", "They did not go."]);
        let all = declined(&[0, 1, 2]);
        assert_eq!((all.text, all.outcome), (None, PassageOutcome::Declined));
        assert_eq!(declined(&[]), rewritten());
        let mut unaligned = passage(0..33, Some("x"), PassageOutcome::Rewritten);
        unaligned.decline(before, &DeclinedPart::Sentences(BTreeSet::from([0])));
        assert_eq!(
            unaligned.outcome,
            PassageOutcome::Declined,
            "without sentences the whole passage is kept"
        );
    }
}
