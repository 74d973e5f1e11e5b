//! Stored measurements.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use crate::Error;

/// A folder of measurements, each under a checksum of everything that determines it.
///
/// ```
/// use inkveil_eval::experiment::MeasurementStore;
///
/// let folder = tempfile::tempdir()?;
/// let store = MeasurementStore::open(folder.path())?;
/// let key = MeasurementStore::key(&("polar", 150, 1))?;
/// assert_eq!(store.get::<f64>(&key)?, None);
/// store.put(&key, &0.25)?;
/// assert_eq!(store.get::<f64>(&key)?, Some(0.25));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MeasurementStore {
    folder: PathBuf,
}

impl MeasurementStore {
    /// Opens a folder, which is created if it does not exist.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        fs::create_dir_all(folder).map_err(|error| Error::io("create the folder", error).in_file(folder))?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Returns the key of a measurement: a checksum of everything that determines it.
    ///
    /// # Errors
    /// If the argument cannot be written as JSON.
    pub fn key(of: &impl Serialize) -> Result<String, Error> {
        let json = serde_json::to_vec(of).map_err(not_json)?;
        Ok(Sha256::digest(&json).iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }

    /// Returns a measurement if it is stored. A damaged file counts as not stored.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Error> {
        let path = self.path(key);
        match fs::read(&path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("read the measurement", error).in_file(&path)),
        }
    }

    /// Stores a measurement, completely or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put(&self, key: &str, value: &impl Serialize) -> Result<(), Error> {
        let path = self.path(key);
        let failed = |error: std::io::Error| Error::io("write the measurement", error).in_file(&path);
        let json = serde_json::to_vec_pretty(value).map_err(not_json)?;
        let hidden = self.folder.join(format!(".{key}.{}", std::process::id()));
        let mut file = fs::File::create(&hidden).map_err(failed)?;
        file.write_all(&json).and_then(|()| file.sync_all()).map_err(failed)?;
        fs::rename(&hidden, &path).map_err(failed)
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}

fn not_json(error: serde_json::Error) -> Error {
    Error::argument("a value cannot be written as JSON").caused_by(error)
}
