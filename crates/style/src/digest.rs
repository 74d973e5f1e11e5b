//! Checksums of files, which identify encoders.

use std::path::Path;

use inkveil_files::{Sha256Hasher, Sha256Sum};

/// Returns the checksum of a file; none if it cannot be read.
pub(crate) fn of_file(path: &Path) -> Option<String> {
    Sha256Sum::of_file(path).ok().map(|sum| sum.to_string())
}

/// Returns the checksum of the first of these files that exists in a folder.
pub(crate) fn of_first(folder: &Path, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| of_file(&folder.join(name)))
}

/// Returns the checksum of texts in their order.
pub(crate) fn of_texts<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut hasher = Sha256Hasher::new();
    for text in texts {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    hasher.sum().to_string()
}
