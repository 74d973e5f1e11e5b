//! The noise key of a release that is not finished.
//!
//! When a connection is lost, the database has seen a batch that it may not have stored. Its rows have to be sent again, and with
//! the same noise: two copies with different noise would cost their ε twice, and a database that keeps what it was sent could
//! average them. So the key is in a file until all rows are stored, and then it is removed. The key allows its holder to subtract the noise.
//!
//! The same noise on *other* vectors, or of another size, could be subtracted as well. The file therefore holds the fingerprint of
//! what it is for, and is good for nothing else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use inkveil::NoiseKey;
use inkveil::privacy::{self, Secret};
use sha2::{Digest, Sha256};

const KEY: usize = 33;
const FINGERPRINT: usize = 32;

/// All that noise is applied to and sized by: the vectors, ε and the mask's file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint([u8; FINGERPRINT]);

impl Fingerprint {
    pub(crate) fn of(vectors: &[Vec<f32>], epsilon: f64, mask: Option<&[u8]>) -> Self {
        let mut hash = Sha256::new();
        hash.update(epsilon.to_le_bytes());
        // Every part is preceded by its length: no two inputs give the same bytes.
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

/// Why there is no key.
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
        /// What the system said.
        error: io::Error,
    },
    /// The file exists already or cannot be written.
    #[error(transparent)]
    File(#[from] inkveil::files::Error),
    /// There was no randomness, or the key in the file is damaged.
    #[error(transparent)]
    Key(#[from] privacy::Error),
}

impl KeptKey {
    /// The key of the release that stopped, or a fresh one for a release of this number of rows, on disk before it is used.
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
        let mut content = Secret::new(Vec::with_capacity(KEY + FINGERPRINT + size_of::<u64>()));
        content.expose_mut().extend_from_slice(key.keep().expose());
        content.expose_mut().extend_from_slice(&fingerprint.0);
        content.expose_mut().extend_from_slice(&rows.to_le_bytes());
        // The file is not overwritten: two runs that start at once must not have two keys.
        inkveil::files::write_private(file, content.expose(), false)?;
        Ok(Self { file: file.to_owned(), key, rows })
    }

    pub(crate) fn key(&self) -> &NoiseKey {
        &self.key
    }

    /// How many rows were released with this key in all, before and after it stopped.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Removes the key when all is stored.
    pub(crate) fn discard(self) -> Result<(), KeptKeyError> {
        fs::remove_file(&self.file).map_err(|error| KeptKeyError::Io { file: self.file, error })
    }
}
