use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::losses::{EqualBudgets, Losses};
use super::{Zcdp, check_delta, excess};
use crate::rounding::{add_up, count_up, mul_up};
use crate::{Epsilon, Error, ErrorKind};

/// More releases than this are accounted by ρ and by the sum alone.
const MOST_RELEASES: u64 = 1 << 32;

/// The privacy loss of releases about the same unit, as far as it is known.
///
/// It stores what was released: the ρ of Gaussian noise, how often each pure budget was spent, and
/// the sum of the failure probabilities. So composition loses nothing, and the value stays small.
///
/// # Bounds
/// [`PrivacyLoss::epsilon`] returns the smallest of three valid bounds:
/// - the sum of the budgets, if there is no Gaussian noise;
/// - the conversion of [`Zcdp`];
/// - the distribution of the loss. The losses of Gaussian releases add up to that of one Gaussian
///   release with the sum of their ρ, whose δ is known in closed form. Pure budgets are dominated by
///   randomised response. Their losses are rounded up to a grid and convolved. *Rounding up is
///   valid:* δ(ε) = E[(1 − e^{ε−L})₊] grows with the loss L.
///
/// ```
/// use inkveil_privacy::Epsilon;
/// use inkveil_privacy::accounting::PrivacyLoss;
///
/// let noise = PrivacyLoss::gaussian(1.0, 4.0)?; // sensitivity 1, σ = 4
/// let words = PrivacyLoss::pure(Epsilon::new(0.2)?).times(50)?;
/// let both = noise.compose(&words)?;
/// assert!(both.epsilon(1e-6)? < Epsilon::new(8.0)?); // the sums would be 10 and more
/// let stored = serde_json::to_string(&both).unwrap();
/// assert_eq!(serde_json::from_str::<PrivacyLoss>(&stored).unwrap(), both);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct PrivacyLoss {
    /// The sum over Gaussian releases.
    gaussian: Zcdp,
    /// How often each pure budget was spent.
    pure: BTreeMap<Epsilon, u64>,
    /// The sum of the failure probabilities.
    delta: f64,
}

impl PrivacyLoss {
    /// Returns the loss of no release.
    pub fn none() -> Self {
        Self::default()
    }

    /// Returns the loss of a release with a pure budget: ε in total for the pair of inputs.
    pub fn pure(epsilon: Epsilon) -> Self {
        Self { pure: BTreeMap::from([(epsilon, 1)]), ..Self::default() }
    }

    /// Returns the loss of a release with (ε, δ).
    ///
    /// # Errors
    /// If `delta` is not in [0, 1).
    pub fn approximate(epsilon: Epsilon, delta: f64) -> Result<Self, Error> {
        check_delta(delta)?;
        Ok(Self { delta, ..Self::pure(epsilon) })
    }

    /// Returns the loss of Gaussian noise of standard deviation `sigma` for inputs at most
    /// `sensitivity` apart in Euclidean distance.
    ///
    /// # Errors
    /// If one of the two is not a positive number.
    pub fn gaussian(sensitivity: f64, sigma: f64) -> Result<Self, Error> {
        Ok(Self { gaussian: Zcdp::gaussian(sensitivity, sigma)?, ..Self::default() })
    }

    /// Returns the loss of both together.
    ///
    /// # Errors
    /// If a sum overflows.
    pub fn compose(&self, other: &Self) -> Result<Self, Error> {
        let mut pure = self.pure.clone();
        for (epsilon, count) in &other.pure {
            let sum = pure.entry(*epsilon).or_default();
            *sum = sum.checked_add(*count).ok_or(ErrorKind::BudgetOverflow)?;
        }
        let gaussian = self.gaussian.compose(other.gaussian)?;
        Ok(Self { gaussian, pure, delta: add_up(self.delta, other.delta).min(1.0) })
    }

