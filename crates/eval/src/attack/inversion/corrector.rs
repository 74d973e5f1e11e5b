//! The next draft.

use super::writer::{Told, Writer, check};
use super::{Embed, Inverter, Lessons, Training};
use crate::Error;
use crate::metrics::cosine;

/// A language model that sees a vector, what was written for it and the vector of that, and writes something nearer (in the manner of Vec2text;
/// Morris et al., 2023).
///
/// ```no_run
/// use inkveil_eval::attack::{Base, Corrector, InversionSettings, Inverter, Lessons, Training};
/// use inkveil_nn::Device;
///
/// let base = Base { path: "smollm2".into(), device: Device::Cpu };
/// let settings = InversionSettings::default();
/// let embed = |texts: &[String]| Ok(texts.iter().flat_map(|text| [text.len() as f32, 1.0]).collect());
/// let (seen, others) = (["A cat sleeps.".to_owned()], ["Ships are at sea.".to_owned()]);
/// let training = Training { base: &base, settings: &settings, seed: 1, tell: &|_, _| true };
/// let inverter = Inverter::train(training, Lessons { dim: 2, texts: &seen, rows: &mut |_| embed(&seen) })?;
/// let lessons = Lessons { dim: 2, texts: &others, rows: &mut |_| embed(&others) };
/// let corrector = Corrector::train(training, lessons, &inverter, &embed)?;
/// let vectors = [9.0, 1.0];
/// let written = corrector.correct(&vectors, inverter.invert(&vectors)?, &embed)?;
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
pub struct Corrector {
    writer: Writer,
    dim: usize,
    rounds: usize,
}

impl Corrector {
    /// Learns from sentences and their vectors, and from what the inverter writes for these. The inverter should not have seen them: it would know
    /// them by heart, and nothing would be left to correct.
    ///
    /// # Errors
    /// If the model cannot be read or fails, vectors and sentences do not fit, or it was told to stop.
    pub fn train(
        training: Training<'_>,
        lessons: Lessons<'_>,
        inverter: &Inverter,
        embed: &Embed<'_>,
    ) -> Result<Self, Error> {
        let Lessons { dim, texts, rows } = lessons;
        let first = rows(0)?;
        check(&first, dim, texts.len())?;
        let drafts = inverter.invert(&first)?;
        let near = embed(&drafts)?;
        check(&near, dim, texts.len())?;
        let mut told = told(first, &near, Vec::new());
        let writer = Writer::new(training, dim, &told)?;
        let drafts = drafts.iter().map(|draft| writer.tokens(draft)).collect::<Result<Vec<_>, _>>()?;
        told.drafts = Some(drafts.clone());
        let tokens = texts.iter().map(|text| writer.tokens(text)).collect::<Result<Vec<_>, _>>()?;
        let mut anew = |epoch| Ok(self::told(rows(epoch)?, &near, drafts.clone()));
        writer.learn(&tokens, told, &mut anew, training.tell)?;
        Ok(Self { writer, dim, rounds: training.settings.rounds })
    }

    /// Corrects drafts for vectors, round after round. Of all that was written for a vector, that is kept whose own vector is the nearest.
    ///
    /// # Errors
    /// If the model fails, or there is not one draft for each vector.
    pub fn correct(
        &self,
        rows: &[f32],
        drafts: Vec<String>,
        embed: &Embed<'_>,
    ) -> Result<Vec<String>, Error> {
        check(rows, self.dim, drafts.len())?;
        let (mut best, mut now) = (drafts.clone(), drafts);
        let mut near = embed(&now)?;
        let mut nearest: Vec<f64> = cosines(rows, &near, self.dim);
        for _ in 0..self.rounds {
            let tokens = now.iter().map(|draft| self.writer.tokens(draft)).collect::<Result<Vec<_>, _>>()?;
            let written = self.writer.write(&told(rows.to_vec(), &near, tokens))?;
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

/// The vector, that of the draft, their difference, and the draft.
fn told(rows: Vec<f32>, near: &[f32], drafts: Vec<Vec<u32>>) -> Told {
    let difference = rows.iter().zip(near).map(|(a, b)| a - b).collect();
    Told { vectors: vec![rows, near.to_vec(), difference], drafts: Some(drafts) }
}

fn cosines(a: &[f32], b: &[f32], dim: usize) -> Vec<f64> {
    a.chunks_exact(dim).zip(b.chunks_exact(dim)).map(|(a, b)| cosine(a, b)).collect()
}
