//! The likeliest originals of what a mechanism has drawn.
//!
//! Everything here is computed from a noisy vector or a drawn entry, and from public numbers. No
//! function receives the token that was noised.

use std::sync::Arc;

use inkveil_lexicon::{Lexicon, PriorSymbol, Search, WordPrior};

use crate::Error;

/// Entries near a noisy vector with their cosines, and a bound for all other entries.
pub(super) type Near = (Vec<(u32, f64)>, f64);

/// The number of originals that are considered for each token. With 32, one word in a hundred more is
/// decoded correctly, at half the speed (docs/results/decoding.md).
const MOST: usize = 12;

/// An original whose channel and log P₁ are this much below the best is not considered.
const FAR: f64 = 18.0;

/// The number of coordinates that carry log P₁ in the search. One would be much larger than those of
/// a direction, and 8-bit products would be coarse.
const EXTRA: usize = 4;

/// The scale of these coordinates in the table.
const SCALE: f64 = 0.03;

/// What was drawn for a token, as likelihoods of its originals.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The likeliest originals by channel and log P₁: each entry, and the logarithm of how likely
    /// the observation is, given the entry, up to a constant.
    pub likely: Vec<(u32, f32)>,
    /// For every other entry, the logarithm of the channel (up to the same constant) plus log P₁ is at
    /// most this.
    pub rest: f32,
}

impl Observation {
    /// Takes originals in any order, with channel and log P₁ of each, and a bound for all others.
    pub(super) fn new(mut likely: Vec<(u32, f64, f64)>, rest: f64) -> Self {
        let both = |one: &(u32, f64, f64)| one.1 + one.2;
        likely.sort_by(|a, b| both(b).total_cmp(&both(a)).then(a.0.cmp(&b.0)));
        let top = likely.first().map_or(0.0, |one| one.1);
        let best = likely.first().map_or(0.0, both);
        let near = likely.partition_point(|one| both(one) > best - FAR);
        let rest = match likely.get(near) {
            Some(first) => rest.max(both(first)),
            None => rest,
        };
        likely.truncate(near.max(1));
        let likely = likely.into_iter().map(|(entry, channel, _)| (entry, (channel - top) as f32)).collect();
        // Sums in `f32` later have errors far below this margin.
        Self { likely, rest: (rest - top) as f32 + 1e-2 }
    }
}

/// Finds the likeliest originals of observations.
pub struct LikelyOriginals {
    lexicon: Arc<Lexicon>,
    prior: Arc<WordPrior>,
    /// The directions with log P₁ in more coordinates: the best by a·cos + log P₁ for any a.
    search: Search,
    /// The entries by P₁, most frequent first.
    frequent: Vec<u32>,
}

impl LikelyOriginals {
    /// Prepares the search in a lexicon.
    ///
    /// # Errors
    /// If the lexicon has no entry that may be released.
    pub fn new(lexicon: Arc<Lexicon>, prior: Arc<WordPrior>) -> Result<Self, Error> {
        let dimension = lexicon.table().dimension();
        let count = u32::try_from(lexicon.table().rows()).unwrap_or(u32::MAX);
        let mut rows = Vec::with_capacity(count as usize * (dimension + EXTRA));
        for id in 0..count {
            let start = rows.len();
            rows.extend_from_slice(lexicon.row(id).unwrap_or_default());
            rows.resize(start + dimension, 0.0);
            let extra = ((single(&prior, id) + CENTRE) * SCALE) as f32;
            rows.resize(start + dimension + EXTRA, extra);
        }
        let search = Search::new(Arc::new(rows), dimension + EXTRA, lexicon.allowed())?;
        let mut frequent = lexicon.allowed().to_vec();
        frequent.sort_by(|a, b| single(&prior, *b).total_cmp(&single(&prior, *a)).then(a.cmp(b)));
        Ok(Self { lexicon, prior, search, frequent })
    }

    /// Returns the prior in use.
    pub fn prior(&self) -> &WordPrior {
        &self.prior
    }

    /// Returns log P₁ of an entry.
    pub(super) fn single(&self, id: u32) -> f64 {
        single(&self.prior, id)
    }

    /// Returns the largest log P₁.
    pub(super) fn largest_single(&self) -> f64 {
        self.frequent.first().map_or(0.0, |&id| self.single(id))
    }

    /// Returns the most frequent entries.
    pub(super) fn frequent(&self) -> &[u32] {
        &self.frequent[..MOST.min(self.frequent.len())]
    }

