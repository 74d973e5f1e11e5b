//! Which inputs a guarantee compares.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The pairs of inputs that a guarantee compares. About other pairs it states nothing.
///
/// ```
/// use inkveil_privacy::{Epsilon, Guarantee, Metric, Neighbours, Unit};
///
/// let pure = Guarantee::new(Metric::Discrete, Epsilon::ZERO, Unit::Word);
/// assert_eq!(
///     pure.among(Neighbours::SameShape).to_string(),
///     "ε = 0 between originals of the same kind and shape, for each word"
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbours {
    /// Any two inputs.
    #[default]
    Any,
    /// Two texts with the same layout: see [`Neighbours::LAYOUT`].
    SameLayout,
    /// Two texts with the same layout that differ in an original of the same kind.
    SameKind,
    /// Two texts with the same layout that differ in an original of the same kind and shape.
    SameShape,
}

impl Neighbours {
    /// The layout of a text. Two texts with different layouts may have releases that tell them apart
    /// with certainty.
    pub const LAYOUT: &'static str = "its words, names and numbers in order; for each of them its group, its \
         treatment (noised, replaced, kept), its kind if it is replaced, its shape if it is replaced by a \
         surrogate, its upper and lower case, and endings such as 's and n't; which replaced originals are equal, \
         if replacements are consistent; which mentions are of the same person, organisation or place and what \
         their identities keep, if replacements are linked; and all white space and punctuation";

    /// Returns whether all inputs are compared.
    pub fn is_any(&self) -> bool {
        *self == Neighbours::Any
    }
}

impl fmt::Display for Neighbours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Neighbours::Any => "any two inputs",
            Neighbours::SameLayout => "texts of the same layout",
            Neighbours::SameKind => "originals of the same kind",
            Neighbours::SameShape => "originals of the same kind and shape",
        })
    }
}
