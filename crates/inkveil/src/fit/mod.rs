//! Fits masks for concepts: erasers, gates of dimensions, or both.

mod erasing;
mod gates;
mod measured;
mod target;
mod texts;
mod vectors;

use std::sync::atomic::AtomicBool;

use inkveil_nn::Mlp;
use inkveil_vector::{
    Concept, ConceptFinder, CorpusNote, DimensionSensitivity, EraseNote, EraseSettings, FitEpoch,
    FitSettings, Mask, MaskNote, PairCounts,
};

pub use measured::{FitCorpus, measured_veils};
pub use target::FitTarget;
pub use texts::{FitTexts, TextFile, Texts};
pub use vectors::FitVectors;
use vectors::VectorSource;

use crate::error::{Error, ErrorKind};
use crate::{DEFAULT_PACK, Encoder, names_folder, pack_folder};

/// What a fit learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FitMethod {
    /// The directions that tell the words of the concept apart, to be erased.
    Erase,
    /// The dimensions that carry the concept, for noise to follow (SPARSE).
    Mask,
    /// Both.
    Both,
}

impl FitMethod {
    fn erases(self) -> bool {
        self != Self::Mask
    }

    fn masks(self) -> bool {
        self != Self::Erase
    }
}

/// An attacker whose attention shows which dimensions carry a concept. It has no `Debug`, which would print its words.
pub struct WhiteBox {
    /// The network of the attacker.
    pub network: Mlp,
    /// Returns the correct outputs of the attacker for each text with these sensitive spans.
    pub correct_outputs: Box<CorrectOutputs>,
}

/// The correct outputs of an attacker for texts with these sensitive spans.
pub type CorrectOutputs =
    dyn Fn(&[&str], &[Vec<inkveil_detect::Span>]) -> Result<Vec<Vec<usize>>, Error> + Send + Sync;

/// Fits masks for concepts.
pub struct VectorFit {
    /// The pack of the encoder, and of the lists of names that concepts need.
    pub pack: String,
    /// The vectors of the texts, if they were made elsewhere. Gates need an encoder here, because they
    /// compare texts with the same texts without the concept.
    pub vectors: Option<FitVectors>,
    /// What to learn.
    pub method: FitMethod,
    /// How an eraser is fitted.
    pub erase: EraseSettings,
    /// How gates are learnt.
    pub gates: FitSettings,
    /// Learns gates from this attacker instead.
    pub white_box: Option<WhiteBox>,
    /// Whether the texts are public. Receipts say if they were not declared public.
    pub public: bool,
}

impl Default for VectorFit {
    fn default() -> Self {
        Self {
            pack: DEFAULT_PACK.to_owned(),
            vectors: None,
            method: FitMethod::Erase,
            erase: EraseSettings::default(),
            gates: FitSettings::default(),
            white_box: None,
            public: false,
        }
    }
}

impl std::fmt::Debug for VectorFit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VectorFit")
            .field("pack", &self.pack)
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}

/// Something that happened in a fit, for a message or a progress bar.
#[derive(Debug)]
pub enum FitEvent<'a> {
    /// Texts were read and encoded to fit erasers.
    Read {
        /// How many so far.
        texts: u64,
    },
    /// An eraser was fitted.
    Erased {
        /// The name of the concept.
        concept: &'a str,
        /// The number of texts.
        texts: usize,
        /// What the eraser removes.
        note: &'a EraseNote,
    },
    /// The texts with a concept were found.
    Found {
        /// The name of the concept.
        concept: &'a str,
        /// What was found.
        counts: PairCounts,
        /// The number of pairs of a text with and without the concept.
        pairs: usize,
    },
    /// The texts with a label were counted.
    Labelled {
        /// The name of the concept.
        concept: &'a str,
        /// The number of texts with the label.
        with: usize,
        /// The number of texts without it.
        without: usize,
    },
    /// Texts are encoded to learn gates.
    Encoding {
        /// Whether these texts have the concept.
        with_concept: bool,
        /// How many are done.
        done: u64,
        /// How many there are.
        all: u64,
    },
    /// An epoch of learning gates ended.
    Epoch {
        /// The epoch.
        epoch: FitEpoch,
        /// The number of epochs.
        of: usize,
    },
    /// Gates were learnt.
    Learnt {
        /// How much the dimensions with the highest and lowest gates change without the concept.
        sensitivity: Option<DimensionSensitivity>,
        /// The last epoch, unless an attacker was used.
        last: Option<FitEpoch>,
    },
    /// A mask was written.
    Written {
        /// The mask.
        mask: &'a Mask,
        /// Its file.
        path: &'a std::path::Path,
    },
}

/// Receives events.
pub type FitEvents<'a> = dyn FnMut(FitEvent<'_>) + 'a;

