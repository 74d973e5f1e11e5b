//! The sentence encoder, and the note that says which one made a file of vectors.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, ensure};
use inkveil_nn::SentenceEncoder;
use inkveil_pack::{MANIFEST, Manifest};
use inkveil_vector::EncoderNote;
use serde::{Deserialize, Serialize};

use crate::{digest, progress};
use inkveil_pack::pack_folder;

/// The file of an encoder's weights, where they are in one.
const WEIGHTS: &str = "model.safetensors";

/// An encoder and what names it.
pub(super) struct Encoder {
    pub(super) model: SentenceEncoder,
    pub(super) note: EncoderNote,
}

impl Encoder {
    pub(super) fn open(pack: &str) -> anyhow::Result<Self> {
        let folder = pack_folder(pack)?;
        let model = SentenceEncoder::open(&folder)?;
        Ok(Self { model, note: note(pack, &folder)? })
    }

    /// The vectors of texts, one after the other, with a bar.
    pub(super) fn encode(
        &self,
        texts: &[&str],
        what: &str,
        quiet: bool,
        cancel: &AtomicBool,
    ) -> anyhow::Result<Vec<f32>> {
        let template = format!("{what} {{bar:30}} {{human_pos}}/{{human_len}} texts  {{eta}} left");
        let bar = progress::bar(Some(texts.len() as u64), &template, quiet);
        let mut vectors = Vec::with_capacity(texts.len() * self.model.width());
        // Some seconds of work at a time, so that an interruption is noticed.
        for batch in texts.chunks(2048) {
            if cancel.load(Ordering::Relaxed) {
                return Err(inkveil_io::Error::from(inkveil_io::ErrorKind::Cancelled).into());
            }
            vectors.extend(self.model.encode(batch)?.into_iter().flatten());
            bar.inc(batch.len() as u64);
        }
        bar.finish_and_clear();
        Ok(vectors)
    }
}

/// What names the encoder in a folder: its weights, so that it stays the same encoder when something is added to its pack.
pub(super) fn note(pack: &str, folder: &Path) -> anyhow::Result<EncoderNote> {
    let manifest = folder.join(MANIFEST);
    let sha256 = match manifest.is_file() {
        false => None,
        true => Some(match Manifest::read(folder)?.files().iter().find(|file| file.path == WEIGHTS) {
            Some(weights) => weights.sha256.to_string(),
            // In several parts: the manifest has the checksums of all of them.
            None => digest::of_file(&manifest)?,
        }),
    };
    let name = folder.file_name().map_or_else(|| pack.to_owned(), |name| name.to_string_lossy().into_owned());
    Ok(EncoderNote { name, sha256 })
}

/// What lies beside a file of vectors: who made them.
#[derive(Serialize, Deserialize)]
pub(super) struct SourceNote {
    pub(super) encoder: EncoderNote,
    pub(super) dimension: usize,
    pub(super) rows: u64,
}

impl SourceNote {
    /// Where the note of a file of vectors lies.
    pub(super) fn path(vectors: &Path) -> PathBuf {
        let mut name = vectors.as_os_str().to_owned();
        name.push(".encoder.json");
        name.into()
    }

    /// The note of a file of vectors, if there is one.
    pub(super) fn find(vectors: &Path) -> anyhow::Result<Option<Self>> {
        let path = Self::path(vectors);
        if !path.is_file() {
            return Ok(None);
        }
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let note = serde_json::from_str(&text).ok();
        note.map(Some).with_context(|| format!("{}: not a note of `inkveil vector embed`", path.display()))
    }
}

/// That a mask was learnt on the encoder that made the vectors.
pub(super) fn check_same(mask: &EncoderNote, vectors: &EncoderNote, file: &Path) -> anyhow::Result<()> {
    ensure!(
        mask.is(vectors),
        "{}: learnt on the encoder {}, but {} made the vectors; the dimensions of one mean nothing in the other: \
         fit a mask with --pack {}",
        file.display(),
        mask.name,
        vectors.name,
        vectors.name
    );
    Ok(())
}
