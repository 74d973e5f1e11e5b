//! The relevance of words to a task.
//!
//! As in the paper, a task is the mean of the vectors of its tokens, and the relevance of a word is
//! its cosine with that mean. Unlike in the paper, common words count less by default. Tables
//! differ in how large cosines usually are, so the threshold can be a cosine or a share of the
//! vocabulary.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use inkveil_lexicon::{Flags, Lexicon, LexiconKind};
use inkveil_nn::SentenceEncoder;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::choice::choice;
use crate::in_text::{InText, TextReader};

/// The relevance from which on a word is needed.
///
/// ```
/// use inkveil_text::Threshold;
///
/// let paper = Threshold::Cosine(0.5);
/// let tenth = Threshold::Quantile(0.9); // the tenth of the vocabulary that is nearest to the task
/// assert_ne!(paper, tenth);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Threshold {
    /// A cosine, from −1 to 1.
    Cosine(f64),
    /// The share of the vocabulary below it, from 0 to 1.
    Quantile(f64),
}

impl Threshold {
    /// Returns the value from which on a number is needed, among these.
    pub(crate) fn among(self, mut values: Vec<f64>) -> f64 {
        match self {
            Threshold::Cosine(cosine) => cosine,
            Threshold::Quantile(share) => {
                values.sort_by(f64::total_cmp);
                let at = (share * values.len() as f64) as usize;
                // With a share of 1 nothing is needed.
                values.get(at).copied().unwrap_or(f64::INFINITY)
            }
        }
    }

    /// Checks the range.
    pub(crate) fn check(self) -> Result<Self, Error> {
        let range = match self {
            Threshold::Cosine(value) => (-1.0..=1.0).contains(&value),
            Threshold::Quantile(value) => (0.0..=1.0).contains(&value),
        };
        if range {
            Ok(self)
        } else {
            Err(Error::setting(
                "the threshold of relevance is a cosine from -1 to 1 or a quantile from 0 to 1",
            ))
        }
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Threshold::Cosine(value) => write!(f, "cosine {value}"),
            Threshold::Quantile(value) => write!(f, "quantile {value}"),
        }
    }
}

choice! {
    /// How a task becomes a vector.
    TaskVector "task vector" {
        /// The mean of the directions of its tokens, as in the paper.
        Tokens "tokens",
        /// The same mean with lower weights for common words. Without weights, "the" and "what"
        /// dominate a question, and function words count as needed.
        #[default]
        Weighted "weighted",
        /// The vector of the sentence encoder. It needs a lexicon of words whose rows come from the
        /// same encoder.
        Sentence "sentence",
        /// The vector of the sentence encoder, compared with what the encoder makes of each word in its
        /// text instead of with the lexicon. A quantile is then a share of the text. Groups then depend on
        /// the text.
        Context "context",
    }
}

/// The number of entries that a quantile is estimated from. The error of the share is below 0.01,
/// and a new task is cheap.
const SAMPLE: usize = 2048;

/// Turns tasks into vectors.
pub(crate) struct Tasks {
    threshold: Threshold,
    encoder: Option<SentenceEncoder>,
    /// Reads words in their text.
    reader: Option<TextReader>,
    /// The words of the vocabulary in its order, if common words count less.
    ranks: Option<Vec<u32>>,
    /// Evenly spread entries of the vocabulary.
    sample: Vec<u32>,
}

impl Tasks {
    pub(crate) fn new(
        pack: &Path,
        lexicon: &Lexicon,
        by: TaskVector,
        threshold: Threshold,
    ) -> Result<Self, Error> {
        let encoder = match by {
            TaskVector::Tokens | TaskVector::Weighted | TaskVector::Context => None,
            TaskVector::Sentence if lexicon.kind() == LexiconKind::Words => {
                Some(SentenceEncoder::open(pack)?)
            }
            TaskVector::Sentence => {
                return Err(Error::setting(
                    "the sentence vector of a task needs a lexicon of words: choose lexicon = \"words\", or task-vector = \"tokens\"",
                ));
            }
        };
        let allowed = lexicon.allowed();
        let count = allowed.len().min(SAMPLE);
        let sample = (0..count).map(|i| allowed[i * allowed.len() / count]).collect();
        let ranks = matches!(by, TaskVector::Weighted | TaskVector::Context).then(|| words_by_rank(lexicon));
        let reader = (by == TaskVector::Context).then(|| TextReader::open(pack)).transpose()?;
        Ok(Self { threshold: threshold.check()?, encoder, reader, ranks, sample })
    }

