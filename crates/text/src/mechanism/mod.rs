//! Mechanisms that replace tokens, one file each.
//!
//! A mechanism is independent of how budgets are allocated: it gets tokens, each with its ε, and draws a replacement for each. There
//! are two families. `directions.rs` turns or shifts a token's vector and finds the nearest entry; `candidates.rs` draws an
//! entry directly, by its distance. A new mechanism is one new file in one of them, and one line in [`Name`].

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
    /// Its budget, above 0 and finite: at 0 and ∞ there is nothing to draw.
    pub epsilon: Epsilon,
    /// The address of its noise.
    pub place: NoiseAddress,
}

/// What is promised for each token that a mechanism replaces.
#[derive(Debug, Clone, Default)]
pub struct Promise {
    /// The guarantees; where there are several, their losses add.
    pub guarantees: Vec<Guarantee>,
    /// The same in other terms.
    pub equivalents: Vec<Guarantee>,
    /// The largest distance of two entries, by metric.
    pub diameters: Vec<(Metric, f64)>,
    /// The typical distance of an entry to its nearest neighbour.
    pub typical_distance: Option<f64>,
}

/// Replaces tokens by tokens.
pub trait Mechanism: fmt::Debug + Send + Sync {
    /// Its name in settings and receipts.
    fn name(&self) -> Name;

    /// What is promised for each token with this budget.
    ///
    /// # Errors
    /// If the mechanism cannot be had with this budget.
    fn promise(&self, epsilon: Epsilon) -> Result<Promise, Error>;

    /// Public parameters beyond the budget, for the receipt.
    fn parameters(&self) -> Vec<(&'static str, String)>;

    /// A replacement for each token: an entry that may be released.
    ///
    /// # Errors
    /// If a budget is out of range, or two tokens have the same place.
    fn draw(&self, tokens: &[Token], key: &NoiseKey) -> Result<Vec<u32>, Error>;

    /// The probability of each [allowed](Lexicon::allowed) entry, given the token's: what an attacker knows of the mechanism. None where it
    /// can only be estimated from draws.
    ///
    /// # Errors
    /// If the mechanism cannot be had with this budget.
    fn channel(&self, _id: u32, _epsilon: Epsilon) -> Result<Option<Vec<f64>>, Error> {
        Ok(None)
    }
}

macro_rules! names {
    ($($variant:ident $name:literal $about:literal;)*) => {
        /// The mechanisms there are.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Name {
            $(#[doc = $about] $variant,)*
        }

        impl Name {
            /// All of them.
            pub const ALL: &'static [Name] = &[$(Name::$variant),*];

            /// Its name in settings and receipts.
            pub fn name(self) -> &'static str {
                match self { $(Name::$variant => $name,)* }
            }

            /// What it does, in a sentence.
            pub fn about(self) -> &'static str {
                match self { $(Name::$variant => $about,)* }
            }
        }
    };
}

names! {
    Polar "polar" "Turns a word's direction by von Mises–Fisher noise, to the nearest word by cosine: the paper's.";
    PolarRadial "polar-radial" "As polar, with noise on the vector's length too, which decoding ignores.";
    LaplaceL1 "laplace-l1" "Laplace noise in every coordinate, scaled to the table: the paper's baseline.";
    LaplaceL2 "laplace-l2" "Noise with a density that falls with Euclidean distance.";
    Purkayastha "purkayastha" "Turns a word's direction with a density that falls with the angle.";
    Mahalanobis "mahalanobis" "Elliptical noise, shaped like the table (Xu et al. 2020).";
    Exponential "exponential" "Draws a word by its distance, among all words: far smaller ε for the same text.";
    TruncatedExponential "tem" "As exponential, but all words beyond a distance count the same (Carvalho et al. 2023).";
    RandomizedResponse "randomized-response" "Keeps the word, or says any other: no distance counts.";
}

impl Default for Name {
    /// The mechanism of the paper.
    fn default() -> Self {
        Name::Polar
    }
}

impl FromStr for Name {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.iter().find(|mechanism| mechanism.name() == name);
        found.copied().ok_or_else(|| UnknownName::new("mechanism", name, Self::ALL.iter().map(|m| m.name())))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which mechanism, and its choices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MechanismSettings {
    /// Which.
    pub name: Name,
    /// How ε becomes the concentration of `polar` and `polar-radial`.
    pub calibration: Calibration,
    /// How `laplace-l1` finds the nearest word.
    pub decoding: Decoding,
    /// The budget for the length in `polar-radial`.
    pub radial_epsilon: Epsilon,
    /// How much of the table's covariance shapes the noise of `mahalanobis`, from 0 (round) to 1.
    pub ellipse: f64,
    /// How often `tem` may leave the neighbourhood.
    pub failure: f64,
}

impl MechanismSettings {
    /// A mechanism with its usual choices.
    pub fn of(name: Name) -> Self {
        Self {
            name,
            calibration: Calibration::Paper,
            decoding: Decoding::Cosine,
            radial_epsilon: Epsilon::INFINITE,
            ellipse: 0.2,
            failure: 1e-3,
        }
    }

    /// The mechanism on a lexicon.
    ///
    /// # Errors
    /// If a choice is out of range.
    pub fn build(&self, lexicon: Arc<Lexicon>) -> Result<Box<dyn Mechanism>, Error> {
        use directions::Directions;
        Ok(match self.name {
            Name::Polar => Box::new(Directions::new(polar::Polar::new(&lexicon, self.calibration)?, lexicon)),
            Name::PolarRadial => {
                let noise = polar_radial::PolarRadial::new(&lexicon, self.calibration, self.radial_epsilon)?;
                Box::new(Directions::new(noise, lexicon))
            }
            Name::LaplaceL1 => {
                Box::new(Directions::new(laplace_l1::LaplaceL1::new(&lexicon, self.decoding)?, lexicon))
            }
            Name::LaplaceL2 => Box::new(Directions::new(laplace_l2::LaplaceL2::new(&lexicon)?, lexicon)),
            Name::Purkayastha => Box::new(Directions::new(purkayastha::Purkayastha::new(&lexicon)?, lexicon)),
            Name::Mahalanobis => {
                Box::new(Directions::new(mahalanobis::Mahalanobis::new(&lexicon, self.ellipse)?, lexicon))
            }
            Name::Exponential => Box::new(exponential::Exponential::new(lexicon)?),
            Name::TruncatedExponential => Box::new(tem::TruncatedExponential::new(lexicon, self.failure)?),
            Name::RandomizedResponse => Box::new(randomized_response::RandomizedResponse::new(lexicon)?),
        })
    }
}

impl Default for MechanismSettings {
    fn default() -> Self {
        Self::of(Name::default())
    }
}

/// What a guarantee of a lexicon is about.
pub(crate) fn unit_of(lexicon: &Lexicon) -> Unit {
    match lexicon.kind() {
        LexiconKind::Subword => Unit::Token,
        LexiconKind::Words => Unit::Word,
    }
}

/// The chordal distances of a lexicon that promises need: the largest, and the typical one to the nearest neighbour.
fn distances(lexicon: &Lexicon) -> Result<(f64, f64), Error> {
    let geometry = lexicon.geometry()?;
    Ok((geometry.diameter(), geometry.nearest_quartiles()[1]))
}

/// The angle of two directions at a chordal distance.
fn angle(chord: f64) -> f64 {
    2.0 * (chord / 2.0).clamp(0.0, 1.0).asin()
}

#[cfg(test)]
pub(crate) mod tests;
