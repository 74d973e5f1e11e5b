//! What belongs to one process: its noise and its connection to a ledger.
//!
//! A forked process has a copy of its parent's memory. If it went on with the same key and the same records, the same
//! word would get the same replacement in both processes, and their releases would be one entry in the ledger.

use std::sync::{Arc, Mutex, PoisonError};

use inkveil::release::Account;
use inkveil::{Error, NoiseKey};
use pyo3::prelude::*;

use crate::errors::{Class, raised};

/// Where the key of the noise comes from.
pub(crate) enum KeySource {
    /// The system. Each process draws its own.
    Fresh,
    /// The program, which may have given it to other processes too.
    Given(NoiseKey),
    /// A seed, which protects nothing.
    Seed(u64),
}

impl KeySource {
    fn key(&self) -> Result<NoiseKey, Error> {
        Ok(match self {
            Self::Fresh => NoiseKey::fresh()?,
            Self::Given(key) => key.clone(),
            Self::Seed(seed) => NoiseKey::insecure_from_seed(*seed),
        })
    }
}

/// A release that a forked process opens again.
pub(crate) struct PerProcess<T> {
    /// The process that opened the release, and the release.
    held: Mutex<(u32, Arc<T>)>,
    key: KeySource,
    account: Account,
    /// The process that made this object.
    maker: u32,
    /// Whether this object is a copy of another one, with the same key.
    copied: bool,
}

impl<T> PerProcess<T> {
    pub(crate) fn open(
        key: KeySource,
        account: Account,
        copied: bool,
        open: impl FnOnce(NoiseKey, &Account) -> Result<T, Error>,
    ) -> Result<Self, Error> {
        let maker = std::process::id();
        let held = Mutex::new((maker, Arc::new(open(key.key()?, &account)?)));
        Ok(Self { held, key, account, maker, copied })
    }

    /// Returns the release of this process. `open` makes it from the release of another process.
    pub(crate) fn get(
        &self,
        py: Python<'_>,
        open: impl FnOnce(&T, NoiseKey, &Account) -> Result<T, Error>,
    ) -> PyResult<Arc<T>> {
        let process = std::process::id();
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.0 != process {
            let key = self.key.key().map_err(|error| raised(py, error))?;
            let own = open(&held.1, key, &self.account).map_err(|error| raised(py, error))?;
            // SQLite forbids a forked process to use or close its parent's connection.
            std::mem::forget(std::mem::replace(&mut *held, (process, Arc::new(own))));
        }
        Ok(held.1.clone())
    }

    /// Refuses data without ids if another object takes the same records of the same key.
    pub(crate) fn check_ids(&self, py: Python<'_>, has_ids: bool) -> PyResult<()> {
        let shares = self.copied || self.maker != std::process::id();
        if has_ids || !shares || !matches!(self.key, KeySource::Given(_)) {
            return Ok(());
        }
        Err(Class::Settings.error(
            py,
            "this veil is a copy with the key of another one, so ids are needed: without them, two texts could get \
             the same noise. Give ids, or no key",
        ))
    }
}
