//! What floating-point arithmetic adds to a guarantee.

use serde::{Deserialize, Serialize};

use crate::faults::{self, Fault};
use crate::{Epsilon, Error, ErrorKind};

/// What the rounding errors of a sampler can add to the guarantee of one draw: a further ε for
/// every pair of inputs, and a δ.
///
/// # Where it comes from
/// The proofs are about ideal noise. A sampler computes in doubles: its result ỹ is within ηᵢ of
/// the ideal result y in coordinate i. Released numbers are rounded to cells of width g. Let P(c)
/// be the probability of cell c under input x, and let the *layer* of c be all points within η of
/// its border, on both sides. For input x the computed probability is at most P(c) + layer(c). For
/// another input x′ it is at least the mass of the inner points, which is at least e^{−ε·d} times
/// their mass under x, hence e^{−ε·d}·(P(c) − layer(c)). If the layer is at most the share τ of P(c),
/// the loss is at most ε·d + ln((1+τ)/(1−τ)).
/// - *Additive noise.* The density is nearly constant in a cell of full dimension. So the layer is
///   at most Σᵢ 4ηᵢ/g of the cell, for every cell within reach, and there is no δ.
/// - *Noise on the sphere.* The sphere may barely touch a cell. All layers together have
///   probability β = Σᵢ 4ηᵢ/g. By Markov's inequality, cells whose layer exceeds the share τ have
///   probability at most β(1 + 1/τ) together. This is δ.
/// - *Samplers on integers* (coordinate-wise Laplace, mechanisms on finite sets) have no slack. They
///   err with a probability below 2⁻⁸⁰ per draw (see `exact.rs`).
///
/// # What is assumed
/// Each operation, root, logarithm and exponential errs by at most one unit in the last place. The
/// elementary draws (normal, gamma, beta) are ideal draws that were rounded to their own spacing.
/// Tails of probability 2⁻¹⁰⁰ are cut.
///
/// ```
/// use inkveil_privacy::{Epsilon, LaplaceL1, LaplaceL2, Slack, VectorMechanism};
///
/// let epsilon = Epsilon::new(10.0)?;
/// assert_eq!(LaplaceL1::new(768, epsilon)?.slack(), Slack::NONE); // drawn on integers
/// assert!(LaplaceL2::new(768, epsilon)?.slack().epsilon() < Epsilon::new(2e-4)?);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct Slack {
    epsilon: Epsilon,
    delta: f64,
}

/// The unit of rounding errors.
const UNIT: f64 = f64::EPSILON / 2.0;

/// The spacing of normal draws: multiples of 2⁻⁵² of the edge of a layer, at most 3.92.
const NORMAL: f64 = 4.0 * f64::EPSILON;

impl Slack {
    /// No slack: the sampler is exact.
    pub const NONE: Self = Self { epsilon: Epsilon::ZERO, delta: 0.0 };

    /// The ε to add to the loss of every pair of inputs.
    pub fn epsilon(self) -> Epsilon {
        self.epsilon
    }

    /// The probability of outputs for which the guarantee may fail.
    pub fn delta(self) -> f64 {
        self.delta
    }

    /// Whether there is any.
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Exponents that are rounded, which adds at most this to a loss.
    pub(crate) fn rounding(epsilon: f64) -> Self {
        Self { epsilon: Epsilon::new(epsilon).unwrap_or(Epsilon::INFINITE), delta: 0.0 }.unless_hidden()
    }

    /// Additive noise whose rounding errors sum up to at most `errors` steps over all coordinates.
    pub(crate) fn additive(errors: f64) -> Result<Self, Error> {
        let share = 4.0 * errors;
        if share >= 0.5 {
            return Err(ErrorKind::TooStretched.into());
        }
        Ok(Self { epsilon: log_ratio(share)?, delta: 0.0 }.unless_hidden())
    }

    /// Noise on the sphere in `dim` dimensions, on a grid of this step.
    pub(crate) fn spherical(dim: usize, step: f64) -> Result<Self, Error> {
        // A share that costs little next to the budgets in use.
        const SHARE: f64 = 1.0 / 16.0;
        // Cosine and sine have a few rounding errors each. Two inner products (with the mean
        // direction, and of the length) have those of `dot`. Coordinates of a direction sum up to at
        // most √d, and the tangent is divided by a length of about √d.
        let per_length = (3.0 * dot_errors(dim) + 32.0) * UNIT + 2.0 * NORMAL;
        let layers = 4.0 * (dim as f64).sqrt() * per_length / step * 1.01;
        // At 1 nothing is guaranteed: only in far more dimensions than any encoder has.
        let delta = (layers * (1.0 + 1.0 / SHARE)).min(1.0);
        Ok(Self { epsilon: log_ratio(SHARE)?, delta }.unless_hidden())
    }

