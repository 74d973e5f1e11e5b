//! The probability of a released word for every original.

use rayon::prelude::*;

use super::space::{Spectrum, TokenSpace};
use crate::Error;

/// The most steps of Newton's method; about six are needed.
const STEPS: usize = 30;

/// A model of a mechanism, estimated from draws. With probability ρ a word survives. Otherwise word
/// v replaces w with a probability proportional to exp(s·f(w, v)), where f is their cosine or minus
/// their distance, whichever fits better.
///
/// All mechanisms of the veil replace words by near words, so two numbers describe each well: ρ is
/// the share of draws that survived, s the most likely slope for the others. The mechanisms are
/// public, so every attacker can estimate this.
///
/// ```
/// use std::sync::Arc;
/// use inkveil_eval::attack::{TokenChannel, TokenSpace};
/// use inkveil_lexicon::Lexicon;
///
/// let words = ["tea", "coffee", "ship", "boat"].map(String::from).to_vec();
/// let rows = [1.0, 0.0, 0.8, 0.6, 0.0, -1.0, 0.1, -0.9];
/// let space = TokenSpace::new(&Arc::new(Lexicon::words_from_table(words, &rows, 2)?));
/// // Half of the words survive, the others become their neighbour.
/// let draws: Vec<(usize, usize)> = (0..800).map(|i| (i % 4, if i % 8 < 4 { i % 4 } else { i % 4 ^ 1 })).collect();
/// let channel = TokenChannel::learn(&space, &draws)?;
/// assert!((channel.survival() - 0.5).abs() < 0.01 && channel.slope() > 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct TokenChannel {
    survival: f64,
    slope: f64,
    nearness: Nearness,
    /// The logarithm of the normaliser of each original.
    shares: Vec<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nearness {
    Cosine,
    /// Minus the chordal distance of two directions.
    Chord,
}

impl Nearness {
    fn of(self, cosine: f32) -> f64 {
        match self {
            Self::Cosine => f64::from(cosine),
            Self::Chord => -f64::from((2.0 - 2.0 * cosine).max(0.0)).sqrt(),
        }
    }
}

impl TokenChannel {
    /// Estimates the model from draws: pairs of an original and its replacement, by their numbers
    /// in the space.
    ///
    /// # Errors
    /// If there are no draws, or a number is not in the space.
    pub fn learn(space: &TokenSpace, draws: &[(usize, usize)]) -> Result<Self, Error> {
        if draws.is_empty() || draws.iter().any(|&(from, to)| from.max(to) >= space.len()) {
            return Err(Error::argument("a channel needs draws, all of words of the lexicon"));
        }
        let survived = draws.iter().filter(|(from, to)| from == to).count();
        let survival = (survived as f64 + 0.5) / (draws.len() as f64 + 1.0);
        let moved: Vec<(usize, usize)> = draws.iter().copied().filter(|(from, to)| from != to).collect();
        let (nearness, slope) = most_likely(space, &moved)?;
        let shares = match moved.is_empty() {
            // All other words are equally likely.
            true => vec![(space.len() as f64 - 1.0).ln(); space.len()],
            false => {
                space.spectra()?.par_iter().map(|spectrum| moments(spectrum, nearness, slope)[0]).collect()
            }
        };
        Ok(Self { survival, slope, nearness, shares })
    }

    /// How often a word survives.
    pub fn survival(&self) -> f64 {
        self.survival
    }

    /// How much more likely near words are than distant ones.
    pub fn slope(&self) -> f64 {
        self.slope
    }

    /// The log-probability of `released` for every original, given its cosines with all words.
    pub(super) fn likelihoods(&self, released: usize, cosines: &[f32]) -> Vec<f32> {
        let moves = (1.0 - self.survival).ln();
        let likelihood = |(original, cosine): (usize, &f32)| match original == released {
            true => self.survival.ln() as f32,
            false => (moves + self.slope * self.nearness.of(*cosine) - self.shares[original]) as f32,
        };
        cosines.iter().enumerate().map(likelihood).collect()
    }
}

