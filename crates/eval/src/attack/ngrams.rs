//! The features of stylometry: n-grams of characters, and words.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::RangeInclusive;

use unicode_segmentation::UnicodeSegmentation;

use super::sparse::SparseRows;
use crate::Error;

/// Which words are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WordFeatures {
    /// No words.
    None,
    /// English articles, pronouns, prepositions and similar words, which depend on the author more
    /// than on the topic.
    Function,
    /// All words.
    All,
}

/// Which features are counted.
///
/// ```
/// use inkveil_eval::attack::NgramSettings;
///
/// let mut settings = NgramSettings::default();
/// assert_eq!((settings.characters, settings.least_texts), (Some(2..=5), 3));
/// settings.fold_case = true;
/// # settings.characters = None;
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NgramSettings {
    /// The lengths of character n-grams, with spaces and punctuation; none if they are not counted.
    pub characters: Option<RangeInclusive<usize>>,
    /// Which words are counted.
    pub words: WordFeatures,
    /// Whether to ignore case. The use of capitals is a habit, so case counts by default.
    pub fold_case: bool,
    /// The least number of training texts with a feature.
    pub least_texts: usize,
    /// The most character n-grams, and the most words: those in the most texts.
    pub most: usize,
}

impl Default for NgramSettings {
    fn default() -> Self {
        Self {
            characters: Some(2..=5),
            words: WordFeatures::All,
            fold_case: false,
            least_texts: 3,
            most: 20_000,
        }
    }
}

/// A vocabulary of character n-grams and words with TF-IDF weights, in rows of length 1.
///
/// The weight of a feature that occurs k times in a text, and in t of n training texts, is (1 + ln
/// k)·(1 + ln((1 + n)/(1 + t))). Characters and words are scaled to the same length first, so that
/// they have equal weight. Uses the calling thread only.
///
/// ```
/// use inkveil_eval::attack::{NgramSettings, Ngrams};
///
/// let mut settings = NgramSettings::default();
/// settings.least_texts = 1;
/// let texts = ["well, I never!", "well, you never know", "NO NO NO"];
/// let ngrams = Ngrams::learn(&texts, &settings)?;
/// let rows = ngrams.rows(&texts);
/// assert!(rows.row(0).cosine(rows.row(1)) > rows.row(0).cosine(rows.row(2)));
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Ngrams {
    fold_case: bool,
    vocabularies: Vec<(Kind, Vocabulary)>,
}

impl Ngrams {
    /// Chooses the vocabulary from training texts.
    ///
    /// # Errors
    /// If there are no texts, a setting is invalid, or no feature occurs in enough texts.
    pub fn learn(texts: &[impl AsRef<str>], settings: &NgramSettings) -> Result<Self, Error> {
        let mut kinds = Vec::new();
        if let Some(lengths) = &settings.characters {
            if *lengths.start() == 0 || lengths.is_empty() {
                return Err(Error::argument("character n-grams have lengths from 1 on, such as 2 to 5"));
            }
            kinds.push(Kind::Characters(lengths.clone()));
        }
        match settings.words {
            WordFeatures::None => {}
            WordFeatures::Function => kinds.push(Kind::FunctionWords),
            WordFeatures::All => kinds.push(Kind::Words),
        }
        if u32::try_from(settings.most.saturating_mul(2)).is_err() {
            return Err(Error::argument(format!(
                "{} features are too many; for example, use 20000",
                settings.most
            )));
        }
        let texts: Vec<Cow<'_, str>> =
            texts.iter().map(|text| folded(text.as_ref(), settings.fold_case)).collect();
        let learn = |kind: Kind| {
            let vocabulary = Vocabulary::learn(&texts, &kind, settings.least_texts, settings.most);
            (kind, vocabulary)
        };
        let vocabularies: Vec<(Kind, Vocabulary)> = kinds.into_iter().map(learn).collect();
        if vocabularies.iter().all(|(_, vocabulary)| vocabulary.weights.is_empty()) {
            return Err(Error::argument(format!(
                "no feature occurs in {} of {} texts; use more texts or more features",
                settings.least_texts,
                texts.len()
            )));
        }
        Ok(Self { fold_case: settings.fold_case, vocabularies })
    }

    /// The number of features.
    pub fn dim(&self) -> usize {
        self.vocabularies.iter().map(|(_, vocabulary)| vocabulary.weights.len()).sum()
    }

