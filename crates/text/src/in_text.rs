//! The relevance of words to a task, in the text that they stand in.
//!
//! The sentence encoder gives each token of a text a state that depends on its neighbours, and the vector
//! of a text is the mean of these states. So the cosine of a state with the task's vector tells how much
//! its token brings the text near the task. Common words count less, because their states say more about
//! their neighbours than about them.

use std::ops::Range;
use std::path::Path;

use inkveil_lexicon::Lexicon;
use inkveil_nn::{Encoding, SentenceEncoder};
use rayon::prelude::*;

use crate::Error;
use crate::relevance::{Relevance, Threshold, cosine as product};

/// The share of a text's words that are not needed, unless a threshold is set.
pub(crate) const THRESHOLD: Threshold = Threshold::Quantile(0.8);

/// Reads texts with the sentence encoder.
pub(crate) struct TextReader {
    encoder: SentenceEncoder,
    /// The special tokens before and after a text.
    opening: Vec<u32>,
    closing: Vec<u32>,
}

impl TextReader {
    pub(crate) fn open(pack: &Path) -> Result<Self, Error> {
        let encoder = SentenceEncoder::open(pack)?;
        let (bare, whole) =
            (encoder.tokenizer().encode("a", false)?.ids, encoder.tokenizer().encode("a", true)?.ids);
        let at = whole.windows(bare.len().max(1)).position(|window| window == bare).unwrap_or(0);
        let (opening, rest) = whole.split_at(at);
        let closing = rest.get(bare.len()..).unwrap_or_default().to_vec();
        Ok(Self { opening: opening.to_vec(), closing, encoder })
    }

    /// Returns the vector of a task.
    pub(crate) fn task(&self, task: &str) -> Result<Vec<f32>, Error> {
        Ok(self.encoder.encode(&[task])?.pop().unwrap_or_default())
    }

    /// Returns the relevance of the words of each text to its tasks. `weigh` says how much a word of the
    /// lexicon counts. Long texts are read in parts.
    pub(crate) fn read(
        &self,
        lexicon: &Lexicon,
        weigh: impl Fn(u32) -> f64 + Sync,
        (texts, tasks): (&[&str], &[Vec<Vec<f32>>]),
        threshold: Threshold,
    ) -> Result<Vec<InText>, Error> {
        let most = self.encoder.max_tokens().saturating_sub(self.opening.len() + self.closing.len()).max(1);
        let tokens: Vec<Encoding> = texts
            .par_iter()
            .map(|text| self.encoder.tokenizer().encode(text, false))
            .collect::<Result<_, _>>()?;
        let parts = tokens.iter().enumerate().flat_map(|(text, tokens)| {
            let whole = 0..tokens.ids.len();
            whole.step_by(most).map(move |first| (text, first..(first + most).min(tokens.ids.len())))
        });
        let parts: Vec<(usize, Range<usize>)> = parts.collect();
        let sequences: Vec<Vec<u32>> = parts
            .iter()
            .map(|(text, part)| [&self.opening, &tokens[*text].ids[part.clone()], &self.closing].concat())
            .collect();
        let sequences: Vec<&[u32]> = sequences.iter().map(Vec::as_slice).collect();
        let width = self.encoder.width();
        let read = self.encoder.encoder().map(&sequences, |index, states| {
            let (text, part) = &parts[index];
            let rows = || states.chunks_exact(width).skip(self.opening.len()).take(part.len());
            let cosines = |task: &Vec<f32>| rows().map(|row| cosine(row, task)).collect::<Vec<f64>>();
            tasks[*text].iter().map(cosines).collect::<Vec<_>>()
        })?;
        let mut cosines: Vec<Vec<Vec<f64>>> =
            tasks.iter().map(|tasks| vec![Vec::new(); tasks.len()]).collect();
        for ((text, _), part) in parts.iter().zip(read) {
            cosines[*text].iter_mut().zip(part).for_each(|(all, part)| all.extend(part));
        }
        let of_text = |((text, tokens), cosines): ((&&str, Encoding), Vec<Vec<f64>>)| {
            let words = lexicon.align(text)?;
            let words = words.units().iter().filter_map(|unit| Some((unit.range(), weigh(unit.id()?))));
            Ok(InText::new(&tokens.offsets, &cosines, words.collect(), threshold))
        };
        texts.par_iter().zip(tokens).zip(cosines).map(of_text).collect()
    }
}

