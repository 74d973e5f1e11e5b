//! Words as the tokens of an encoder, with their casing, which the encoder's vocabulary does not know.

use std::ops::Range;

use inkveil_nn::{Tokenizer, casing};

use super::words::Word;
use crate::Error;

/// Tokens that go through the encoder together, without the two special ones.
const WINDOW: usize = 254;
/// How many of them on each side are there to be seen only.
const MARGIN: usize = 40;

/// A part of a text that fits the encoder.
pub(super) struct Window {
    pub(super) ids: Vec<u32>,
    pub(super) casings: Vec<u8>,
    /// Which words are labelled here, and at which token each begins.
    pub(super) words: Range<usize>,
    pub(super) firsts: Vec<usize>,
}

/// Cuts a text into windows. Each word is labelled in one of them; a word that has no token is in none.
pub(super) fn windows(
    tokenizer: &Tokenizer,
    ends: [u32; 2],
    text: &str,
    words: &[Word],
) -> Result<Vec<Window>, Error> {
    let encoding = tokenizer.encode(text, false)?;
    // The first token of each word; a word without a token of its own shares the next one.
    let mut firsts = Vec::with_capacity(words.len());
    let mut casings = vec![0; encoding.len()];
    let mut at = 0;
    for word in words {
        while at < encoding.len() && encoding.offsets[at].end <= word.start {
            at += 1;
        }
        firsts.push(at.min(encoding.len().saturating_sub(1)));
        let casing = casing(word.of(text));
        let mut token = at;
        while token < encoding.len() && encoding.offsets[token].start < word.end {
            casings[token] = casing;
            token += 1;
        }
    }
    if encoding.is_empty() {
        return Ok(Vec::new());
    }
    let mut windows = Vec::new();
    let mut next = 0;
    while next < words.len() {
        let from = match firsts[next] {
            _ if encoding.len() <= WINDOW => 0,
            first => first.saturating_sub(MARGIN).min(encoding.len() - WINDOW),
        };
        let to = (from + WINDOW).min(encoding.len());
        let last = if to == encoding.len() { to } else { (to - MARGIN).max(firsts[next] + 1) };
        let until = next + firsts[next..].partition_point(|&first| first < last).max(1);
        windows.push(Window {
            ids: std::iter::once(ends[0])
                .chain(encoding.ids[from..to].iter().copied())
                .chain([ends[1]])
                .collect(),
            casings: std::iter::once(0).chain(casings[from..to].iter().copied()).chain([0]).collect(),
            words: next..until,
            firsts: firsts[next..until].iter().map(|&first| first - from + 1).collect(),
        });
        next = until;
    }
    Ok(windows)
}