    /// Returns the loss of `count` such releases.
    ///
    /// # Errors
    /// If a product overflows.
    pub fn times(&self, count: u64) -> Result<Self, Error> {
        let mut pure = self.pure.clone();
        for spent in pure.values_mut() {
            *spent = spent.checked_mul(count).ok_or(ErrorKind::BudgetOverflow)?;
        }
        pure.retain(|_, spent| *spent > 0);
        let delta = mul_up(self.delta, count_up(count)).min(1.0);
        Ok(Self { gaussian: self.gaussian.times(count)?, pure, delta })
    }

    /// Returns ρ, if every release has one: none has a failure probability or an infinite budget.
    pub fn zcdp(&self) -> Option<Zcdp> {
        let none = self.delta == 0.0;
        none.then(|| self.rho()).flatten()
    }

    /// Returns an ε such that all releases together are (ε, `delta`)-differentially private. It is
    /// ∞ if there is none.
    ///
    /// # Errors
    /// If `delta` is not in [0, 1).
    pub fn epsilon(&self, delta: f64) -> Result<Epsilon, Error> {
        check_delta(delta)?;
        // What the releases' own failure probabilities leave over, rounded down.
        let rest = (delta - self.delta).next_down();
        let rest = if self.delta == 0.0 { delta } else { rest };
        if rest < 0.0 {
            return Ok(Epsilon::INFINITE);
        }
        let mut best = self.sum();
        if let Some(rho) = self.rho() {
            best = best.min(rho.epsilon(rest)?);
        }
        if best.is_zero() || rest == 0.0 {
            return Ok(best);
        }
        Ok(best.min(self.by_distribution(rest, best)?))
    }

    /// The sum of the pure budgets, or ∞ if there is Gaussian noise as well.
    fn sum(&self) -> Epsilon {
        if self.gaussian.rho() > 0.0 {
            return Epsilon::INFINITE;
        }
        let product = |(epsilon, count): (&Epsilon, &u64)| {
            epsilon.checked_mul(count_up(*count)).unwrap_or(Epsilon::INFINITE)
        };
        self.pure
            .iter()
            .map(product)
            .try_fold(Epsilon::ZERO, |sum, part| sum.checked_add(part))
            .unwrap_or(Epsilon::INFINITE)
    }

    /// The sum of ρ over all releases, whatever their failure probabilities.
    fn rho(&self) -> Option<Zcdp> {
        self.pure.iter().try_fold(self.gaussian, |sum, (epsilon, count)| {
            sum.compose(Zcdp::from_pure(*epsilon).ok()?.times(*count).ok()?).ok()
        })
    }

    /// The bound from the distribution of the loss; `most` is a valid bound to start from.
    fn by_distribution(&self, delta: f64, most: Epsilon) -> Result<Epsilon, Error> {
        let releases = self.pure.values().try_fold(0u64, |sum, count| sum.checked_add(*count));
        let fits = releases.is_some_and(|releases| releases <= MOST_RELEASES);
        // Budgets so large that e^ε overflows leave nothing to gain.
        if !fits || most.is_infinite() || self.pure.keys().any(|epsilon| epsilon.get() > 300.0) {
            return Ok(most);
        }
        let parts: Vec<EqualBudgets> = self
            .pure
            .iter()
            .filter(|(epsilon, _)| !epsilon.is_zero())
            .map(|(epsilon, count)| EqualBudgets::new(epsilon.get(), *count))
            .collect();
        let losses = Losses::of(&parts);
        let rho = self.gaussian.rho();
        // For inputs 1 apart, ρ = 1/2σ². One step down makes the noise no larger than it is.
        let sigma = (0.5 / rho).sqrt().next_down().next_down();
        let further = |epsilon: f64| match rho > 0.0 {
            // A probability in any case, whatever rounding does far out.
            true => excess(sigma, epsilon).clamp(0.0, 1.0),
            false => (-epsilon.exp_m1()).max(0.0) * (1.0 + 4.0 * f64::EPSILON),
        };
        let (mut low, mut high) = (0.0, most.get());
        if losses.delta(low, further) <= delta {
            return Ok(Epsilon::ZERO);
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if losses.delta(middle, further) <= delta { high = middle } else { low = middle }
        }
        Epsilon::new(high)
    }
}

