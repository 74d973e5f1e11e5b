//! Guesses the most probable words of released texts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::attacker::TokenAttacker;
use super::channel::TokenChannel;
use super::continuations::NeuralInput;
use super::language::{OUTSIDE, Trigrams};
use super::observed::{GuessedWords, ObservedWord};
use super::sensitive::{ChannelUse, SensitiveWordCounts};
use super::space::TokenSpace;
use crate::Error;

/// The number of candidates of a word.
const CANDIDATES: usize = 32;

/// The width of the beam, and its width right after a gap, where only the next words separate
/// candidates.
const WIDTH: usize = 16;
const WIDTH_AFTER_GAP: usize = 32;

/// An attack on the words of texts.
///
/// ```
/// use std::sync::Arc;
/// use inkveil_eval::attack::{SensitiveWordCounts, ObservedWord, ChannelUse, TokenAttack, TokenAttacker, TokenChannel, TokenSpace, Trigrams, Unigrams};
/// use inkveil_lexicon::Lexicon;
///
/// let words = ["hot", "tea", "coffee", "ship"].map(String::from).to_vec();
/// let rows = [0.0, 1.0, 1.0, 0.0, 0.8, 0.6, 0.0, -1.0];
/// let space = TokenSpace::new(&Arc::new(Lexicon::words_from_table(words, &rows, 2)?));
/// // Half of the words stay, the others become any other.
/// let draws: Vec<(usize, usize)> = (0..400).map(|i| (i % 4, if i % 8 < 4 { i % 4 } else { (i / 8 + i) % 4 })).collect();
/// let channel = TokenChannel::learn(&space, &draws)?;
/// // The known texts always have "hot tea".
/// let known = [[0, 1].repeat(20).into_iter().map(Some).collect::<Vec<_>>()];
/// let language = Trigrams::count(Unigrams::count(4, [0, 1].repeat(20).into_iter()), known.iter().map(Vec::as_slice));
/// let sensitive = SensitiveWordCounts::count([(1, true), (2, true)].into_iter());
/// let channels = [(Arc::new(channel), ChannelUse::AllWords)];
/// let attack =
///     TokenAttack { space: &space, channels: &channels, language: &language, sensitive: &sensitive, neural: None };
/// let released = vec![vec![ObservedWord::Kept(0), ObservedWord::Drawn(3, 0)], vec![ObservedWord::Kept(0), ObservedWord::Gap]]; // "hot ship", "hot …"
/// let guesses = attack.run(&[TokenAttacker::Likelihood, TokenAttacker::Language], &released)?;
/// assert_eq!(guesses[0], [[Some(0), Some(3)], [Some(0), None]]);
/// assert_eq!(guesses[1], [[Some(0), Some(1)], [Some(0), Some(1)]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct TokenAttack<'a> {
    /// All words.
    pub space: &'a TokenSpace,
    /// A channel for each budget, and which words use it.
    pub channels: &'a [(Arc<TokenChannel>, ChannelUse)],
    /// The attacker's model of language.
    pub language: &'a Trigrams,
    /// How often words are sensitive.
    pub sensitive: &'a SensitiveWordCounts,
    /// The language model of [`TokenAttacker::Neural`] and its input.
    pub neural: Option<NeuralInput<'a>>,
}

/// The candidates for the original of a released word.
pub(super) struct Candidates {
    /// The original that makes the released word most likely.
    most_likely: usize,
    /// The most probable originals by word frequency, best first, each with the log-likelihood of
    /// the channel and of its use.
    pub(super) probable: Vec<(u32, f32)>,
}

