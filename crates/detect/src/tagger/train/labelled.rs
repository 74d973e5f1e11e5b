//! Labelled texts for training.

use std::fmt;
use std::ops::Range;

use crate::kind::Kind;
use crate::tagger::labels::{LABELS, OUTSIDE, TAGGED, first, inside, tag_of};
use crate::tagger::words::{Word, words};

/// A text with its sensitive spans, for training. `Debug` does not show the text.
#[derive(Clone, PartialEq)]
pub struct LabelledText {
    /// The text.
    pub text: String,
    /// The sensitive spans in bytes with their kinds; `None` if the label of the dataset has no counterpart.
    pub spans: Vec<(Range<usize>, Option<Kind>)>,
    /// The kinds that are labelled completely; `None` if all are.
    pub complete: Option<Vec<Kind>>,
    /// The weight of its sensitive words in the loss; other words have the weight 1. Above 1, a tagger
    /// prefers to find too much in such texts.
    pub emphasis: f32,
}

impl fmt::Debug for LabelledText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LabelledText({} bytes, {} spans)", self.text.len(), self.spans.len())
    }
}

/// The set of all labels.
const ANY: u64 = (1 << LABELS) - 1;

impl LabelledText {
    /// Returns the words, and for each the set of allowed labels.
    pub(super) fn words(&self) -> (Vec<Word>, Vec<u64>) {
        let words = words(&self.text);
        let outside = self.outside();
        let mut spans: Vec<&(Range<usize>, Option<Kind>)> = self.spans.iter().collect();
        spans.sort_by_key(|(range, _)| range.start);
        let mut spans = spans.into_iter().peekable();
        let mut begun = None;
        let allowed = words
            .iter()
            .map(|word| {
                while spans.next_if(|(range, _)| range.end <= word.start).is_some() {}
                match spans.peek() {
                    Some((range, kind)) if range.start < word.end => {
                        let begins = begun.replace(range.start) != Some(range.start);
                        match kind.as_ref().and_then(tag_of) {
                            Some(tag) if begins => 1 << first(tag),
                            Some(tag) => 1 << inside(tag),
                            None => ANY,
                        }
                    }
                    _ => outside,
                }
            })
            .collect();
        (words, allowed)
    }

    /// Returns the weight of a word in the loss, given its allowed labels.
    pub(super) fn weight(&self, allowed: u64) -> f32 {
        if allowed & 1 << OUTSIDE == 0 { self.emphasis } else { 1.0 }
    }

    /// Returns the allowed labels of a word without a label.
    fn outside(&self) -> u64 {
        let Some(complete) = &self.complete else { return 1 << OUTSIDE };
        let complete: Vec<usize> = complete.iter().filter_map(tag_of).collect();
        let open = (0..TAGGED.len()).filter(|tag| !complete.contains(tag));
        open.fold(1 << OUTSIDE, |set, tag| set | 1 << first(tag) | 1 << inside(tag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_get_the_labels_that_their_dataset_allows() {
        let person = tag_of(&Kind::Person).unwrap();
        let mut labelled = LabelledText {
            text: "Dear Ana Lima, hi".to_owned(),
            spans: vec![(5..13, Some(Kind::Person))],
            complete: None,
            emphasis: 1.0,
        };
        let (_, allowed) = labelled.words();
        assert_eq!(allowed, [1, 1 << first(person), 1 << inside(person), 1, 1]);
        labelled.complete = Some(vec![Kind::Person]);
        let (_, allowed) = labelled.words();
        assert_eq!(allowed[0] & 1 << first(person), 0);
        assert_ne!(allowed[0] & 1 << first(tag_of(&Kind::Job).unwrap()), 0);
        labelled.spans[0].1 = None;
        assert_eq!(labelled.words().1[1], ANY);
    }
}
