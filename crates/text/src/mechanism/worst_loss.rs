//! The true worst case of mechanisms that draw an entry by its distance.
//!
//! With h = ε/2, an entry y is drawn for x with probability e^(−h·d(x,y))/Z(x). The loss of two inputs
//! x and x′ at y is h·(d(x′,y) − d(x,y)) + ln Z(x′) − ln Z(x). The distance is a metric, also if it is
//! cut off, so the first part is at most h·d(x,x′). It is exactly that at y = x. So one number for each
//! pair of inputs gives the largest loss over all outputs, and nothing is estimated.
//!
//! At most one input may not come out itself: the entry for text outside the vocabulary. For its pairs
//! the number is an upper bound.

use std::sync::atomic::{AtomicUsize, Ordering};

use inkveil_lexicon::Lexicon;
use inkveil_nn::product::f32_product;
use inkveil_privacy::{Choice, Epsilon};
use rayon::prelude::*;

use super::candidates::{Candidates, chord};
use crate::Error;

/// The number of inputs whose distances are in memory at once, for each thread.
const ROWS: usize = 64;

/// How the probability of an entry falls with its distance, at one budget.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fall {
    /// The budget.
    pub(super) epsilon: Epsilon,
    /// The distance from which on all entries are equally likely.
    pub(super) farthest: f64,
}

impl Fall {
    fn half(self) -> f64 {
        self.epsilon.get() / 2.0
    }
}

