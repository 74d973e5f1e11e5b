//! Samplers on integers whose probabilities do not depend on floating-point rounding.
//!
//! Each sampler compares a uniform number U with a real threshold such as e^{−k/t}. It knows the
//! first 64 bits of U and the threshold in doubles, with a bound on the error of both. Nearly
//! always this decides. If it does not, 64 more bits are drawn and the threshold is computed with
//! 120 bits in integer arithmetic. So the result is that of a comparison of real numbers, except
//! with a probability below 2⁻⁸⁰ per draw.

use crate::accounting::Zcdp;
use crate::{Error, NoiseStream};

/// The fraction bits of numbers in integer arithmetic.
const FRACTION: u32 = 120;

/// From here on, e^{−x} is below 2⁻¹²⁰.
const LARGEST: u128 = 84;

/// A bound on the relative error of logarithms, exponentials and a few operations in doubles.
const DOUBLE: f64 = 16.0 * f64::EPSILON;

/// Returns a·b for numbers with [`FRACTION`] bits, rounded down.
fn multiply(a: u128, b: u128) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let middle = a1 * b0 + ((a0 * b0) >> 64);
    // Both factors are below 2¹²⁷, so no sum overflows.
    let middle_b = a0 * b1 + (middle & LOW);
    let high = a1 * b1 + (middle >> 64) + (middle_b >> 64);
    let low = middle_b << 64 | ((a0 * b0) & LOW);
    high << (128 - FRACTION) | low >> FRACTION
}

/// Returns numerator/denominator with [`FRACTION`] bits, rounded down. The quotient is below 128.
fn divide(numerator: u128, denominator: u128) -> u128 {
    let mut quotient = numerator / denominator;
    let mut rest = numerator % denominator;
    for _ in 0..FRACTION {
        // The denominator is below 2¹²⁷.
        rest <<= 1;
        quotient <<= 1;
        if rest >= denominator {
            rest -= denominator;
            quotient |= 1;
        }
    }
    quotient
}

/// Returns e^{−x} for numbers with [`FRACTION`] bits, to within 2⁻¹¹².
fn exp_minus(x: u128) -> u128 {
    let one = 1 << FRACTION;
    let (whole, part) = (x >> FRACTION, x & (one - 1));
    if whole >= LARGEST {
        return 0;
    }
    // The alternating series of e^{−part}, and of e^{−1} for the whole part.
    let series = |x: u128| {
        let (mut sum, mut term, mut index) = (one, one, 1);
        while term > 0 {
            term = if x == one { term } else { multiply(term, x) } / index;
            sum = if index % 2 == 1 { sum - term } else { sum + term };
            index += 1;
        }
        sum
    };
    let (mut result, mut power, mut rest) = (series(part), series(one), whole);
    while rest > 0 {
        if rest & 1 == 1 {
            result = multiply(result, power);
        }
        power = multiply(power, power);
        rest >>= 1;
    }
    result
}

/// Draws k ≥ 0 with probability proportional to e^{−k/t}: the whole part of t·E for an exponential
/// variable E = −ln U.
pub(crate) fn geometric(t: u64, stream: &mut NoiseStream) -> u64 {
    let high = stream.next_u64();
    let exponential = -((high as f64 + 0.5) * 2f64.powi(-64)).ln();
    let k = t as f64 * exponential;
    // The bits of U that are not known, and the errors of doubles.
    let uncertain = t as f64 * (1.0 / (high as f64 + 0.5) + DOUBLE * (1.0 + exponential));
    let fraction = k - k.floor();
    if fraction > uncertain && fraction < 1.0 - uncertain {
        return k as u64;
    }
    // k is the largest integer with U < e^{−k/t}.
    let uniform = (u128::from(high) << 64 | u128::from(stream.next_u64())) >> (128 - FRACTION);
    let reached = |k: u64| uniform < exp_minus(divide(u128::from(k), u128::from(t)));
    let (mut least, mut most) =
        ((k - uncertain - 1.0).max(0.0) as u64, (k + uncertain + 2.0).min(LARGEST as f64 * t as f64) as u64);
    if !reached(least) {
        // Only at k = 0, or for one of the last 2⁻¹¹² of all numbers.
        return least;
    }
    while most - least > 1 {
        let middle = least + (most - least) / 2;
        if reached(middle) { least = middle } else { most = middle }
    }
    least
}

