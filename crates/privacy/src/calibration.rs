//! Three ways to turn a budget into the concentration of von Mises–Fisher noise.

use std::f64::consts::PI;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Epsilon, Error};

/// The concentration κ of a von Mises–Fisher distribution: from 0 (uniform) to 10⁸, or ∞ (no
/// noise).
///
/// ```
/// use inkveil_privacy::Kappa;
///
/// assert!(Kappa::new(100.0).is_ok());
/// assert!(Kappa::new(1e9).is_err());
/// assert_eq!(Kappa::INFINITE.get(), f64::INFINITY);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Kappa(f64);

impl Kappa {
    /// The uniform distribution.
    pub const ZERO: Self = Self(0.0);
    /// No noise.
    pub const INFINITE: Self = Self(f64::INFINITY);
    /// The largest finite concentration that is sampled.
    pub const MAX_FINITE: f64 = 1e8;

    /// Creates a concentration.
    ///
    /// # Errors
    /// If `value` is NaN, negative, or finite and above [`Kappa::MAX_FINITE`]. Noise beyond that is
    /// so small that only ∞ describes it honestly.
    pub fn new(value: f64) -> Result<Self, Error> {
        if (0.0..=Self::MAX_FINITE).contains(&value) || value == f64::INFINITY {
            Ok(Self(value + 0.0))
        } else {
            Err(Error::parameter("kappa", "between 0 and 1e8, or inf", value))
        }
    }

    /// The concentration as a number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// How ε determines the concentration κ of von Mises–Fisher noise.
///
/// The same ε gives very different noise under the three calibrations. A receipt always names the
/// one that was used.
///
/// ```
/// use inkveil_privacy::{Calibration, Epsilon};
///
/// let epsilon = Epsilon::new(100.0)?;
/// assert_eq!(Calibration::Paper.kappa(epsilon, 2.0)?.get(), 100.0);
/// assert_eq!(Calibration::Pure.kappa(epsilon, 2.0)?.get(), 50.0);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Calibration {
    /// κ = ε: ε per unit of chordal distance, as STAMP's Algorithm 1 states it.
    #[default]
    Paper,
    /// κ = ε/π, as in STAMP's published code. The guarantee is ε/π per unit of chordal distance.
    Reference,
    /// κ = ε/D, with D the chordal diameter of the inputs (at most 2): pure ε-LDP without slack.
    Pure,
}

impl Calibration {
    /// Every calibration.
    pub const ALL: [Self; 3] = [Self::Paper, Self::Reference, Self::Pure];

    /// Returns the concentration for a budget. `diameter` is the largest chordal distance between
    /// two inputs. It only matters for [`Calibration::Pure`]; 2 is always valid on a sphere.
    ///
    /// # Errors
    /// If `diameter` is not in (0, 2], or κ leaves the range of [`Kappa`].
    pub fn kappa(self, epsilon: Epsilon, diameter: f64) -> Result<Kappa, Error> {
        if !(diameter > 0.0 && diameter <= 2.0) {
            return Err(Error::parameter("the chordal diameter", "in (0, 2]", diameter));
        }
        match self {
            Self::Paper => Kappa::new(epsilon.get()),
            Self::Reference => Kappa::new(epsilon.get() / PI),
            Self::Pure => Kappa::new(epsilon.get() / diameter),
        }
    }

    /// The name in commands and receipts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Reference => "reference",
            Self::Pure => "pure",
        }
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Calibration {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|c| c.name() == text)
            .ok_or_else(|| Error::parameter("calibration", "paper, reference or pure", "something else"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_is_within_its_range() {
        for good in [0.0, 1e-300, 1e8, f64::INFINITY] {
            assert_eq!(Kappa::new(good).unwrap().get(), good);
        }
        for bad in [-1.0, 1.1e8, f64::NAN, f64::NEG_INFINITY] {
            assert!(Kappa::new(bad).is_err());
        }
    }

    #[test]
    fn the_three_calibrations_match_their_formulas() {
        let epsilon = Epsilon::new(314.0).unwrap();
        assert_eq!(Calibration::Paper.kappa(epsilon, 1.5).unwrap().get(), 314.0);
        assert_eq!(Calibration::Reference.kappa(epsilon, 1.5).unwrap().get(), 314.0 / PI);
        assert_eq!(Calibration::Pure.kappa(epsilon, 1.5).unwrap().get(), 314.0 / 1.5);
        assert!(Calibration::Pure.kappa(epsilon, 2.5).is_err());
        assert!(Calibration::Pure.kappa(epsilon, 0.0).is_err());
    }

    #[test]
    fn names_round_trip() {
        for calibration in Calibration::ALL {
            assert_eq!(calibration.to_string().parse::<Calibration>().unwrap(), calibration);
            let json = serde_json::to_string(&calibration).unwrap();
            assert_eq!(json, format!("\"{calibration}\""));
        }
    }
}