    fn unless_hidden(self) -> Self {
        if faults::is(Fault::HiddenSlack) { Self::NONE } else { self }
    }

    /// Both together.
    ///
    /// # Errors
    /// If the sum overflows.
    pub fn and(self, other: Self) -> Result<Self, Error> {
        let delta = crate::rounding::add_up(self.delta, other.delta);
        Ok(Self { epsilon: self.epsilon.checked_add(other.epsilon)?, delta: delta.min(1.0) })
    }
}

/// Returns the sum over coordinates of the rounding errors of noise of density ∝ exp(−ε‖z‖_M), in
/// steps. `spread` is the root of the sum of the squares of the coordinates' scales; `factor` is the
/// number of further rounding errors relative to a scale.
pub(crate) fn radial_errors(dim: usize, epsilon: f64, spread: f64, factor: f64, step: f64) -> f64 {
    let n = dim as f64;
    // A Gamma(n) variable exceeds this with probability below 2⁻¹⁰⁰ (Chernoff).
    let longest = n + (2.0 * n * 70.0).sqrt() + 70.0;
    // The length is the root of an inner product. The mean of 1/‖normal vector‖ is at most 1.8/√n.
    let relative = (dot_errors(dim) + 16.0 + factor) * UNIT + 2.0 * 1.8 * NORMAL;
    longest / epsilon * spread * relative / step
}

/// Returns the sum over coordinates of the rounding errors of normal noise, in steps. A coordinate
/// beyond 12 standard deviations has probability below 2⁻¹⁰⁰.
pub(crate) fn normal_errors(dim: usize, sigma: f64, step: f64) -> f64 {
    dim as f64 * sigma * (12.0 * 4.0 * UNIT + NORMAL) / step
}

/// Returns the relative error of [`dot`](crate::unit_vector::dot), in units of rounding.
pub(crate) fn dot_errors(dim: usize) -> f64 {
    // Eight products and additions in each lane of a block, three additions to join the lanes, and
    // the rest of the block. Then one for each doubling of the number of blocks.
    20.0 + (dim as f64 / 64.0).max(1.0).log2().ceil()
}

fn log_ratio(share: f64) -> Result<Epsilon, Error> {
    // One part in a million covers the rounding of the logarithms, and 2⁻³⁰ the errors of
    // acceptance probabilities.
    Epsilon::new((share.ln_1p() - (-share).ln_1p()) * (1.0 + 1e-6) + 2f64.powi(-30))
}

/// The JSON form before validation.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    epsilon: Epsilon,
    #[serde(default, skip_serializing_if = "is_zero")]
    delta: f64,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl TryFrom<Unchecked> for Slack {
    type Error = Error;

    fn try_from(raw: Unchecked) -> Result<Self, Error> {
        if (0.0..=1.0).contains(&raw.delta) {
            Ok(Self { epsilon: raw.epsilon, delta: raw.delta })
        } else {
            Err(Error::parameter("delta of the slack", "from 0 to 1", raw.delta))
        }
    }
}

impl From<Slack> for Unchecked {
    fn from(slack: Slack) -> Self {
        Self { epsilon: slack.epsilon, delta: slack.delta }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit_vector::dot;

    #[test]
    fn json_is_validated() {
        let slack = Slack::spherical(768, 2f64.powi(-15)).unwrap();
        let json = serde_json::to_string(&slack).unwrap();
        assert_eq!(serde_json::from_str::<Slack>(&json).unwrap(), slack);
        assert!(serde_json::from_str::<Slack>(r#"{"epsilon":1,"delta":2}"#).is_err());
        assert_eq!(Slack::spherical(768, 1e-18).unwrap().delta(), 1.0);
        assert!(Slack::additive(0.2).is_err());
    }

    /// The stated error of inner products holds against exact sums of products of integers.
    #[test]
    fn inner_products_err_by_less_than_the_bound() {
        let mut state = 1u64;
        for dim in [1, 7, 8, 63, 64, 65, 768, 4096, 20_000] {
            let row: Vec<f64> = (0..dim)
                .map(|_| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 14) as f64
                })
                .collect();
            // 50 bits squared and 20,000 of them fit into 115 bits.
            let exact: u128 = row.iter().map(|x| (*x as u128) * (*x as u128)).sum();
            let error = (dot(&row, &row) as u128).abs_diff(exact) as f64 / exact as f64;
            assert!(error <= dot_errors(dim) * UNIT, "{dim}: {error:e}");
        }
    }
}
