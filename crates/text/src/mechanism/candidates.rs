//! Mechanisms that draw an entry directly, by its distance from the token's entry.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use inkveil_lexicon::Lexicon;
use inkveil_nn::product::f32_product;
use inkveil_privacy::{Epsilon, NoiseStream};
use rayon::prelude::*;

use super::interface::Token;
use super::likely::{LikelyOriginals, Observation};
use crate::Error;

/// The number of tokens whose distances to all entries are in memory at once.
const BATCH: usize = 64;

/// Draws the index of an entry.
pub(super) type Draw<'d> = Box<dyn Fn(&mut NoiseStream) -> Result<usize, inkveil_privacy::Error> + 'd>;

/// The entries that may be drawn, and their directions in one matrix.
pub(super) struct Candidates {
    ids: Vec<u32>,
    values: Vec<f32>,
    dimension: usize,
}

impl Candidates {
    /// Distances below this are computed in `f64`.
    pub(super) const CLOSE: f64 = 1.0;

    /// Returns a bound on the error of a distance. A sum of n products in `f32` has an error of at
    /// most about n·2⁻²⁴ (Higham, Accuracy and Stability of Numerical Algorithms, ch. 3), rows have
    /// length 1 up to 10⁻⁷, and a chord c = √(2 − 2·cos) changes by the error of the cosine divided
    /// by c. The guarantee per unit of distance d holds with d plus twice this bound.
    pub(super) fn error(&self) -> f64 {
        (self.dimension as f64 * 2f64.powi(-24) + 1e-6) / Self::CLOSE
    }

    pub(super) fn new(lexicon: &Lexicon) -> Self {
        let ids = lexicon.allowed().to_vec();
        let values = ids.iter().flat_map(|&id| lexicon.row(id).unwrap_or_default()).copied().collect();
        Self { ids, values, dimension: lexicon.table().dimension() }
    }

    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    pub(super) fn values(&self) -> &[f32] {
        &self.values
    }

