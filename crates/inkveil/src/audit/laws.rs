//! The densities that the noise of a release must have.

use std::f64::consts::PI;

use inkveil_privacy::audit::NumericCdf;
use inkveil_privacy::{Erasure, Metric};

use super::outputs::{dot, norm, unit};

/// The density of the noise of a vector, up to a factor.
#[derive(Debug, Clone)]
pub(super) enum Law {
    /// exp(−ε‖z‖₁).
    Manhattan { epsilon: f64 },
    /// exp(−ε‖z‖_M) for Σ with this diagonal. Round noise has Σ = 1.
    Elliptical { epsilon: f64, diagonal: Vec<f64> },
    /// exp(−ε‖z‖) in the axes that an eraser leaves; the other coordinates are 0.
    Erased { epsilon: f64, erasure: Box<Erasure>, axes: Vec<f64> },
    /// exp(−‖z‖²/2σ²).
    Gaussian { sigma: f64 },
    /// exp(κ·cos θ) for the angle θ to the input.
    VonMises { kappa: f64 },
    /// exp(−ε·θ) for the angle θ to the input.
    Angular { epsilon: f64 },
}

impl Law {
    /// Noise on what an eraser leaves.
    pub(super) fn erased(epsilon: f64, erasure: Erasure) -> Self {
        let (mut axes, mut row) = (Vec::new(), vec![0.0; erasure.dim()]);
        for axis in 0..erasure.axes() {
            let unit: Vec<f64> = (0..erasure.axes()).map(|i| if i == axis { 1.0 } else { 0.0 }).collect();
            erasure.lift(&unit, &mut row);
            axes.extend_from_slice(&row);
        }
        Self::Erased { epsilon, erasure: Box::new(erasure), axes }
    }

    /// The distance of what is left of two rows, if an eraser comes first.
    pub(super) fn erased_distance(&self, x: &[f64], other: &[f64]) -> Option<f64> {
        let Self::Erased { erasure, .. } = self else { return None };
        let [mut left, mut right] = [vec![0.0; erasure.axes()], vec![0.0; erasure.axes()]];
        erasure.apply(x, &mut left).and_then(|()| erasure.apply(other, &mut right)).ok()?;
        Metric::Euclidean.between(&left, &right)
    }

    /// Whether only directions have this noise.
    pub(super) fn is_spherical(&self) -> bool {
        matches!(self, Self::VonMises { .. } | Self::Angular { .. })
    }

    /// A number that is large where x is likelier than `other`: for most laws the log-ratio of the
    /// densities, up to a factor.
    pub(super) fn ratio(&self, y: &[f64], x: &[f64], other: &[f64]) -> f64 {
        let apart = |metric: Metric| {
            let [to_x, to_other] = [x, other].map(|row| metric.between(y, row).unwrap_or(f64::NAN));
            to_other - to_x
        };
        match self {
            Self::Manhattan { .. } => apart(Metric::Manhattan),
            Self::Elliptical { diagonal, .. } => {
                scaled(y, other, diagonal, norm) - scaled(y, x, diagonal, norm)
            }
            Self::Erased { erasure, axes, .. } => {
                let [to_x, to_other] = [x, other].map(|row| from_left((erasure, axes), y, row, norm));
                to_other - to_x
            }
            Self::Gaussian { .. } => dot(y, x) - dot(y, other),
            Self::VonMises { .. } => dot(y, &unit(x)) - dot(y, &unit(other)),
            Self::Angular { .. } => {
                let [to_x, to_other] = [x, other].map(|row| angle(y, row));
                to_other - to_x
            }
        }
    }

    /// The length of the noise in a row, or its angle.
    pub(super) fn size(&self, y: &[f64], x: &[f64]) -> f64 {
        match self {
            Self::Manhattan { .. } => Metric::Manhattan.between(y, x).unwrap_or(f64::NAN),
            Self::Elliptical { diagonal, .. } => scaled(y, x, diagonal, norm),
            Self::Erased { erasure, axes, .. } => from_left((erasure, axes), y, x, norm),
            Self::Gaussian { .. } => Metric::Euclidean.between(y, x).unwrap_or(f64::NAN),
            Self::VonMises { .. } | Self::Angular { .. } => angle(y, x),
        }
    }

