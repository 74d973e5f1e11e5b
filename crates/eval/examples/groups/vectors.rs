//! Sentences to unit vectors, kept on disk between runs.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use inkveil_nn::SentenceEncoder;
use sha2::{Digest, Sha256};

use crate::Outcome;
use crate::options::Options;

pub(crate) struct Encoder {
    encoder: SentenceEncoder,
    /// Names the model.
    digest: String,
    cache: Option<PathBuf>,
}

impl Encoder {
    pub(crate) fn new(options: &Options) -> Outcome<Self> {
        if let Some(cache) = &options.cache {
            fs::create_dir_all(cache)?;
        }
        Ok(Self {
            encoder: SentenceEncoder::open(&options.pack)?,
            digest: model_digest(&options.pack)?,
            cache: options.cache.clone(),
        })
    }

    pub(crate) fn dim(&self) -> usize {
        self.encoder.width()
    }

    /// Names the vectors of these texts.
    pub(crate) fn key(&self, texts: &[String]) -> Outcome<String> {
        Ok(sha256(std::iter::once(self.digest.as_bytes()).chain(texts.iter().map(String::as_bytes))))
    }

    /// The unit vectors of texts, row after row.
    pub(crate) fn vectors(&self, texts: &[String]) -> Outcome<Vec<f32>> {
        let Some(folder) = &self.cache else { return self.encode(texts) };
        let path = folder.join(format!("{}.f32", self.key(texts)?));
        let length = texts.len() * self.dim() * size_of::<f32>();
        match fs::read(&path) {
            Ok(bytes) if bytes.len() == length => {
                let numbers = bytes.as_chunks::<4>().0;
                Ok(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
            }
            _ => {
                let vectors = self.encode(texts)?;
                let bytes: Vec<u8> = vectors.iter().flat_map(|x| x.to_le_bytes()).collect();
                // Under its name whole or not at all.
                let mut file = tempfile::NamedTempFile::new_in(folder)?;
                file.write_all(&bytes)?;
                file.persist(&path)?;
                Ok(vectors)
            }
        }
    }

    fn encode(&self, texts: &[String]) -> Outcome<Vec<f32>> {
        let views: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut vectors = Vec::with_capacity(texts.len() * self.dim());
        for vector in self.encoder.encode(&views)? {
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            vectors.extend(vector.iter().map(|x| x / length));
        }
        match vectors.iter().all(|x| x.is_finite()) {
            true => Ok(vectors),
            false => Err("a sentence has no direction; this model does not suit".into()),
        }
    }
}

/// A manifest has the hashes of all files; without one the weights speak for themselves.
fn model_digest(pack: &Path) -> Outcome<String> {
    let manifest = pack.join("manifest.json");
    let file = if manifest.exists() { manifest } else { pack.join("model.safetensors") };
    let bytes = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(sha256([bytes]))
}

/// Of parts, each with its length before it, so that where one ends is not open to doubt.
pub(crate) fn sha256(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.as_ref().len() as u64).to_le_bytes());
        hash.update(part.as_ref());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
