use crate::{Epsilon, Error, ErrorKind, Guarantee, Metric, NoiseStream, Unit};

/// A uniform draw from a public set: what a budget of 0 releases.
///
/// # Guarantee
/// ε = 0. *Proof.* The output is drawn without looking at the input. ∎
///
/// ```
/// use inkveil_privacy::{NoiseKey, Purpose, Uniform};
///
/// let index = Uniform::new(10)?.sample(&mut NoiseKey::fresh()?.stream(0, 0, Purpose::NOISE))?;
/// assert!(index < 10);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Uniform {
    size: usize,
}

impl Uniform {
    /// A draw from `size` candidates.
    ///
    /// # Errors
    /// If there are none.
    pub fn new(size: usize) -> Result<Self, Error> {
        if size == 0 { Err(ErrorKind::EmptySet.into()) } else { Ok(Self { size }) }
    }

    /// What is promised for each draw.
    pub fn guarantee(&self) -> Guarantee {
        Guarantee::new(Metric::Discrete, Epsilon::ZERO, Unit::Token)
    }

    /// The index of the drawn candidate.
    ///
    /// # Errors
    /// Never, in fact; the type keeps every sampler alike.
    pub fn sample(&self, stream: &mut NoiseStream) -> Result<usize, Error> {
        Ok(stream.below(self.size as u64)? as usize)
    }
}