/// The nearness and slope with the highest likelihood.
fn most_likely(space: &TokenSpace, moved: &[(usize, usize)]) -> Result<(Nearness, f64), Error> {
    // If every word survives, the slope does not matter.
    if moved.is_empty() {
        return Ok((Nearness::Cosine, 0.0));
    }
    let spectra = space.spectra()?;
    // Draws of the same original are grouped, so that its moments are computed once.
    let mut moved = moved.to_vec();
    moved.sort_unstable();
    let draws: Vec<(usize, Vec<f32>)> = moved
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| (same[0].0, same.iter().map(|&(from, to)| space.cosine(from, to)).collect()))
        .collect();
    let fit = |nearness: Nearness| {
        let (mut slope, mut likelihood) = (0.0_f64, f64::NEG_INFINITY);
        for _ in 0..STEPS {
            let sums: [f64; 3] = draws
                .par_iter()
                .map(|(number, cosines)| {
                    let [sum, mean, variance] = moments(&spectra[*number], nearness, slope);
                    cosines.iter().fold([0.0; 3], |[total, pull, bend], &cosine| {
                        let near = nearness.of(cosine);
                        [total + slope * near - sum, pull + near - mean, bend + variance]
                    })
                })
                .reduce(|| [0.0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
            let [total, pull, bend] = sums;
            likelihood = total;
            let step = pull / bend.max(1e-9);
            // The likelihood is concave. The bound prevents an overflow.
            slope += step.clamp(-50.0, 50.0);
            if step.abs() < 1e-3 * slope.abs().max(1.0) {
                break;
            }
        }
        (nearness, slope, likelihood)
    };
    let (cosine, chord) = (fit(Nearness::Cosine), fit(Nearness::Chord));
    let (nearness, slope, _) = if chord.2 > cosine.2 { chord } else { cosine };
    Ok((nearness, slope))
}

/// Of the replacements of an original: log Σ exp(s·f) over all other words, and the mean and
/// variance of f.
fn moments(spectrum: &Spectrum, nearness: Nearness, slope: f64) -> [f64; 3] {
    // Subtracting the largest exponent prevents an overflow.
    let top =
        spectrum.iter().map(|(cosine, _)| slope * nearness.of(cosine)).fold(f64::NEG_INFINITY, f64::max);
    let (mut sum, mut first, mut second) = (0.0, 0.0, 0.0);
    for (cosine, count) in spectrum.iter() {
        let near = nearness.of(cosine);
        let weight = count * (slope * near - top).exp();
        sum += weight;
        first += weight * near;
        second += weight * near * near;
    }
    let mean = first / sum;
    [top + sum.ln(), mean, (second / sum - mean * mean).max(0.0)]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use inkveil_lexicon::Lexicon;
    use inkveil_nn::SplitMix;

    use super::*;

    /// Words on a circle.
    fn space(count: usize) -> TokenSpace {
        let words = (0..count).map(|i| format!("w{}", "x".repeat(i + 1))).collect();
        let rows: Vec<f32> = (0..count)
            .flat_map(|i| {
                let angle = i as f32 / count as f32 * std::f32::consts::TAU;
                [angle.cos(), angle.sin()]
            })
            .collect();
        TokenSpace::new(&Arc::new(Lexicon::words_from_table(words, &rows, 2).unwrap()))
    }

    /// Draws from the model itself, by inversion.
    fn draw(
        space: &TokenSpace,
        survival: f64,
        slope: f64,
        nearness: Nearness,
        count: usize,
    ) -> Vec<(usize, usize)> {
        let all: Vec<usize> = (0..space.len()).collect();
        let rows = space.cosines(&all, |_, cosines| cosines.to_vec()).unwrap();
        let mut random = SplitMix::named(3, "draws", &[]);
        let mut unit = move || (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        (0..count)
            .map(|i| {
                let from = i % space.len();
                if unit() < survival {
                    return (from, from);
                }
                let others = || rows[from].iter().enumerate().filter(|(to, _)| *to != from);
                let sum = others().map(|(_, &cosine)| (slope * nearness.of(cosine)).exp()).sum::<f64>().ln();
                let mut left = unit();
                for (to, &cosine) in others() {
                    left -= (slope * nearness.of(cosine) - sum).exp();
                    if left <= 0.0 {
                        return (from, to);
                    }
                }
                (from, (from + 1) % space.len())
            })
            .collect()
    }

    #[test]
    fn a_channel_is_recovered_from_its_draws() {
        let space = space(60);
        for (nearness, slope) in [(Nearness::Cosine, 8.0), (Nearness::Chord, 5.0)] {
            let draws = draw(&space, 0.3, slope, nearness, 20_000);
            let channel = TokenChannel::learn(&space, &draws).unwrap();
            assert_eq!(channel.nearness, nearness);
            assert!((channel.slope - slope).abs() < 0.3, "{} for {slope}", channel.slope);
            assert!((channel.survival - 0.3).abs() < 0.02, "{}", channel.survival);
        }
    }

    #[test]
    fn probabilities_of_an_original_add_up_to_one() {
        let space = space(40);
        let draws = draw(&space, 0.2, 6.0, Nearness::Cosine, 5_000);
        let channel = TokenChannel::learn(&space, &draws).unwrap();
        let all: Vec<usize> = (0..space.len()).collect();
        let table = space.cosines(&all, |released, cosines| channel.likelihoods(released, cosines)).unwrap();
        for original in 0..space.len() {
            let sum: f64 = table.iter().map(|row| f64::from(row[original]).exp()).sum();
            // Distant words are counted in steps, so the sum is approximate.
            assert!((sum - 1.0).abs() < 5e-3, "{sum}");
        }
    }

    #[test]
    fn surviving_words_are_taken_at_face_value() {
        let space = space(10);
        let draws: Vec<(usize, usize)> = (0..50).map(|i| (i % 10, i % 10)).collect();
        let channel = TokenChannel::learn(&space, &draws).unwrap();
        assert!(channel.survival() > 0.98);
        assert!(
            TokenChannel::learn(&space, &[]).is_err() && TokenChannel::learn(&space, &[(0, 10)]).is_err()
        );
    }
}
