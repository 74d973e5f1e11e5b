//! Guesses: the most probable words of a text, given what was released of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::language::OUTSIDE;
use super::{Hidden, Reads, Tells, TokenAttacker, TokenChannel, TokenSpace, Trigrams};
use crate::Error;

/// Originals of a word that are weighed against each other in a text.
const CANDIDATES: usize = 32;

/// Readings of a text that are followed at once, and right after a gap, where only what comes next tells them apart.
const READINGS: usize = 16;
const READINGS_OF_GAP: usize = 32;

/// What an attacker sees at a place of a released text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A word that a mechanism drew: its number, and the place of its channel among all channels.
    Drawn(usize, usize),
    /// A word that stayed as it was.
    Kept(usize),
    /// A word is hidden here: it was left out, or something stands there that says nothing of it.
    Gap,
    /// Something else: a mark, a word that the lexicon does not have.
    Other,
}

/// What an attacker takes the words of a text for; none where there was nothing to guess from.
pub type Reconstruction = Vec<Option<usize>>;

/// An attack on the words of texts.
///
/// ```
/// use std::sync::Arc;
/// use inkveil_eval::attack::{Hidden, Place, Tells, TokenAttack, TokenAttacker, TokenChannel, TokenSpace, Trigrams, Unigrams};
/// use inkveil_lexicon::Lexicon;
///
/// let words = ["hot", "tea", "coffee", "ship"].map(String::from).to_vec();
/// let rows = [0.0, 1.0, 1.0, 0.0, 0.8, 0.6, 0.0, -1.0];
/// let space = TokenSpace::new(&Arc::new(Lexicon::words_from_table(words, &rows, 2)?));
/// // Half of the words stay, the others become any other.
/// let draws: Vec<(usize, usize)> = (0..400).map(|i| (i % 4, if i % 8 < 4 { i % 4 } else { (i / 8 + i) % 4 })).collect();
/// let channel = TokenChannel::learn(&space, &draws)?;
/// // Whoever wrote this always writes "hot tea".
/// let known = [[0, 1].repeat(20).into_iter().map(Some).collect::<Vec<_>>()];
/// let language = Trigrams::count(Unigrams::count(4, [0, 1].repeat(20).into_iter()), known.iter().map(Vec::as_slice));
/// let hidden = Hidden::count([(1, true), (2, true)].into_iter());
/// let channels = [(Arc::new(channel), Tells::Nothing)];
/// let attack = TokenAttack { space: &space, channels: &channels, language: &language, hidden: &hidden, reads: None };
/// let released = vec![vec![Place::Kept(0), Place::Drawn(3, 0)], vec![Place::Kept(0), Place::Gap]]; // "hot ship", "hot …"
/// let guesses = attack.run(&[TokenAttacker::Likelihood, TokenAttacker::Language], &released)?;
/// assert_eq!(guesses[0], [[Some(0), Some(3)], [Some(0), None]]);
/// assert_eq!(guesses[1], [[Some(0), Some(1)], [Some(0), Some(1)]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct TokenAttack<'a> {
    /// All words.
    pub space: &'a TokenSpace,
    /// What was done to them: a channel for each budget, and what it tells of a word that it got this budget.
    pub channels: &'a [(Arc<TokenChannel>, Tells)],
    /// What the attacker knows of language.
    pub language: &'a Trigrams,
    /// What the attacker knows of which words are hidden.
    pub hidden: &'a Hidden,
    /// The language model of [`TokenAttacker::Neural`], and what it reads; the others need none.
    pub reads: Option<Reads<'a>>,
}

/// The originals of a released word that are worth a look.
pub(super) struct Candidates {
    /// The one that makes it most likely.
    likeliest: usize,
    /// Those that are most probable with how frequent words are, best first, with the logarithm of what the channel says, and of what it
    /// tells that a word went through it.
    pub(super) probable: Vec<(u32, f32)>,
}

