//! The encoder of the style tools, and what they share.

use std::path::{Path, PathBuf};

use clap::Args;
use inkveil_style::StyleEncoder;

#[derive(Debug, Args)]
pub(super) struct EncoderArgs {
    /// The folder of the pack with the encoder and its style weights
    #[arg(long, value_name = "FOLDER", default_value = "models/en")]
    pub(super) pack: PathBuf,

    /// Other style weights
    #[arg(long, value_name = "FILE")]
    style: Option<PathBuf>,

    /// The number of words that texts are cut to
    #[arg(long, value_name = "N", default_value_t = 150)]
    pub(super) words: usize,
}

impl EncoderArgs {
    pub(super) fn encoder(&self) -> anyhow::Result<StyleEncoder> {
        match &self.style {
            Some(file) => self.with_weights(file),
            None => Ok(StyleEncoder::open(&self.pack)?),
        }
    }

    pub(super) fn with_weights(&self, file: &Path) -> anyhow::Result<StyleEncoder> {
        Ok(StyleEncoder::with_weights(&self.pack, file)?)
    }
}

/// The first words of a text.
pub(super) fn cut(text: &str, words: usize) -> &str {
    let end = text.match_indices(char::is_whitespace).nth(words.saturating_sub(1));
    end.map_or(text, |(at, _)| &text[..at])
}

/// The name of a corpus in tables.
pub(super) fn name(file: &Path) -> String {
    file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}
