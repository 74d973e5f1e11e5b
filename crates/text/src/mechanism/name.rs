//! The names of mechanisms.

use std::fmt;
use std::str::FromStr;

use inkveil_settings::UnknownName;

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