    /// The distribution of [`size`](Self::size).
    pub(super) fn sizes(&self, dim: usize) -> NumericCdf {
        let d = self.free(dim) as f64;
        let longest = d + 60.0 * d.sqrt() + 200.0;
        let power = |exponent: f64, x: f64| if exponent == 0.0 { 0.0 } else { exponent * x.max(0.0).ln() };
        match *self {
            Self::Manhattan { epsilon } | Self::Elliptical { epsilon, .. } | Self::Erased { epsilon, .. } => {
                NumericCdf::new(|r| power(d - 1.0, r) - epsilon * r, 0.0, longest / epsilon)
            }
            Self::Gaussian { sigma } => {
                let log = |r: f64| power(d - 1.0, r) - 0.5 * (r / sigma).powi(2);
                NumericCdf::new(log, 0.0, sigma * (d.sqrt() + 40.0))
            }
            Self::VonMises { kappa } => {
                let log = |t: f64| power(d - 2.0, t.sin()) - 2.0 * kappa * (t / 2.0).sin().powi(2);
                NumericCdf::new(log, 0.0, PI)
            }
            Self::Angular { epsilon } => NumericCdf::new(|t| power(d - 2.0, t.sin()) - epsilon * t, 0.0, PI),
        }
    }

    /// The coordinate of the noise's direction along a fixed one. None for a law without symmetry.
    pub(super) fn direction(&self, y: &[f64], x: &[f64]) -> Option<f64> {
        // With weight in every coordinate, and not along any canary.
        let fixed: Vec<f64> = (0..x.len()).map(|i| 0.5 + (1.3 * i as f64).cos()).collect();
        match self {
            Self::Manhattan { .. } => None,
            Self::Elliptical { diagonal, .. } => {
                Some(scaled(y, x, diagonal, |z| dot(&unit(z), &unit(&fixed))))
            }
            Self::Erased { erasure, axes, .. } => {
                let fixed: Vec<f64> = fixed.iter().take(erasure.axes()).copied().collect();
                Some(from_left((erasure, axes), y, x, |z| dot(&unit(z), &unit(&fixed))))
            }
            Self::Gaussian { .. } => {
                let z: Vec<f64> = y.iter().zip(x).map(|(y, x)| y - x).collect();
                Some(dot(&unit(&z), &unit(&fixed)))
            }
            Self::VonMises { .. } | Self::Angular { .. } => {
                let [tangent, fixed] = [y, &fixed].map(|row| unit(&aside(row, x)));
                Some(dot(&tangent, &fixed))
            }
        }
    }

    /// The number of dimensions that have noise.
    fn free(&self, dim: usize) -> usize {
        match self {
            Self::Erased { erasure, .. } => erasure.axes(),
            _ => dim,
        }
    }

    /// The distribution of [`direction`](Self::direction): that of a uniform direction.
    pub(super) fn directions(&self, dim: usize) -> NumericCdf {
        // The tangents of a direction have one dimension less.
        let free = if self.is_spherical() { dim - 1 } else { self.free(dim) };
        let power = (free as f64 - 3.0) / 2.0;
        NumericCdf::new(|t: f64| power * (1.0 - t * t).max(1e-300).ln(), -1.0, 1.0)
    }
}

/// What remains of a row without its part along x.
pub(super) fn aside(row: &[f64], x: &[f64]) -> Vec<f64> {
    let x = unit(x);
    let along = dot(row, &x);
    row.iter().zip(&x).map(|(row, x)| row - along * x).collect()
}

/// Measures the noise in the axes that are left: a released row without what is left of x.
fn from_left(
    (erasure, axes): (&Erasure, &[f64]),
    y: &[f64],
    x: &[f64],
    measure: impl Fn(&[f64]) -> f64,
) -> f64 {
    let mut left = vec![0.0; erasure.axes()];
    if erasure.apply(x, &mut left).is_err() {
        return f64::NAN;
    }
    let noise: Vec<f64> =
        axes.chunks_exact(x.len()).zip(left).map(|(axis, left)| dot(axis, y) - left).collect();
    measure(&noise)
}

fn angle(y: &[f64], x: &[f64]) -> f64 {
    Metric::Angular.between(&unit(y), &unit(x)).unwrap_or(f64::NAN)
}

/// Measures y − x after each coordinate is divided by the root of its entry in Σ.
fn scaled(y: &[f64], x: &[f64], diagonal: &[f64], measure: impl Fn(&[f64]) -> f64) -> f64 {
    let z: Vec<f64> = y.iter().zip(x).zip(diagonal).map(|((y, x), entry)| (y - x) / entry.sqrt()).collect();
    measure(&z)
}
