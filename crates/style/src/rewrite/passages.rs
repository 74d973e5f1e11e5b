//! Passages: the pieces of a text that are rewritten one by one.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

use super::layout::{Block, blocks};

/// Longer paragraphs are cut between sentences, because small models lose track of long texts.
const WORDS: usize = 70;
/// Shorter pieces, such as headings and greetings, have too little style, and small models change
/// their meaning.
const FEWEST: usize = 8;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Passage {
    /// Its bytes in the text. Passages, the white space between them and the markers of lists make up the text.
    pub(super) range: Range<usize>,
    /// What is done with it.
    pub(super) kind: PassageKind,
}

/// What is done with a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PassageKind {
    /// It is rewritten.
    Prose,
    /// It stays: it has too few words.
    Short,
    /// It stays: it is a heading, a quote, a table or code.
    Fixed,
}

impl Passage {
    /// Whether it is rewritten.
    pub(super) fn is_rewritten(&self) -> bool {
        self.kind == PassageKind::Prose
    }
}

/// Cuts a text into passages: paragraphs and list items, with long ones cut between sentences, and what is no prose.
/// Only white space and the markers of lists lie between passages.
pub(super) fn passages(text: &str) -> Vec<Passage> {
    let of_block = |Block { range, is_prose }| match is_prose {
        true => cut(text, trimmed(text, range)),
        false => vec![Passage { range: trimmed(text, range), kind: PassageKind::Fixed }],
    };
    blocks(text).into_iter().flat_map(of_block).filter(|passage| !passage.range.is_empty()).collect()
}

/// Returns the first passage of a text that is long enough to be rewritten.
pub(crate) fn first_passage(text: &str) -> Option<&str> {
    let found = passages(text).into_iter().find(Passage::is_rewritten)?;
    text.get(found.range)
}

fn cut(text: &str, paragraph: Range<usize>) -> Vec<Passage> {
    let passage = |range: Range<usize>| {
        let range = trimmed(text, range);
        let kind = match words(&text[range.clone()]) {
            FEWEST.. => PassageKind::Prose,
            _ => PassageKind::Short,
        };
        Passage { range, kind }
    };
    let whole = &text[paragraph.clone()];
    let all = words(whole);
    if all <= WORDS {
        return vec![passage(paragraph)];
    }
    // Pieces have about the same length, so that none is a single sentence.
    let each = all.div_ceil(all.div_ceil(WORDS));
    let (mut pieces, mut start, mut count) = (Vec::new(), 0, 0);
    for (at, sentence) in whole.split_sentence_bound_indices() {
        let length = words(sentence);
        if count > 0 && count + length > each + each / 5 {
            pieces.push(start..at);
            (start, count) = (at, 0);
        }
        count += length;
    }
    pieces.push(start..whole.len());
    let shift = |range: Range<usize>| paragraph.start + range.start..paragraph.start + range.end;
    pieces.into_iter().map(|range| passage(shift(range))).filter(|piece| !piece.range.is_empty()).collect()
}

fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_paragraphs_are_cut_and_headings_are_not_rewritten() {
        let long = "One two three four five six seven eight nine ten. ".repeat(25);
        let text = format!("A heading\n\n  It rained all day, and we stayed\nat home.  \n\n\n{long}\n");
        let found = passages(&text);
        let parts: Vec<(&str, bool)> =
            found.iter().map(|p| (&text[p.range.clone()], p.is_rewritten())).collect();
        assert_eq!(parts[0], ("A heading", false));
        assert_eq!(parts[1], ("It rained all day, and we stayed\nat home.", true));
        assert_eq!(parts.len(), 6);
        assert!(parts[2..].iter().all(|(part, _)| words(part) <= 84 && part.ends_with('.')), "{parts:?}");
        assert!(passages(" \n\n ").is_empty());
    }

    /// White space and at most markers of lists.
    fn is_space(text: &str) -> bool {
        let marker = |word: &str| {
            ["-", "*", "+", "•"].contains(&word)
                || word.strip_suffix(['.', ')']).is_some_and(|n| n.bytes().all(|c| c.is_ascii_digit()))
        };
        text.split_whitespace().all(marker)
    }

    proptest! {
        #[test]
        fn nothing_but_white_space_and_markers_is_lost(text in "(\\PC|\n|\\. |\n- |\n1. |```|[a-z]{1,4} ){0,400}") {
            let found = passages(&text);
            let mut at = 0;
            for passage in &found {
                prop_assert!(passage.range.start >= at && is_space(&text[at..passage.range.start]));
                at = passage.range.end;
            }
            prop_assert!(is_space(&text[at..]));
        }
    }
}
