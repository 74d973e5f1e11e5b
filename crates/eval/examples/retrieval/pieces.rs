//! Documents in pieces that are as long as a sentence.

use unicode_segmentation::UnicodeSegmentation;

/// Longer sentences are cut: some collections come without punctuation.
const WORDS: usize = 40;

pub(crate) fn of(text: &str) -> Vec<String> {
    let cut = |sentence: &str| {
        let words: Vec<&str> = sentence.split_whitespace().collect();
        words.chunks(WORDS).map(|words| words.join(" ")).collect::<Vec<_>>()
    };
    text.unicode_sentences().flat_map(cut).collect()
}
