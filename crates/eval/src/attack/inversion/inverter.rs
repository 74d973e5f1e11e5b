//! The first draft.

use super::writer::{Told, Writer, check};
use super::{Lessons, Training};
use crate::Error;

/// A language model that writes a sentence from its vector (in the manner of GEIA; Li et al., 2023).
///
/// ```no_run
/// use inkveil_eval::attack::{Base, InversionSettings, Inverter, Lessons, Training};
/// use inkveil_nn::Device;
///
/// let base = Base { path: "smollm2".into(), device: Device::Cpu };
/// let texts = ["A cat sleeps.".to_owned(), "Ships are at sea.".to_owned()];
/// let vectors = vec![1.0, 0.0, 0.0, 1.0];
/// let settings = InversionSettings::default();
/// let training = Training { base: &base, settings: &settings, seed: 1, tell: &|done, all| done <= all };
/// let inverter = Inverter::train(training, Lessons { dim: 2, texts: &texts, rows: &mut |_| Ok(vectors.clone()) })?;
/// let written = inverter.invert(&[0.9, 0.1])?;
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
pub struct Inverter {
    writer: Writer,
    dim: usize,
}

impl Inverter {
    /// Learns from sentences and their vectors.
    ///
    /// # Errors
    /// If the model cannot be read or fails, vectors and sentences do not fit, or it was told to stop.
    pub fn train(training: Training<'_>, lessons: Lessons<'_>) -> Result<Self, Error> {
        let Lessons { dim, texts, rows } = lessons;
        let first = rows(0)?;
        check(&first, dim, texts.len())?;
        let told = |rows: Vec<f32>| Told { vectors: vec![rows], drafts: None };
        let first = told(first);
        let writer = Writer::new(training, dim, &first)?;
        let tokens = texts.iter().map(|text| writer.tokens(text)).collect::<Result<Vec<_>, _>>()?;
        writer.learn(&tokens, first, &mut |epoch| Ok(told(rows(epoch)?)), training.tell)?;
        Ok(Self { writer, dim })
    }

    /// The sentence that each vector is taken for.
    ///
    /// # Errors
    /// If the model fails.
    pub fn invert(&self, rows: &[f32]) -> Result<Vec<String>, Error> {
        check(rows, self.dim, rows.len() / self.dim)?;
        let written = self.writer.write(&Told { vectors: vec![rows.to_vec()], drafts: None })?;
        written.iter().map(|ids| self.writer.text(ids)).collect()
    }
}