    /// Returns what these tasks need. Each of several tasks counts separately.
    pub(crate) fn needs(&self, lexicon: &Lexicon, tasks: &[&str]) -> Result<Needs, Error> {
        let mut needs = Needs::default();
        for task in tasks {
            if let Some(reader) = &self.reader {
                needs.tasks.push((reader.task(task)?, 0.0));
                continue;
            }
            let vector = match &self.encoder {
                None => mean_direction(lexicon, task, |id| self.weight(lexicon, id))?,
                Some(encoder) => sentence_direction(lexicon, encoder, task)?,
            };
            let Some(vector) = vector else { continue };
            let line = self.line(lexicon, &vector);
            needs.tasks.push((vector, line));
        }
        Ok(needs)
    }

    /// Reads the texts, if the relevance of a word depends on its text.
    pub(crate) fn read(&self, lexicon: &Lexicon, texts: &[&str], needs: &mut [Needs]) -> Result<(), Error> {
        let Some(reader) = &self.reader else { return Ok(()) };
        let of = |needs: &Needs| needs.tasks.iter().map(|(task, _)| task.clone()).collect();
        let tasks: Vec<Vec<Vec<f32>>> = needs.iter().map(of).collect();
        let read = reader.read(lexicon, |id| self.weight(lexicon, id), (texts, &tasks), self.threshold)?;
        needs.iter_mut().zip(read).for_each(|(needs, read)| needs.in_text = Some(read));
        Ok(())
    }

    /// Returns the weight of a token of a task. Vocabularies list common words first, and by Zipf's
    /// law the r-th word has a frequency of about 1 in 10·r. The weight a/(a + frequency) with a =
    /// 10⁻³ (Arora et al. 2017) is therefore r/(r + 100).
    fn weight(&self, lexicon: &Lexicon, id: u32) -> f64 {
        let Some(ranks) = &self.ranks else { return 1.0 };
        match ranks.binary_search(&id) {
            Ok(rank) => (rank as f64 + 1.0) / (rank as f64 + 101.0),
            Err(_) if lexicon.vocabulary().flags(id).contains(Flags::PUNCTUATION) => 0.0,
            // A part of a rare word, or a number.
            Err(_) => 0.5,
        }
    }

    /// Returns the cosine from which on a word of the vocabulary is needed.
    fn line(&self, lexicon: &Lexicon, vector: &[f32]) -> f64 {
        match self.threshold {
            Threshold::Cosine(cosine) => cosine,
            share => {
                let cosines = self.sample.iter().filter_map(|&id| Some(cosine(lexicon.row(id)?, vector)));
                share.among(cosines.collect())
            }
        }
    }
}

/// Returns the words of a vocabulary in its order: whole words of at least two letters.
fn words_by_rank(lexicon: &Lexicon) -> Vec<u32> {
    let vocabulary = lexicon.vocabulary();
    let is_word = |id: u32| {
        vocabulary.flags(id).contains(Flags::WORD_START | Flags::ALPHABETIC)
            && vocabulary.text(id).is_some_and(|text| text.chars().nth(1).is_some())
    };
    lexicon.allowed().iter().copied().filter(|&id| is_word(id)).collect()
}

/// Returns the direction of a task's mean token vector; none if no token is in the lexicon.
fn mean_direction(
    lexicon: &Lexicon,
    task: &str,
    weight: impl Fn(u32) -> f64,
) -> Result<Option<Vec<f32>>, Error> {
    let alignment = lexicon.align(task)?;
    let known = alignment.units().iter().filter(|unit| !unit.is_unknown());
    let mut sum = vec![0.0; lexicon.table().dimension()];
    for id in known.filter_map(|unit| unit.id()) {
        let (row, weight) = (lexicon.row(id).unwrap_or_default(), weight(id));
        sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += weight * f64::from(*x));
    }
    Ok(direction(&sum))
}

/// Returns the direction that the encoder gives a task, centred as the lexicon's rows are.
fn sentence_direction(
    lexicon: &Lexicon,
    encoder: &SentenceEncoder,
    task: &str,
) -> Result<Option<Vec<f32>>, Error> {
    let mut vector: Vec<f64> = encoder.encode(&[task])?.into_iter().flatten().map(f64::from).collect();
    if vector.len() != lexicon.table().dimension() {
        return Err(Error::setting(
            "the encoder's vectors and the lexicon's differ in length; use task-vector = \"tokens\"",
        ));
    }
    if let Some(centring) = lexicon.centring() {
        centring.apply(&mut vector);
    }
    Ok(direction(&vector))
}

fn direction(vector: &[f64]) -> Option<Vec<f32>> {
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    length.is_normal().then(|| vector.iter().map(|x| (x / length) as f32).collect())
}

/// Returns the cosine of two directions.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    // Eight partial sums, which the compiler keeps in registers.
    let mut sums = [0.0_f32; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        sums.iter_mut().zip(a).zip(b).for_each(|((sum, a), b)| *sum += a * b);
    }
    f64::from(sums.iter().sum::<f32>() + rest)
}