impl TokenAttack<'_> {
    /// Returns the guesses of each attacker for each text.
    ///
    /// # Errors
    /// If an observation names an unknown word or channel, or the language model is missing or
    /// fails.
    pub fn run(
        &self,
        attackers: &[TokenAttacker],
        texts: &[Vec<ObservedWord>],
    ) -> Result<Vec<Vec<GuessedWords>>, Error> {
        let candidates = self.candidates(texts)?;
        let usual = self.sensitive.most_likely(self.language.unigrams());
        let alone = |text: &[ObservedWord],
                     gap: Option<usize>,
                     of: fn(&Candidates) -> Option<usize>|
         -> GuessedWords {
            let guess = |place: &ObservedWord| match place {
                ObservedWord::Drawn(..) => candidates.get(place).and_then(of),
                ObservedWord::Kept(word) => Some(*word),
                ObservedWord::Gap => gap,
                ObservedWord::Other => None,
            };
            text.iter().map(guess).collect()
        };
        let each = |read: &(dyn Fn(&[ObservedWord]) -> GuessedWords + Sync)| {
            texts.par_iter().map(|text| read(text)).collect()
        };
        let all = |attacker: &TokenAttacker| match attacker {
            TokenAttacker::Likelihood => Ok(each(&|text| alone(text, None, |found| Some(found.most_likely)))),
            TokenAttacker::Unigram => {
                Ok(each(&|text| alone(text, usual, |found| Some(found.probable.first()?.0 as usize))))
            }
            TokenAttacker::Language => Ok(each(&|text| self.best_together(text, &candidates))),
            TokenAttacker::Neural => self.rescore(texts, &candidates),
        };
        attackers.iter().map(all).collect()
    }

    /// The candidates of every drawn word.
    fn candidates(&self, texts: &[Vec<ObservedWord>]) -> Result<BTreeMap<ObservedWord, Candidates>, Error> {
        let drawn: BTreeSet<ObservedWord> = texts
            .iter()
            .flatten()
            .copied()
            .filter(|place| matches!(place, ObservedWord::Drawn(..)))
            .collect();
        let mut by_channel: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for place in &drawn {
            let ObservedWord::Drawn(word, channel) = *place else { continue };
            if word >= self.space.len() || channel >= self.channels.len() {
                return Err(Error::argument("an observation names an unknown word or channel"));
            }
            by_channel.entry(channel).or_default().push(word);
        }
        let priors = self.language.unigrams().logs();
        let mut all = BTreeMap::new();
        for (channel, words) in by_channel {
            let (through, channel_use) = &self.channels[channel];
            let by_use: Vec<f32> = (0..self.space.len())
                .map(|word| self.sensitive.log_probability(word, *channel_use))
                .collect();
            let found = self.space.cosines(&words, |word, cosines| {
                let likelihoods = through.likelihoods(word, cosines);
                let likelihood = |number: usize| likelihoods[number] + by_use[number];
                let probable =
                    best(likelihoods.len(), CANDIDATES, |number| likelihood(number) + priors[number]);
                Candidates {
                    most_likely: best(likelihoods.len(), 1, |number| likelihoods[number])
                        .next()
                        .unwrap_or(word),
                    probable: probable.map(|number| (number as u32, likelihood(number))).collect(),
                }
            })?;
            all.extend(words.into_iter().map(|word| ObservedWord::Drawn(word, channel)).zip(found));
        }
        Ok(all)
    }

    /// The most probable words of a whole text, by beam search.
    pub(super) fn best_together(
        &self,
        text: &[ObservedWord],
        candidates: &BTreeMap<ObservedWord, Candidates>,
    ) -> GuessedWords {
        // A hypothesis is its last two words, its log-probability and its last step. A step has the
        // one before it.
        let mut steps: Vec<(Option<usize>, u32)> = Vec::new();
        let mut hypotheses: Vec<([u32; 2], f32, Option<usize>)> = vec![([OUTSIDE; 2], 0.0, None)];
        for place in text {
            let known;
            let words: &[(u32, f32)] = match place {
                ObservedWord::Drawn(..) => {
                    candidates.get(place).map_or(&[], |found| found.probable.as_slice())
                }
                ObservedWord::Kept(word) => {
                    known = [(*word as u32, 0.0)];
                    &known
                }
                ObservedWord::Gap => self.sensitive.in_gaps(),
                ObservedWord::Other => &[],
            };
            let mut next: Vec<([u32; 2], f32, Option<usize>, u32)> = Vec::new();
            for &([before, last], score, step) in &hypotheses {
                for &(word, likelihood) in words {
                    let score = score + likelihood + self.language.after(before, last, word);
                    next.push(([last, word], score, step, word));
                }
                if words.is_empty() {
                    next.push(([last, OUTSIDE], score, step, OUTSIDE));
                }
            }
            next.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            // Of hypotheses with the same last two words only the best can win.
            let mut ends = BTreeSet::new();
            next.retain(|hypothesis| ends.insert(hypothesis.0));
            next.truncate(if *place == ObservedWord::Gap { WIDTH_AFTER_GAP } else { WIDTH });
            hypotheses = next
                .into_iter()
                .map(|(ends, score, step, word)| {
                    steps.push((step, word));
                    (ends, score, Some(steps.len() - 1))
                })
                .collect();
        }
        let mut words = Vec::with_capacity(text.len());
        let mut at = hypotheses.first().and_then(|hypothesis| hypothesis.2);
        while let Some((before, word)) = at.and_then(|at| steps.get(at)) {
            words.push((*word != OUTSIDE).then_some(*word as usize));
            at = *before;
        }
        words.reverse();
        words
    }
}

/// The numbers with the highest values, highest first; the lower of equal ones first.
fn best(count: usize, wanted: usize, value: impl Fn(usize) -> f32) -> impl Iterator<Item = usize> {
    let mut kept: Vec<(f32, usize)> = Vec::with_capacity(wanted + 1);
    for number in 0..count {
        let value = value(number);
        if kept.len() == wanted && kept.last().is_some_and(|(least, _)| *least >= value) {
            continue;
        }
        let at = kept.partition_point(|(other, _)| *other >= value);
        kept.insert(at, (value, number));
        kept.truncate(wanted);
    }
    kept.into_iter().map(|(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first() {
        let values = [3.0, 9.0, 1.0, 9.0, 4.0];
        assert_eq!(best(5, 3, |i| values[i]).collect::<Vec<_>>(), [1, 3, 4]);
        assert_eq!(best(2, 5, |i| values[i]).collect::<Vec<_>>(), [1, 0]);
    }
}
