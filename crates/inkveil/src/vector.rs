//! Setting up a veil over vectors.

use std::path::{Path, PathBuf};

use inkveil_privacy::Epsilon;
use inkveil_vector::{Bound, Mask, VectorVeil};

use crate::Error;

/// Sets up a [`VectorVeil`]; begin with [`Veil::vectors`](crate::Veil::vectors).
///
/// ```no_run
/// use inkveil::{Epsilon, NoiseKey, Veil};
///
/// let veil = Veil::vectors(Epsilon::new(400.0)?).mask("people.mask").floor(0.05).build(384)?;
/// let mut rows = vec![0.05_f32; 384];
/// let key = NoiseKey::fresh()?;
/// veil.apply(&mut rows, 0, &key)?;
/// println!("{}", veil.receipt(1, None, &key)?.render());
/// # Ok::<(), inkveil::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct VectorVeilBuilder {
    epsilon: Epsilon,
    masks: Vec<PathBuf>,
    floor: f64,
    bound: Bound,
}

impl VectorVeilBuilder {
    pub(crate) fn new(epsilon: Epsilon) -> Self {
        Self { epsilon, masks: Vec::new(), floor: 0.0, bound: Bound::Unit }
    }

    /// The mask of a concept to hide; several hide all of theirs. Without any the noise is the same in all directions.
    pub fn mask(mut self, file: impl Into<PathBuf>) -> Self {
        self.masks.push(file.into());
        self
    }

    /// The least noise in any direction, from 0 to 1, as a share of what it would be without a mask.
    pub fn floor(mut self, floor: f64) -> Self {
        self.floor = floor;
        self
    }

    /// How vectors are bounded before noise is added; to length 1 if nothing is said.
    pub fn bound(mut self, bound: Bound) -> Self {
        self.bound = bound;
        self
    }

    /// The veil for vectors of this dimension.
    ///
    /// # Errors
    /// If a mask cannot be read or has another dimension, or a setting makes no sense.
    pub fn build(self, dim: usize) -> Result<VectorVeil, Error> {
        let masks = self.masks.iter().map(|file| open(file, dim)).collect::<Result<Vec<_>, _>>()?;
        let veil = match masks.is_empty() {
            true => VectorVeil::round(dim, self.epsilon)?,
            false => VectorVeil::masked(self.epsilon, &masks, self.floor)?,
        };
        Ok(veil.bound(self.bound)?)
    }
}

fn open(file: &Path, dim: usize) -> Result<Mask, Error> {
    Ok(Mask::open(file)?.of_dimension(dim, file)?)
}