/// The discrete Laplace distribution: k with probability proportional to e^{−|k|/t}.
///
/// Added to an integer, it gives 1/t per unit of distance: a pure guarantee without slack.
///
/// ```
/// use inkveil_privacy::exact::DiscreteLaplace;
/// use inkveil_privacy::{NoiseAddress, NoiseKey};
///
/// let (count, noise) = (1234u64, DiscreteLaplace::new(10)?); // ε = 0.1
/// let mut stream = NoiseKey::fresh()?.stream(NoiseAddress::record(0), &count);
/// let released = count as i64 + noise.draw(&mut stream);
/// # let _ = released;
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DiscreteLaplace {
    t: u64,
}

impl DiscreteLaplace {
    /// Creates a distribution of scale `t`.
    ///
    /// # Errors
    /// If `t` is 0, or 2⁵⁰ or more.
    pub fn new(t: u64) -> Result<Self, Error> {
        if (1..1 << 50).contains(&t) {
            Ok(Self { t })
        } else {
            Err(Error::parameter("the scale of discrete noise", "from 1 to 2^50", t))
        }
    }

    /// Draws a number.
    pub fn draw(&self, stream: &mut NoiseStream) -> i64 {
        laplace(self.t, stream)
    }
}

/// Draws k with probability proportional to e^{−|k|/t}.
pub(crate) fn laplace(t: u64, stream: &mut NoiseStream) -> i64 {
    loop {
        let negative = stream.next_u64() >> 63 == 1;
        let k = geometric(t, stream) as i64;
        // Zero has one sign only.
        if !(negative && k == 0) {
            return if negative { -k } else { k };
        }
    }
}

/// The discrete Gaussian distribution of Canonne, Kamath and Steinke (2020): k with probability
/// proportional to e^{−k²/2σ²}, by rejection from a discrete Laplace distribution.
///
/// Added to integers, it gives ρ = Δ²/2σ² of zero-concentrated differential privacy for inputs at
/// most Δ apart, in any dimension (their Theorem 4): see [`Zcdp::gaussian`].
///
/// ```
/// use inkveil_privacy::exact::DiscreteGaussian;
/// use inkveil_privacy::{NoiseAddress, NoiseKey};
///
/// let (count, noise) = (1234u64, DiscreteGaussian::new(100)?); // σ = 10
/// let mut stream = NoiseKey::fresh()?.stream(NoiseAddress::record(0), &count);
/// let released = count as i64 + noise.draw(&mut stream);
/// assert!(noise.zcdp(1.0)?.rho() <= 0.005 + 1e-12);
/// # let _ = released;
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DiscreteGaussian {
    variance: u64,
    t: u64,
}

impl DiscreteGaussian {
    /// Creates a distribution with σ² = `variance`.
    ///
    /// # Errors
    /// If the variance is 0, or 2⁵⁰ or more.
    pub fn new(variance: u64) -> Result<Self, Error> {
        if (1..1 << 50).contains(&variance) {
            Ok(Self { variance, t: variance.isqrt() + 1 })
        } else {
            Err(Error::parameter("the variance of discrete noise", "from 1 to 2^50", variance))
        }
    }

    /// Returns the budget for inputs at most `sensitivity` apart.
    ///
    /// # Errors
    /// If the sensitivity is not a positive number.
    pub fn zcdp(&self, sensitivity: f64) -> Result<Zcdp, Error> {
        // The root is rounded down, which rounds ρ up.
        Zcdp::gaussian(sensitivity, (self.variance as f64).sqrt().next_down())
    }

