//! The style encoder and the memory, named by flags or from the pack.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use inkveil::style::{Memory, StyleEncoder};

use crate::args::{EncoderArgs, StyleTools};
use inkveil::pack_folder;

/// The memory of a pack.
const MEMORY: &str = "style.memory";
/// The style weights of a pack.
const WEIGHTS: &str = "style.safetensors";

pub(super) fn encoder(args: &EncoderArgs) -> anyhow::Result<StyleEncoder> {
    let pack = pack_folder(&args.pack)?;
    match &args.encoder {
        Some(path) if path.is_dir() => Ok(StyleEncoder::open(path)?),
        Some(file) => {
            ensure!(file.is_file(), "{}: no such file", file.display());
            Ok(StyleEncoder::with_weights(&pack, file)?)
        }
        None => {
            ensure!(
                pack.join(WEIGHTS).is_file(),
                "the pack {} has no style encoder; use the pack `en`, or name one with --encoder",
                args.pack
            );
            Ok(StyleEncoder::open(&pack)?)
        }
    }
}

/// Returns the file of a memory: the one named, or that of the pack.
pub(super) fn memory_file(named: Option<&Path>, pack: &str) -> anyhow::Result<PathBuf> {
    match named {
        Some(file) => Ok(file.to_owned()),
        None => {
            let file = pack_folder(pack)?.join(MEMORY);
            ensure!(
                file.is_file(),
                "the pack {pack} has no memory of styles; build one with `inkveil style memory build` and name it with --memory"
            );
            Ok(file)
        }
    }
}

/// Opens an encoder and a memory that was made with it.
pub(super) fn open(args: &StyleTools) -> anyhow::Result<(StyleEncoder, Memory)> {
    let file = memory_file(args.memory.as_deref(), &args.encoder.pack)?;
    let (encoder, memory) = rayon::join(|| encoder(&args.encoder), || Memory::open(&file));
    let (encoder, memory) = (encoder?, memory?);
    memory.check_encoder(encoder.note()).with_context(|| file.display().to_string())?;
    Ok((encoder, memory))
}

/// The style encoder and the memory that the options name.
pub(super) fn models(args: &StyleTools) -> inkveil::StyleModels {
    inkveil::StyleModels {
        pack: args.encoder.pack.clone(),
        encoder: args.encoder.encoder.clone(),
        memory: args.memory.clone(),
    }
}
