//! Mechanisms that replace tokens, one file for each.
//!
//! A mechanism is independent of the allocation of budgets. It receives tokens, each with its ε,
//! and draws a replacement for each. There are two families: `directions.rs` moves a token's vector
//! and finds the nearest entry; `candidates.rs` draws an entry directly, by its distance. A new
//! mechanism is one new file in one of the families and one line in [`MechanismName`].

mod candidates;
mod directions;
mod exponential;
mod laplace_l1;
mod laplace_l2;
mod mahalanobis;
mod polar;
mod polar_radial;
mod purkayastha;
mod randomized_response;
mod tem;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use inkveil_lexicon::{Lexicon, LexiconKind};
use inkveil_privacy::{Calibration, Epsilon, Guarantee, Metric, NoiseAddress, NoiseKey, Unit};
use inkveil_settings::UnknownName;

use crate::Error;
pub use laplace_l1::Decoding;

/// A token to replace.
#[derive(Clone, Copy)]
pub struct Token {
    /// Its entry in the lexicon; it must have a direction.
    pub id: u32,
    /// Its budget, above 0 and finite. At 0 and ∞ nothing is drawn.
    pub epsilon: Epsilon,
    /// The address of its noise.
    pub place: NoiseAddress,
}

/// The guarantee for each token that a mechanism replaces.
#[derive(Debug, Clone, Default)]
pub struct TokenGuarantee {
    /// The guarantees. If there are several, their losses add.
    pub guarantees: Vec<Guarantee>,
    /// Equivalent guarantees in other metrics.
    pub equivalents: Vec<Guarantee>,
    /// The largest distance of two entries in each metric.
    pub diameters: Vec<(Metric, f64)>,
    /// The typical distance from an entry to its nearest neighbour.
    pub typical_distance: Option<f64>,
}

/// Replaces tokens by tokens.
pub trait Mechanism: fmt::Debug + Send + Sync {
    /// Returns its name in settings and receipts.
    fn name(&self) -> MechanismName;

    /// Returns the guarantee for each token with this budget.
    ///
    /// # Errors
    /// If the mechanism does not support this budget.
    fn guarantee(&self, epsilon: Epsilon) -> Result<TokenGuarantee, Error>;

    /// Returns public parameters beyond the budget, for the receipt.
    fn parameters(&self) -> Vec<(&'static str, String)>;

    /// Draws a replacement for each token: an entry that may be released.
    ///
    /// # Errors
    /// If a budget is out of range, or two tokens have the same place.
    fn draw(&self, tokens: &[Token], key: &NoiseKey) -> Result<Vec<u32>, Error>;

    /// Returns the probability of each [allowed](Lexicon::allowed) entry, given the token's entry.
    /// This is what an attacker knows about the mechanism. None if it can only be estimated from
    /// draws.
    ///
    /// # Errors
    /// If the mechanism does not support this budget.
    fn channel(&self, _id: u32, _epsilon: Epsilon) -> Result<Option<Vec<f64>>, Error> {
        Ok(None)
    }
}

macro_rules! names {
    ($($variant:ident $name:literal $about:literal;)*) => {
        /// The name of a mechanism.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum MechanismName {
            $(#[doc = $about] $variant,)*
        }

        impl MechanismName {
            /// All mechanisms.
            pub const ALL: &'static [MechanismName] = &[$(MechanismName::$variant),*];

            /// Returns its name in settings and receipts.
            pub fn name(self) -> &'static str {
                match self { $(MechanismName::$variant => $name,)* }
            }

            /// Returns its description in one sentence.
            pub fn about(self) -> &'static str {
                match self { $(MechanismName::$variant => $about,)* }
            }
        }
    };
}

