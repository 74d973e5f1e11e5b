//! Checksums and row counts of files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::Error;

/// The SHA-256 of each file, by name.
pub type FileHashes = BTreeMap<String, String>;

/// Checks the number of rows, texts or documents.
pub(super) fn check_rows(expected: Option<u64>, found: u64, what: &str, path: &Path) -> Result<(), Error> {
    match expected {
        Some(rows) if rows != found => Err(Error::format(format!(
            "{found} {what}, but there should be {rows}; check that it is the right version and complete"
        ))
        .in_file(path)),
        _ => Ok(()),
    }
}

/// Adds the checksum of a file.
pub(super) fn note_hash(path: &Path, name: &str, hashes: &mut FileHashes) -> Result<(), Error> {
    let failed = |error: std::io::Error| Error::io("read the file", error).in_file(path);
    let mut file = File::open(path).map_err(failed)?;
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => break,
            count => hash.update(&buffer[..count]),
        }
    }
    let hex = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    hashes.insert(name.to_owned(), hex);
    Ok(())
}
