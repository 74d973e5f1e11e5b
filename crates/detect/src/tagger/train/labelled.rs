//! A text whose sensitive parts are known.

use std::fmt;
use std::ops::Range;

use super::super::labels::{LABELS, OUTSIDE, TAGGED, first, inside, tag_of};
use super::super::words::{Word, words};
use crate::Kind;

/// A text with its sensitive spans, for training.
#[derive(Clone, PartialEq)]
pub struct Labelled {
    /// The text.
    pub text: String,
    /// Where it is sensitive, in bytes, and of what kind; no kind if the source's label has no counterpart here.
    pub spans: Vec<(Range<usize>, Option<Kind>)>,
    /// The kinds that are labelled wherever they occur; none for a source that labels all of them.
    pub complete: Option<Vec<Kind>>,
}

/// The text is not shown.
impl fmt::Debug for Labelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Labelled({} bytes, {} spans)", self.text.len(), self.spans.len())
    }
}

/// Every label.
const ANY: u64 = (1 << LABELS) - 1;

impl Labelled {
    /// The words, and for each a bit set of the labels that are right.
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

    /// What a word without a label may be.
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
    fn words_get_what_their_source_allows() {
        let person = tag_of(&Kind::Person).unwrap();
        let mut labelled = Labelled {
            text: "Dear Ana Lima, hi".to_owned(),
            spans: vec![(5..13, Some(Kind::Person))],
            complete: None,
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