/// What tasks need: a direction for each, and the cosine from which on a word is needed.
#[derive(Default, Clone)]
pub(crate) struct Needs {
    tasks: Vec<(Vec<f32>, f64)>,
    /// The relevance of the words of one text, if it depends on the text.
    in_text: Option<InText>,
}

/// The relevance of a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Relevance {
    /// Its cosine with the task that it is most relevant to.
    pub(crate) cosine: f64,
    pub(crate) needed: bool,
}

impl Needs {
    /// Returns whether there is no task.
    pub(crate) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Returns the relevance of a word, an entry of the lexicon, to the task it is most relevant to.
    pub(crate) fn relevance(&self, lexicon: &Lexicon, id: u32, word: &Range<usize>) -> Option<Relevance> {
        if let Some(read) = &self.in_text {
            return read.relevance(word);
        }
        let row = lexicon.row(id)?;
        let margin = |(task, line): &(Vec<f32>, f64)| {
            let cosine = cosine(row, task);
            (cosine - line, cosine)
        };
        let best = self.tasks.iter().map(margin).max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Relevance { cosine: best.1, needed: best.0 >= 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexicon() -> Lexicon {
        let words = ["doctor", "nurse", "river", "boat"].map(String::from).to_vec();
        Lexicon::words_from_table(words, &[1.0, 0.1, 1.0, 0.3, -0.2, 1.0, -0.4, 1.0], 2).unwrap()
    }

    fn needs(threshold: Threshold, tasks: &[&str]) -> Vec<bool> {
        let lexicon = lexicon();
        let finder = Tasks::new(Path::new(""), &lexicon, TaskVector::Tokens, threshold).unwrap();
        let needs = finder.needs(&lexicon, tasks).unwrap();
        (0..4)
            .map(|id| needs.relevance(&lexicon, id, &(0..0)).is_some_and(|relevance| relevance.needed))
            .collect()
    }

    #[test]
    fn a_task_is_the_mean_of_its_tokens() {
        assert_eq!(
            needs(Threshold::Cosine(0.9), &["Which doctor, which nurse?"]),
            [true, true, false, false]
        );
        assert_eq!(needs(Threshold::Cosine(0.9), &["unheard of"]), [false; 4]);
        assert_eq!(needs(Threshold::Cosine(0.9), &[]), [false; 4]);
    }

    /// The first hundred words of a vocabulary are the most common. They hardly change the
    /// direction of a weighted task.
    #[test]
    fn common_words_count_less() {
        let word = |i: usize| {
            format!(
                "w{}",
                "abcdefghijklmnopqrstuvwxyz".chars().cycle().skip(i).take(i / 26 + 2).collect::<String>()
            )
        };
        let words: Vec<String> = (0..200).map(word).collect();
        let rows: Vec<f32> = (0..200)
            .flat_map(|i| if i < 100 { [1.0, 0.01 * i as f32] } else { [0.01 * i as f32, 9.0] })
            .collect();
        let lexicon = Lexicon::words_from_table(words.clone(), &rows, 2).unwrap();
        let task = format!("{} {} {}", words[0], words[1], words[199]);
        let cosine = |by: TaskVector| {
            let finder = Tasks::new(Path::new(""), &lexicon, by, Threshold::Cosine(0.0)).unwrap();
            finder.needs(&lexicon, &[&task]).unwrap().relevance(&lexicon, 199, &(0..0)).unwrap().cosine
        };
        assert!(cosine(TaskVector::Weighted) > 0.99 && cosine(TaskVector::Tokens) < 0.8);
    }

    #[test]
    fn each_of_several_tasks_counts() {
        assert_eq!(needs(Threshold::Cosine(0.95), &["doctor", "boat"]), [true, true, true, true]);
        assert_eq!(needs(Threshold::Cosine(0.999), &["doctor", "boat"]), [true, false, false, true]);
    }

    #[test]
    fn a_quantile_is_a_share_of_the_vocabulary() {
        assert_eq!(needs(Threshold::Quantile(0.0), &["doctor"]), [true; 4]);
        assert_eq!(needs(Threshold::Quantile(0.5), &["doctor"]), [true, true, false, false]);
        assert_eq!(needs(Threshold::Quantile(1.0), &["doctor"]), [false; 4]);
    }

    #[test]
    fn thresholds_out_of_range_are_refused() {
        for threshold in [Threshold::Cosine(f64::NAN), Threshold::Quantile(1.5), Threshold::Cosine(-2.0)] {
            assert!(Tasks::new(Path::new(""), &lexicon(), TaskVector::Tokens, threshold).is_err());
        }
    }
}
