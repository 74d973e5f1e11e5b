//! Faults that can be put back on purpose, so that a test shows that an audit finds them.
//!
//! Only builds with the feature `faults` can set a fault. In every other build [`is`] and
//! `share_of_noise` are constants, and nothing remains of them in the program. A fault holds for
//! the whole process, because noise is drawn on all cores. Other crates ask for their faults here
//! too, so that there is one switch and one feature.

/// A fault of the past, or one that an audit must find.
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
    /// An eraser keeps one of the directions that it states as erased.
    SpanOffByOne,
    /// A surrogate keeps the class of every character, at every level of shape.
    ShapeByCharacter,
    /// A surrogate is drawn again if the private text contains it.
    PrivateRejection,
    /// The receipt of a text does not restrict the texts that it compares to those of the same
    /// layout.
    AnyNeighbours,
    /// A release is permitted without a charge.
    LedgerBypass,
    /// The folder of a job holds the pairs of a map without encryption.
    ClearPairs,
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

/// Whether this fault is set.
#[cfg(feature = "faults")]
pub fn is(fault: Fault) -> bool {
    active() == Some(fault)
}

/// Whether this fault is set: never.
#[cfg(not(feature = "faults"))]
pub const fn is(_: Fault) -> bool {
    false
}

/// The share of the noise that is drawn.
#[cfg(feature = "faults")]
pub(crate) fn share_of_noise() -> f64 {
    match active() {
        Some(Fault::UnderNoise(share)) => share,
        _ => 1.0,
    }
}

/// The share of the noise that is drawn: all of it.
#[cfg(not(feature = "faults"))]
pub(crate) const fn share_of_noise() -> f64 {
    1.0
}
