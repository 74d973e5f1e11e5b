//! The noise key of a release that is not finished.
//!
//! If a connection is lost, the database has seen a batch that it may not have stored. Its rows must be sent again with the
//! same noise: two copies with different noise would cost their ε twice, and the database could average them. So the key is
//! kept in a file until all rows are stored. Then it is removed, because a person who has it can subtract the noise.
//!
//! The same noise on *other* vectors, or of another size, could be subtracted as well. So the file contains a checksum of
//! what it is for and cannot be used for anything else.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use inkveil::NoiseKey;
use inkveil::privacy::{self, Secret};
use sha2::{Digest, Sha256};

const KEY: usize = 33;
const FINGERPRINT: usize = 32;

/// A checksum of everything that decides the noise: the vectors, ε and the file of the mask.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint([u8; FINGERPRINT]);

impl Fingerprint {
    pub(crate) fn of(vectors: &[Vec<f32>], epsilon: f64, mask: Option<&[u8]>) -> Self {
        let mut hash = Sha256::new();
        hash.update(epsilon.to_le_bytes());
        // The length precedes every part, so that no two inputs give the same bytes.
        hash.update(mask.map_or(u64::MAX, |mask| mask.len() as u64).to_le_bytes());
        hash.update(mask.unwrap_or_default());
        for vector in vectors {
            hash.update((vector.len() as u64).to_le_bytes());
            vector.iter().for_each(|x| hash.update(x.to_le_bytes()));
        }
        Self(hash.finalize().into())
    }
}

/// A key in a file.
pub(crate) struct KeptKey {
    file: PathBuf,
    key: NoiseKey,
    rows: u64,
}

/// The reason why there is no key.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeptKeyError {
    /// The file belongs to another release.
    #[error(
        "{file} is the key of a release that was not finished, of other texts or with another ε or mask: finish that one first, \
         or remove the file; then the rows of one batch may be released twice, which costs their ε twice"
    )]
    OtherRelease {
        /// The file.
        file: PathBuf,
    },
    /// The file is something else.
    #[error("{file} is not a kept key; name another file with --key")]
    NotAKey {
        /// The file.
        file: PathBuf,
    },
    /// The file cannot be read, written or removed.
    #[error("{file}: {error}")]
    Io {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// There was no randomness, or the key in the file is damaged.
    #[error(transparent)]
    Key(#[from] privacy::Error),
}

impl KeptKey {
    /// Returns the key of an interrupted release, or a new one for `rows` rows that is on disk before it is used.
    pub(crate) fn resume_or_begin(
        file: &Path,
        fingerprint: Fingerprint,
        rows: u64,
    ) -> Result<Self, KeptKeyError> {
        match fs::read(file) {
            Ok(kept) => Self::resume(file, fingerprint, Secret::new(kept)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::begin(file, fingerprint, rows),
            Err(error) => Err(KeptKeyError::Io { file: file.to_owned(), error }),
        }
    }

    fn resume(file: &Path, fingerprint: Fingerprint, kept: Secret<Vec<u8>>) -> Result<Self, KeptKeyError> {
        let not_a_key = || KeptKeyError::NotAKey { file: file.to_owned() };
        let (key, rest) = kept.expose().split_first_chunk::<KEY>().ok_or_else(not_a_key)?;
        let (whose, rest) = rest.split_first_chunk::<FINGERPRINT>().ok_or_else(not_a_key)?;
        let rows = u64::from_le_bytes(rest.try_into().map_err(|_| not_a_key())?);
        if *whose != fingerprint.0 {
            return Err(KeptKeyError::OtherRelease { file: file.to_owned() });
        }
        Ok(Self { file: file.to_owned(), key: NoiseKey::from_kept(&Secret::new(*key))?, rows })
    }

    fn begin(file: &Path, fingerprint: Fingerprint, rows: u64) -> Result<Self, KeptKeyError> {
        let key = NoiseKey::fresh()?;
        let write = || {
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            // Only the owner can read it, and it appears under its name whole or not at all.
            let mut temporary = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
            temporary.write_all(key.keep().expose())?;
            temporary.write_all(&fingerprint.0)?;
            temporary.write_all(&rows.to_le_bytes())?;
            temporary.as_file().sync_all()?;
            // Two runs that start at the same time must not have two keys.
            temporary.persist_noclobber(file)?;
            Ok(())
        };
        write().map_err(|error| KeptKeyError::Io { file: file.to_owned(), error })?;
        Ok(Self { file: file.to_owned(), key, rows })
    }

    pub(crate) fn key(&self) -> &NoiseKey {
        &self.key
    }

    /// The number of rows that were released with this key, before and after the interruption.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Removes the key when all rows are stored.
    pub(crate) fn discard(self) -> Result<(), KeptKeyError> {
        fs::remove_file(&self.file).map_err(|error| KeptKeyError::Io { file: self.file, error })
    }
}
