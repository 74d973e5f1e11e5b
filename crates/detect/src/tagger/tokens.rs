//! Tokens of words for the encoder, with their casing, which its vocabulary ignores.

use std::ops::Range;

use inkveil_nn::{Tokenizer, casing};

use super::words::Word;
use crate::error::Error;

/// The number of tokens per call of the encoder, without the two special tokens.
const WINDOW: usize = 254;
/// The number of tokens on each side that only give context.
const MARGIN: usize = 40;

/// A part of a text that fits the encoder.
pub(super) struct TokenWindow {
    pub(super) ids: Vec<u32>,
    pub(super) casings: Vec<u8>,
    /// The words that are labelled in this window, and the first token of each.
    pub(super) words: Range<usize>,
    pub(super) firsts: Vec<usize>,
}

/// Cuts a text into windows. Each word with a token is labelled in exactly one of them.
pub(super) fn windows(
    tokenizer: &Tokenizer,
    ends: [u32; 2],
    text: &str,
    words: &[Word],
) -> Result<Vec<TokenWindow>, Error> {
    let encoding = tokenizer.encode(text, false)?;
    // The first token of each word. A word without a token shares the next one.
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
        windows.push(TokenWindow {
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
