//! The settings of mechanisms, and their construction.

use std::sync::Arc;

use inkveil_lexicon::Lexicon;
use inkveil_privacy::{Calibration, Epsilon};

use super::directions::Directions;
use super::exponential::Exponential;
use super::interface::Mechanism;
use super::laplace_l1::{LaplaceL1, NearestBy};
use super::laplace_l2::LaplaceL2;
use super::mahalanobis::Mahalanobis;
use super::name::MechanismName;
use super::polar::Polar;
use super::polar_radial::PolarRadial;
use super::purkayastha::Purkayastha;
use super::randomized_response::RandomizedResponse;
use super::tem::TruncatedExponential;
use crate::Error;

/// A mechanism and its settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MechanismSettings {
    /// The name of the mechanism.
    pub name: MechanismName,
    /// How `polar` and `polar-radial` turn ε into a concentration.
    pub calibration: Calibration,
    /// How `laplace-l1` finds the nearest word.
    pub nearest_by: NearestBy,
    /// The budget for the length in `polar-radial`.
    pub radial_epsilon: Epsilon,
    /// The share of the table's covariance in the noise of `mahalanobis`, from 0 (round) to below
    /// 1.
    pub ellipse: f64,
    /// The probability that `tem` leaves the neighbourhood.
    pub failure: f64,
}

impl MechanismSettings {
    /// Returns a mechanism with its default settings.
    pub fn of(name: MechanismName) -> Self {
        Self {
            name,
            calibration: Calibration::Paper,
            nearest_by: NearestBy::Cosine,
            radial_epsilon: Epsilon::INFINITE,
            ellipse: 0.2,
            failure: 1e-3,
        }
    }

    /// Builds the mechanism on a lexicon.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn build(&self, lexicon: Arc<Lexicon>) -> Result<Box<dyn Mechanism>, Error> {
        Ok(match self.name {
            MechanismName::Polar => {
                Box::new(Directions::new(Polar::new(&lexicon, self.calibration)?, lexicon))
            }
            MechanismName::PolarRadial => {
                let noise = PolarRadial::new(&lexicon, self.calibration, self.radial_epsilon)?;
                Box::new(Directions::new(noise, lexicon))
            }
            MechanismName::LaplaceL1 => {
                Box::new(Directions::new(LaplaceL1::new(&lexicon, self.nearest_by)?, lexicon))
            }
            MechanismName::LaplaceL2 => Box::new(Directions::new(LaplaceL2::new(&lexicon)?, lexicon)),
            MechanismName::Purkayastha => Box::new(Directions::new(Purkayastha::new(&lexicon)?, lexicon)),
            MechanismName::Mahalanobis => {
                Box::new(Directions::new(Mahalanobis::new(&lexicon, self.ellipse)?, lexicon))
            }
            MechanismName::Exponential => Box::new(Exponential::new(lexicon)?),
            MechanismName::TruncatedExponential => {
                Box::new(TruncatedExponential::new(lexicon, self.failure)?)
            }
            MechanismName::RandomizedResponse => Box::new(RandomizedResponse::new(lexicon)?),
        })
    }
}

impl Default for MechanismSettings {
    fn default() -> Self {
        Self::of(MechanismName::default())
    }
}
