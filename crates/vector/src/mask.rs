//! The file of a mask: safetensors, with a note on how it was learnt.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use inkveil_nn::EncoderNote;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use crate::{Error, FitEpoch, FitSettings, sigma};

/// The version of the file's layout.
const VERSION: u32 = 1;
/// The key of the note in the file's metadata.
const KEY: &str = "inkveil-mask";
/// The largest size of a mask: 2²⁴ dimensions of two numbers each.
const MOST_BYTES: u64 = 130 << 20;

/// Which dimensions of an encoder's vectors carry a concept, and how the mask was learnt.
///
/// A mask reveals something about the texts it was learnt from. Learn it from public texts, or with
/// the consent of their owners. The note has the checksum of the corpus and says whether the user
/// declared it public. Receipts of releases with the mask repeat both.
#[derive(Debug, Clone, PartialEq)]
pub struct Mask {
    /// A gate for each dimension, from 0 (no concept) to 1.
    pub gates: Vec<f32>,
    /// The mean square of each dimension over the vectors it was learnt from.
    pub mean_squares: Vec<f32>,
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
        Self { version: VERSION, concept, summary, concept_sha256, encoder, corpus, settings, curve }
    }
}

impl Mask {
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
        let own = self.gates.len();
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
    /// If the numbers of gates and mean squares differ.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let bytes = |values: &[f32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let (gates, mean_squares) = (bytes(&self.gates), bytes(&self.mean_squares));
        let unfit = |_| Error::shape("a mask needs one gate and one mean square for each dimension");
        let view = |bytes| TensorView::new(Dtype::F32, vec![self.gates.len()], bytes).map_err(unfit);
        let tensors = [("gates", view(&gates)?), ("mean_squares", view(&mean_squares)?)];
        let note = serde_json::to_string(&self.note)
            .map_err(|_| Error::shape("the mask's note cannot be written"))?;
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
        let note: MaskNote = serde_json::from_str(note).map_err(|_| wrong("its note cannot be read"))?;
        if note.version != VERSION {
            return Err(wrong("it is a mask of another version"));
        }
        let tensors = SafeTensors::deserialize(bytes).map_err(|_| no_mask())?;
        let values = |name: &str| -> Result<Vec<f32>, Error> {
            let view = tensors.tensor(name).map_err(|_| no_mask())?;
            if view.dtype() != Dtype::F32 || view.shape().len() != 1 {
                return Err(no_mask());
            }
            let numbers = view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            Ok(numbers.collect())
        };
        let (gates, mean_squares) = (values("gates")?, values("mean_squares")?);
        let sound = !gates.is_empty()
            && gates.len() == mean_squares.len()
            && gates.iter().all(|gate| (0.0..=1.0).contains(gate))
            && mean_squares.iter().all(|square| *square >= 0.0 && square.is_finite());
        if !sound {
            return Err(wrong("its numbers are out of range"));
        }
        Ok(Self { gates, mean_squares, note })
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
        Mask { gates: vec![0.0, 0.25, 1.0], mean_squares: vec![0.1, 0.2, 0.3], note }
    }

    #[test]
    fn a_mask_can_be_written_and_read() {
        let bytes = mask().to_bytes().unwrap();
        assert_eq!(Mask::from_bytes(&bytes, Path::new("m")).unwrap(), mask());
        assert_eq!(bytes, mask().to_bytes().unwrap());
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
