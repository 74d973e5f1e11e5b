//! Learns the mask of a concept from texts in memory.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use inkveil_detect::Span;
use inkveil_files::{Output, hex};
use inkveil_vector::{
    Concept, CorpusNote, EraseSettings, Eraser, FitSettings, LabelSums, Mask, MaskNote, Moments, PairTexts,
    Pairs, fit, label_words,
};

use crate::error::{Error, ErrorKind};
use crate::release::content_of;
use crate::{DEFAULT_PACK, Encoder, names_folder, pack_folder};

/// Learns masks from texts.
#[derive(Debug, Clone)]
pub struct MaskFit {
    /// The pack of the encoder.
    pub pack: String,
    /// How a mask is learnt.
    pub settings: FitSettings,
    /// Whether the texts are public. Receipts say if they were not declared public.
    pub public: bool,
}

impl Default for MaskFit {
    fn default() -> Self {
        Self { pack: DEFAULT_PACK.to_owned(), settings: FitSettings::default(), public: false }
    }
}

impl MaskFit {
    /// Learns the mask of a concept and writes it to a file. `progress` gets the share of the work that is done, from 0
    /// to 1.
    ///
    /// # Errors
    /// If the file exists and may not be replaced, the concept is empty or too rare, a model fails, or the work is
    /// cancelled.
    pub fn run(
        &self,
        concept: &Concept,
        texts: &[&str],
        output: (&Path, bool),
        cancel: &AtomicBool,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Mask, Error> {
        // Opened before learning, so that no result is lost to a file that cannot be written.
        let file = Output::file(output.0, output.1)?;
        let encoder = Encoder::open(&self.pack)?;
        let finder = concept.finder(Some(&names_folder(&pack_folder(&self.pack)?)?))?;
        let found = PairTexts::find(&finder, texts)?;
        let with: Vec<&str> = found.with.iter().map(|&index| texts[index]).collect();
        let without: Vec<&str> = found.without.iter().map(String::as_str).collect();
        let all = (with.len() + without.len()).max(1) as f64;
        // Encoding and learning take about as long as each other.
        let encoded = |before: usize, done: u64| progress(0.5 * (before as f64 + done as f64) / all);
        let positive = encoder.encode(&with, cancel, |done| encoded(0, done))?;
        let negative = encoder.encode(&without, cancel, |done| encoded(with.len(), done))?;
        let pairs = Pairs::from_vectors(encoder.model.width(), positive, negative)?;
        let mut epoch = 0;
        let fitted = fit(&pairs, &self.settings, &mut |_| {
            epoch += 1;
            progress(0.5 + 0.5 * f64::from(epoch) / self.settings.epochs.max(1) as f64);
            !cancel.load(Ordering::Relaxed)
        });
        let fitted = fitted.map_err(|error| match error.kind() {
            inkveil_vector::ErrorKind::Stopped => Error::from(ErrorKind::Cancelled),
            _ => error.into(),
        })?;
        let corpus = CorpusNote {
            sha256: hex::encode(content_of(texts.iter().copied())),
            texts: texts.len(),
            pairs: pairs.len(),
            public: self.public,
        };
        let about = (concept.name.as_str(), concept.summary(), concept.sha256());
        let learnt = Some((self.settings, fitted.curve));
        let note = MaskNote::new((about.0, &about.1, &about.2), encoder.note.clone(), corpus, learnt);
        let mask = Mask { gates: fitted.gates, mean_squares: pairs.mean_squares(), eraser: None, note };
        file.put(&mask.to_bytes()?)?;
        Ok(mask)
    }
}

/// Fits erasers of concepts to texts in memory.
#[derive(Debug, Clone)]
pub struct EraserFit {
    /// How an eraser is fitted.
    pub settings: EraseSettings,
    /// Whether the texts are public. Receipts say if they were not declared public.
    pub public: bool,
}

/// A fitted eraser, with what it was fitted to.
pub struct FittedEraser {
    /// The mask with the eraser.
    pub mask: Mask,
    /// The vectors of the texts, of length 1, row after row. **Private.**
    pub vectors: Vec<f32>,
    /// Where the concept lies in each text.
    pub spans: Vec<Vec<Span>>,
}

impl std::fmt::Debug for FittedEraser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FittedEraser({} texts)", self.spans.len())
    }
}

impl EraserFit {
    /// Fits the eraser of a concept.
    ///
    /// # Errors
    /// If there are too few texts, the concept is empty or too rare, a model fails, or the work is cancelled.
    pub fn run(
        &self,
        encoder: &Encoder,
        pack: &str,
        concept: &Concept,
        texts: &[&str],
        cancel: &AtomicBool,
    ) -> Result<FittedEraser, Error> {
        let finder = concept.finder(Some(&names_folder(&pack_folder(pack)?)?))?;
        let spans = finder.spans(texts)?;
        let dim = encoder.model.width();
        let mut vectors = encoder.encode(texts, cancel, |_| ())?;
        // Vectors are released with length 1, so they are fitted with it.
        for row in vectors.chunks_exact_mut(dim) {
            let length = row.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
            if length > 0.0 {
                row.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
            }
        }
        let (mut moments, mut sums) = (Moments::new(dim), LabelSums::new(dim));
        moments.add(&vectors)?;
        let labels: Vec<Vec<String>> =
            texts.iter().zip(&spans).map(|(text, spans)| label_words(text, spans)).collect();
        sums.add(&vectors, &labels)?;
        let eraser = Eraser::fit(&moments, &sums, &self.settings)?;
        let labelled = usize::try_from(sums.texts()).unwrap_or(usize::MAX);
        let corpus = CorpusNote {
            sha256: hex::encode(content_of(texts.iter().copied())),
            texts: texts.len(),
            pairs: labelled,
            public: self.public,
        };
        let about = (concept.name.as_str(), concept.summary(), concept.sha256());
        let note = MaskNote::new((about.0, &about.1, &about.2), encoder.note.clone(), corpus, None);
        let mask = Mask { gates: Vec::new(), mean_squares: Vec::new(), eraser: Some(eraser), note };
        Ok(FittedEraser { mask, vectors, spans })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::{Kind, Tier};
    use crate::{Epsilon, Veil};

    #[test]
    fn a_mask_is_learnt_from_texts_and_opens_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("email.mask");
        let texts: Vec<String> =
            (0..60).map(|i| format!("Order {i} is late, write to name{i}@example.org about it.")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let concept = Concept::of(vec![Kind::Email], Vec::new(), Vec::new(), Tier::Rules);
        let settings = FitSettings { epochs: 2, ..FitSettings::default() };
        let learn = MaskFit { settings, ..MaskFit::default() };
        let run = |cancel| learn.run(&concept, &texts, (&file, false), &AtomicBool::new(cancel), &|_| {});
        assert!(run(true).unwrap_err().is_cancelled());
        let mask = run(false).unwrap();
        assert!(run(false).is_err(), "the file exists");
        let epsilon = Epsilon::new(100.0).unwrap();
        assert!(Veil::vectors(epsilon).mask(&file).floor(0.1).build(mask.gates.len()).is_ok());
    }
}
