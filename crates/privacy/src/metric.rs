//! The distances that guarantees are measured in, and the units that they protect.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The distance that an ε is measured in. An ε without its metric has no meaning.
///
/// ```
/// use inkveil_privacy::Metric;
///
/// assert_eq!(Metric::Chordal.to_string(), "chordal");
/// assert_eq!(Metric::Chordal.between(&[1.0, 0.0], &[-1.0, 0.0]), Some(2.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// The straight line between two directions, ‖u − v‖₂ ≤ 2.
    Chordal,
    /// The angle between two directions, at most π. Never shorter than the chordal distance.
    Angular,
    /// ‖x − y‖₂.
    Euclidean,
    /// ‖x − y‖₁.
    Manhattan,
    /// √((x−y)ᵀ Σ⁻¹ (x−y)) for the Σ of the mechanism.
    Mahalanobis,
    /// ‖f(x) − f(y)‖₂ for the public eraser f of the mechanism: how far apart two vectors are in what
    /// the eraser leaves of them. At most 2.
    Erased,
    /// The difference of two norms, |‖x‖ − ‖y‖|.
    Radial,
    /// 0 if equal, 1 otherwise. ε is then a pure local-differential-privacy budget.
    Discrete,
}

impl Metric {
    /// Returns the distance between two vectors of the same length. The two spherical metrics
    /// expect unit vectors. Returns `None` for [`Metric::Mahalanobis`], which needs its Σ, for
    /// [`Metric::Erased`], which needs its eraser, and for vectors of different lengths.
    pub fn between(self, a: &[f64], b: &[f64]) -> Option<f64> {
        if a.len() != b.len() {
            return None;
        }
        let euclidean = || a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
        let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        match self {
            Self::Chordal | Self::Euclidean => Some(euclidean()),
            // 2·atan(‖a−b‖/‖a+b‖) stays precise where the arccos of a product near ±1 does not.
            Self::Angular => {
                let sum = a.iter().zip(b).map(|(x, y)| (x + y).powi(2)).sum::<f64>().sqrt();
                Some(2.0 * euclidean().atan2(sum))
            }
            Self::Manhattan => Some(a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum()),
            Self::Radial => Some((norm(a) - norm(b)).abs()),
            Self::Discrete => Some(if a == b { 0.0 } else { 1.0 }),
            Self::Mahalanobis | Self::Erased => None,
        }
    }

    /// The largest possible distance between two inputs, if geometry alone bounds it.
    pub fn diameter(self) -> Option<f64> {
        match self {
            Self::Chordal => Some(2.0),
            Self::Angular => Some(std::f64::consts::PI),
            Self::Discrete => Some(1.0),
            _ => None,
        }
    }

    /// The name used in commands and receipts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chordal => "chordal",
            Self::Angular => "angular",
            Self::Euclidean => "euclidean",
            Self::Manhattan => "manhattan",
            Self::Mahalanobis => "mahalanobis",
            Self::Erased => "erased",
            Self::Radial => "radial",
            Self::Discrete => "discrete",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What one budget protects: the part of the input whose change the output hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// One token of a text.
    Token,
    /// One word of a text.
    Word,
    /// One detected span, such as a whole name.
    Span,
    /// A whole document.
    Document,
    /// One vector.
    Vector,
}

impl Unit {
    /// The name used in commands and receipts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Word => "word",
            Self::Span => "span",
            Self::Document => "document",
            Self::Vector => "vector",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_match_their_definitions() {
        let (a, b) = ([3.0, 4.0], [0.0, 0.0]);
        assert_eq!(Metric::Euclidean.between(&a, &b), Some(5.0));
        assert_eq!(Metric::Manhattan.between(&a, &b), Some(7.0));
        assert_eq!(Metric::Radial.between(&a, &b), Some(5.0));
        assert_eq!(Metric::Discrete.between(&a, &a), Some(0.0));
        assert_eq!(Metric::Mahalanobis.between(&a, &b), None);
        assert_eq!(Metric::Euclidean.between(&a, &[1.0]), None);
        let quarter = Metric::Angular.between(&[1.0, 0.0], &[0.0, 1.0]).unwrap();
        assert!((quarter - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    }

    #[test]
    fn chordal_is_never_longer_than_angular() {
        for i in 0..=100 {
            let angle = f64::from(i) / 100.0 * std::f64::consts::PI;
            let (a, b) = ([1.0, 0.0], [angle.cos(), angle.sin()]);
            let chord = Metric::Chordal.between(&a, &b).unwrap();
            assert!(chord <= Metric::Angular.between(&a, &b).unwrap() + 1e-15);
        }
    }
}
