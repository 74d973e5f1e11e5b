//! What was measured already.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use crate::Error;

/// A folder of measurements, each under a checksum of what decides it.
///
/// ```
/// use inkveil_eval::experiment::Store;
///
/// let folder = tempfile::tempdir()?;
/// let store = Store::open(folder.path())?;
/// let key = Store::key(&("polar", 150, 1))?;
/// assert_eq!(store.get::<f64>(&key)?, None);
/// store.put(&key, &0.25)?;
/// assert_eq!(store.get::<f64>(&key)?, Some(0.25));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// Opens a folder; it is made if it is not there.
    ///
    /// # Errors
    /// If it cannot be.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        fs::create_dir_all(folder).map_err(|error| Error::io("make this folder", &error).in_file(folder))?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// The key of a measurement: a checksum of everything that decides it.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn key(of: &impl Serialize) -> Result<String, Error> {
        let json = serde_json::to_vec(of).map_err(|error| Error::argument(error.to_string()))?;
        Ok(Sha256::digest(&json).iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }

    /// What was measured, if it was. What cannot be read is measured again.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Error> {
        let path = self.path(key);
        match fs::read(&path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("read it", &error).in_file(&path)),
        }
    }

    /// Keeps a measurement: whole, or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put(&self, key: &str, value: &impl Serialize) -> Result<(), Error> {
        let path = self.path(key);
        let failed = |error: std::io::Error| Error::io("write it", &error).in_file(&path);
        let json = serde_json::to_vec_pretty(value).map_err(|error| Error::argument(error.to_string()))?;
        let hidden = self.folder.join(format!(".{key}.{}", std::process::id()));
        let mut file = fs::File::create(&hidden).map_err(failed)?;
        file.write_all(&json).and_then(|()| file.sync_all()).map_err(failed)?;
        fs::rename(&hidden, &path).map_err(failed)
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}
