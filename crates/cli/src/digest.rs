//! What names a file: the SHA-256 of its bytes.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use sha2::{Digest, Sha256};

/// In lowercase hexadecimal.
pub(crate) fn of_file(path: &Path) -> anyhow::Result<String> {
    let hash = || -> std::io::Result<String> {
        let (mut file, mut hasher, mut buffer) = (File::open(path)?, Sha256::new(), vec![0; 1 << 16]);
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(hex(hasher)),
                n => hasher.update(&buffer[..n]),
            }
        }
    };
    hash().with_context(|| format!("cannot read {}", path.display()))
}

/// Of bytes, in lowercase hexadecimal.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    hex(Sha256::new_with_prefix(bytes))
}

/// What a hash comes to, in lowercase hexadecimal.
pub(crate) fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
