//! Corrects a written sentence.

use super::inverter::Inverter;
use super::settings::{EmbedTexts, InversionData, InversionTraining};
use super::writer::{Conditioning, PrefixWriter, check};
use crate::Error;
use crate::metrics::cosine;

/// A language model that gets a vector, a sentence written for it and the vector of that sentence,
/// and writes a closer sentence, like Vec2text (Morris et al., 2023).
///
/// ```no_run
/// use inkveil_eval::attack::{BaseModel, Corrector, InversionSettings, Inverter, InversionData, InversionTraining};
/// use inkveil_nn::Device;
///
/// let base = BaseModel { path: "smollm2".into(), device: Device::Cpu };
/// let settings = InversionSettings::default();
/// let embed = |texts: &[String]| Ok(texts.iter().flat_map(|text| [text.len() as f32, 1.0]).collect());
/// let (seen, others) = (["A cat sleeps.".to_owned()], ["Ships are at sea.".to_owned()]);
/// let cancel = std::sync::atomic::AtomicBool::new(false);
/// let training =
///     InversionTraining { base: &base, settings: &settings, seed: 1, progress: &|_, _| {}, cancel: &cancel };
/// let inverter = Inverter::train(training, InversionData { dim: 2, texts: &seen, rows: &mut |_| embed(&seen) })?;
/// let data = InversionData { dim: 2, texts: &others, rows: &mut |_| embed(&others) };
/// let corrector = Corrector::train(training, data, &inverter, &embed)?;
/// let vectors = [9.0, 1.0];
/// let written = corrector.correct(&vectors, inverter.invert(&vectors)?, &embed)?;
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
pub struct Corrector {
    writer: PrefixWriter,
    dim: usize,
    rounds: usize,
}

impl Corrector {
    /// Trains on sentences, their vectors, and what the inverter writes for the vectors. The
    /// inverter must not have trained on these sentences, because it would have memorised them.
    ///
    /// # Errors
    /// If the model cannot be read or fails, vectors and sentences do not fit, or training was
    /// cancelled.
    pub fn train(
        training: InversionTraining<'_>,
        data: InversionData<'_>,
        inverter: &Inverter,
        embed: &EmbedTexts<'_>,
    ) -> Result<Self, Error> {
        let InversionData { dim, texts, rows } = data;
        let first = rows(0)?;
        check(&first, dim, texts.len())?;
        let drafts = inverter.invert(&first)?;
        let near = embed(&drafts)?;
        check(&near, dim, texts.len())?;
        let mut condition = condition(first, &near, Vec::new());
        let writer = PrefixWriter::new(training, dim, &condition)?;
        let drafts = drafts.iter().map(|draft| writer.tokens(draft)).collect::<Result<Vec<_>, _>>()?;
        condition.drafts = Some(drafts.clone());
        let tokens = texts.iter().map(|text| writer.tokens(text)).collect::<Result<Vec<_>, _>>()?;
        let mut next = |epoch| Ok(self::condition(rows(epoch)?, &near, drafts.clone()));
        writer.learn(&tokens, condition, &mut next, training)?;
        Ok(Self { writer, dim, rounds: training.settings.rounds })
    }

    /// Corrects the sentences of vectors in several rounds. For each vector the sentence with the
    /// closest vector is kept.
    ///
    /// # Errors
    /// If the model fails, or there is not one sentence for each vector.
    pub fn correct(
        &self,
        rows: &[f32],
        drafts: Vec<String>,
        embed: &EmbedTexts<'_>,
    ) -> Result<Vec<String>, Error> {
        check(rows, self.dim, drafts.len())?;
        let (mut best, mut now) = (drafts.clone(), drafts);
        let mut near = embed(&now)?;
        let mut nearest: Vec<f64> = cosines(rows, &near, self.dim);
        for _ in 0..self.rounds {
            let tokens = now.iter().map(|draft| self.writer.tokens(draft)).collect::<Result<Vec<_>, _>>()?;
            let written = self.writer.write(&condition(rows.to_vec(), &near, tokens))?;
            now = written.iter().map(|ids| self.writer.text(ids)).collect::<Result<_, _>>()?;
            near = embed(&now)?;
            for (at, cosine) in cosines(rows, &near, self.dim).into_iter().enumerate() {
                if cosine > nearest[at] {
                    nearest[at] = cosine;
                    best[at].clone_from(&now[at]);
                }
            }
        }
        Ok(best)
    }
}

/// The vector, the vector of the draft, their difference, and the draft.
fn condition(rows: Vec<f32>, near: &[f32], drafts: Vec<Vec<u32>>) -> Conditioning {
    let difference = rows.iter().zip(near).map(|(a, b)| a - b).collect();
    Conditioning { vectors: vec![rows, near.to_vec(), difference], drafts: Some(drafts) }
}

fn cosines(a: &[f32], b: &[f32], dim: usize) -> Vec<f64> {
    a.chunks_exact(dim).zip(b.chunks_exact(dim)).map(|(a, b)| cosine(a, b)).collect()
}
