//! Writes a first sentence from a vector.

use super::settings::{InversionData, InversionTraining};
use super::writer::{Conditioning, PrefixWriter, check};
use crate::Error;

/// A language model that writes a sentence from its vector, like GEIA (Li et al., 2023).
///
/// ```no_run
/// use inkveil_eval::attack::{BaseModel, InversionSettings, Inverter, InversionData, InversionTraining};
/// use inkveil_nn::Device;
///
/// let base = BaseModel { path: "smollm2".into(), device: Device::Cpu };
/// let texts = ["A cat sleeps.".to_owned(), "Ships are at sea.".to_owned()];
/// let vectors = vec![1.0, 0.0, 0.0, 1.0];
/// let settings = InversionSettings::default();
/// let cancel = std::sync::atomic::AtomicBool::new(false);
/// let training =
///     InversionTraining { base: &base, settings: &settings, seed: 1, progress: &|_, _| {}, cancel: &cancel };
/// let inverter = Inverter::train(training, InversionData { dim: 2, texts: &texts, rows: &mut |_| Ok(vectors.clone()) })?;
/// let written = inverter.invert(&[0.9, 0.1])?;
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
pub struct Inverter {
    writer: PrefixWriter,
    dim: usize,
}

impl Inverter {
    /// Trains on sentences and their vectors.
    ///
    /// # Errors
    /// If the model cannot be read or fails, vectors and sentences do not fit, or training was
    /// cancelled.
    pub fn train(training: InversionTraining<'_>, data: InversionData<'_>) -> Result<Self, Error> {
        let InversionData { dim, texts, rows } = data;
        let first = rows(0)?;
        check(&first, dim, texts.len())?;
        let condition = |rows: Vec<f32>| Conditioning { vectors: vec![rows], drafts: None };
        let first = condition(first);
        let writer = PrefixWriter::new(training, dim, &first)?;
        let tokens = texts.iter().map(|text| writer.tokens(text)).collect::<Result<Vec<_>, _>>()?;
        writer.learn(&tokens, first, &mut |epoch| Ok(condition(rows(epoch)?)), training)?;
        Ok(Self { writer, dim })
    }

    /// Returns the sentence for each vector.
    ///
    /// # Errors
    /// If the model fails.
    pub fn invert(&self, rows: &[f32]) -> Result<Vec<String>, Error> {
        check(rows, self.dim, rows.len() / self.dim)?;
        let written = self.writer.write(&Conditioning { vectors: vec![rows.to_vec()], drafts: None })?;
        written.iter().map(|ids| self.writer.text(ids)).collect()
    }
}
