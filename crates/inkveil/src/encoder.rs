//! A sentence encoder, and the note beside a vector file that says which encoder made it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use inkveil_nn::SentenceEncoder;
use inkveil_pack::{MANIFEST, Manifest};
use inkveil_vector::EncoderNote;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::pack_folder;

/// The file of an encoder's weights, if they are in one file.
const WEIGHTS: &str = "model.safetensors";

/// Texts that are encoded at once: a few seconds of work.
const BATCH: usize = 2048;

/// A sentence encoder and its identity.
pub struct Encoder {
    /// The model.
    pub model: SentenceEncoder,
    /// Its name and the checksum of its weights.
    pub note: EncoderNote,
}

impl Encoder {
    /// Opens the encoder of a pack: a name, or a folder.
    ///
    /// # Errors
    /// If there is no such pack or it has no encoder.
    pub fn open(pack: &str) -> Result<Self, Error> {
        let folder = pack_folder(pack)?;
        let model = SentenceEncoder::open(&folder)?;
        Ok(Self { model, note: encoder_note(pack)? })
    }

    /// Encodes texts, one vector after the other. `progress` gets the number of finished texts.
    ///
    /// # Errors
    /// If the model fails or the work is cancelled.
    pub fn encode(
        &self,
        texts: &[&str],
        cancel: &AtomicBool,
        mut progress: impl FnMut(u64),
    ) -> Result<Vec<f32>, Error> {
        let mut vectors = Vec::with_capacity(texts.len() * self.model.width());
        let mut done = 0;
        for batch in texts.chunks(BATCH) {
            if cancel.load(Ordering::Relaxed) {
                return Err(ErrorKind::Cancelled.into());
            }
            vectors.extend(self.model.encode(batch)?.into_iter().flatten());
            done += batch.len() as u64;
            progress(done);
        }
        Ok(vectors)
    }
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Encoder({})", self.note.name)
    }
}

/// The identity of a pack's encoder: its name and its weights. Other files of the pack may change.
///
/// # Errors
/// If there is no such pack.
pub fn encoder_note(pack: &str) -> Result<EncoderNote, Error> {
    let folder = pack_folder(pack)?;
    let manifest = folder.join(MANIFEST);
    let sha256 = match manifest.is_file() {
        false => None,
        true => Some(match Manifest::read(&folder)?.files().iter().find(|file| file.path == WEIGHTS) {
            Some(weights) => weights.sha256.to_string(),
            // Weights in several files: the manifest has the checksums of all of them.
            None => inkveil_files::Sha256Sum::of_file(&manifest)?.to_string(),
        }),
    };
    let name = folder.file_name().map_or_else(|| pack.to_owned(), |name| name.to_string_lossy().into_owned());
    Ok(EncoderNote { name, sha256 })
}

/// The note beside a vector file: which encoder made the vectors.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VectorFileNote {
    /// The encoder.
    pub encoder: EncoderNote,
    /// The dimension of the vectors.
    pub dimension: usize,
    /// The number of vectors.
    pub rows: u64,
}

impl VectorFileNote {
    /// The path of the note of a vector file.
    pub fn path(vectors: &Path) -> PathBuf {
        let mut name = vectors.as_os_str().to_owned();
        name.push(".encoder.json");
        name.into()
    }

    /// Reads the note of a vector file, if there is one.
    ///
    /// # Errors
    /// If the note cannot be read.
    pub fn find(vectors: &Path) -> Result<Option<Self>, Error> {
        let path = Self::path(vectors);
        if !path.is_file() {
            return Ok(None);
        }
        let damaged = || Error::from(ErrorKind::DamagedNote { path: path.clone() });
        let text = std::fs::read_to_string(&path).map_err(|_| damaged())?;
        serde_json::from_str(&text).map(Some).map_err(|_| damaged())
    }

    /// Writes the note of a vector file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, vectors: &Path) -> Result<(), Error> {
        let json = serde_json::to_string_pretty(self).map_err(|_| ErrorKind::Bug("a note is not JSON"))?;
        Ok(inkveil_files::write_atomically(&Self::path(vectors), json.as_bytes(), true)?)
    }
}
