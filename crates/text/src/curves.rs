//! Measures of a mechanism at each ε: the survival of sensitive words, the number of possible
//! replacements, their similarity, and the accuracy of an attacker who knows the mechanism.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use inkveil_lexicon::{Flags, Lexicon, PriorSymbol, WordPrior};
use inkveil_privacy::{Epsilon, NoiseAddress, NoiseKey};
use rayon::prelude::*;

use crate::curves_in_context::Neighbourhood;
use crate::decode::{Released, decode};
use crate::mechanism::{LikelyOriginals, Mechanism, MechanismSettings, Token};
use crate::relevance::cosine;
use crate::sensitivity::WordAlone;
use crate::{CurvePoint, Error};

/// The size of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurveEffort {
    /// The number of sensitive words, spread evenly over the vocabulary.
    pub words: usize,
    /// The number of draws for each word.
    pub draws: usize,
    /// The number of budgets.
    pub points: usize,
}

impl Default for CurveEffort {
    /// The error of a share is about 0.01.
    fn default() -> Self {
        Self { words: 300, draws: 100, points: 16 }
    }
}

/// Measures a mechanism on a lexicon; `names` is the folder of a pack with lists of names.
/// `progress` receives the number of budgets that are done, and the number of all.
///
/// With a prior, noised words are decoded jointly. Each draw then has its own neighbours, which the
/// prior draws and which have the same budget.
///
/// The words are those of the lexicon that are names, places or conditions by themselves. The
/// attacker knows the mechanism and that the original is one of them, and guesses the likeliest.
/// The result depends on the key alone, so an insecure seed makes it reproducible.
///
/// # Errors
/// If the pack has no lists of names, or the lexicon has too few sensitive words.
pub fn measure(
    names: &Path,
    lexicon: &Arc<Lexicon>,
    settings: &MechanismSettings,
    prior: Option<Arc<WordPrior>>,
    effort: CurveEffort,
    key: &NoiseKey,
    mut progress: impl FnMut(usize, usize),
) -> Result<Vec<CurvePoint>, Error> {
    let mechanism = settings.build(lexicon.clone())?;
    let words = sensitive_words(names, lexicon, effort.words)?;
    let likely = prior.map(|prior| LikelyOriginals::new(lexicon.clone(), prior)).transpose()?;
    let probe = Probe { lexicon, mechanism: &*mechanism, likely, key };
    let (least, most) = probe.range(&words)?;
    let budgets: Vec<f64> = (0..effort.points)
        .map(|i| least * (most / least).powf(i as f64 / (effort.points.max(2) - 1) as f64))
        .map(readable)
        .collect();
    let mut points: Vec<CurvePoint> = Vec::with_capacity(budgets.len());
    for (at, epsilon) in budgets.iter().enumerate() {
        progress(at, budgets.len());
        if points.last().is_none_or(|last| last.epsilon < *epsilon) {
            points.push(probe.point(&words, *epsilon, effort.draws, at as u64)?);
        }
    }
    progress(budgets.len(), budgets.len());
    Ok(points)
}

/// Returns words of the lexicon that are sensitive by themselves, spread evenly.
fn sensitive_words(names: &Path, lexicon: &Lexicon, count: usize) -> Result<Vec<u32>, Error> {
    let alone = WordAlone::open(names, inkveil_detect::Settings::default())?;
    let vocabulary = lexicon.vocabulary();
    let wanted = Flags::WORD_START | Flags::ALPHABETIC;
    let mut words = Vec::new();
    for &id in lexicon.allowed() {
        let text = vocabulary.text(id).unwrap_or_default();
        if vocabulary.flags(id).contains(wanted) && text.len() > 2 && alone.kind_of(lexicon, id)?.is_some() {
            words.push(id);
        }
    }
    if words.len() < 2 {
        return Err(Error::curves(
            "the lexicon has too few sensitive words to measure survival; use another lexicon",
        ));
    }
    let count = count.clamp(2, words.len());
    Ok((0..count).map(|i| words[i * words.len() / count]).collect())
}