    /// Draws a number.
    pub fn draw(&self, stream: &mut NoiseStream) -> i64 {
        loop {
            let k = laplace(self.t, stream);
            if self.accepts(k.unsigned_abs(), stream) {
                return k;
            }
        }
    }

    /// Returns true with probability exp(−(|k| − σ²/t)²/2σ²).
    fn accepts(&self, k: u64, stream: &mut NoiseStream) -> bool {
        let (variance, t) = (self.variance as f64, self.t as f64);
        let exponent = (k as f64 - variance / t).powi(2) / (2.0 * variance);
        // Beyond this, the probability is below 2⁻¹²⁰.
        if exponent > LARGEST as f64 {
            return false;
        }
        let high = stream.next_u64();
        let (uniform, threshold) = (high as f64 * 2f64.powi(-64), (-exponent).exp());
        // The difference k − σ²/t loses at most k/√(2σ²) times the precision of a double.
        let uncertain = DOUBLE * (1.0 + exponent) * (1.0 + k as f64 / t) + f64::EPSILON;
        if (uniform - threshold).abs() > uncertain {
            return uniform < threshold;
        }
        let difference = (u128::from(k) * u128::from(self.t)).abs_diff(u128::from(self.variance));
        // The square is below 2¹¹⁶ and the denominator below 2¹⁰².
        let denominator = 2 * u128::from(self.variance) * u128::from(self.t) * u128::from(self.t);
        let threshold = exp_minus(divide(difference * difference, denominator));
        (u128::from(high) << 64 | u128::from(stream.next_u64())) >> (128 - FRACTION) < threshold
    }
}

/// A candidate of a finite mechanism: `copies` equal ones, each with weight e^{−x}, where x is a
/// number of steps of [`LOGIT_STEP`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weighted {
    pub(crate) steps: u64,
    pub(crate) copies: u64,
}

/// Exponents are multiples of 2⁻⁴⁰.
pub(crate) const LOGIT_STEP: f64 = 1.0 / (1u64 << 40) as f64;

impl Weighted {
    /// Rounds an exponent of at least 0. Exponents beyond 84 have a weight below 2⁻¹²⁰ and are never
    /// drawn.
    pub(crate) fn new(exponent: f64, copies: u64) -> Self {
        let steps = (exponent / LOGIT_STEP).round_ties_even().min((LARGEST << 40) as f64) as u64;
        Self { steps, copies }
    }

    /// As [`Weighted::new`], with the exponent rounded down.
    pub(crate) fn new_down(exponent: f64, copies: u64) -> Self {
        let steps = (exponent / LOGIT_STEP).floor().min((LARGEST << 40) as f64) as u64;
        Self { steps, copies }
    }

    pub(crate) fn approximate(self) -> f64 {
        self.copies as f64 * (-(self.steps as f64) * LOGIT_STEP).exp()
    }

    /// The weight with [`FRACTION`] − 20 bits, so that 2²⁷ of them can be added up.
    fn exact(self) -> u128 {
        (exp_minus(u128::from(self.steps) << (FRACTION - 40)) >> 20).saturating_mul(u128::from(self.copies))
    }
}

/// Draws an index with probability proportional to the weights. `cumulative` has the sums of the
/// approximate weights. At most 2²⁷ candidates, counted with their copies.
pub(crate) fn choose(weights: &[Weighted], cumulative: &[f64], stream: &mut NoiseStream) -> usize {
    let total = cumulative.last().copied().unwrap_or(0.0);
    let high = stream.next_u64();
    let at = high as f64 * 2f64.powi(-64) * total;
    // A sum of n positive terms errs by at most n units in the last place.
    let uncertain = total * (weights.len() as f64 + 32.0) * f64::EPSILON;
    let index = cumulative.partition_point(|sum| *sum <= at).min(weights.len().saturating_sub(1));
    let from = if index == 0 { f64::NEG_INFINITY } else { cumulative[index - 1] };
    let to = if index + 1 == weights.len() { f64::INFINITY } else { cumulative[index] };
    if at - from > uncertain && to - at > uncertain {
        return index;
    }
    let exact = weights.iter().fold(0u128, |sum, weight| sum.saturating_add(weight.exact()));
    let uniform = u128::from(high) << 64 | u128::from(stream.next_u64());
    // U·total, rounded down: the high half of a product of 128 bits each.
    let mut rest = high_half(uniform, exact);
    for (index, weight) in weights.iter().enumerate() {
        let one = weight.exact();
        if rest < one {
            return index;
        }
        rest -= one;
    }
    weights.len().saturating_sub(1)
}

