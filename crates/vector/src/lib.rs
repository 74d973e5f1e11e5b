//! A veil over embeddings that removes a concept, or concentrates noise where it lies (SPARSE).
//!
//! An [`Eraser`] removes the directions that tell the words of a concept apart. It is fitted in closed
//! form on [`Moments`] of public texts and [`LabelSums`] of their words. [`VectorVeil::erased`] adds
//! round noise to what is left.
//!
//! A [`Concept`] is what to hide: kinds of the detector, words and patterns. [`Pairs`] are vectors
//! of texts with the concept and of the same texts without it. [`fit`] learns which dimensions
//! differ, [`sigma`] turns that [`Mask`] into the shape of the noise, and a [`VectorVeil`] adds the
//! noise and writes a receipt.
//!
//! ```
//! use inkveil_privacy::{Epsilon, NoiseKey};
//! use inkveil_vector::{Bound, FitSettings, Pairs, VectorVeil, fit, sigma};
//!
//! // The concept moves the first of three dimensions.
//! let with: Vec<f32> = (0..200).flat_map(|i| [0.5, (i % 7) as f32 * 0.1, (i % 5) as f32 * 0.1]).collect();
//! let without: Vec<f32> = with.chunks(3).flat_map(|row| [-0.5, row[1], row[2]]).collect();
//! let pairs = Pairs::from_vectors(3, with, without)?;
//! let settings = FitSettings { rate: 1e-2, gate_rate: 5e-2, epochs: 60, ..FitSettings::default() };
//! let fitted = fit(&pairs, &settings, &mut |_| true)?;
//! assert!(fitted.gates[0] > fitted.gates[1] && fitted.gates[0] > fitted.gates[2]);
//!
//! let veil = VectorVeil::elliptical(Epsilon::new(20.0)?, sigma(&fitted.gates, 0.01)?)?.bound(Bound::Unit)?;
//! let mut rows = [0.6_f32, 0.0, 0.8];
//! veil.apply(&mut rows, 0, &NoiseKey::fresh()?)?;
//! # Ok::<(), inkveil_vector::Error>(())
//! ```
//!
//! # Files
//!
//! - `labels.rs`, `moments.rs`: what an eraser is fitted on, in bounded memory. `eraser.rs`: the
//!   eigenproblem, and the map.
//! - `concept.rs`: what is hidden. `pairs.rs`: texts with and without it. `gates.rs`, `fit.rs`:
//!   how the mask is learnt.
//! - `mask.rs`: the file of a mask. `measured.rs`: what attackers found behind its eraser, and the choice of a budget.
//!   `chosen.rs`: what a receipt says about that choice. `describe.rs`: what is in a mask. `sigma.rs`: the shape of
//!   the noise. `bound.rs`: length before and treatment after noise.
//! - `veil.rs`: adds noise and writes the receipt. `plain.rs`: mechanisms that know no concept. `sensitivity.rs`: how strongly each dimension
//!   reacts to a concept.
//! - `attribution.rs`: the variant that knows its attacker.
#![forbid(unsafe_code)]

mod attribution;
mod bound;
mod chosen;
mod concept;
mod describe;
mod eraser;
mod error;
mod fit;
mod gates;
mod labels;
mod mask;
mod measured;
mod moments;
mod pairs;
mod plain;
mod sensitivity;
mod sigma;
mod veil;

pub use attribution::attribution;
pub use bound::{After, Bound};
pub use concept::{Concept, ConceptFinder, concepts_from_toml, open_concepts};
pub use eraser::{EraseNote, EraseSettings, Eraser};
pub use error::{Error, ErrorKind};
pub use fit::{FitEpoch, FitSettings, Fitted, fit};
pub use inkveil_nn::EncoderNote;
pub use labels::{LabelSums, label_words};
pub use mask::{CorpusNote, Mask, MaskNote};
pub use measured::{FoundShare, MeasuredBudget, MeasuredErasure};
pub use moments::Moments;
pub use pairs::{PairCounts, PairTexts, Pairs};
pub use sensitivity::{DimensionSensitivity, sensitivity};
pub use sigma::{noise_variances, sigma, union};
pub use veil::VectorVeil;
