use serde::{Deserialize, Serialize};

use super::check_delta;
use crate::rounding::{add_up, count_up, div_up, mul_up};
use crate::{Epsilon, Error, ErrorKind};

/// A budget of zero-concentrated differential privacy (Bun and Steinke 2016): for every order
/// α > 1, the Rényi divergence of the outputs of two neighbouring inputs is at most ρ·α.
///
/// # Composition
/// Budgets about the same unit add up, because Rényi divergences of independent draws do.
///
/// # Conversion
/// ρ implies (ε, δ) for every α > 1 with ε = αρ + (ln(1/δ) + α·ln(1−1/α) − ln(α−1))/(α−1)
/// (Canonne, Kamath and Steinke 2020, Proposition 12). Each α gives a valid ε, so the search for
/// the best α need not be exact. The result is rounded up.
///
/// ```
/// use inkveil_privacy::accounting::Zcdp;
///
/// let one = Zcdp::gaussian(1.0, 10.0)?; // ρ = Δ²/2σ² = 0.005
/// let hundred = one.times(100)?;
/// assert!((hundred.rho() - 0.5).abs() < 1e-12);
/// assert!((4.5..5.0).contains(&hundred.epsilon(1e-5)?.get()));
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Zcdp(f64);

impl Zcdp {
    /// Creates a budget.
    ///
    /// # Errors
    /// If `rho` is not 0 or a positive number.
    pub fn new(rho: f64) -> Result<Self, Error> {
        if rho >= 0.0 && rho.is_finite() {
            Ok(Self(rho + 0.0))
        } else {
            Err(Error::parameter("rho", "0 or a positive number", rho))
        }
    }

    /// Returns the budget of Gaussian noise of standard deviation `sigma` for inputs at most
    /// `sensitivity` apart in Euclidean distance: ρ = Δ²/2σ², in any dimension.
    ///
    /// # Errors
    /// If one of the two is not a positive number, or ρ overflows.
    pub fn gaussian(sensitivity: f64, sigma: f64) -> Result<Self, Error> {
        for (name, value) in [("the sensitivity", sensitivity), ("sigma", sigma)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::parameter(name, "a positive number", value));
            }
        }
        let ratio = div_up(sensitivity, sigma);
        Self::finite(mul_up(ratio, ratio) / 2.0)
    }

    /// Returns the budget of a pure ε: ρ = ε²/2 (Bun and Steinke 2016, Proposition 1.4).
    ///
    /// # Errors
    /// If ε is infinite or its square overflows.
    pub fn from_pure(epsilon: Epsilon) -> Result<Self, Error> {
        Self::finite(mul_up(epsilon.get(), epsilon.get()) / 2.0)
    }

    /// The number ρ.
    pub fn rho(self) -> f64 {
        self.0
    }

    /// Returns the budget of both releases together.
    ///
    /// # Errors
    /// If the sum overflows.
    pub fn compose(self, other: Self) -> Result<Self, Error> {
        Self::finite(add_up(self.0, other.0))
    }

    /// Returns the budget of `count` such releases.
    ///
    /// # Errors
    /// If the product overflows.
    pub fn times(self, count: u64) -> Result<Self, Error> {
        Self::finite(mul_up(self.0, count_up(count)))
    }

    /// Returns the smallest ε that this budget implies with failure probability `delta`: ∞ at δ = 0.
    ///
    /// # Errors
    /// If `delta` is not in [0, 1).
    pub fn epsilon(self, delta: f64) -> Result<Epsilon, Error> {
        check_delta(delta)?;
        if self.0 == 0.0 {
            return Ok(Epsilon::ZERO);
        }
        if delta == 0.0 {
            return Ok(Epsilon::INFINITE);
        }
        // Over the logarithm of α − 1: first coarse, then around the best.
        let at = |log: f64| epsilon_at(self.0, delta, log.exp());
        let best_of = |from: f64, to: f64| {
            let candidates = (0..=200).map(|i| from + (to - from) * f64::from(i) / 200.0);
            candidates.min_by(|a, b| at(*a).total_cmp(&at(*b))).unwrap_or(from)
        };
        let mut best = best_of(-40.0, 40.0);
        for width in [0.4, 4e-3] {
            best = best_of(best - width, best + width);
        }
        Epsilon::new(at(best).max(0.0))
    }

    fn finite(rho: f64) -> Result<Self, Error> {
        if rho.is_finite() { Ok(Self(rho)) } else { Err(ErrorKind::BudgetOverflow.into()) }
    }
}

/// Returns the ε for the order α = 1 + `a`, plus a bound on its rounding error.
fn epsilon_at(rho: f64, delta: f64, a: f64) -> f64 {
    let alpha = 1.0 + a;
    let (lost, order, spread) = (-delta.ln(), alpha * (1.0 / a).ln_1p(), a.ln());
    let rounding = 1e-14 * (alpha * rho + (lost.abs() + order.abs() + spread.abs()) / a);
    alpha * rho + (lost - order - spread) / a + rounding
}

impl TryFrom<f64> for Zcdp {
    type Error = Error;

    fn try_from(rho: f64) -> Result<Self, Error> {
        Self::new(rho)
    }
}

impl From<Zcdp> for f64 {
    fn from(zcdp: Zcdp) -> Self {
        zcdp.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounting::PrivacyLoss;

    #[test]
    fn the_conversion_is_valid_and_close_for_gaussian_noise() {
        for sigma in [0.2, 1.0, 5.0, 100.0] {
            for delta in [1e-12, 1e-9, 1e-6, 1e-3, 0.1] {
                let bound = Zcdp::gaussian(1.0, sigma).unwrap().epsilon(delta).unwrap().get();
                let exact = PrivacyLoss::gaussian(1.0, sigma).unwrap().epsilon(delta).unwrap().get();
                assert!(bound >= exact, "σ = {sigma}, δ = {delta}: {bound} < {exact}");
                // The conversion is loose where δ is large.
                assert!(
                    delta > 1e-3 || bound <= exact * 1.35 + 0.02,
                    "σ = {sigma}, δ = {delta}: {bound} for {exact}"
                );
            }
        }
    }

    #[test]
    fn budgets_add_and_extremes_are_kept() {
        let half = Zcdp::new(0.5).unwrap();
        assert_eq!(half.compose(half).unwrap().rho(), 1.0);
        assert_eq!([0, 3].map(|count| half.times(count).unwrap().rho()), [0.0, 1.5]);
        assert_eq!(Zcdp::default().epsilon(1e-9).unwrap(), Epsilon::ZERO);
        assert_eq!(half.epsilon(0.0).unwrap(), Epsilon::INFINITE);
        assert_eq!(Zcdp::from_pure(Epsilon::new(2.0).unwrap()).unwrap().rho(), 2.0);
        assert!(Zcdp::from_pure(Epsilon::INFINITE).is_err());
        assert!(Zcdp::new(f64::NAN).is_err() && Zcdp::new(-1.0).is_err());
        assert!(half.epsilon(1.0).is_err() && Zcdp::gaussian(0.0, 1.0).is_err());
        assert_eq!(serde_json::from_str::<Zcdp>("0.5").unwrap(), half);
        assert!(serde_json::from_str::<Zcdp>("-0.5").is_err());
    }
}