impl TokenAttack<'_> {
    /// Guesses the words of released texts, each text for itself: what each attacker takes them for.
    ///
    /// # Errors
    /// If a place names a word or channel that is not there, or a language model is missing or fails.
    pub fn run(
        &self,
        attackers: &[TokenAttacker],
        texts: &[Vec<Place>],
    ) -> Result<Vec<Vec<Reconstruction>>, Error> {
        let candidates = self.candidates(texts)?;
        let usual = self.hidden.likeliest(self.language.unigrams());
        let alone =
            |text: &[Place], gap: Option<usize>, of: fn(&Candidates) -> Option<usize>| -> Reconstruction {
                let guess = |place: &Place| match place {
                    Place::Drawn(..) => candidates.get(place).and_then(of),
                    Place::Kept(word) => Some(*word),
                    Place::Gap => gap,
                    Place::Other => None,
                };
                text.iter().map(guess).collect()
            };
        let each = |read: &(dyn Fn(&[Place]) -> Reconstruction + Sync)| {
            texts.par_iter().map(|text| read(text)).collect()
        };
        let all = |attacker: &TokenAttacker| match attacker {
            TokenAttacker::Likelihood => Ok(each(&|text| alone(text, None, |found| Some(found.likeliest)))),
            TokenAttacker::Unigram => {
                Ok(each(&|text| alone(text, usual, |found| Some(found.probable.first()?.0 as usize))))
            }
            TokenAttacker::Language => Ok(each(&|text| self.best_together(text, &candidates))),
            TokenAttacker::Neural => self.read_again(texts, &candidates),
        };
        attackers.iter().map(all).collect()
    }

    /// The originals of everything that was drawn that are worth a look.
    fn candidates(&self, texts: &[Vec<Place>]) -> Result<BTreeMap<Place, Candidates>, Error> {
        let drawn: BTreeSet<Place> =
            texts.iter().flatten().copied().filter(|place| matches!(place, Place::Drawn(..))).collect();
        let mut by_channel: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for place in &drawn {
            let Place::Drawn(word, channel) = *place else { continue };
            if word >= self.space.len() || channel >= self.channels.len() {
                return Err(Error::argument("a place names a word or a channel that is not there"));
            }
            by_channel.entry(channel).or_default().push(word);
        }
        let priors = self.language.unigrams().logs();
        let mut all = BTreeMap::new();
        for (channel, words) in by_channel {
            let (through, tells) = &self.channels[channel];
            let told: Vec<f32> =
                (0..self.space.len()).map(|word| self.hidden.log_probability(word, *tells)).collect();
            let found = self.space.cosines(&words, |word, cosines| {
                let likelihoods = through.likelihoods(word, cosines);
                let said = |number: usize| likelihoods[number] + told[number];
                let probable = best(likelihoods.len(), CANDIDATES, |number| said(number) + priors[number]);
                Candidates {
                    likeliest: best(likelihoods.len(), 1, |number| likelihoods[number])
                        .next()
                        .unwrap_or(word),
                    probable: probable.map(|number| (number as u32, said(number))).collect(),
                }
            })?;
            all.extend(words.into_iter().map(|word| Place::Drawn(word, channel)).zip(found));
        }
        Ok(all)
    }

    /// The most probable reading of a whole text.
    pub(super) fn best_together(
        &self,
        text: &[Place],
        candidates: &BTreeMap<Place, Candidates>,
    ) -> Reconstruction {
        // A reading is its last two words, how probable it is, and where its words lie: in `steps`, each with the one before.
        let mut steps: Vec<(Option<usize>, u32)> = Vec::new();
        let mut readings: Vec<([u32; 2], f32, Option<usize>)> = vec![([OUTSIDE; 2], 0.0, None)];
        for place in text {
            let known;
            let words: &[(u32, f32)] = match place {
                Place::Drawn(..) => candidates.get(place).map_or(&[], |found| found.probable.as_slice()),
                Place::Kept(word) => {
                    known = [(*word as u32, 0.0)];
                    &known
                }
                Place::Gap => self.hidden.in_gaps(),
                Place::Other => &[],
            };
            let mut next: Vec<([u32; 2], f32, Option<usize>, u32)> = Vec::new();
            for &([before, last], score, step) in &readings {
                for &(word, likelihood) in words {
                    let score = score + likelihood + self.language.after(before, last, word);
                    next.push(([last, word], score, step, word));
                }
                if words.is_empty() {
                    next.push(([last, OUTSIDE], score, step, OUTSIDE));
                }
            }
            next.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            // Readings that end alike have the same future: the better one is enough.
            let mut ends = BTreeSet::new();
            next.retain(|reading| ends.insert(reading.0));
            next.truncate(if *place == Place::Gap { READINGS_OF_GAP } else { READINGS });
            readings = next
                .into_iter()
                .map(|(ends, score, step, word)| {
                    steps.push((step, word));
                    (ends, score, Some(steps.len() - 1))
                })
                .collect();
        }
        let mut words = Vec::with_capacity(text.len());
        let mut at = readings.first().and_then(|reading| reading.2);
        while let Some((before, word)) = at.and_then(|at| steps.get(at)) {
            words.push((*word != OUTSIDE).then_some(*word as usize));
            at = *before;
        }
        words.reverse();
        words
    }
}

/// The numbers with the highest values, highest first, the lower number among equals.
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
