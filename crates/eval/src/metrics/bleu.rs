//! How similar the texts of a set are to each other.

use std::collections::HashMap;

use inkveil_nn::SplitMix;
use unicode_segmentation::UnicodeSegmentation;

/// The number of texts that are scored, and of references of each. The score depends on the number
/// of references, so compare equal numbers only.
const TEXTS: usize = 200;
const OTHERS: usize = 100;

/// The longest n-gram.
const LONGEST: usize = 4;

/// The count of an n-gram length without a hit.
const NO_HIT: f64 = 0.1;

/// Returns self-BLEU: the mean BLEU-4 of a text with other texts of its set as references. It is
/// high if the texts use the same phrases.
///
/// The seed draws 200 texts and 100 references for each, or all if there are fewer. N-grams of one
/// to four tokens, ignoring case, count at most as often as in one reference. A length without a
/// hit counts a tenth of a hit (the first smoothing of Chen and Cherry, 2014), because most short
/// texts would score 0 otherwise. None if there are fewer than two texts.
///
/// ```
/// use inkveil_eval::metrics::self_bleu;
///
/// let same = ["we met by the old bridge"; 5];
/// let mixed = ["we met by the old bridge", "nobody came", "rain again, and then snow", "so it goes"];
/// assert!(self_bleu(&same, 1).unwrap() > 0.99);
/// assert!(self_bleu(&mixed, 1).unwrap() < 0.2);
/// ```
pub fn self_bleu(texts: &[&str], seed: u64) -> Option<f64> {
    let tokens: Vec<Vec<String>> = texts.iter().map(|text| tokens(text)).collect();
    let counted: Vec<Ngrams<'_>> = tokens.iter().map(|tokens| Ngrams::of(tokens)).collect();
    if counted.len() < 2 {
        return None;
    }
    let mut order: Vec<usize> = (0..counted.len()).collect();
    SplitMix::named(seed, "self-bleu", &[]).shuffle(&mut order);
    let score = |&text: &usize| {
        let mut others: Vec<usize> = (0..counted.len()).filter(|&other| other != text).collect();
        SplitMix::named(seed, "self-bleu", &[text as u64]).shuffle(&mut others);
        let others: Vec<&Ngrams<'_>> = others.iter().take(OTHERS).map(|&other| &counted[other]).collect();
        bleu(&counted[text], &others)
    };
    order.truncate(TEXTS);
    Some(order.iter().map(score).sum::<f64>() / order.len() as f64)
}

fn tokens(text: &str) -> Vec<String> {
    let pieces = text.split_word_bounds().filter(|piece| !piece.trim().is_empty());
    pieces.map(str::to_lowercase).collect()
}

/// How often each n-gram of a text occurs, by length.
struct Ngrams<'a> {
    tokens: usize,
    counts: [HashMap<&'a [String], usize>; LONGEST],
}

impl<'a> Ngrams<'a> {
    fn of(tokens: &'a [String]) -> Self {
        let count = |length: usize| {
            let mut counts = HashMap::new();
            tokens.windows(length).for_each(|run| *counts.entry(run).or_default() += 1);
            counts
        };
        Self { tokens: tokens.len(), counts: std::array::from_fn(|index| count(index + 1)) }
    }
}

/// BLEU-4 of a text (Papineni et al., 2002) with several references.
fn bleu(text: &Ngrams<'_>, references: &[&Ngrams<'_>]) -> f64 {
    let mut logarithms = 0.0;
    for (index, counts) in text.counts.iter().enumerate() {
        let in_one = |run: &[String]| {
            references.iter().filter_map(|other| other.counts[index].get(run)).max().copied().unwrap_or(0)
        };
        let hits: usize = counts.iter().map(|(run, &count)| count.min(in_one(run))).sum();
        // A text that is shorter than the n-gram has one that is not found.
        let runs = (text.tokens.saturating_sub(index)).max(1) as f64;
        let hits = if hits == 0 { NO_HIT } else { hits as f64 };
        logarithms += (hits / runs).ln();
    }
    brevity(text.tokens, references) * (logarithms / LONGEST as f64).exp()
}

/// Less than 1 for a text that is shorter than the reference of the nearest length; the shorter of
/// two equally near ones.
fn brevity(tokens: usize, references: &[&Ngrams<'_>]) -> f64 {
    let lengths = references.iter().map(|reference| reference.tokens);
    let nearest = lengths.min_by_key(|length| (length.abs_diff(tokens), *length)).unwrap_or(0);
    if tokens >= nearest { 1.0 } else { (1.0 - nearest as f64 / tokens.max(1) as f64).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(text: &str, references: &[&str]) -> f64 {
        let (text, references) =
            (tokens(text), references.iter().map(|text| tokens(text)).collect::<Vec<_>>());
        let references: Vec<Ngrams<'_>> = references.iter().map(|tokens| Ngrams::of(tokens)).collect();
        bleu(&Ngrams::of(&text), &references.iter().collect::<Vec<_>>())
    }

    #[test]
    fn hand_computed_values() {
        assert_eq!(score("a b c d e", &["A B C D E", "x"]), 1.0);
        // Single words: a, b, c, d. Pairs: "a b" and "c d", from two references. Nothing longer:
        // 0.1 of 3 and of 2.
        let expected = (4.0 / 5.0 * 2.0 / 4.0 * 0.1 / 3.0 * 0.1 / 2.0_f64).powf(0.25);
        assert!((score("a b c d e", &["a b x x x", "c d y y y"]) - expected).abs() < 1e-12);
        // "the" counts twice, as in the reference with the most occurrences.
        let expected = (2.0 / 4.0 * 0.1 / 3.0 * 0.1 / 2.0 * 0.1 / 1.0_f64).powf(0.25);
        assert!((score("the the the the", &["the x the x", "a the b c"]) - expected).abs() < 1e-12);
    }

    #[test]
    fn short_texts_are_penalised() {
        let whole = ["a b c d e f", "x x x x x x x x x x x x"];
        assert!((score("a b c d", &whole) - (1.0 - 6.0 / 4.0_f64).exp()).abs() < 1e-12);
        // Lengths 3 and 5 are equally near to 4.
        assert_eq!(score("a b c d", &["a b c d e", "a b c"]), 1.0);
    }

    #[test]
    fn samples_depend_on_the_seed() {
        let words = ["rain", "tea", "old", "bridge", "again", "we", "met", "no", "so", "it", "green", "they"];
        let mut random = SplitMix::named(1, "words", &[]);
        let mut text = |_| (0..9).map(|_| words[(random.next() % 12) as usize]).collect::<Vec<_>>().join(" ");
        let texts: Vec<String> = (0..260).map(&mut text).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(self_bleu(&texts, 1), self_bleu(&texts, 1));
        assert_ne!(self_bleu(&texts, 1), self_bleu(&texts, 2));
    }

    #[test]
    fn a_single_text_has_no_score() {
        assert_eq!(self_bleu(&["alone"], 1), None);
        assert!(self_bleu(&["", ""], 1).is_some_and(f64::is_finite));
        assert!(self_bleu(&["", "a word"], 1).is_some_and(|score| score < 0.2));
    }
}
