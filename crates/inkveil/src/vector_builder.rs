//! Builds a veil over vectors.

use std::path::{Path, PathBuf};

use inkveil_privacy::Epsilon;
use inkveil_vector::{Bound, EncoderNote, Mask, MeasuredBudget, VectorVeil};

use crate::error::{Error, ErrorKind};

/// The noise of a vector veil.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VectorNoise {
    /// As the masks say: erasure and round noise if all of them have an eraser, else elliptical noise.
    /// Round noise without a mask.
    #[default]
    ByMasks,
    /// The concepts of masks are erased, and round noise is added to what is left.
    Erased,
    /// Elliptical noise that follows the gates of masks (SPARSE).
    Masked,
    /// The same noise in all directions (LapMech).
    Round,
    /// Noise on directions (PurMech). Lengths are discarded.
    Turning,
}

/// The least noise in any direction with masks, as a share of round noise. It bounds the guarantee in
/// Euclidean distance at about three times the budget.
pub const DEFAULT_FLOOR: f64 = 0.1;

/// The axes that are kept after erasure. Noise is as long as axes/ε, so fewer need a smaller ε.
pub const DEFAULT_AXES: usize = 100;

/// What is left of a vector after erasure is brought to length 1 unless it is shorter than this.
pub(crate) const SHORTEST: f64 = 0.5;

/// What is done to noisy vectors. It costs no privacy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterNoise {
    /// Nothing.
    AsIs,
    /// They are scaled to length 1.
    Unit,
    /// Noisy dimensions are shrunk. This needs a mask.
    Shrink,
}

/// Builds a [`VectorVeil`]. Start with [`Veil::vectors`](crate::Veil::vectors).
///
/// ```no_run
/// use inkveil::{Epsilon, NoiseKey, Veil};
///
/// let veil = Veil::vectors(Epsilon::new(130.0)?).mask("people.mask").build(384)?;
/// let mut rows = vec![0.05_f32; 384];
/// let key = NoiseKey::fresh()?;
/// veil.apply(&mut rows, 0, &key)?;
/// println!("{}", veil.receipt(1, None, &key)?.render());
/// # Ok::<(), inkveil::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct VectorVeilBuilder {
    budget: Budget,
    noise: VectorNoise,
    masks: Vec<PathBuf>,
    floor: Option<f64>,
    axes: Option<usize>,
    bound: Option<Bound>,
    after: Option<AfterNoise>,
    encoder: Option<EncoderNote>,
}

/// Where the budget comes from.
#[derive(Debug, Clone, Copy)]
enum Budget {
    Given(Epsilon),
    /// The largest measured budget at which, as at all smaller ones, attackers find at most this share of the words.
    Target(f64),
}

impl VectorVeilBuilder {
    pub(crate) fn new(epsilon: Epsilon) -> Self {
        Self::with(Budget::Given(epsilon))
    }

    pub(crate) fn for_target(share: f64) -> Self {
        Self::with(Budget::Target(share))
    }

    fn with(budget: Budget) -> Self {
        Self {
            budget,
            noise: VectorNoise::default(),
            masks: Vec::new(),
            floor: None,
            axes: None,
            bound: None,
            after: None,
            encoder: None,
        }
    }

    /// The noise. What the masks say, and round noise without masks, by default.
    pub fn noise(mut self, noise: VectorNoise) -> Self {
        self.noise = noise;
        self
    }

    /// The mask of a concept to protect. Several masks protect all of their concepts.
    pub fn mask(mut self, file: impl Into<PathBuf>) -> Self {
        self.masks.push(file.into());
        self
    }

    /// The least noise in any direction, from 0 to 1, as a share of round noise, for elliptical noise.
    /// [`DEFAULT_FLOOR`] by default.
    pub fn floor(mut self, floor: f64) -> Self {
        self.floor = Some(floor);
        self
    }

    /// The number of principal axes to keep after erasure. [`DEFAULT_AXES`] by default; 0 keeps all.
    pub fn axes(mut self, axes: usize) -> Self {
        self.axes = Some(axes);
        self
    }

    /// How vectors are bounded before noise is added. To length 1 by default.
    pub fn bound(mut self, bound: Bound) -> Self {
        self.bound = Some(bound);
        self
    }

    /// What is done to noisy vectors. Shrinking with a mask and nothing without, by default.
    pub fn after(mut self, after: AfterNoise) -> Self {
        self.after = Some(after);
        self
    }

    /// The encoder that made the vectors. A mask of another encoder is refused.
    pub fn encoder(mut self, encoder: Option<EncoderNote>) -> Self {
        self.encoder = encoder;
        self
    }

