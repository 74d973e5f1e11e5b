//! The encrypted map of a release, which turns replacements back into originals.

use std::path::PathBuf;
use std::sync::Mutex;

use inkveil_privacy::Secret;
use inkveil_restore::{MapKey, ReplacementMap};
use inkveil_text::{Replaced, Replacements};
use serde::{Deserialize, Serialize};

use super::account::lock;
use super::observer::{Notice, Observer};
use crate::error::{Error, ErrorKind};

/// Where a map is kept and what it is sealed with.
#[derive(Debug, Clone)]
pub struct MapSettings {
    /// The map's file.
    pub path: PathBuf,
    /// What it is sealed with.
    pub key: MapKeyChoice,
}

/// What a map is sealed with.
#[derive(Debug, Clone)]
pub enum MapKeyChoice {
    /// A key file. It is created if it does not exist.
    File(PathBuf),
    /// A passphrase.
    Passphrase(Secret<String>),
}

impl MapSettings {
    /// Opens the map. An existing one is extended if `extend`, replaced if `overwrite`, and refused
    /// otherwise.
    pub(super) fn open(
        &self,
        extend: bool,
        overwrite: bool,
        observer: &dyn Observer,
    ) -> Result<MapFile, Error> {
        let key = match &self.key {
            MapKeyChoice::File(file) if file.exists() => MapKey::from_file(file)?,
            MapKeyChoice::File(file) => {
                let key = MapKey::create_file(file)?;
                observer.notice(&Notice::KeyFileCreated(file.clone()));
                key
            }
            MapKeyChoice::Passphrase(passphrase) => MapKey::from_passphrase(passphrase.clone())?,
        };
        if !extend && !overwrite && self.path.exists() {
            return Err(ErrorKind::MapExists { path: self.path.clone() }.into());
        }
        let map = match extend && self.path.exists() {
            true => ReplacementMap::open(&self.path, &key)?,
            false => ReplacementMap::default(),
        };
        Ok(MapFile { path: self.path.clone(), key, map: Mutex::new(map) })
    }
}

/// A replacement and its original. **Private.**
#[derive(Serialize, Deserialize, Clone)]
pub(crate) struct KeptPair {
    replacement: String,
    original: String,
    kind: String,
}

impl KeptPair {
    pub(super) fn of(replaced: Replaced<'_>) -> Self {
        let Replaced { replacement, original, kind, .. } = replaced;
        Self { replacement: replacement.to_owned(), original: original.to_owned(), kind: kind.to_owned() }
    }

    pub(super) fn remember(&self, known: &mut Replacements) {
        known.remember(&self.replacement, &self.original, &self.kind);
    }
}

impl std::fmt::Debug for KeptPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeptPair(redacted)")
    }
}

/// An open map.
pub(super) struct MapFile {
    path: PathBuf,
    key: MapKey,
    map: Mutex<ReplacementMap>,
}

impl MapFile {
    /// Teaches `known` every pair of the map.
    pub(super) fn remember(&self, known: &mut Replacements) {
        for pair in lock(&self.map).pairs() {
            known.remember(pair.replacement(), pair.original(), pair.kind());
        }
    }

    /// Adds pairs, and saves the file if it lacks one of them.
    pub(super) fn add(&self, pairs: &[KeptPair]) -> Result<(), Error> {
        let mut map = lock(&self.map);
        let known = map.len();
        let mut builder = std::mem::take(&mut *map).into_builder();
        let added =
            pairs.iter().try_for_each(|pair| builder.add(&pair.replacement, &pair.original, &pair.kind));
        *map = builder.build();
        added?;
        // An answer may be restored although nothing was replaced, so the file always exists.
        if map.len() > known || !self.path.exists() {
            map.save(&self.path, &self.key, true)?;
        }
        Ok(())
    }
}
