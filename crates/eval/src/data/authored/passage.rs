//! Words, duplicates, and passages of long texts.

use std::ops::RangeInclusive;

use inkveil_nn::SplitMix;

/// The least and the most words of a text. Shorter texts are left out, longer ones are cut.
const LEAST: usize = 8;
const MOST: usize = 120;

/// The number of words of a passage.
pub(super) const PASSAGE: RangeInclusive<usize> = 80..=MOST;

/// Counts words. Links and single punctuation marks do not count.
pub(super) fn words(text: &str) -> usize {
    text.split_whitespace().filter(|piece| is_word(piece)).count()
}

/// Returns the text if its length fits, and a passage of a longer text.
pub(super) fn fitting<'a>(text: &'a str, random: &mut SplitMix) -> Option<&'a str> {
    let text = text.trim();
    match words(text) {
        count if count < LEAST => None,
        count if count <= MOST => Some(text),
        _ => passage(text, random),
    }
}

/// Returns whole sentences from a random sentence on, with the words of a passage. None if that is
/// not possible.
pub(super) fn passage<'a>(text: &'a str, random: &mut SplitMix) -> Option<&'a str> {
    let sentences = sentences(text);
    let from = |first: usize| {
        let mut count = 0;
        for sentence in &sentences[first..] {
            count += sentence.2;
            if count >= *PASSAGE.start() {
                return (count <= *PASSAGE.end()).then(|| text[sentences[first].0..sentence.1].trim());
            }
        }
        None
    };
    let possible: Vec<&str> = (0..sentences.len()).filter_map(from).collect();
    let chosen = random.next().checked_rem(possible.len() as u64)?;
    possible.get(chosen as usize).copied()
}

/// A key that is equal for texts that differ in case, spacing and links only.
pub(super) fn key(text: &str) -> String {
    let pieces: Vec<String> =
        text.split_whitespace().filter(|piece| !is_link(piece)).map(str::to_lowercase).collect();
    pieces.join(" ")
}

fn is_word(piece: &str) -> bool {
    !is_link(piece) && piece.contains(char::is_alphanumeric)
}

fn is_link(piece: &str) -> bool {
    piece.contains("://") || piece.starts_with("www.")
}

/// The start, the end and the number of words of each sentence. A sentence ends with a full stop, a
/// question mark or an exclamation mark, and closing quotes or brackets.
fn sentences(text: &str) -> Vec<(usize, usize, usize)> {
    let (mut all, mut start, mut count, mut at) = (Vec::new(), 0, 0, 0);
    for piece in text.split_inclusive(char::is_whitespace) {
        at += piece.len();
        let piece = piece.trim_end();
        count += usize::from(is_word(piece));
        let closed = piece.trim_end_matches(['"', '\'', ')', ']', '”', '’']);
        if closed.ends_with(['.', '!', '?', '…']) {
            all.push((start, at, count));
            (start, count) = (at, 0);
        }
    }
    if start < text.len() {
        all.push((start, text.len(), count));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: u64) -> SplitMix {
        SplitMix::named(seed, "passage", &[])
    }

    #[test]
    fn passages_are_whole_sentences_of_the_right_length() {
        let sentence = |index: usize| format!("Number {index} {}ends here.", "and so on ".repeat(index % 4));
        let all: Vec<String> = (0..60).map(sentence).collect();
        let text = all.join(" ");
        let mut starts = std::collections::BTreeSet::new();
        for seed in 0..20 {
            let passage = fitting(&text, &mut random(seed)).unwrap();
            assert!(PASSAGE.contains(&words(passage)), "{}", words(passage));
            assert!(passage.starts_with("Number ") && passage.ends_with("ends here."));
            starts.insert(passage.as_ptr());
        }
        assert!(starts.len() > 5);
    }

    #[test]
    fn texts_that_are_too_short_or_cannot_be_cut_are_left_out() {
        assert_eq!(fitting("one two three four five six seven", &mut random(1)), None);
        assert_eq!(
            fitting(" one two three four five six seven 8 ", &mut random(1)),
            Some("one two three four five six seven 8")
        );
        assert_eq!(fitting(&"on and ".repeat(100), &mut random(1)), None);
        assert_eq!(passage("Too short.", &mut random(1)), None);
        assert_eq!(passage("", &mut random(1)), None);
    }

    #[test]
    fn single_marks_end_sentences_and_are_not_words() {
        let ends: Vec<(usize, usize)> =
            sentences("well , no . \" why ? \" ok").iter().map(|sentence| (sentence.1, sentence.2)).collect();
        assert_eq!(ends, [(12, 2), (20, 1), (24, 1)]);
        assert_eq!(words("he said : \" no ! \" -- and left"), 5);
        assert_eq!(sentences("He said (no!) “Yes.” Fine").len(), 3);
    }

    #[test]
    fn links_and_case_do_not_make_a_different_text() {
        assert_eq!(key("Read  THIS http://a.example/b now"), key("read this now www.other.example"));
        assert_ne!(key("read this"), key("read that"));
        assert_eq!(words("see http://a.example/b #today @someone"), 3);
    }
}
