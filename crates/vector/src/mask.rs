//! The file of a mask: safetensors, with a note on how it was learnt.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use inkveil_nn::EncoderNote;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use crate::{EraseNote, Eraser, Error, FitEpoch, FitSettings, MeasuredErasure, sigma};

/// The version of the layout of a file with gates alone.
const GATES: u32 = 1;
/// The version of the layout of a file with an eraser, with or without gates.
const ERASER: u32 = 2;
/// The version of the layout of a file with an eraser that was measured, with or without gates.
const MEASURED: u32 = 3;
/// The key of the note in the file's metadata.
const KEY: &str = "inkveil-mask";
/// The largest size of a mask: 2²⁴ dimensions of two numbers each, or an eraser of 4,000 dimensions.
const MOST_BYTES: u64 = 130 << 20;

/// Where a concept lies in an encoder's vectors: which dimensions carry it (gates), which directions
/// tell its words apart (an eraser), or both. And how this was learnt.
///
/// A mask reveals something about the texts it was learnt from. Learn it from public texts, or with
/// the consent of their owners. The note has the checksum of the corpus and says whether the user
/// declared it public. Receipts of releases with the mask repeat both.
#[derive(Debug, Clone, PartialEq)]
pub struct Mask {
    /// A gate for each dimension, from 0 (no concept) to 1. Empty in a mask that only erases.
    pub gates: Vec<f32>,
    /// The mean square of each dimension over the vectors it was learnt from. Empty without gates.
    pub mean_squares: Vec<f32>,
    /// The eraser of the concept.
    pub eraser: Option<Eraser>,
    /// How it was learnt.
    pub note: MaskNote,
}

/// How a mask was learnt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MaskNote {
    /// The version of the file's layout.
    version: u32,
    /// The concept's name.
    pub concept: String,
    /// A short description of the concept.
    pub summary: String,
    /// The checksum of the concept's kinds, words and patterns.
    pub concept_sha256: String,
    /// The encoder of its vectors.
    pub encoder: EncoderNote,
    /// The corpus it was learnt from.
    pub corpus: CorpusNote,
    /// The settings, if gates were learnt.
    pub settings: Option<FitSettings>,
    /// The epochs, if gates were learnt.
    pub curve: Vec<FitEpoch>,
    /// How the eraser was fitted, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    erasing: Option<EraseNote>,
    /// What attackers find behind the eraser, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredErasure>,
}

/// The corpus of texts or vectors that a mask was learnt from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusNote {
    /// The checksum of its file.
    pub sha256: String,
    /// The number of texts.
    pub texts: usize,
    /// The number of texts that the mask was learnt from.
    pub pairs: usize,
    /// Whether the user declared that the texts are public.
    pub public: bool,
}

impl CorpusNote {
    /// Returns the corpus as receipts name it.
    pub fn described(&self) -> String {
        let declared = if self.public { "declared public" } else { "not declared public" };
        format!("sha256 {}, {declared}", self.sha256.escape_debug())
    }
}

impl MaskNote {
    /// Returns a note on how a mask was learnt.
    pub fn new(
        concept: (&str, &str, &str),
        encoder: EncoderNote,
        corpus: CorpusNote,
        learnt: Option<(FitSettings, Vec<FitEpoch>)>,
    ) -> Self {
        let (concept, summary, concept_sha256) = (concept.0.into(), concept.1.into(), concept.2.into());
        let (settings, curve) =
            learnt.map_or((None, Vec::new()), |(settings, curve)| (Some(settings), curve));
        Self {
            version: GATES,
            concept,
            summary,
            concept_sha256,
            encoder,
            corpus,
            settings,
            curve,
            erasing: None,
            measured: None,
        }
    }

    /// The version of a file with this note, or none if a part of it lacks another.
    fn of_version(&self) -> Option<u32> {
        match (&self.erasing, &self.measured) {
            (None, None) => Some(GATES),
            (Some(_), None) => Some(ERASER),
            (Some(_), Some(_)) => Some(MEASURED),
            (None, Some(_)) => None,
        }
    }
}

