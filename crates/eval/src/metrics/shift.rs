//! The movement of style by a rewrite.

use inkveil_style::MemoryGeometry;
use serde::Serialize;

use crate::Error;

/// How the style of a text moved by a rewrite, relative to the prototypes of a memory.
///
/// ```
/// use inkveil_eval::metrics::StyleShift;
/// use inkveil_nn::EncoderNote;
/// use inkveil_style::{Memory, MemorySettings};
///
/// let encoder = EncoderNote { name: "toy".into(), sha256: None };
/// let mut memory = Memory::new(encoder, 2, MemorySettings::default())?;
/// memory.add(&[1.0, 0.0, 0.0, 1.0], None)?;
/// let geometry = memory.geometry()?;
/// let shift = StyleShift::of(&geometry, &[-1.0, 0.0], &[0.6, 0.8])?;
/// assert!(shift.was_outlier && shift.approach() > 0.0); // towards the prototypes
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StyleShift {
    /// The cosine distance from the original to the rewrite.
    pub displacement: f64,
    /// The mean distance of the original to all prototypes: its risk.
    pub before: f64,
    /// The mean distance of the rewrite.
    pub after: f64,
    /// Whether the original is an outlier.
    pub was_outlier: bool,
    /// Whether the rewrite is.
    pub is_outlier: bool,
}

impl StyleShift {
    /// The movement from the style vector of the original to that of the rewrite.
    ///
    /// # Errors
    /// If a vector has another dimension than the memory, or is not finite.
    pub fn of(geometry: &MemoryGeometry<'_>, original: &[f32], rewrite: &[f32]) -> Result<Self, Error> {
        let (before, after) = (geometry.mean_distance(original)?, geometry.mean_distance(rewrite)?);
        Ok(Self {
            displacement: 1.0 - style_cosine(original, rewrite),
            before,
            after,
            was_outlier: before > geometry.tau(),
            is_outlier: after > geometry.tau(),
        })
    }

    /// The decrease of the mean distance to the prototypes (Δd̄ in the paper). Negative if the
    /// rewrite is farther away.
    pub fn approach(&self) -> f64 {
        self.before - self.after
    }
}

/// Returns the cosine of two style vectors. For equal vectors it is exactly 1.
pub fn style_cosine(a: &[f32], b: &[f32]) -> f64 {
    if a == b {
        return 1.0;
    }
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    (dot(a, b) / (dot(a, a) * dot(b, b)).sqrt().max(1e-12)).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use inkveil_nn::EncoderNote;
    use inkveil_style::{Memory, MemorySettings};

    use super::*;

    #[test]
    fn distances_by_hand() {
        let encoder = EncoderNote { name: "toy".into(), sha256: None };
        let mut memory = Memory::new(encoder, 2, MemorySettings::default()).unwrap();
        memory.add(&[1.0, 0.0, 0.0, 1.0], None).unwrap();
        let geometry = memory.geometry().unwrap();
        // The prototypes are 1 apart, so τ is 1. From (−1, 0): 2 and 1. From (0.6, 0.8): 0.4 and
        // 0.2.
        let shift = StyleShift::of(&geometry, &[-1.0, 0.0], &[0.6, 0.8]).unwrap();
        assert!((shift.before - 1.5).abs() < 1e-6 && (shift.after - 0.3).abs() < 1e-6, "{shift:?}");
        assert!((shift.displacement - 1.6).abs() < 1e-6 && (shift.approach() - 1.2).abs() < 1e-6);
        assert!(shift.was_outlier && !shift.is_outlier);
        let still = StyleShift::of(&geometry, &[0.3, 0.1], &[0.3, 0.1]).unwrap();
        assert_eq!((still.displacement, still.approach()), (0.0, 0.0));
        assert!(StyleShift::of(&geometry, &[1.0], &[1.0]).is_err());
    }
}
