//! The file of a memory: safetensors, with a note about its settings.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use inkveil_nn::EncoderNote;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use super::prototypes::Memory;
use super::settings::MemorySettings;
use super::spread::Spread;
use crate::Error;
use crate::features::Population;

/// The version of the file's layout.
const VERSION: u32 = 1;
/// The key of the note in the file's metadata.
const KEY: &str = "inkveil-memory";
/// The largest size of a memory.
const MOST_BYTES: u64 = 4 << 30;

#[derive(Serialize, Deserialize)]
struct Note {
    version: u32,
    encoder: EncoderNote,
    settings: MemorySettings,
    spread: Spread,
    population: Option<Population>,
}

impl Memory {
    /// Returns the bytes of its file. Equal memories have equal bytes.
    ///
    /// # Errors
    /// If it is too large for the format.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let centroids: Vec<u8> = self.centroids.iter().flat_map(|x| x.to_le_bytes()).collect();
        let weights: Vec<u8> = self.weights.iter().flat_map(|x| x.to_le_bytes()).collect();
        let unfit = |_| Error::setting("this memory cannot be written as a file");
        let texts = match self.texts.iter().any(Option::is_some) {
            true => serde_json::to_vec(&self.texts).unwrap_or_default(),
            false => Vec::new(),
        };
        let view = |dtype, shape, bytes| TensorView::new(dtype, shape, bytes).map_err(unfit);
        let mut tensors = vec![
            ("centroids", view(Dtype::F32, vec![self.len(), self.dim], &centroids)?),
            ("weights", view(Dtype::U64, vec![self.len()], &weights)?),
        ];
        if !texts.is_empty() {
            tensors.push(("texts", view(Dtype::U8, vec![texts.len()], &texts)?));
        }
        let note = Note {
            version: VERSION,
            encoder: self.encoder.clone(),
            settings: self.settings,
            spread: self.spread.clone(),
            population: self.population.clone(),
        };
        let note = serde_json::to_string(&note)
            .map_err(|_| Error::setting("this memory cannot be written as a file"))?;
        safetensors::serialize(tensors, Some(HashMap::from([(KEY.to_owned(), note)]))).map_err(unfit)
    }

    /// Opens a memory file.
    ///
    /// # Errors
    /// If it cannot be read or is not a memory.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let failed = |error: std::io::Error| Error::io("read it", &error).of(path.display());
        let file = File::open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Error::file(path, "it is too large for a memory"));
        }
        Self::from_bytes(&bytes, path)
    }

    /// Reads a memory from the bytes of its file; `path` is named in errors.
    ///
    /// # Errors
    /// If the bytes are not a memory.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, Error> {
        let wrong = |what: &str| Error::file(path, format!("{what}; build the memory again"));
        let no_memory = || wrong("it is not a memory of styles");
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|_| no_memory())?;
        let note = header.metadata().as_ref().and_then(|all| all.get(KEY)).ok_or_else(no_memory)?;
        let note: Note = serde_json::from_str(note).map_err(|_| wrong("its note cannot be read"))?;
        if note.version != VERSION {
            return Err(wrong("it is a memory of another version"));
        }
        let tensors = SafeTensors::deserialize(bytes).map_err(|_| no_memory())?;
        let centroids = tensors.tensor("centroids").map_err(|_| no_memory())?;
        let weights = tensors.tensor("weights").map_err(|_| no_memory())?;
        let &[count, dim] = centroids.shape() else { return Err(no_memory()) };
        if (centroids.dtype(), weights.dtype()) != (Dtype::F32, Dtype::U64) || weights.shape() != [count] {
            return Err(no_memory());
        }
        let texts: Vec<Option<String>> = match tensors.tensor("texts") {
            Ok(texts) => {
                serde_json::from_slice(texts.data()).map_err(|_| wrong("its texts cannot be read"))?
            }
            Err(_) => vec![None; count],
        };
        let numbers = centroids.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let mut memory =
            Memory::new(note.encoder, dim, note.settings).map_err(|_| wrong("its settings are not valid"))?;
        memory.centroids = numbers.collect();
        memory.weights = weights
            .data()
            .chunks_exact(8)
            .map(|b| b.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
            .collect();
        memory.texts = texts;
        memory.spread = note.spread;
        memory.population = note.population;
        match memory.is_sound() {
            true => Ok(memory),
            false => Err(wrong("its numbers are out of range")),
        }
    }

    fn is_sound(&self) -> bool {
        let directed = |row: &[f32]| {
            row.iter().all(|x| x.is_finite() && x.abs() <= 2.0) && row.iter().any(|x| *x != 0.0)
        };
        // Bounded, so that the sum cannot overflow.
        let counted = |weight: &u64| (1..1 << 40).contains(weight);
        self.texts.len() == self.len()
            && self.len() < 1 << 22
            && self.weights.iter().all(counted)
            && self.centroids.chunks_exact(self.dim).all(directed)
            && self.spread.is_sound()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        let encoder = EncoderNote { name: "toy".into(), sha256: Some("ab".into()) };
        let mut memory = Memory::new(encoder, 2, MemorySettings::default()).unwrap();
        memory.add(&[1.0, 0.0, 1.0, 0.01, 0.0, 1.0], Some(&["one", "two", "three"])).unwrap();
        memory.observe(&[1.0, 0.0, 1.0, 0.01, 0.0, 1.0]).unwrap();
        memory
    }

    #[test]
    fn a_memory_can_be_written_and_read_with_and_without_texts() {
        for memory in [memory(), memory().without_texts()] {
            let bytes = memory.to_bytes().unwrap();
            assert!(Memory::from_bytes(&bytes, Path::new("m")).unwrap() == memory);
            assert_eq!(bytes, memory.to_bytes().unwrap());
        }
    }

    #[test]
    fn other_bytes_are_refused_without_a_panic() {
        let bytes = memory().to_bytes().unwrap();
        for length in 0..bytes.len() {
            assert!(Memory::from_bytes(&bytes[..length], Path::new("m")).is_err());
        }
        let mut broken = memory();
        broken.weights[0] = 0;
        let error = Memory::from_bytes(&broken.to_bytes().unwrap(), Path::new("m.memory")).unwrap_err();
        assert!(error.to_string().starts_with("m.memory: its numbers are out of range"), "{error}");
        let mut broken = memory();
        broken.centroids[0] = f32::NAN;
        assert!(Memory::from_bytes(&broken.to_bytes().unwrap(), Path::new("m")).is_err());
    }
}
