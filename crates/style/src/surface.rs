//! The surface of a text: shares of character and word patterns, hashed into a row of fixed width.
//!
//! There are three families of patterns, each in its own part of the row:
//! 1. runs of one to four characters: spelling, casing, punctuation, spacing;
//! 2. runs of two to five characters after every content word is blanked out ("The * of the *, and
//!    …"): the frame of the sentences, independent of their topic (text distortion after Stamatatos,
//!    2017);
//! 3. runs of one to three words, where content words keep only their ending and casing: grammar
//!    without a parser.
//!
//! A value is the square root of the share, so that each family has length 1 and rare patterns
//! count as well as common ones. The [features](crate::features) that people can read follow. A
//! feature for which a text gives no occasion is NaN.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::features::{Profile, features};
use crate::function_words::is_function_word;

/// The number of buckets of a family.
const BUCKETS: usize = 2048;
/// The position of the first feature.
pub(crate) const PATTERNS: usize = 3 * BUCKETS;

/// Returns the width of a row.
pub(crate) fn width() -> usize {
    PATTERNS + features().len()
}

/// Returns the row of a text. A feature without an occasion is NaN.
pub(crate) fn surface(text: &str) -> Vec<f32> {
    let mut row = vec![0f32; PATTERNS];
    let words = words(text);
    let characters: Vec<u32> = text.chars().filter_map(plain).map(u32::from).collect();
    let (first, rest) = row.split_at_mut(BUCKETS);
    let (second, third) = rest.split_at_mut(BUCKETS);
    runs(&characters, 1..=4, first);
    runs(&blanked(&words), 2..=5, second);
    runs(&shapes(&words), 1..=3, third);
    for family in row.chunks_exact_mut(BUCKETS) {
        let total: f32 = family.iter().sum();
        family.iter_mut().for_each(|value| *value = (*value / total.max(1.0)).sqrt());
    }
    let profile = Profile::of(text);
    row.extend((0..features().len()).map(|index| profile.value(index).unwrap_or(f32::NAN)));
    row
}

/// Normalises a character: all digits are the same, and so are all kinds of spaces; line ends are kept.
fn plain(c: char) -> Option<char> {
    match c {
        '\r' => None,
        '\n' => Some('\n'),
        _ if c.is_ascii_digit() => Some('0'),
        _ if c.is_whitespace() => Some(' '),
        _ => Some(c),
    }
}

/// A piece of a text between two word boundaries.
enum Piece<'a> {
    /// A function word, in lower case.
    Function(String),
    Content(&'a str),
    Number,
    /// Punctuation and spaces.
    Other(&'a str),
}

fn words(text: &str) -> Vec<Piece<'_>> {
    text.split_word_bounds()
        .map(|word| {
            let Some(first) = word.chars().next() else { return Piece::Other(word) };
            if first.is_ascii_digit() {
                return Piece::Number;
            }
            if !first.is_alphabetic() {
                return Piece::Other(word);
            }
            let lower = word.to_lowercase().replace('\u{2019}', "'");
            if is_function_word(&lower) { Piece::Function(lower) } else { Piece::Content(word) }
        })
        .collect()
}

/// Returns the text with a sign for every content word.
fn blanked(words: &[Piece<'_>]) -> Vec<u32> {
    let mut out = Vec::new();
    for word in words {
        match word {
            Piece::Function(word) => out.extend(word.chars().map(u32::from)),
            Piece::Content(word) => out.push(u32::MAX - u32::from(inkveil_nn::casing(word))),
            Piece::Number => out.push(u32::from('0')),
            Piece::Other(other) => out.extend(other.chars().filter_map(plain).map(u32::from)),
        }
    }
    out
}

/// Returns one number for each word and sign: the word itself for a function word, its ending and
/// casing for others.
fn shapes(words: &[Piece<'_>]) -> Vec<u32> {
    let shape = |word: &Piece<'_>| -> Option<u32> {
        let hash = |kind: u32, text: &mut dyn Iterator<Item = char>| {
            fold(text.map(u32::from), u64::from(kind)) as u32
        };
        Some(match word {
            Piece::Function(word) => hash(1, &mut word.chars()),
            Piece::Content(word) => {
                let ending = word.char_indices().rev().nth(1).map_or(*word, |(at, _)| &word[at..]);
                hash(
                    2 + u32::from(inkveil_nn::casing(word)),
                    &mut ending.chars().flat_map(char::to_lowercase),
                )
            }
            Piece::Number => 7,
            Piece::Other(other) if other.trim().is_empty() => return None,
            Piece::Other(other) => hash(8, &mut other.chars()),
        })
    };
    words.iter().filter_map(shape).collect()
}

/// Counts the runs of these lengths, each in the bucket of its hash.
fn runs(items: &[u32], lengths: std::ops::RangeInclusive<usize>, counts: &mut [f32]) {
    for length in lengths {
        for run in items.windows(length) {
            let bucket = fold(run.iter().copied(), length as u64) % BUCKETS as u64;
            if let Some(count) = counts.get_mut(bucket as usize) {
                *count += 1.0;
            }
        }
    }
}

/// FNV-1a over numbers, with the high bits mixed into the low bits that select a bucket.
fn fold(items: impl Iterator<Item = u32>, seed: u64) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ seed;
    for item in items {
        hash = (hash ^ u64::from(item)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn each_family_has_length_one() {
        let row = surface("The cat sat; it was 12 o'clock, and I said so.");
        assert_eq!(row.len(), width());
        for family in row[..PATTERNS].chunks_exact(BUCKETS) {
            assert!((cosine(family, family) - 1.0).abs() < 1e-5);
        }
        assert!(surface("")[..PATTERNS].iter().all(|value| *value == 0.0));
    }

    #[test]
    fn the_frame_does_not_depend_on_content_words() {
        let (a, b) =
            (surface("The cat saw the dog, and it ran."), surface("The man bit the fox, and it sang."));
        assert_eq!(a[BUCKETS..2 * BUCKETS], b[BUCKETS..2 * BUCKETS]);
        assert_ne!(a[..BUCKETS], b[..BUCKETS]);
        let c = surface("The cat saw the dog and it ran.");
        assert_ne!(a[BUCKETS..2 * BUCKETS], c[BUCKETS..2 * BUCKETS]);
    }

    #[test]
    fn digits_and_kinds_of_spaces_are_ignored_and_case_is_not() {
        assert_eq!(surface("at 10\u{a0}pm")[..PATTERNS], surface("at 97 pm")[..PATTERNS]);
        assert_ne!(surface("We Go")[..PATTERNS], surface("we go")[..PATTERNS]);
    }
}
