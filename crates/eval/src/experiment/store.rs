//! What was measured already.

use std::fs;
use std::path::{Path, PathBuf};

use inkveil_files::{Sha256Sum, hex};
use serde::Serialize;
use serde::de::DeserializeOwned;

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
        Ok(hex::encode(&Sha256Sum::of(&json).as_bytes()[..16]))
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
        let json = serde_json::to_vec_pretty(value).map_err(|error| Error::argument(error.to_string()))?;
        Ok(inkveil_files::write_atomically(&self.path(key), &json, true)?)
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}