/// The JSON form before validation.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    #[serde(default)]
    gaussian: Zcdp,
    #[serde(default)]
    pure: Vec<(Epsilon, u64)>,
    #[serde(default)]
    delta: f64,
}

impl TryFrom<Unchecked> for PrivacyLoss {
    type Error = Error;

    fn try_from(raw: Unchecked) -> Result<Self, Error> {
        if !(0.0..=1.0).contains(&raw.delta) {
            return Err(Error::parameter("delta", "from 0 to 1", raw.delta));
        }
        let start = Self { gaussian: raw.gaussian, delta: raw.delta, ..Self::default() };
        raw.pure.into_iter().try_fold(start, |sum, (epsilon, count)| {
            sum.compose(&Self { pure: BTreeMap::from([(epsilon, count)]), ..Self::default() })
        })
    }
}

impl From<PrivacyLoss> for Unchecked {
    fn from(loss: PrivacyLoss) -> Self {
        Self { gaussian: loss.gaussian, pure: loss.pure.into_iter().collect(), delta: loss.delta }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn eps(value: f64) -> Epsilon {
        Epsilon::new(value).unwrap()
    }

    /// Every sequence of signs, one by one: the exact δ of randomised responses together.
    fn exact_delta(budgets: &[f64], epsilon: f64) -> f64 {
        (0..1u32 << budgets.len())
            .map(|signs| {
                let plus = |i: usize| signs >> i & 1 == 1;
                let loss: f64 = budgets.iter().enumerate().map(|(i, e)| if plus(i) { *e } else { -e }).sum();
                let p: f64 = budgets
                    .iter()
                    .enumerate()
                    .map(|(i, e)| if plus(i) { e.exp() } else { 1.0 } / (1.0 + e.exp()))
                    .product();
                if loss > epsilon { p * -(epsilon - loss).exp_m1() } else { 0.0 }
            })
            .sum()
    }

    fn together(budgets: &[f64]) -> PrivacyLoss {
        budgets.iter().fold(PrivacyLoss::none(), |sum, e| sum.compose(&PrivacyLoss::pure(eps(*e))).unwrap())
    }

    #[test]
    fn pure_budgets_compose_to_the_exact_bound() {
        for budgets in
            [vec![0.3; 12], vec![1.0; 5], vec![0.1, 0.2, 0.7, 0.7, 1.3, 0.05, 0.05, 0.4, 0.9, 0.31]]
        {
            for delta in [1e-6, 1e-3, 0.05] {
                let found = together(&budgets).epsilon(delta).unwrap().get();
                assert!(
                    exact_delta(&budgets, found) <= delta,
                    "{budgets:?} {delta}: ε = {found} is too small"
                );
                let less = found - 0.01;
                assert!(
                    less <= 0.0 || exact_delta(&budgets, less) > delta,
                    "{budgets:?} {delta}: {found} is loose"
                );
            }
        }
    }

    #[test]
    fn gaussian_noise_composes_exactly() {
        let one = PrivacyLoss::gaussian(1.0, 8.0).unwrap();
        let sixteen = one.times(16).unwrap().epsilon(1e-6).unwrap().get();
        let at_once = PrivacyLoss::gaussian(1.0, 2.0).unwrap().epsilon(1e-6).unwrap().get();
        assert!((sixteen - at_once).abs() < 1e-9 * at_once);
        // Balle and Wang's calibration, computed with 60 digits.
        for (epsilon, delta, sigma) in [
            (1.0, 1e-6, 4.224678889326835),
            (0.1, 1e-12, 61.53905591889455),
            (8.0, 1e-12, 0.9122519988399578),
        ] {
            let found = PrivacyLoss::gaussian(1.0, sigma).unwrap().epsilon(delta).unwrap().get();
            assert!(found >= epsilon && found < epsilon * 1.02, "{found} for {epsilon}");
        }
    }

    /// One Gaussian and one pure release, against an integral over the loss of the Gaussian.
    #[test]
    fn gaussian_noise_and_pure_budgets_compose() {
        let (sigma, budget): (f64, f64) = (2.0, 1.0);
        let both =
            PrivacyLoss::gaussian(1.0, sigma).unwrap().compose(&PrivacyLoss::pure(eps(budget))).unwrap();
        let found = both.epsilon(1e-4).unwrap().get();
        let (mean, deviation) = (0.5 / (sigma * sigma), 1.0 / sigma);
        let delta = |epsilon: f64| -> f64 {
            (-4000..4000)
                .map(|i| {
                    let z = f64::from(i) / 400.0;
                    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt() / 400.0;
                    let gauss = mean + deviation * z;
                    let up = budget.exp() / (1.0 + budget.exp());
                    let excess = |loss: f64| (-(epsilon - loss).exp_m1()).max(0.0);
                    density * (up * excess(gauss + budget) + (1.0 - up) * excess(gauss - budget))
                })
                .sum()
        };
        assert!(delta(found) <= 1e-4 * (1.0 + 1e-3), "{found}");
        assert!(delta(found - 0.01) > 1e-4);
    }

    #[test]
    fn extremes_are_kept() {
        assert_eq!(PrivacyLoss::none().epsilon(0.0).unwrap(), Epsilon::ZERO);
        assert_eq!(PrivacyLoss::pure(Epsilon::INFINITE).epsilon(0.1).unwrap(), Epsilon::INFINITE);
        assert_eq!(PrivacyLoss::pure(eps(1e200)).epsilon(1e-6).unwrap(), eps(1e200));
        assert_eq!(PrivacyLoss::gaussian(1.0, 1.0).unwrap().epsilon(0.0).unwrap(), Epsilon::INFINITE);
        let failing = PrivacyLoss::approximate(eps(1.0), 1e-5).unwrap();
        assert_eq!(failing.epsilon(1e-6).unwrap(), Epsilon::INFINITE);
        assert!(failing.epsilon(2e-5).unwrap() <= eps(1.0) && failing.zcdp().is_none());
        assert!(PrivacyLoss::none().epsilon(1.0).is_err());
        assert_eq!(failing.times(0).unwrap(), PrivacyLoss::none());
        assert!(PrivacyLoss::pure(eps(1.0)).times(u64::MAX).unwrap().times(2).is_err());
        // Far more releases than a distribution is computed for.
        let many = PrivacyLoss::pure(eps(1e-6)).times(1 << 40).unwrap();
        assert!(many.epsilon(1e-6).unwrap() < eps(10.0));
        for bad in [r#"{"delta":2}"#, r#"{"gaussian":-1}"#, r#"{"pure":[[-1,1]]}"#, r#"{"extra":1}"#] {
            assert!(serde_json::from_str::<PrivacyLoss>(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn a_bound_never_exceeds_the_sum_and_grows_with_releases(
            budgets in prop::collection::vec(0.0..2.0f64, 1..8),
            delta in prop_oneof![1e-9..1e-6f64, 1e-3..0.2f64],
        ) {
            let all = together(&budgets).epsilon(delta).unwrap();
            let sum: f64 = budgets.iter().sum();
            prop_assert!(all.get() <= sum * (1.0 + 1e-12));
            prop_assert!(exact_delta(&budgets, all.get()) <= delta * (1.0 + 1e-9));
            let fewer = together(&budgets[1..]).epsilon(delta).unwrap();
            // Up to the rounding of the grid.
            prop_assert!(fewer.get() <= all.get() + 0.01);
        }
    }
}
