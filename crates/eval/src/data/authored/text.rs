//! Texts with authors before they are drawn.

use std::path::{Path, PathBuf};

use crate::Error;

/// A text with its author. It has no `Debug`, which would print the text.
#[derive(Clone, PartialEq, Eq)]
pub struct AuthoredText {
    /// The author, or an attribute of the author if the set has one.
    pub author: String,
    /// The topic or rating, if it is known.
    pub label: Option<String>,
    /// The text, 8 to 120 words.
    pub text: String,
}

/// Texts, and their files.
pub(super) type FoundTexts = (Vec<AuthoredText>, Vec<PathBuf>);

/// Reads a file as text.
pub(super) fn read_text(file: &Path) -> Result<String, Error> {
    std::fs::read_to_string(file).map_err(|error| Error::io("read the file", error).in_file(file))
}