    /// Returns the row of each text. A text without a feature of the vocabulary has a row of zeros.
    pub fn rows(&self, texts: &[impl AsRef<str>]) -> SparseRows {
        let mut rows = SparseRows::new(self.dim());
        let (mut row, mut part) = (Vec::new(), Vec::new());
        for text in texts {
            let text = folded(text.as_ref(), self.fold_case);
            row.clear();
            let mut first = 0;
            for (kind, vocabulary) in &self.vocabularies {
                vocabulary.weigh(&text, kind, first, &mut part);
                row.append(&mut part);
                first += vocabulary.weights.len() as u32; // at most 2·most in all, which fits
            }
            to_length_one(&mut row);
            // Columns ascend within each vocabulary and from one vocabulary to the next.
            rows.append(&row);
        }
        rows
    }
}

impl std::fmt::Debug for Ngrams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ngrams({} features)", self.dim())
    }
}

#[derive(Clone, PartialEq)]
enum Kind {
    Characters(RangeInclusive<usize>),
    Words,
    FunctionWords,
}

impl Kind {
    /// Calls `found` for every occurrence in a text.
    fn each<'t>(&self, text: &'t str, mut found: impl FnMut(&'t str)) {
        match self {
            Kind::Characters(lengths) => {
                let mut starts: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
                starts.push(text.len());
                for length in lengths.clone().take_while(|&length| length < starts.len()) {
                    starts.iter().zip(&starts[length..]).for_each(|(&start, &end)| found(&text[start..end]));
                }
            }
            Kind::Words => text.unicode_words().for_each(found),
            Kind::FunctionWords => text.unicode_words().filter(|word| is_function_word(word)).for_each(found),
        }
    }

    fn counts<'t>(&self, text: &'t str) -> Counts<&'t str, u32> {
        let mut counts = Counts::default();
        self.each(text, |gram| *counts.entry(gram).or_insert(0) += 1);
        counts
    }
}

fn is_function_word(word: &str) -> bool {
    inkveil_style::is_function_word(&word.to_lowercase().replace('’', "'"))
}

/// A map with short strings as keys. The standard hasher resists chosen keys but takes most of the
/// time; here the keys come from the user's own corpus.
type Counts<K, V> = HashMap<K, V, BuildHasherDefault<ShortHasher>>;

/// Eight bytes at a time: add, multiply by an odd number, mix the high bits down.
#[derive(Default)]
struct ShortHasher(u64);