names! {
    Polar "polar" "Turns a word's direction by von Mises–Fisher noise and takes the nearest word by cosine, as in the paper.";
    PolarRadial "polar-radial" "Like polar, with additional noise on the vector's length, which decoding ignores.";
    LaplaceL1 "laplace-l1" "Adds Laplace noise to every coordinate, scaled to the table: the paper's baseline.";
    LaplaceL2 "laplace-l2" "Adds noise with a density that falls with Euclidean distance.";
    Purkayastha "purkayastha" "Turns a word's direction with a density that falls with the angle.";
    Mahalanobis "mahalanobis" "Adds elliptical noise with the shape of the table (Xu et al. 2020).";
    Exponential "exponential" "Draws among all words by distance; the same utility at a far smaller ε.";
    TruncatedExponential "tem" "Like exponential, but all words beyond a distance are equally likely (Carvalho et al. 2023).";
    RandomizedResponse "randomized-response" "Keeps the word or draws any other, regardless of distance.";
}

impl Default for MechanismName {
    /// Returns the mechanism of the paper.
    fn default() -> Self {
        MechanismName::Polar
    }
}

impl FromStr for MechanismName {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.iter().find(|mechanism| mechanism.name() == name);
        found.copied().ok_or_else(|| UnknownName::new("mechanism", name, Self::ALL.iter().map(|m| m.name())))
    }
}

impl fmt::Display for MechanismName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A mechanism and its settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MechanismSettings {
    /// The name of the mechanism.
    pub name: MechanismName,
    /// How `polar` and `polar-radial` turn ε into a concentration.
    pub calibration: Calibration,
    /// How `laplace-l1` finds the nearest word.
    pub decoding: Decoding,
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
            decoding: Decoding::Cosine,
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
        use directions::Directions;
        Ok(match self.name {
            MechanismName::Polar => {
                Box::new(Directions::new(polar::Polar::new(&lexicon, self.calibration)?, lexicon))
            }
            MechanismName::PolarRadial => {
                let noise = polar_radial::PolarRadial::new(&lexicon, self.calibration, self.radial_epsilon)?;
                Box::new(Directions::new(noise, lexicon))
            }
            MechanismName::LaplaceL1 => {
                Box::new(Directions::new(laplace_l1::LaplaceL1::new(&lexicon, self.decoding)?, lexicon))
            }
            MechanismName::LaplaceL2 => {
                Box::new(Directions::new(laplace_l2::LaplaceL2::new(&lexicon)?, lexicon))
            }
            MechanismName::Purkayastha => {
                Box::new(Directions::new(purkayastha::Purkayastha::new(&lexicon)?, lexicon))
            }
            MechanismName::Mahalanobis => {
                Box::new(Directions::new(mahalanobis::Mahalanobis::new(&lexicon, self.ellipse)?, lexicon))
            }
            MechanismName::Exponential => Box::new(exponential::Exponential::new(lexicon)?),
            MechanismName::TruncatedExponential => {
                Box::new(tem::TruncatedExponential::new(lexicon, self.failure)?)
            }
            MechanismName::RandomizedResponse => {
                Box::new(randomized_response::RandomizedResponse::new(lexicon)?)
            }
        })
    }
}

impl Default for MechanismSettings {
    fn default() -> Self {
        Self::of(MechanismName::default())
    }
}

/// Returns the unit of a lexicon's guarantees.
pub(crate) fn unit_of(lexicon: &Lexicon) -> Unit {
    match lexicon.kind() {
        LexiconKind::Subword => Unit::Token,
        LexiconKind::Words => Unit::Word,
    }
}

/// Returns two chordal distances of a lexicon: the largest, and the typical one to the nearest
/// neighbour.
fn distances(lexicon: &Lexicon) -> Result<(f64, f64), Error> {
    let geometry = lexicon.geometry()?;
    Ok((geometry.diameter(), geometry.nearest_quartiles()[1]))
}

/// Returns the angle of two directions at a chordal distance.
fn angle(chord: f64) -> f64 {
    2.0 * (chord / 2.0).clamp(0.0, 1.0).asin()
}

#[cfg(test)]
pub(crate) mod tests;