    /// Returns the entries with the largest slope·cos + log P₁ for each vector, with their cosines, and
    /// a bound on that sum for all other entries.
    pub(super) fn by_slope(&self, rows: &[f32], slopes: &[f64]) -> Result<Vec<Near>, Error> {
        let dimension = self.lexicon.table().dimension();
        let mut queries = Vec::with_capacity(slopes.len() * (dimension + EXTRA));
        let mut lengths = Vec::with_capacity(slopes.len());
        for (row, slope) in rows.chunks(dimension).zip(slopes) {
            let length = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
            lengths.push(length);
            queries.extend(row.iter().map(|x| (f64::from(*x) / length) as f32));
            let extra = 1.0 / (EXTRA as f64 * SCALE * slope.max(1e-3));
            queries.resize(queries.len() + EXTRA, extra as f32);
        }
        let found = self.search.nearest_k(&queries, MOST)?;
        let each = found.into_iter().zip(slopes).map(|(found, slope)| {
            let slope = slope.max(1e-3);
            let full = found.len() == MOST && self.frequent.len() > MOST;
            let last = found.last().filter(|_| full);
            // The error of the table and of the query in `f32`, times the slope.
            let margin = 1e-5 * slope + 1e-3;
            let rest = last.map_or(f64::NEG_INFINITY, |last| slope * last.score - CENTRE + margin);
            let cosine = |id: u32, score: f64| score - (self.single(id) + CENTRE) / slope;
            (found.iter().map(|found| (found.id, cosine(found.id, found.score))).collect(), rest)
        });
        Ok(each.collect())
    }

    /// Returns the entries nearest to each vector by cosine, with their cosines, and the least of them.
    pub(super) fn by_cosine(&self, rows: &[f32]) -> Result<Vec<Near>, Error> {
        let dimension = self.lexicon.table().dimension();
        let found = self.lexicon.search()?.nearest_k(rows, MOST)?;
        let each = found.into_iter().zip(rows.chunks(dimension)).map(|(found, row)| {
            let length = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
            let near: Vec<(u32, f64)> = found.iter().map(|found| (found.id, found.score / length)).collect();
            let least = near.last().map_or(-1.0, |last| last.1);
            (near, least)
        });
        Ok(each.collect())
    }
}

/// A typical log P₁, so that the extra coordinates are small.
const CENTRE: f64 = 9.0;

fn single(prior: &WordPrior, id: u32) -> f64 {
    PriorSymbol::word(id).map_or(-20.0, |symbol| f64::from(prior.single(symbol)).max(-20.0))
}

impl std::fmt::Debug for LikelyOriginals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LikelyOriginals({:?})", self.prior)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use inkveil_lexicon::LexiconKind;
    use inkveil_privacy::{Epsilon, NoiseAddress, NoiseKey};

    use super::*;
    use crate::mechanism::{MechanismName, MechanismSettings, Token};

    /// Every entry of the pack's lexicon that is left out is at most as likely as the bound says.
    #[test]
    fn the_bound_holds_for_every_entry_that_is_left_out() {
        let pack = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en"));
        let lexicon = Arc::new(Lexicon::open_kind(pack, LexiconKind::Words).unwrap());
        let prior = Arc::new(WordPrior::open(pack, &lexicon).unwrap().unwrap());
        let likely = LikelyOriginals::new(lexicon.clone(), prior.clone()).unwrap();
        let epsilons = [30.0, 90.0];
        let words = ["the", "company", "boston", "knee"].map(|word| lexicon.find(word).unwrap());
        for epsilon in epsilons {
            let mechanism = MechanismSettings::of(MechanismName::Exponential).build(lexicon.clone()).unwrap();
            let budget = Epsilon::new(epsilon / 6.0).unwrap();
            let tokens = words.iter().zip(0..).map(|(&id, at)| Token {
                id,
                epsilon: budget,
                place: NoiseAddress::record(at),
            });
            let tokens: Vec<Token> = tokens.collect();
            let key = NoiseKey::insecure_from_seed(1);
            let drawn = mechanism.draw(&tokens, &key).unwrap();
            let observed = mechanism.observe(&tokens, &key, &likely).unwrap().unwrap();
            for (seen, drawn) in observed.iter().zip(&drawn) {
                let at = lexicon.allowed().binary_search(drawn).unwrap();
                let channel = |id: u32| mechanism.channel(id, budget).unwrap().unwrap()[at].ln();
                // The constant is fixed by the first.
                let constant = channel(seen.likely[0].0) - f64::from(seen.likely[0].1);
                for &(id, log) in &seen.likely[..seen.likely.len().min(5)] {
                    assert!((channel(id) - constant - f64::from(log)).abs() < 1e-3, "{epsilon}");
                }
                for &id in lexicon.allowed().iter().step_by(2003) {
                    if seen.likely.iter().all(|(known, _)| *known != id) {
                        assert!(channel(id) - constant + likely.single(id) <= f64::from(seen.rest) + 1e-3);
                    }
                }
            }
            // The same for directions: slope·cos + log P₁ against all entries.
            let rows: Vec<f32> = words.iter().flat_map(|&id| lexicon.row(id).unwrap().to_vec()).collect();
            let found = likely.by_slope(&rows, &[epsilon; 4]).unwrap();
            for (&word, (near, rest)) in words.iter().zip(&found) {
                let row = lexicon.row(word).unwrap();
                let score = |id: u32| {
                    let other = lexicon.row(id).unwrap();
                    let cosine: f64 = row.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                    epsilon * cosine + likely.single(id)
                };
                assert_eq!(near.len(), MOST);
                for &id in lexicon.allowed() {
                    if near.iter().all(|(known, _)| *known != id) {
                        assert!(score(id) <= *rest, "{epsilon}");
                    }
                }
            }
        }
    }
}