fn high_half(a: u128, b: u128) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let middle = a1 * b0 + ((a0 * b0) >> 64);
    let middle_b = a0 * b1 + (middle & LOW);
    a1 * b1 + (middle >> 64) + (middle_b >> 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::goodness::{chi_square, chi_square_critical};
    use crate::{NoiseAddress, NoiseKey};

    fn stream(seed: u64) -> NoiseStream {
        NoiseKey::insecure_from_seed(seed).stream(NoiseAddress::record(0), &())
    }

    /// Values computed with 60 digits (mpmath): ⌊2¹²⁰·e^{−n/d}⌋.
    #[test]
    fn exponentials_are_exact_to_112_bits() {
        for (numerator, denominator, exact) in EXPONENTIALS {
            let found = exp_minus(divide(numerator, denominator));
            assert!(found.abs_diff(exact) < 1 << 8, "{numerator}/{denominator}: {found} for {exact}");
        }
        assert_eq!(exp_minus(84 << FRACTION), 0);
    }

    const EXPONENTIALS: [(u128, u128, u128); 8] = [
        (1, 1, 488995652278791141083010649602151673),
        (1, 2, 806217533191926544038127755907354071),
        (0, 1, 1329227995784915872903807060280344576),
        (1, 3, 952433477871136983997713297670466532),
        (22, 7, 57368562149061994509478821072907681),
        (4242, 100, 502143167011945485),
        (1125899906842625, 140737488355328, 445906316547593640032082808918375),
        (79, 1, 65),
    ];

    /// Small parameters, where every value has a probability that can be counted: against the exact
    /// probabilities. The fast path and the slow path both take part, since for t = 2⁴⁰ nearly every
    /// draw is uncertain.
    #[test]
    fn discrete_laplace_draws_have_exact_probabilities() {
        for (t, draws) in [(1u64, 400_000u64), (3, 400_000), (10, 400_000)] {
            let mut stream = stream(t);
            let reach = 8 * t as i64;
            let mut counts = vec![0u64; (2 * reach + 2) as usize];
            for _ in 0..draws {
                let k = laplace(t, &mut stream);
                let cell = if k.abs() > reach { 2 * reach + 1 } else { k + reach };
                counts[cell as usize] += 1;
            }
            let q = (-1.0 / t as f64).exp();
            let one = |k: i64| (1.0 - q) / (1.0 + q) * q.powi(k.abs() as i32);
            let mut probabilities: Vec<f64> = (-reach..=reach).map(one).collect();
            probabilities.push(1.0 - probabilities.iter().sum::<f64>());
            let found = chi_square(&counts, &probabilities);
            assert!(found <= chi_square_critical(counts.len(), 1e-6), "t = {t}: {found}");
        }
    }

    /// For large t the scaled draw is nearly exponential. Cells of equal probability.
    #[test]
    fn large_scales_are_drawn_by_both_paths() {
        for (t, draws) in [(1u64 << 20, 400_000u64), (1 << 44, 20_000)] {
            let mut stream = stream(t);
            let mut counts = vec![0u64; 64];
            for _ in 0..draws {
                let u = (-(geometric(t, &mut stream) as f64) / t as f64).exp();
                counts[((u * 64.0) as usize).min(63)] += 1;
            }
            let found = chi_square(&counts, &[1.0 / 64.0; 64]);
            assert!(found <= chi_square_critical(64, 1e-6), "t = {t}: {found}");
        }
    }

    /// The slow path alone: the same 64 bits and the next ones decide as the definition does.
    #[test]
    fn uncertain_draws_are_decided_by_more_bits() {
        // At t = 2⁵⁰ a double cannot tell neighbouring values apart.
        let t = 1u64 << 50;
        let (mut a, mut b) = (stream(5), stream(5));
        for _ in 0..200 {
            let k = geometric(t, &mut a);
            let uniform = (u128::from(b.next_u64()) << 64 | u128::from(b.next_u64())) >> 8;
            let threshold = |k: u64| exp_minus(divide(u128::from(k), u128::from(t)));
            assert!(uniform < threshold(k) && uniform >= threshold(k + 1));
        }
    }

    #[test]
    fn discrete_gaussian_draws_have_exact_probabilities() {
        for variance in [1u32, 7, 49] {
            let distribution = DiscreteGaussian::new(u64::from(variance)).unwrap();
            let variance = f64::from(variance);
            let reach = (5.0 * variance.sqrt()) as i64;
            let mut stream = stream(9);
            let mut counts = vec![0u64; (2 * reach + 2) as usize];
            for _ in 0..400_000 {
                let k = distribution.draw(&mut stream);
                let cell = if k.abs() > reach { 2 * reach + 1 } else { k + reach };
                counts[cell as usize] += 1;
            }
            let weight = |k: i64| (-(k * k) as f64 / (2.0 * variance)).exp();
            let total: f64 = (-200..=200).map(weight).sum();
            let mut probabilities: Vec<f64> = (-reach..=reach).map(|k| weight(k) / total).collect();
            probabilities.push(1.0 - probabilities.iter().sum::<f64>());
            // The rarest values would have less than one count: join them.
            let (counts, probabilities) = joined(&counts, &probabilities);
            let found = chi_square(&counts, &probabilities);
            assert!(found <= chi_square_critical(counts.len(), 1e-6), "σ² = {variance}: {found}");
        }
        assert!(DiscreteGaussian::new(0).is_err() && DiscreteGaussian::new(1 << 60).is_err());
        assert!(DiscreteLaplace::new(0).is_err() && DiscreteLaplace::new(1 << 60).is_err());
    }

    fn joined(counts: &[u64], probabilities: &[f64]) -> (Vec<u64>, Vec<f64>) {
        let (mut c, mut p) = (vec![0], vec![0.0]);
        for (count, probability) in counts.iter().zip(probabilities) {
            if *probability < 1e-4 {
                c[0] += count;
                p[0] += probability;
            } else {
                c.push(*count);
                p.push(*probability);
            }
        }
        (c, p)
    }

    #[test]
    fn choices_have_exact_probabilities_on_both_paths() {
        let weights: Vec<Weighted> =
            (0..12).map(|i| Weighted::new(f64::from(i) * 0.45, if i == 11 { 40 } else { 1 })).collect();
        let cumulative: Vec<f64> = weights
            .iter()
            .scan(0.0, |sum, weight| {
                *sum += weight.approximate();
                Some(*sum)
            })
            .collect();
        let total = cumulative[11];
        let probabilities: Vec<f64> = weights.iter().map(|weight| weight.approximate() / total).collect();
        let mut stream = stream(3);
        let mut counts = vec![0u64; 12];
        (0..400_000).for_each(|_| counts[choose(&weights, &cumulative, &mut stream)] += 1);
        assert!(chi_square(&counts, &probabilities) <= chi_square_critical(12, 1e-6));
        // Without precise sums every draw is decided by integers.
        let unknown = vec![f64::NAN; 12];
        let mut counts = vec![0u64; 12];
        (0..20_000).for_each(|_| counts[choose(&weights, &unknown, &mut stream)] += 1);
        assert!(chi_square(&counts, &probabilities) <= chi_square_critical(12, 1e-6));
    }
}
