//! How much of an original's format is kept.

use std::fmt;
use std::str::FromStr;

use inkveil_settings::UnknownName;

/// How much of the format of an original its surrogate keeps, and so reveals.
///
/// ```
/// use inkveil_detect::Kind;
/// use inkveil_surrogates::{Shape, ShapeLevel};
///
/// let shape = |text, level| Shape::of(text, &Kind::Id, level);
/// let (one, other) = ("dQw4w9WgXcQ", "Zk9fAq2mB7t");
/// assert_eq!(shape(one, ShapeLevel::Coarse), shape(other, ShapeLevel::Coarse));
/// assert_ne!(shape(one, ShapeLevel::Exact), shape(other, ShapeLevel::Exact));
/// assert_eq!(shape(one, ShapeLevel::Kind), shape("INV-7", ShapeLevel::Kind));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum ShapeLevel {
    /// Nothing: the surrogate depends on the kind alone.
    Kind,
    /// A few public classes of formats. Codes keep the alphabets and the rough lengths of their
    /// runs.
    #[default]
    Coarse,
    /// The whole format: for codes, the class of every character.
    Exact,
}

impl ShapeLevel {
    /// All levels. Each keeps at least as much as the one before it.
    pub const ALL: [ShapeLevel; 3] = [ShapeLevel::Kind, ShapeLevel::Coarse, ShapeLevel::Exact];

    /// Returns its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            ShapeLevel::Kind => "kind",
            ShapeLevel::Coarse => "coarse",
            ShapeLevel::Exact => "exact",
        }
    }
}

impl fmt::Display for ShapeLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ShapeLevel {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.into_iter().find(|level| level.name() == name);
        found.ok_or_else(|| UnknownName::new("shape", name, Self::ALL.iter().map(|level| level.name())))
    }
}