impl VectorFit {
    /// Fits a mask for each target and writes it. The texts of a file are read once for all erasers, in bounded memory,
    /// and once more to learn gates.
    ///
    /// # Errors
    /// If texts cannot be read, a concept is empty or too rare, a model fails, or the work is cancelled.
    pub fn run(
        &self,
        targets: Vec<FitTarget>,
        texts: &FitTexts<'_>,
        cancel: &AtomicBool,
        events: &mut FitEvents<'_>,
    ) -> Result<Vec<Mask>, Error> {
        let mut source = VectorSource::open(&self.pack, self.vectors.as_ref())?;
        if self.method.masks() && source.encoder().is_none() {
            let gates = "gates need vectors of the texts without the concept, so their encoder must be here; fit an eraser";
            return Err(ErrorKind::Contradiction(gates).into());
        }
        let sha256 = texts.sha256()?;
        let names = names_folder(&pack_folder(&self.pack)?)?;
        let finders: Vec<ConceptFinder> = targets
            .iter()
            .filter_map(|target| target.concept.as_ref())
            .map(|concept| concept.finder(Some(&names)))
            .collect::<Result<_, _>>()?;
        let sums = match self.method.erases() {
            true => Some(erasing::read(texts, &mut source, &finders, cancel, events)?),
            false => None,
        };
        let read = match self.method.masks() {
            true => Some(texts.read()?),
            false => None,
        };
        let mut masks = Vec::with_capacity(targets.len());
        for (index, target) in targets.into_iter().enumerate() {
            let (mut count, mut pairs) = (0, 0);
            let mut eraser = None;
            if let Some(sums) = &sums {
                let fitted = sums.eraser(index, &self.erase)?;
                (count, pairs) = (sums.texts(), sums.labelled(index));
                events(FitEvent::Erased { concept: &target.name, texts: count, note: &fitted.note });
                eraser = Some(fitted);
            }
            let mut learnt = gates::Gates::default();
            if let (Some(texts), Some(encoder)) = (&read, source.encoder()) {
                let learning = gates::Learning { fit: self, encoder, cancel };
                learnt = match finders.get(index) {
                    Some(finder) => learning.of_concept(&target.name, finder, texts, events)?,
                    None => learning.of_labels(&target.name, texts, events)?,
                };
                (count, pairs) = (texts.texts.len(), learnt.pairs);
            }
            let corpus = CorpusNote { sha256: sha256.clone(), texts: count, pairs, public: self.public };
            let about = (target.name.as_str(), target.summary.as_str(), target.sha256.as_str());
            let note = MaskNote::new(about, source.note().clone(), corpus, learnt.how);
            let mask = Mask { gates: learnt.gates, mean_squares: learnt.mean_squares, eraser, note };
            target.write(&mask, events)?;
            masks.push(mask);
        }
        Ok(masks)
    }
}

impl VectorFit {
    /// Fits the eraser of a concept to texts in memory, with an encoder that is open, and returns its mask. Nothing is
    /// written.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn eraser_of(
        &self,
        encoder: &Encoder,
        concept: &Concept,
        texts: &[&str],
        cancel: &AtomicBool,
    ) -> Result<Mask, Error> {
        let finder = concept.finder(Some(&names_folder(&pack_folder(&self.pack)?)?))?;
        let texts = FitTexts::Memory(texts);
        let sums =
            erasing::read(&texts, &mut VectorSource::Encoder(encoder), &[finder], cancel, &mut |_| ())?;
        let (count, pairs) = (sums.texts(), sums.labelled(0));
        let corpus = CorpusNote { sha256: texts.sha256()?, texts: count, pairs, public: self.public };
        let (summary, sha256) = (concept.summary(), concept.sha256());
        let note = MaskNote::new((&concept.name, &summary, &sha256), encoder.note.clone(), corpus, None);
        let eraser = Some(sums.eraser(0, &self.erase)?);
        Ok(Mask { gates: Vec::new(), mean_squares: Vec::new(), eraser, note })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::{Kind, Tier};
    use crate::{Epsilon, Veil};

    #[test]
    fn masks_are_fitted_on_texts_in_memory_and_open_again() {
        let folder = tempfile::tempdir().unwrap();
        let texts: Vec<String> = (0..60)
            .map(|i| format!("Order {i} is late, write to name{}@example.org about it.", i % 6))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let concept = Concept::of(vec![Kind::Email], Vec::new(), Vec::new(), Tier::Rules);
        for method in [FitMethod::Erase, FitMethod::Mask, FitMethod::Both] {
            let file = folder.path().join(format!("{method:?}.mask"));
            let gates = FitSettings { epochs: 2, ..FitSettings::default() };
            let fit = VectorFit { method, gates, ..VectorFit::default() };
            let run = |cancel| {
                let target = FitTarget::concept(concept.clone(), &file, false)?;
                fit.run(vec![target], &FitTexts::Memory(&texts), &AtomicBool::new(cancel), &mut |_| ())
            };
            assert!(run(true).unwrap_err().is_cancelled());
            let masks = run(false).unwrap();
            assert_eq!((masks[0].eraser.is_some(), masks[0].has_gates()), (method.erases(), method.masks()));
            assert_eq!(masks[0].note.corpus.texts, 60);
            assert!(run(false).is_err(), "the file exists");
            let epsilon = Epsilon::new(100.0).unwrap();
            let veil = Veil::vectors(epsilon).mask(&file);
            // Only noise that follows gates has a floor.
            let veil = if method == FitMethod::Mask { veil.floor(0.1) } else { veil };
            assert!(veil.build(masks[0].dim()).is_ok());
        }
    }
}
