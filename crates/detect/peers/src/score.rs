//! What counts as found. The labels are those of `crates/dev/src/tagger/labels.rs`, and the counting is that of `crates/dev/src/tagger/score.rs`, so that figures compare.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::gold::Gold;

/// How a tool did on a gold file.
#[derive(Debug, Default)]
pub(crate) struct Score {
    /// Of the characters found, the share that is sensitive.
    pub(crate) precision: f64,
    /// Of the sensitive characters, the share that was found.
    pub(crate) recall: f64,
    /// Spans found whole, by label.
    pub(crate) whole: BTreeMap<String, Whole>,
    /// Kilobytes of text per second.
    pub(crate) speed: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Whole {
    pub(crate) found: usize,
    pub(crate) of: usize,
}

impl Whole {
    pub(crate) fn add(&mut self, other: Whole) {
        self.found += other.found;
        self.of += other.of;
    }

    /// None if there was nothing to find.
    pub(crate) fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.found as f64 / self.of as f64)
    }
}

impl Score {
    /// Scores the ranges of bytes that a tool found in each text.
    pub(crate) fn of(gold: &[Gold], found: &[Vec<Range<usize>>], speed: f64) -> Self {
        let (mut hit, mut miss, mut wrong) = (0_usize, 0_usize, 0_usize);
        let mut whole: BTreeMap<String, Whole> = BTreeMap::new();
        for (gold, found) in gold.iter().zip(found) {
            let sensitive = marks(&gold.text, gold.spans.iter().map(|span| &span.range));
            let marked = marks(&gold.text, found.iter());
            for span in &gold.spans {
                let is_whole = marked[span.range.clone()].iter().all(|&mark| mark);
                let one = Whole { found: usize::from(is_whole), of: 1 };
                whole.entry(span.label.clone()).or_default().add(one);
            }
            for (at, _) in gold.text.char_indices() {
                hit += usize::from(sensitive[at] && marked[at]);
                miss += usize::from(sensitive[at] && !marked[at]);
                wrong += usize::from(!sensitive[at] && marked[at]);
            }
        }
        let share = |part: usize, rest: usize| part as f64 / (part + rest).max(1) as f64;
        Score { precision: share(hit, wrong), recall: share(hit, miss), whole, speed }
    }

    /// Precision and recall in one figure, in which recall weighs more: what is missed leaks.
    pub(crate) fn f2(&self) -> f64 {
        5.0 * self.precision * self.recall / (4.0 * self.precision + self.recall).max(1e-9)
    }

    /// Spans found whole, over all labels of a group.
    pub(crate) fn whole_of(&self, group: impl Fn(&str) -> bool) -> Whole {
        let mut sum = Whole::default();
        self.whole.iter().filter(|(label, _)| group(label)).for_each(|(_, &whole)| sum.add(whole));
        sum
    }
}

/// For each byte, whether it lies in a range. Tools are not trusted to stay inside the text.
fn marks<'a>(text: &str, ranges: impl Iterator<Item = &'a Range<usize>>) -> Vec<bool> {
    let mut marks = vec![false; text.len()];
    for range in ranges {
        let end = range.end.min(text.len());
        marks[range.start.min(end)..end].fill(true);
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::Labelled;
    use crate::labels::{is_person, is_structured};

    #[test]
    fn counts_characters_of_any_kind_and_whole_spans() {
        let spans = vec![
            Labelled { range: 0..5, label: "person".to_owned() },
            Labelled { range: 10..14, label: "phone".to_owned() },
        ];
        let gold = Gold { text: "Jörg hat 1234 ja".to_owned(), spans };
        let score = Score::of(&[gold], &[vec![0..5, 12..99]], 1.0);
        // Found: the four characters of the name, two digits, and three characters too many.
        assert!((score.precision - 6.0 / 9.0).abs() < 1e-9);
        assert!((score.recall - 6.0 / 8.0).abs() < 1e-9);
        assert_eq!(score.whole_of(is_person), Whole { found: 1, of: 1 });
        assert_eq!(score.whole_of(is_structured), Whole { found: 0, of: 1 });
    }

    #[test]
    fn recall_weighs_more() {
        let score = |precision, recall| Score { precision, recall, ..Score::default() }.f2();
        assert!(score(0.5, 0.9) > score(0.9, 0.5));
        assert!((score(0.7, 0.7) - 0.7).abs() < 1e-9);
        assert!(score(0.0, 0.0).abs() < 1e-9);
    }
}