/// Rounds to three significant digits, for people who read the tables.
fn readable(epsilon: f64) -> f64 {
    format!("{epsilon:.2e}").parse().unwrap_or(epsilon)
}

struct Probe<'m> {
    lexicon: &'m Lexicon,
    mechanism: &'m dyn Mechanism,
    /// For joint decoding.
    likely: Option<LikelyOriginals>,
    key: &'m NoiseKey,
}

impl Probe<'_> {
    /// Returns budgets for the whole curve: words hardly ever survive at the first, and nearly
    /// always at the last.
    fn range(&self, words: &[u32]) -> Result<(f64, f64), Error> {
        let few: Vec<u32> = words.iter().copied().step_by(words.len().div_ceil(40)).collect();
        let mut round = 0;
        let mut survival = |epsilon: f64| {
            round += 1;
            // Far from the addresses of the measurement itself.
            Ok::<f64, Error>(self.point(&few, epsilon, 10, (1 << 32) + round)?.survival)
        };
        let (mut least, mut most) = (1.0, 1.0);
        while survival(most)? < 0.995 && most < 1e6 {
            most *= 2.0;
        }
        while survival(least)? > 0.005 && least > 1e-3 {
            least /= 2.0;
        }
        while least * 2.0 < most && survival(least * 2.0)? <= 0.005 {
            least *= 2.0;
        }
        Ok((least, most))
    }

    /// Measures at one budget; `round` gives each budget noise of its own.
    fn point(&self, words: &[u32], epsilon: f64, draws: usize, round: u64) -> Result<CurvePoint, Error> {
        let budget = Epsilon::new(epsilon)?;
        if self.likely.is_some() {
            return self.drawn(words, budget, draws, round);
        }
        let channels: Option<Vec<Vec<f64>>> =
            words.par_iter().map(|&id| self.mechanism.channel(id, budget)).collect::<Result<_, _>>()?;
        match channels {
            Some(channels) => Ok(self.exact(words, epsilon, draws, &channels)),
            None => self.drawn(words, budget, draws, round),
        }
    }

    /// Measures from the exact probabilities.
    fn exact(&self, words: &[u32], epsilon: f64, draws: usize, channels: &[Vec<f64>]) -> CurvePoint {
        let allowed = self.lexicon.allowed();
        // For every outcome, the word that makes it likeliest. Of equal ones the first is taken.
        let mut likeliest = vec![0; allowed.len()];
        for (word, channel) in channels.iter().enumerate() {
            for (outcome, probability) in channel.iter().enumerate() {
                if *probability > channels[likeliest[outcome]][outcome] {
                    likeliest[outcome] = word;
                }
            }
        }
        let each = words.par_iter().zip(channels).enumerate().map(|(word, (&id, channel))| {
            let mut sums = [0.0; 4];
            for (outcome, (&entry, probability)) in allowed.iter().zip(channel).enumerate() {
                sums[0] += if entry == id { *probability } else { 0.0 };
                sums[1] += 1.0 - (1.0 - probability).powi(draws as i32);
                sums[2] += probability * self.cosine(id, entry);
                sums[3] += if likeliest[outcome] == word { *probability } else { 0.0 };
            }
            sums
        });
        self.mean(epsilon, each.collect())
    }

    /// Measures from draws. The attacker learns from one half and guesses the other.
    fn drawn(&self, words: &[u32], epsilon: Epsilon, draws: usize, round: u64) -> Result<CurvePoint, Error> {
        let drawn = match &self.likely {
            Some(likely) => self.in_context(likely, words, epsilon, draws, round)?,
            None => {
                let token = |(word, &id): (usize, &u32)| {
                    let places = (word * draws..(word + 1) * draws)
                        .map(move |at| NoiseAddress::record(round).position(at as u64));
                    places.map(move |place| Token { id, epsilon, place })
                };
                let tokens: Vec<Token> = words.iter().enumerate().flat_map(token).collect();
                self.mechanism.draw(&tokens, self.key)?
            }
        };
        let outcomes: Vec<&[u32]> = drawn.chunks(draws).collect();
        let mut seen: HashMap<u32, HashMap<usize, usize>> = HashMap::new();
        for (word, outcomes) in outcomes.iter().enumerate() {
            for outcome in &outcomes[..draws / 2] {
                *seen.entry(*outcome).or_default().entry(word).or_default() += 1;
            }
        }
        let guess = |outcome: u32| match seen.get(&outcome) {
            Some(counts) => counts
                .iter()
                .max_by_key(|(word, count)| (**count, usize::MAX - **word))
                .map(|(word, _)| *word),
            // An outcome never seen in training is likelier from the nearer word.
            None => (0..words.len())
                .max_by(|a, b| self.cosine(words[*a], outcome).total_cmp(&self.cosine(words[*b], outcome))),
        };
        let each = words.par_iter().zip(&outcomes).enumerate().map(|(word, (&id, outcomes))| {
            let (_, tested) = outcomes.split_at(draws / 2);
            let share = |count: usize, of: usize| count as f64 / of.max(1) as f64;
            [
                share(outcomes.iter().filter(|outcome| **outcome == id).count(), draws),
                outcomes.iter().collect::<HashSet<_>>().len() as f64,
                outcomes.iter().map(|outcome| self.cosine(id, *outcome)).sum::<f64>() / draws.max(1) as f64,
                share(tested.iter().filter(|outcome| guess(**outcome) == Some(word)).count(), tested.len()),
            ]
        });
        Ok(self.mean(epsilon.get(), each.collect()))
    }

    /// Draws words among neighbours and decodes them jointly.
    fn in_context(
        &self,
        likely: &LikelyOriginals,
        words: &[u32],
        epsilon: Epsilon,
        draws: usize,
        round: u64,
    ) -> Result<Vec<u32>, Error> {
        let neighbours = Neighbourhood::new(likely.prior());
        let each = words.par_iter().enumerate().map(|(word, &id)| {
            let contexts = neighbours.draw(id, draws)?;
            // One symbol for each place: a word that is noised, or what a release shows.
            let mut tokens = Vec::new();
            let mut place = |symbol: PriorSymbol| {
                let token = symbol.entry().map(|id| Token {
                    id,
                    epsilon,
                    place: NoiseAddress::record(round).position((word as u64) << 32 | tokens.len() as u64),
                });
                tokens.extend(token);
            };
            let own = PriorSymbol::word(id).ok_or_else(|| Error::curves("the lexicon is too large"))?;
            for context in &contexts {
                context.before.iter().chain([&own]).chain(&context.after).for_each(|symbol| place(*symbol));
            }
            let none = || Error::curves("the mechanism is decoded to the nearest word only");
            let observed = self.mechanism.observe(&tokens, self.key, likely)?.ok_or_else(none)?;
            let mut seen = observed.iter();
            let mut outcomes = Vec::with_capacity(draws);
            for context in &contexts {
                let at = context.before.iter().filter(|symbol| symbol.is_word()).count();
                let released = Released::in_context(context, own, &mut seen);
                outcomes.extend(decode(&released, likely.prior()).entries.get(at).copied());
            }
            Ok(outcomes)
        });
        Ok(each.collect::<Result<Vec<_>, Error>>()?.concat())
    }

    fn mean(&self, epsilon: f64, each: Vec<[f64; 4]>) -> CurvePoint {
        let count = each.len().max(1) as f64;
        let mean = |at: usize| {
            let mean = each.iter().map(|sums| sums[at]).sum::<f64>() / count;
            (mean * 1e4).round() / 1e4
        };
        let share = |at: usize| mean(at).clamp(0.0, 1.0);
        CurvePoint { epsilon, survival: share(0), distinct: mean(1), cosine: mean(2), attack: share(3) }
    }

    fn cosine(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (self.lexicon.row(a).unwrap_or_default(), self.lexicon.row(b).unwrap_or_default());
        cosine(a, b)
    }
}
