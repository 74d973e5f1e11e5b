//! The settings of a memory.

use serde::{Deserialize, Serialize};

use crate::Error;

/// How a memory is built and queried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MemorySettings {
    /// The merge radius δ: a text nearer than this cosine distance to a prototype moves it and does
    /// not become a new one.
    pub merge_radius: f64,
    /// The sensitivity λ: a text is an outlier if its mean distance is this many standard
    /// deviations above the mean.
    pub sensitivity: f64,
    /// The bandwidth σ of the density.
    pub bandwidth: f64,
    /// The number K of most visited prototypes from which the reference of an outlier is drawn.
    pub references: usize,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self { merge_radius: 0.15, sensitivity: 1.5, bandwidth: 0.25, references: 10 }
    }
}

impl MemorySettings {
    /// # Errors
    /// If a number is out of range.
    pub(super) fn check(&self) -> Result<(), Error> {
        let wrong = |what: &str| Err(Error::setting(what));
        match self {
            s if !(0.0..=2.0).contains(&s.merge_radius) => {
                wrong("the merge radius must be a cosine distance from 0 to 2")
            }
            s if !s.sensitivity.is_finite() => {
                wrong("the sensitivity must be a number of standard deviations, for example 1.5")
            }
            s if !(s.bandwidth.is_finite() && s.bandwidth > 0.0) => wrong("the bandwidth must be above 0"),
            s if s.references == 0 => wrong("the number of references must be at least 1"),
            _ => Ok(()),
        }
    }
}