/// Returns the largest loss of two inputs at each budget, rounded up. `progress` receives the share of
/// the work that is done.
pub(super) fn worst_losses(
    lexicon: &Lexicon,
    candidates: &Candidates,
    falls: &[Fall],
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Vec<Epsilon>, Error> {
    let inputs = Inputs::of(lexicon);
    // Sums need all pairs, and losses half of them.
    let total = inputs.count().div_ceil(ROWS) * 3 / 2 + 1;
    let done = AtomicUsize::new(0);
    let step = |pieces: usize| {
        let done = done.fetch_add(pieces, Ordering::Relaxed) + pieces;
        progress((done as f64 / total as f64).min(1.0));
    };
    let normalisers = candidates.normalisers(&inputs, falls, &step)?;
    let losses = inputs.losses(&normalisers, falls, &step)?;
    progress(1.0);
    let n = candidates.ids().len() as f64;
    let rounded = |(fall, loss): (&Fall, f64)| {
        // The drawn distances and those here each differ from the true ones by at most the error: three
        // in h·(d(x′,y) − d(x,y)) against h·d(x,x′), and two in each of the two sums.
        let distances = fall.half() * 7.0 * candidates.error();
        let sums = 8.0 * (n + 64.0) * f64::EPSILON + loss * 8.0 * f64::EPSILON;
        let loss = loss + distances + sums + Choice::SLACK;
        // Four digits after the point, upwards.
        Ok(Epsilon::new((loss * 1e4).ceil() / 1e4)?)
    };
    falls.iter().zip(losses).map(rounded).collect()
}

/// The directions of all inputs in one matrix.
struct Inputs {
    values: Vec<f32>,
    dimension: usize,
}

impl Inputs {
    fn of(lexicon: &Lexicon) -> Self {
        let rows = lexicon.inputs();
        let values = rows.iter().flat_map(|&id| lexicon.row(id).unwrap_or_default()).copied().collect();
        Self { values, dimension: lexicon.table().dimension() }
    }

    fn count(&self) -> usize {
        self.values.len() / self.dimension
    }

    /// Returns the largest loss at each budget, given ln Z of each input at each budget.
    fn losses(
        &self,
        normalisers: &[Vec<f64>],
        falls: &[Fall],
        step: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<f64>, Error> {
        let blocks = self.count().div_ceil(ROWS);
        let least = || vec![0.0_f64; falls.len()];
        (0..blocks)
            .into_par_iter()
            .map(|block| {
                // The loss of a pair is that of the pair the other way round with the sums exchanged, so
                // half of the pairs are enough.
                let first = block * ROWS;
                let left = &self.values[first * self.dimension..];
                let left = &left[..left.len().min(ROWS * self.dimension)];
                let right = &self.values[first * self.dimension..];
                let (rows, columns) = (left.len() / self.dimension, right.len() / self.dimension);
                let mut cosines = vec![0.0; rows * columns];
                f32_product(left, right, self.dimension, &mut cosines)?;
                let mut worst = least();
                for (row, cosines) in cosines.chunks(columns).enumerate() {
                    let x = &left[row * self.dimension..][..self.dimension];
                    for (column, cosine) in cosines.iter().enumerate().skip(row + 1) {
                        let other = || &right[column * self.dimension..][..self.dimension];
                        let distance = Candidates::distance_of(*cosine, x, other);
                        let budgets = falls.iter().zip(normalisers).zip(&mut worst);
                        for ((fall, normalisers), worst) in budgets {
                            let sums = (normalisers[first + column] - normalisers[first + row]).abs();
                            let loss = fall.half() * distance.min(fall.farthest) + sums;
                            *worst = worst.max(loss);
                        }
                    }
                }
                // Later blocks have fewer pairs.
                step(usize::from(block.is_multiple_of(2)));
                Ok(worst)
            })
            .try_reduce(least, |a, b| Ok(a.iter().zip(&b).map(|(a, b)| a.max(*b)).collect()))
    }
}

impl Candidates {
    /// Returns ln Z of each input, for each budget.
    fn normalisers(
        &self,
        inputs: &Inputs,
        falls: &[Fall],
        step: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Vec<f64>>, Error> {
        let pieces: Vec<Vec<Vec<f64>>> = inputs
            .values
            .par_chunks(ROWS * inputs.dimension)
            .map(|rows| {
                let all = self.ids().len();
                let mut cosines = vec![0.0; rows.len() / inputs.dimension * all];
                f32_product(rows, self.values(), inputs.dimension, &mut cosines)?;
                let mut sums = vec![Vec::new(); falls.len()];
                for (row, cosines) in rows.chunks(inputs.dimension).zip(cosines.chunks(all)) {
                    let distances = self.distances(row, cosines);
                    for (fall, sums) in falls.iter().zip(&mut sums) {
                        let weight = |distance: &f64| (-fall.half() * distance.min(fall.farthest)).exp();
                        sums.push(distances.iter().map(weight).sum::<f64>().ln());
                    }
                }
                step(1);
                Ok(sums)
            })
            .collect::<Result<_, Error>>()?;
        let of = |budget: usize| pieces.iter().flat_map(|piece| &piece[budget]).copied().collect();
        Ok((0..falls.len()).map(of).collect())
    }

    /// Returns the distance of two directions with this cosine, which is exact where rounding matters.
    fn distance_of<'r>(cosine: f32, row: &[f32], other: impl FnOnce() -> &'r [f32]) -> f64 {
        let rough = (2.0 - 2.0 * f64::from(cosine)).max(0.0).sqrt();
        if rough > Self::CLOSE { rough } else { chord(row, other()) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::super::tests::small;
    use super::super::{MechanismName, MechanismSettings};
    use super::*;

    const FINITE: [MechanismName; 3] =
        [MechanismName::Exponential, MechanismName::TruncatedExponential, MechanismName::RandomizedResponse];

    /// A hundred words in eight dimensions, some of them close together.
    fn hundred() -> Arc<Lexicon> {
        let letter = |i: u8| char::from(b'a' + i);
        let words = (0..100).map(|i| format!("word{}{}", letter(i / 10), letter(i % 10))).collect();
        let rows: Vec<f32> = (0..100)
            .flat_map(|i: i32| {
                (0..8).map(move |j| {
                    let near = if i % 5 == 4 { i - 1 } else { i };
                    (f64::from(near * 8 + j).sin() * 97.0).sin() as f32 + 0.01 * (i % 5) as f32
                })
            })
            .collect();
        Arc::new(Lexicon::words_from_table(words, &rows, 8).unwrap())
    }

    /// The largest loss over all pairs of words and all words that may come out, one after the other.
    #[test]
    fn the_worst_case_is_that_of_all_pairs_and_outputs() {
        for lexicon in [small(), hundred()] {
            let budgets = [0.5, 6.0, 20.0].map(|epsilon| Epsilon::new(epsilon).unwrap());
            for name in FINITE {
                let mechanism = MechanismSettings::of(name).build(lexicon.clone()).unwrap();
                let certified = mechanism.certified_worst_case(&budgets, &|_| ()).unwrap().unwrap();
                for (budget, certified) in budgets.iter().zip(certified) {
                    let channel: Vec<Vec<f64>> = lexicon
                        .inputs()
                        .iter()
                        .map(|id| mechanism.channel(*id, *budget).unwrap().unwrap())
                        .collect();
                    let mut worst = 0.0_f64;
                    for x in &channel {
                        for other in &channel {
                            worst = x.iter().zip(other).map(|(a, b)| (a / b).ln()).fold(worst, f64::max);
                        }
                    }
                    let (certified, bound) = (certified.get(), bound(&lexicon, mechanism.as_ref(), *budget));
                    assert!(certified >= worst - 1e-9, "{name:?} at {budget}: {certified} < {worst}");
                    assert!(certified <= worst + 1e-3, "{name:?} at {budget}: {certified}, truly {worst}");
                    assert!(certified <= bound + 1e-3, "{name:?} at {budget}: {certified} > {bound}");
                }
            }
        }
    }

    /// What the guarantee states for the two words that are farthest apart.
    fn bound(lexicon: &Lexicon, mechanism: &dyn super::super::Mechanism, budget: Epsilon) -> f64 {
        let guarantee = mechanism.guarantee(budget).unwrap();
        let far = guarantee.diameters.first().map_or(1.0, |(_, far)| *far);
        assert!(far <= lexicon.geometry().unwrap().diameter().max(1.0));
        guarantee.guarantees.iter().map(|one| one.loss(far).unwrap().get()).sum()
    }

    #[test]
    fn progress_ends_with_everything() {
        let shares = Mutex::new(Vec::new());
        let mechanism = MechanismSettings::of(MechanismName::Exponential).build(hundred()).unwrap();
        let seen = |share: f64| shares.lock().unwrap().push(share);
        mechanism.certified_worst_case(&[Epsilon::new(2.0).unwrap()], &seen).unwrap().unwrap();
        let shares = shares.into_inner().unwrap();
        assert!(shares.len() > 2 && shares.iter().all(|share| (0.0..=1.0).contains(share)));
        assert_eq!(shares.last(), Some(&1.0));
    }

    #[test]
    fn noise_on_vectors_has_no_certified_worst_case() {
        let mechanism = MechanismSettings::of(MechanismName::Polar).build(small()).unwrap();
        let budget = [Epsilon::new(2.0).unwrap()];
        assert!(mechanism.certified_worst_case(&budget, &|_| ()).unwrap().is_none());
    }
}