    /// Draws one entry for each token. `stream` returns the noise of a token, and `choice` receives a budget and the chordal distances from a
    /// token to all entries.
    pub(super) fn draw(
        &self,
        lexicon: &Lexicon,
        tokens: &[Token],
        stream: impl Fn(&Token) -> NoiseStream + Sync,
        choice: impl for<'d> Fn(Epsilon, &'d [f64]) -> Result<Draw<'d>, Error> + Sync,
    ) -> Result<Vec<u32>, Error> {
        // The distances from a repeated word are computed once.
        let mut places: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        tokens.iter().enumerate().for_each(|(at, token)| places.entry(token.id).or_default().push(at));
        let distinct: Vec<(u32, Vec<usize>)> = places.into_iter().collect();
        let mut drawn = vec![0; tokens.len()];
        for batch in distinct.chunks(BATCH) {
            let rows: Vec<&[f32]> =
                batch.iter().map(|(id, _)| lexicon.row(*id).unwrap_or_default()).collect();
            let mut cosines = vec![0.0; batch.len() * self.ids.len()];
            f32_product(&rows.concat(), &self.values, self.dimension, &mut cosines)?;
            let chosen: Vec<Vec<(usize, u32)>> = batch
                .par_iter()
                .zip(cosines.par_chunks(self.ids.len()))
                .zip(&rows)
                .map(|(((_, places), cosines), row)| {
                    let distances = self.distances(row, cosines);
                    // So is the choice for each budget.
                    let mut choices: Vec<(Epsilon, Draw<'_>)> = Vec::new();
                    let mut drawn = Vec::with_capacity(places.len());
                    for &at in places {
                        let epsilon = &tokens[at].epsilon;
                        let known = choices.iter().position(|(known, _)| known == epsilon);
                        let known = match known {
                            Some(known) => known,
                            None => {
                                choices.push((*epsilon, choice(*epsilon, &distances)?));
                                choices.len() - 1
                            }
                        };
                        drawn.push((at, self.ids[choices[known].1(&mut stream(&tokens[at]))?]));
                    }
                    Ok(drawn)
                })
                .collect::<Result<_, Error>>()?;
            chosen.into_iter().flatten().for_each(|(at, id)| drawn[at] = id);
        }
        Ok(drawn)
    }

    /// Returns the likeliest originals of drawn entries. The probability of a draw falls with ε/2 times
    /// the distance, up to `farthest` for each budget, and `normaliser` is the logarithm of the sum of
    /// an entry's weights.
    ///
    /// With cosine c the distance is √(2 − 2c) ≥ 1 − c, and an entry's own weight is 1, so the logarithm
    /// of the probability is at most −ε/2·(1 − c).
    pub(super) fn originals(
        &self,
        lexicon: &Lexicon,
        drawn: &[(u32, Epsilon)],
        likely: &LikelyOriginals,
        normalisers: &Normalisers,
        farthest: impl Fn(Epsilon) -> Result<f64, Error> + Sync,
    ) -> Result<Vec<Observation>, Error> {
        let mut all = Vec::with_capacity(drawn.len());
        for batch in drawn.chunks(BATCH) {
            let rows: Vec<&[f32]> =
                batch.iter().map(|(id, _)| lexicon.row(*id).unwrap_or_default()).collect();
            let slopes: Vec<f64> = batch.iter().map(|(_, epsilon)| epsilon.get() / 2.0).collect();
            let found = likely.by_slope(&rows.concat(), &slopes)?;
            let observed =
                batch.par_iter().zip(found).zip(&rows).map(|(((_, epsilon), (near, rest)), row)| {
                    let (half, far) = (epsilon.get() / 2.0, farthest(*epsilon)?);
                    let channel = |id: u32| -> Result<(u32, f64, f64), Error> {
                        let distance = chord(row, lexicon.row(id).unwrap_or_default()).min(far);
                        let sum = normalisers.of(id, *epsilon, || {
                            let weights = self.distances_from(lexicon, id)?.into_iter();
                            Ok(weights.map(|distance| (-half * distance.min(far)).exp()).sum::<f64>().ln())
                        })?;
                        Ok((id, -half * distance - sum, likely.single(id)))
                    };
                    let originals = near.into_iter().map(|(id, _)| channel(id)).collect::<Result<_, _>>()?;
                    // Beyond the farthest distance all entries are equally likely.
                    let beyond =
                        if far < 2.0 { -half * far + likely.largest_single() } else { f64::NEG_INFINITY };
                    Ok(Observation::new(originals, (rest - half).max(beyond)))
                });
            all.extend(observed.collect::<Result<Vec<_>, Error>>()?);
        }
        Ok(all)
    }

    /// Returns the chordal distances from an entry to all entries that may be drawn.
    pub(super) fn distances_from(&self, lexicon: &Lexicon, id: u32) -> Result<Vec<f64>, Error> {
        let row = lexicon.row(id).unwrap_or_default();
        let mut cosines = vec![0.0; self.ids.len()];
        f32_product(row, &self.values, self.dimension, &mut cosines)?;
        Ok(self.distances(row, &cosines))
    }

    pub(super) fn distances(&self, row: &[f32], cosines: &[f32]) -> Vec<f64> {
        let one = |(at, cosine): (usize, &f32)| {
            let rough = (2.0 - 2.0 * f64::from(*cosine)).max(0.0).sqrt();
            if rough > Self::CLOSE {
                rough
            } else {
                chord(row, &self.values[at * self.dimension..][..self.dimension])
            }
        };
        cosines.iter().enumerate().map(one).collect()
    }
}

/// The normalisers of entries at budgets, each computed once.
#[derive(Debug, Default)]
pub(super) struct Normalisers(Mutex<HashMap<(u32, u64), f64>>);

impl Normalisers {
    fn of(
        &self,
        id: u32,
        epsilon: Epsilon,
        compute: impl FnOnce() -> Result<f64, Error>,
    ) -> Result<f64, Error> {
        let key = (id, epsilon.get().to_bits());
        let known = |known: &Mutex<HashMap<(u32, u64), f64>>| {
            known.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied()
        };
        if let Some(sum) = known(&self.0) {
            return Ok(sum);
        }
        let sum = compute()?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, sum);
        Ok(sum)
    }
}

/// Returns the chordal distance of two directions whose lengths are 1 up to rounding.
pub(super) fn chord(a: &[f32], b: &[f32]) -> f64 {
    let square = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).powi(2);
    a.iter().zip(b).map(square).sum::<f64>().sqrt()
}

impl std::fmt::Debug for Candidates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Candidates({})", self.ids.len())
    }
}
