//! Faults that can be put back on purpose, so that a test shows that an audit finds them.
//!
//! Only builds with the feature `faults` can set a fault. In every other build each question below
//! is a constant, and nothing remains of it in the program. A fault holds for the whole process,
//! because noise is drawn on all cores.

/// A fault of the past, or one that an audit must find.
#[cfg(feature = "faults")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// The noise does not depend on the input: the same key and address give two inputs the same
    /// noise.
    NoiseReuse,
    /// A direction without noise is released with all its bits.
    OffGrid,
    /// The slack of floating-point samplers is not stated.
    HiddenSlack,
    /// The noise of every vector mechanism is this share of what it should be.
    UnderNoise(f64),
}

#[cfg(feature = "faults")]
static ACTIVE: std::sync::RwLock<Option<Fault>> = std::sync::RwLock::new(None);

/// Sets the fault of this process, or removes it.
#[cfg(feature = "faults")]
pub fn set(fault: Option<Fault>) {
    *ACTIVE.write().unwrap_or_else(std::sync::PoisonError::into_inner) = fault;
}

#[cfg(feature = "faults")]
fn active() -> Option<Fault> {
    *ACTIVE.read().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Whether noise ignores its input.
#[cfg(feature = "faults")]
pub(crate) fn noise_is_reused() -> bool {
    active() == Some(Fault::NoiseReuse)
}

/// Whether directions without noise leave the grid.
#[cfg(feature = "faults")]
pub(crate) fn is_off_grid() -> bool {
    active() == Some(Fault::OffGrid)
}

/// Whether the slack is not stated.
#[cfg(feature = "faults")]
pub(crate) fn slack_is_hidden() -> bool {
    active() == Some(Fault::HiddenSlack)
}

/// The share of the noise that is drawn.
#[cfg(feature = "faults")]
pub(crate) fn share_of_noise() -> f64 {
    match active() {
        Some(Fault::UnderNoise(share)) => share,
        _ => 1.0,
    }
}

#[cfg(not(feature = "faults"))]
pub(crate) const fn noise_is_reused() -> bool {
    false
}

#[cfg(not(feature = "faults"))]
pub(crate) const fn is_off_grid() -> bool {
    false
}

#[cfg(not(feature = "faults"))]
pub(crate) const fn slack_is_hidden() -> bool {
    false
}

#[cfg(not(feature = "faults"))]
pub(crate) const fn share_of_noise() -> f64 {
    1.0
}
