use crate::{Epsilon, Error, ErrorKind, Guarantee, Metric, NoiseStream, Unit};

/// A uniform draw from a public set: the release for a budget of 0.
///
/// # Guarantee
/// ε = 0. *Proof.* The draw does not use the input. ∎
///
/// ```
/// use inkveil_privacy::{NoiseAddress, NoiseKey, Uniform};
///
/// let index = Uniform::new(10)?.sample(&mut NoiseKey::fresh()?.stream(NoiseAddress::record(0), &()))?;
/// assert!(index < 10);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Uniform {
    size: usize,
}

impl Uniform {
    /// Creates a draw from `size` candidates.
    ///
    /// # Errors
    /// If there are none.
    pub fn new(size: usize) -> Result<Self, Error> {
        if size == 0 { Err(ErrorKind::EmptySet.into()) } else { Ok(Self { size }) }
    }

    /// The guarantee of each draw.
    pub fn guarantee(&self) -> Guarantee {
        Guarantee::new(Metric::Discrete, Epsilon::ZERO, Unit::Token)
    }

    /// Draws the index of a candidate.
    ///
    /// # Errors
    /// Never. The signature matches the other samplers.
    pub fn sample(&self, stream: &mut NoiseStream) -> Result<usize, Error> {
        Ok(stream.below(self.size as u64)? as usize)
    }
}