/// The relevance of the words of a text.
#[derive(Clone, Default)]
pub(crate) struct InText {
    /// The bytes of each word that the lexicon has, in order.
    words: Vec<Range<usize>>,
    /// The relevance of each word to a task, and that from which on a word is needed.
    tasks: Vec<(Vec<f64>, f64)>,
}

impl InText {
    /// From the cosine of each token with each task. The relevance of a word is the mean over its tokens,
    /// times its weight.
    fn new(
        tokens: &[Range<usize>],
        cosines: &[Vec<f64>],
        words: Vec<(Range<usize>, f64)>,
        threshold: Threshold,
    ) -> Self {
        let of_task = |cosines: &Vec<f64>| {
            let of_word = |(word, weight): &(Range<usize>, f64)| {
                let first = tokens.partition_point(|token| token.end <= word.start);
                let end = tokens.partition_point(|token| token.start < word.end);
                let own = cosines.get(first..end).unwrap_or_default();
                weight * own.iter().sum::<f64>() / own.len().max(1) as f64
            };
            let all: Vec<f64> = words.iter().map(of_word).collect();
            let line = threshold.among(all.clone());
            (all, line)
        };
        let tasks = cosines.iter().map(of_task).collect();
        Self { tasks, words: words.into_iter().map(|(word, _)| word).collect() }
    }

    /// Returns the relevance of a word to the task that it is most relevant to.
    pub(crate) fn relevance(&self, word: &Range<usize>) -> Option<Relevance> {
        let at = self.words.binary_search_by_key(&word.start, |word| word.start).ok()?;
        let margin = |(all, line): &(Vec<f64>, f64)| Some((all.get(at)? - line, *all.get(at)?));
        let best = self.tasks.iter().filter_map(margin).max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Relevance { cosine: best.1, needed: best.0 >= 0.0 })
    }
}

fn cosine(state: &[f32], task: &[f32]) -> f64 {
    let lengths = (product(state, state) * product(task, task)).sqrt();
    if lengths > 0.0 { product(state, task) / lengths } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(cosines: &[&[f64]], threshold: Threshold) -> InText {
        let tokens = [0..3, 4..7, 7..9, 10..12];
        let cosines: Vec<Vec<f64>> = cosines.iter().map(|task| task.to_vec()).collect();
        InText::new(&tokens, &cosines, vec![(0..3, 1.0), (4..9, 1.0), (10..12, 0.5)], threshold)
    }

    #[test]
    fn a_word_has_the_mean_of_its_tokens_and_a_weight() {
        let text = text(&[&[0.1, 0.5, 0.3, 0.6]], Threshold::Cosine(0.35));
        let of = |word| text.relevance(&word).map(|relevance| (relevance.cosine, relevance.needed));
        assert_eq!(of(0..3), Some((0.1, false)));
        assert_eq!(of(4..9), Some((0.4, true)));
        assert_eq!(of(10..12), Some((0.3, false)));
        assert_eq!(of(9..10), None);
    }

    #[test]
    fn each_of_several_tasks_counts() {
        let text = text(&[&[0.9, 0.1, 0.1, 0.1], &[0.1, 0.1, 0.1, 0.9]], Threshold::Quantile(0.7));
        let needed = [0..3, 4..9, 10..12].map(|word| text.relevance(&word).is_some_and(|r| r.needed));
        assert_eq!(needed, [true, false, true]);
    }

    #[test]
    fn without_a_task_nothing_is_needed() {
        assert!(text(&[], THRESHOLD).relevance(&(0..3)).is_none());
    }
}
