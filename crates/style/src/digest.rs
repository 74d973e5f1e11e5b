//! Checksums of files, which identify encoders.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// Returns the checksum of a file; none if it cannot be read.
pub(crate) fn of_file(path: &Path) -> Option<String> {
    let (mut file, mut hasher, mut buffer) = (File::open(path).ok()?, Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer).ok()? {
            0 => return Some(hex(&hasher.finalize())),
            read => hasher.update(&buffer[..read]),
        }
    }
}

/// Returns the checksum of the first of these files that exists in a folder.
pub(crate) fn of_first(folder: &Path, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| of_file(&folder.join(name)))
}

/// Returns the checksum of texts in their order.
pub(crate) fn of_texts<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    hex(&hasher.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