impl Hasher for ShortHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let word = chunk.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
            self.0 = self.0.rotate_left(5).wrapping_add(word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

/// Positions and weights of features.
#[derive(Clone, PartialEq)]
struct Vocabulary {
    positions: Counts<Box<str>, u32>,
    weights: Vec<f32>,
}

impl Vocabulary {
    fn learn(texts: &[Cow<'_, str>], kind: &Kind, least: usize, most: usize) -> Self {
        let mut texts_with: Counts<&str, usize> = Counts::default();
        for text in texts {
            kind.counts(text).into_keys().for_each(|gram| *texts_with.entry(gram).or_default() += 1);
        }
        let mut chosen: Vec<(&str, usize)> =
            texts_with.into_iter().filter(|(_, count)| *count >= least).collect();
        // The most frequent first; equal ones in alphabetical order, so that the result is
        // reproducible.
        chosen.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        chosen.truncate(most);
        let all = texts.len() as f64;
        let weight = |count: usize| (1.0 + ((1.0 + all) / (1.0 + count as f64)).ln()) as f32;
        Self {
            weights: chosen.iter().map(|&(_, count)| weight(count)).collect(),
            positions: chosen.iter().map(|(gram, _)| Box::from(*gram)).zip(0..).collect(),
        }
    }

    /// Writes the features of a text as a row of length 1. Columns start at `first`.
    fn weigh(&self, text: &str, kind: &Kind, first: u32, row: &mut Vec<(u32, f32)>) {
        row.clear();
        let entry = |(gram, count): (&str, u32)| {
            let &position = self.positions.get(gram)?;
            let &weight = self.weights.get(position as usize)?;
            Some((first + position, (1.0 + (count as f32).ln()) * weight))
        };
        row.extend(kind.counts(text).into_iter().filter_map(entry));
        row.sort_unstable_by_key(|entry| entry.0);
        to_length_one(row);
    }
}

fn to_length_one(row: &mut [(u32, f32)]) {
    let length = row.iter().map(|(_, value)| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        row.iter_mut().for_each(|(_, value)| *value /= length);
    }
}

fn folded(text: &str, fold: bool) -> Cow<'_, str> {
    if fold { Cow::Owned(text.to_lowercase()) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grams(kind: &Kind, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        kind.each(text, |gram| all.push(gram.to_owned()));
        all
    }

    #[test]
    fn ngrams_are_of_characters_not_bytes() {
        assert_eq!(grams(&Kind::Characters(2..=3), "é, x"), ["é,", ", ", " x", "é, ", ", x"]);
        assert!(grams(&Kind::Characters(2..=5), "a").is_empty());
        assert!(grams(&Kind::Characters(2..=5), "").is_empty());
        assert_eq!(grams(&Kind::Characters(1..=usize::MAX), "ab"), ["a", "b", "ab"]);
    }

    #[test]
    fn function_words_are_found() {
        let text = "The cat DOESN’T sleep on mats, does it?";
        assert_eq!(grams(&Kind::FunctionWords, text), ["The", "DOESN’T", "on", "does", "it"]);
        assert_eq!(grams(&Kind::Words, "Mats, don't!"), ["Mats", "don't"]);
    }

    fn words_only(least_texts: usize) -> NgramSettings {
        NgramSettings { characters: None, least_texts, ..NgramSettings::default() }
    }

    #[test]
    fn weights_follow_the_formula() {
        // "b" is in both texts, so its IDF is 1; "a" and "c" are in one of two: 1 + ln(3/2).
        let ngrams = Ngrams::learn(&["a b b", "b c"], &words_only(1)).unwrap();
        let rows = ngrams.rows(&["a b b"]);
        let (a, b) = (1.0 + 1.5_f32.ln(), 1.0 + 2.0_f32.ln());
        let length = (a * a + b * b).sqrt();
        let row: Vec<(usize, f32)> = rows.row(0).iter().collect();
        // The most frequent come first.
        assert_eq!((row[0].0, row[1].0), (0, 1));
        assert!((row[0].1 - b / length).abs() < 1e-6 && (row[1].1 - a / length).abs() < 1e-6, "{row:?}");
    }

    #[test]
    fn the_vocabulary_has_the_most_frequent_features() {
        let texts = ["x y z", "x y", "x"];
        let dim = |settings: NgramSettings| Ngrams::learn(&texts, &settings).unwrap().dim();
        assert_eq!((dim(words_only(1)), dim(words_only(2)), dim(words_only(3))), (3, 2, 1));
        let ngrams = Ngrams::learn(&texts, &NgramSettings { most: 2, ..words_only(1) }).unwrap();
        assert_eq!(
            ngrams.rows(&["x", "y", "z"]).iter().map(|row| row.iter().count()).collect::<Vec<_>>(),
            [1, 1, 0]
        );
        assert!(!format!("{ngrams:?}").contains('x'));
    }

    #[test]
    fn case_counts_unless_it_is_ignored() {
        let settings = |fold_case| NgramSettings { fold_case, least_texts: 1, ..NgramSettings::default() };
        let cosine = |fold| {
            let rows = Ngrams::learn(&["well done"], &settings(fold)).unwrap().rows(&["well", "WELL"]);
            rows.row(0).cosine(rows.row(1))
        };
        assert_eq!((cosine(false), cosine(true)), (0.0, 1.0));
    }

    #[test]
    fn characters_and_words_have_equal_weight() {
        let settings = NgramSettings { least_texts: 1, ..NgramSettings::default() };
        let rows = Ngrams::learn(&["one two three"], &settings).unwrap().rows(&["one two three"]);
        let words: f32 = rows.row(0).iter().skip(rows.dim() - 3).map(|(_, value)| value * value).sum();
        assert!((words - 0.5).abs() < 1e-5 && (rows.row(0).square() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn settings_without_a_vocabulary_are_refused() {
        let learn = |settings: NgramSettings| Ngrams::learn(&["a b", "c d"], &settings).is_err();
        assert!(learn(words_only(2)));
        assert!(learn(NgramSettings { words: WordFeatures::None, ..words_only(1) }));
        assert!(learn(NgramSettings { characters: Some(0..=2), ..words_only(1) }));
        assert!(learn(NgramSettings { most: usize::MAX, ..words_only(1) }));
        assert!(Ngrams::learn(&[] as &[&str], &words_only(1)).is_err());
    }
}