    /// The veil for vectors of this dimension.
    ///
    /// # Errors
    /// If a mask cannot be read, has another dimension or another encoder, settings contradict each
    /// other, or there is a target and nothing was measured or no measured budget reaches it.
    pub fn build(self, dim: usize) -> Result<VectorVeil, Error> {
        let masks = self.masks.iter().map(|file| self.open(file, dim)).collect::<Result<Vec<_>, _>>()?;
        let noise = match self.noise {
            VectorNoise::ByMasks if masks.is_empty() => VectorNoise::Round,
            VectorNoise::ByMasks if masks.iter().all(|mask| mask.eraser.is_some()) => VectorNoise::Erased,
            VectorNoise::ByMasks => VectorNoise::Masked,
            noise => noise,
        };
        let masked = noise == VectorNoise::Masked && !masks.is_empty();
        let contradiction = |text| Err(ErrorKind::Contradiction(text).into());
        if self.floor.is_some_and(|floor| floor != 0.0) && !masked {
            return contradiction(
                "a floor does nothing here: only noise that follows the gates of masks differs between directions",
            );
        }
        if self.axes.is_some() && noise != VectorNoise::Erased {
            return contradiction("axes are chosen after erasure only; this noise erases nothing");
        }
        if self.after == Some(AfterNoise::Shrink) && !masked {
            return contradiction("shrinking needs a mask, which knows the size of each dimension");
        }
        if self.bound.is_some() && noise == VectorNoise::Turning {
            return contradiction("a bound does nothing here: this noise uses directions only");
        }
        let (epsilon, chosen) = match self.budget {
            Budget::Given(epsilon) => (epsilon, None),
            Budget::Target(share) => {
                let (mask, budget) = self.measured(share, noise, &masks)?;
                (budget.epsilon, Some((share, mask, budget)))
            }
        };
        let mut veil = match noise {
            VectorNoise::Erased => {
                let axes = Some(self.kept_axes()).filter(|axes| *axes > 0);
                VectorVeil::erased(epsilon, &masks, axes, SHORTEST)?
            }
            VectorNoise::Masked if masked => {
                VectorVeil::masked(epsilon, &masks, self.floor.unwrap_or(DEFAULT_FLOOR))?
            }
            VectorNoise::ByMasks | VectorNoise::Masked | VectorNoise::Round => {
                VectorVeil::round(dim, epsilon)?
            }
            VectorNoise::Turning => VectorVeil::directional(dim, epsilon)?,
        };
        if let Some((share, mask, budget)) = chosen {
            veil = veil.chosen(share, mask, budget)?;
        }
        if let Some(encoder) = &self.encoder {
            veil = veil.encoder(encoder.clone());
        }
        if masked || noise == VectorNoise::Erased {
            for (mask, file) in masks.iter().zip(&self.masks) {
                let name = format!("mask of {}", mask.note.concept.escape_debug());
                veil = veil.parameter(name, format!("sha256 {}", inkveil_files::Sha256Sum::of_file(file)?));
            }
        }
        if noise != VectorNoise::Turning {
            veil = veil.bound(self.bound.unwrap_or(Bound::Unit))?;
        }
        Ok(match self.after {
            Some(AfterNoise::AsIs) => veil.as_is_after(),
            Some(AfterNoise::Unit) => veil.unit_after(),
            // A veil with masks shrinks by itself, and one without does nothing.
            Some(AfterNoise::Shrink) | None => veil,
        })
    }

    fn kept_axes(&self) -> usize {
        self.axes.unwrap_or(DEFAULT_AXES)
    }

    /// The budget that reaches a target, as it was measured for the mask. What was measured holds for the
    /// same treatment only, so any other is refused.
    fn measured<'m>(
        &self,
        share: f64,
        noise: VectorNoise,
        masks: &'m [Mask],
    ) -> Result<(&'m Mask, &'m MeasuredBudget), Error> {
        let refused = |what| Err(ErrorKind::Contradiction(what).into());
        let ([mask], [file]) = (masks, self.masks.as_slice()) else {
            return refused("a target needs exactly one mask: each was measured alone");
        };
        if noise != VectorNoise::Erased {
            return refused("a target needs erasure: other noise was not measured");
        }
        if self.bound.is_some_and(|bound| bound != Bound::Unit) {
            return refused("a target was measured for vectors of length 1; leave their bound as it is");
        }
        if self.after.is_some_and(|after| after != AfterNoise::AsIs) {
            return refused(
                "a target was measured for noisy vectors as they are; do nothing to them afterwards",
            );
        }
        let not_measured = || ErrorKind::NotMeasured { path: file.clone() };
        let measured = mask.note.measured.as_ref().ok_or_else(not_measured)?;
        if measured.axes != self.kept_axes() {
            return refused("a target was measured for another number of axes; leave the number as it is");
        }
        let budget = measured.largest_within(share).map_err(|error| Error::from(error).in_file(file))?;
        Ok((mask, budget))
    }

    fn open(&self, file: &Path, dim: usize) -> Result<Mask, Error> {
        let mask = Mask::open(file)?.of_dimension(dim, file)?;
        match &self.encoder {
            Some(encoder) if !mask.note.encoder.is(encoder) => {
                let (mask, vectors) = (mask.note.encoder.name.clone(), encoder.name.clone());
                Err(ErrorKind::OtherEncoder { path: file.to_owned(), mask, vectors }.into())
            }
            _ => Ok(mask),
        }
    }
}