impl Mask {
    /// Returns the dimension of the vectors it is for.
    pub fn dim(&self) -> usize {
        self.eraser.as_ref().map_or(self.gates.len(), Eraser::dim)
    }

    /// Returns whether it has gates, so that noise can follow it.
    pub fn has_gates(&self) -> bool {
        !self.gates.is_empty()
    }

    /// Returns the share of dimensions with an open gate.
    pub fn open_share(&self) -> f64 {
        self.gates.iter().filter(|gate| **gate > 0.0).count() as f64 / self.gates.len().max(1) as f64
    }

    /// Returns the dimensions with the highest gates, highest first.
    pub fn strongest(&self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.gates.len()).collect();
        order.sort_by(|&a, &b| self.gates[b].total_cmp(&self.gates[a]));
        order.truncate(count);
        order
    }

    /// Returns the factor by which ε grows from Mahalanobis to Euclidean distance, for noise of this mask with a
    /// [floor](sigma); none if the floor is out of range.
    pub fn euclidean_factor(&self, floor: f64) -> Option<f64> {
        let least = sigma(&self.gates, floor).ok()?.into_iter().fold(f64::INFINITY, f64::min);
        Some(least.sqrt().recip())
    }

    /// Checks that the mask is for vectors of this dimension; `path` is named in the error.
    ///
    /// # Errors
    /// If it has another dimension.
    pub fn of_dimension(self, dim: usize, path: &Path) -> Result<Self, Error> {
        let own = self.dim();
        if own == dim {
            return Ok(self);
        }
        let encoder = &self.note.encoder.name;
        Err(Error::mask(
            path,
            format!(
                "the mask has {own} dimensions (encoder {encoder}), but the vectors have {dim}; fit a mask on vectors of their encoder"
            ),
        ))
    }

    /// Returns the bytes of its file. Equal masks have equal bytes.
    ///
    /// # Errors
    /// If the numbers of gates and mean squares differ, or there is a measurement and no eraser.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let bytes = |values: &[f32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let (gates, mean_squares) = (bytes(&self.gates), bytes(&self.mean_squares));
        let unfit = |_| Error::shape("a mask needs one gate and one mean square for each dimension");
        let view = |bytes, shape: Vec<usize>| TensorView::new(Dtype::F32, shape, bytes).map_err(unfit);
        let mut tensors = Vec::new();
        if self.has_gates() || self.eraser.is_none() {
            let shape = || vec![self.gates.len()];
            tensors =
                vec![("gates", view(&gates, shape())?), ("mean_squares", view(&mean_squares, shape())?)];
        }
        let mut note = self.note.clone();
        let parts = self.eraser.as_ref().map(|eraser| {
            [("mean", &eraser.mean), ("covariance", &eraser.covariance), ("span", &eraser.span)]
                .map(|(name, values)| (name, bytes(values)))
        });
        if let (Some(eraser), Some(parts)) = (&self.eraser, &parts) {
            note.erasing = Some(eraser.note.clone());
            let (dim, directions) = (eraser.dim(), eraser.directions());
            for ((name, bytes), shape) in parts.iter().zip([vec![dim], vec![dim, dim], vec![directions, dim]])
            {
                tensors.push((*name, view(bytes, shape)?));
            }
        }
        note.version =
            note.of_version().ok_or_else(|| Error::shape("only an eraser can have a measurement"))?;
        let note =
            serde_json::to_string(&note).map_err(|_| Error::shape("the mask's note cannot be written"))?;
        safetensors::serialize(tensors, Some(HashMap::from([(KEY.to_owned(), note)]))).map_err(unfit)
    }

    /// Opens a mask file.
    ///
    /// # Errors
    /// If it cannot be read or is not a mask.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let failed = |error: std::io::Error| Error::io("read it", &error).in_file(path);
        let file = File::open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Error::mask(path, "it is too large for a mask"));
        }
        Self::from_bytes(&bytes, path)
    }

    /// Reads a mask from the bytes of its file; `path` is named in errors.
    ///
    /// # Errors
    /// If the bytes are not a mask.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, Error> {
        let wrong = |what: &str| Error::mask(path, format!("{what}; fit the mask again"));
        let no_mask = || wrong("it is not a mask");
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|_| no_mask())?;
        let note = header.metadata().as_ref().and_then(|all| all.get(KEY)).ok_or_else(no_mask)?;
        let mut note: MaskNote = serde_json::from_str(note).map_err(|_| wrong("its note cannot be read"))?;
        if note.of_version() != Some(note.version) {
            return Err(wrong("it is a mask of another version"));
        }
        let tensors = SafeTensors::deserialize(bytes).map_err(|_| no_mask())?;
        let values = |name: &str, axes: usize| -> Result<Vec<f32>, Error> {
            let view = tensors.tensor(name).map_err(|_| no_mask())?;
            if view.dtype() != Dtype::F32 || view.shape().len() != axes {
                return Err(no_mask());
            }
            let numbers = view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            Ok(numbers.collect())
        };
        let eraser = match note.erasing.take() {
            None => None,
            Some(erasing) => Some(Eraser {
                mean: values("mean", 1)?,
                covariance: values("covariance", 2)?,
                span: values("span", 2)?,
                note: erasing,
            }),
        };
        let (gates, mean_squares) = match tensors.tensor("gates").is_err() && eraser.is_some() {
            true => (Vec::new(), Vec::new()),
            false => (values("gates", 1)?, values("mean_squares", 1)?),
        };
        let fits = |eraser: &Eraser| eraser.is_sound() && (gates.is_empty() || gates.len() == eraser.dim());
        let sound = (!gates.is_empty() || eraser.is_some())
            && eraser.as_ref().is_none_or(fits)
            && note.measured.as_ref().is_none_or(MeasuredErasure::is_sound)
            && gates.len() == mean_squares.len()
            && gates.iter().all(|gate| (0.0..=1.0).contains(gate))
            && mean_squares.iter().all(|square| *square >= 0.0 && square.is_finite());
        if !sound {
            return Err(wrong("its numbers are out of range"));
        }
        note.version = GATES;
        Ok(Self { gates, mean_squares, eraser, note })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask() -> Mask {
        let encoder = EncoderNote { name: "en".into(), sha256: Some("ab".into()) };
        let corpus = CorpusNote { sha256: "cd".into(), texts: 10, pairs: 4, public: true };
        let epoch = FitEpoch { number: 1, loss: 0.5, open: 0.25, accuracy: Some(0.75) };
        let learnt = Some((FitSettings::default(), vec![epoch]));
        let note = MaskNote::new(("people", "person", "ef"), encoder, corpus, learnt);
        Mask { gates: vec![0.0, 0.25, 1.0], mean_squares: vec![0.1, 0.2, 0.3], eraser: None, note }
    }

    /// A mask that erases the first of three directions.
    fn eraser() -> Mask {
        let note = EraseNote {
            settings: crate::EraseSettings::default(),
            labels: 2,
            labelled_texts: 30,
            concept_removed: 0.9,
            spread_removed: 0.1,
            directions: vec![(0.9, 0.1)],
        };
        let covariance = vec![0.3, 0.1, 0.0, 0.1, 0.2, 0.0, 0.0, 0.0, 0.1];
        let eraser = Eraser { mean: vec![0.1; 3], covariance, span: vec![1.0, 0.0, 0.0], note };
        Mask { gates: Vec::new(), mean_squares: Vec::new(), eraser: Some(eraser), ..mask() }
    }

    #[test]
    fn a_mask_can_be_written_and_read() {
        let bytes = mask().to_bytes().unwrap();
        assert_eq!(Mask::from_bytes(&bytes, Path::new("m")).unwrap(), mask());
        assert_eq!(bytes, mask().to_bytes().unwrap());
    }

    #[test]
    fn erasers_can_be_written_and_read_with_gates_and_without() {
        let both = Mask { gates: mask().gates, mean_squares: mask().mean_squares, ..eraser() };
        for mask in [eraser(), both] {
            let bytes = mask.to_bytes().unwrap();
            assert_eq!(Mask::from_bytes(&bytes, Path::new("m")).unwrap(), mask);
            assert_eq!(mask.dim(), 3);
            for length in 0..bytes.len() {
                assert!(Mask::from_bytes(&bytes[..length], Path::new("m.mask")).is_err());
            }
        }
        // A file of an older version has no eraser.
        assert!(!String::from_utf8_lossy(&mask().to_bytes().unwrap()).contains("erasing"));
        let broken = |change: fn(&mut Eraser)| {
            let mut mask = eraser();
            change(mask.eraser.as_mut().unwrap());
            mask.to_bytes().and_then(|bytes| Mask::from_bytes(&bytes, Path::new("m.mask"))).is_err()
        };
        assert!(broken(|eraser| eraser.covariance[1] = 0.5), "not symmetric");
        assert!(broken(|eraser| eraser.span[0] = f32::NAN));
        assert!(broken(|eraser| eraser.span.extend([0.0; 6])), "nothing is left");
        assert!(broken(|eraser| eraser.note.settings.rho = -1.0));
        assert!(broken(|eraser| eraser.mean.truncate(2)));
    }

    /// An eraser that was measured.
    fn measured() -> Mask {
        let mut mask = eraser();
        mask.note.measured = Some(crate::measured::tests::measured());
        mask
    }

    /// Files that were written before there were measurements, and one with a measurement, byte by byte.
    #[test]
    fn files_of_every_version_are_read_and_written_alike() {
        for (file, mask) in [
            (&include_bytes!("golden/gates-1.mask")[..], mask()),
            (include_bytes!("golden/eraser-2.mask"), eraser()),
            (include_bytes!("golden/measured-3.mask"), measured()),
        ] {
            assert_eq!(Mask::from_bytes(file, Path::new("m")).unwrap(), mask);
            assert_eq!(String::from_utf8_lossy(&mask.to_bytes().unwrap()), String::from_utf8_lossy(file));
        }
    }

    #[test]
    fn a_measurement_belongs_to_an_eraser_and_to_its_version() {
        let gates = Mask { note: measured().note, ..mask() };
        assert!(gates.to_bytes().unwrap_err().to_string().contains("only an eraser"));
        let file = String::from_utf8(measured().to_bytes().unwrap()[8..900].to_vec()).unwrap();
        assert!(file.contains(r#"{\"version\":3"#), "{file}");
        let bytes = measured().to_bytes().unwrap();
        let older = replaced(&bytes, br#"\"version\":3"#, br#"\"version\":2"#);
        let error = Mask::from_bytes(&older, Path::new("m.mask")).unwrap_err().to_string();
        assert!(error.contains("another version"), "{error}");
        let above_one = replaced(&bytes, br#"\"guessing\":0.0625"#, br#"\"guessing\":9.0625"#);
        let error = Mask::from_bytes(&above_one, Path::new("m.mask")).unwrap_err().to_string();
        assert!(error.contains("out of range"), "{error}");
    }

    fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
        let at = bytes.windows(old.len()).position(|part| part == old).unwrap();
        [&bytes[..at], new, &bytes[at + old.len()..]].concat()
    }

    #[test]
    fn a_description_has_a_table_of_what_was_measured() {
        let words = measured().in_words(100);
        for line in [
            "  measured      on 120 held-out texts with 8 words (in 10 texts or more), 100 axes, seed 1",
            "         clear    75.0 %    81.2 %       1.000  mlc",
            "            50    12.5 %    18.8 %       0.250  bayes",
            "           inf    14.1 %    21.9 %       0.875  bayes",
            "      guessing     6.2 %",
        ] {
            assert!(words.lines().any(|one| one == line), "{line}\n{words}");
        }
        assert!(!eraser().in_words(100).contains("measured"));
    }

    #[test]
    fn other_bytes_are_refused_without_a_panic() {
        let bytes = mask().to_bytes().unwrap();
        for length in 0..bytes.len() {
            assert!(Mask::from_bytes(&bytes[..length], Path::new("m.mask")).is_err());
        }
        let mut broken = mask();
        broken.gates[0] = 2.0;
        let error = Mask::from_bytes(&broken.to_bytes().unwrap(), Path::new("m.mask")).unwrap_err();
        assert!(error.to_string().starts_with("m.mask: its numbers are out of range"), "{error}");
        broken.gates.pop();
        assert!(broken.to_bytes().is_err());
    }
}
