//! A distribution of privacy losses on a grid, rounded up.

/// The most cells of a distribution. More cells make the bound tighter and slower.
const CELLS: f64 = 8192.0;

/// Weights below this share of the largest are cut from a binomial distribution and counted as
/// certain loss.
const CUT: f64 = 1e-45;

/// The losses of several releases with equal pure budgets: `count` times ±ε.
///
/// Every pure ε-DP mechanism is dominated by randomised response with two answers (Kairouz, Oh and
/// Viswanath 2015), whose loss is ε with probability e^ε/(1+e^ε) and −ε otherwise. The loss of
/// `count` of them is (2j − count)·ε, with j binomial.
pub(super) struct EqualBudgets {
    /// Losses in ascending order, with upper bounds on their probabilities.
    points: Vec<(f64, f64)>,
    /// The probability of all larger losses.
    beyond: f64,
}

impl EqualBudgets {
    pub(super) fn new(epsilon: f64, count: u64) -> Self {
        let n = count as f64;
        let odds = epsilon.exp();
        // Weights relative to that of the mode, outwards by the ratio of neighbours. Each step has
        // a relative error of a few units in the last place.
        let mode = ((n + 1.0) * odds / (1.0 + odds)).floor().clamp(0.0, n);
        let mut above = vec![(mode, 1.0)];
        let (mut j, mut weight) = (mode, 1.0);
        while j < n {
            weight *= (n - j) / (j + 1.0) * odds;
            j += 1.0;
            if weight < CUT {
                break;
            }
            above.push((j, weight));
        }
        let last = above.last().map_or(n, |(j, _)| *j);
        let mut points = Vec::new();
        (j, weight) = (mode, 1.0);
        while j > 0.0 {
            weight *= j / ((n - j + 1.0) * odds);
            j -= 1.0;
            if weight < CUT {
                break;
            }
            points.push((j, weight));
        }
        points.reverse();
        points.extend(above);
        let sum: f64 = points.iter().map(|(_, weight)| weight).sum();
        let rounding = 1.0 + 16.0 * (points.len() as f64 + 16.0) * f64::EPSILON;
        // The weights that were cut decrease away from the mode, so each side has at most n·CUT.
        let cut = n * CUT;
        points.iter_mut().for_each(|(j, weight)| {
            *j = (2.0 * *j - n) * epsilon;
            *weight = *weight / sum * rounding;
        });
        // Below the kept range, losses are raised to the smallest kept one.
        if let Some((_, weight)) = points.first_mut() {
            *weight += cut;
        }
        Self { points, beyond: if last < n { cut } else { 0.0 } }
    }

    pub(super) fn width(&self) -> f64 {
        match (self.points.first(), self.points.last()) {
            (Some((low, _)), Some((high, _))) => high - low,
            _ => 0.0,
        }
    }
}

/// Probabilities of losses that are multiples of a step. Every loss is rounded up to the next
/// multiple and every probability is an upper bound, so that δ is never too small.
pub(super) struct Losses {
    step: f64,
    /// The multiple of the first cell.
    lowest: i64,
    masses: Vec<f64>,
    beyond: f64,
}

impl Losses {
    /// Combines releases with different budgets.
    pub(super) fn of(parts: &[EqualBudgets]) -> Self {
        let width: f64 = parts.iter().map(EqualBudgets::width).sum();
        // A power of two, so that multiples are exact.
        let step = if width > 0.0 { 2f64.powf((width / CELLS).log2().ceil()) } else { 1.0 };
        let nothing = Self { step, lowest: 0, masses: vec![1.0], beyond: 0.0 };
        parts.iter().fold(nothing, |sum, part| sum.convolve(&Self::rounded(part, step)))
    }

    fn rounded(part: &EqualBudgets, step: f64) -> Self {
        // The product and the quotient are exact up to a few units in the last place.
        let cell = |loss: f64| (loss / step + (loss / step).abs() * 1e-15).ceil() as i64;
        let lowest = part.points.first().map_or(0, |(loss, _)| cell(*loss));
        let highest = part.points.last().map_or(0, |(loss, _)| cell(*loss));
        let mut masses = vec![0.0; (highest - lowest + 1) as usize];
        for (loss, mass) in &part.points {
            masses[(cell(*loss) - lowest) as usize] += mass * (1.0 + 4.0 * f64::EPSILON);
        }
        Self { step, lowest, masses, beyond: part.beyond }
    }

    /// The distribution of the sum of two independent losses. All terms are positive, so a sum of n
    /// terms has a relative error of at most n units in the last place.
    fn convolve(&self, other: &Self) -> Self {
        let mut masses = vec![0.0; self.masses.len() + other.masses.len() - 1];
        for (i, a) in self.masses.iter().enumerate() {
            masses[i..].iter_mut().zip(&other.masses).for_each(|(sum, b)| *sum += a * b);
        }
        let terms = self.masses.len().min(other.masses.len()) as f64;
        let rounding = 1.0 + 2.0 * (terms + 2.0) * f64::EPSILON;
        masses.iter_mut().for_each(|mass| *mass *= rounding);
        let beyond = (self.beyond + other.beyond) * (1.0 + 4.0 * f64::EPSILON);
        Self { step: self.step, lowest: self.lowest + other.lowest, masses, beyond }
    }

    /// Returns an upper bound on δ, given the δ of an independent further release for each ε.
    pub(super) fn delta(&self, epsilon: f64, further: impl Fn(f64) -> f64) -> f64 {
        let each = self.masses.iter().enumerate().map(|(i, mass)| {
            let loss = (self.lowest + i as i64) as f64 * self.step;
            mass * further(epsilon - loss)
        });
        (self.beyond + each.sum::<f64>()) * (1.0 + 2.0 * (self.masses.len() as f64 + 4.0) * f64::EPSILON)
    }
}
