//! The encrypted map of a release, which turns replacements back into originals.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Mutex;

use inkveil_files::hex;
use inkveil_privacy::faults::{self, Fault};
use inkveil_privacy::{NoiseKey, Secret};
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

/// Where a release of single texts keeps which replacement stands for which original.
#[derive(Debug, Clone, Copy)]
pub enum KeepPairs<'m> {
    /// Nowhere.
    No,
    /// In memory, for [`DocumentRelease::pairs`](super::DocumentRelease::pairs).
    InMemory,
    /// In a new map. An existing file is replaced if `overwrite`, and refused otherwise.
    NewMap {
        /// The map.
        settings: &'m MapSettings,
        /// Whether an existing file is replaced.
        overwrite: bool,
    },
    /// In the map of a session, which is created if it does not exist. Its noise key draws the
    /// replacements, so an original keeps its replacement in all texts of the session.
    Session(&'m MapSettings),
}

impl MapSettings {
    /// Opens the map of a session, or begins one. Only one process at a time can have it open.
    pub(super) fn open_session(&self, observer: &dyn Observer) -> Result<(MapFile, NoiseKey), Error> {
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            inkveil_files::create_private_folder(folder)?;
        }
        let lock_path = self.path.with_extension("lock");
        let lock_file = inkveil_files::lock_private(&lock_path)?
            .ok_or_else(|| ErrorKind::SessionInUse { path: self.path.clone() })?;
        let mut file = self.open(true, false, observer)?;
        file.lock = Some(lock_file);
        let mut map = lock(&file.map);
        let key = match map.noise_key() {
            Some(key) => key.clone(),
            None if map.is_empty() => {
                let key = NoiseKey::fresh()?;
                *map = ReplacementMap::default().with_noise_key(key.clone());
                key
            }
            None => return Err(ErrorKind::NotASession { path: self.path.clone() }.into()),
        };
        drop(map);
        Ok((file, key))
    }

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
        Ok(MapFile { path: self.path.clone(), key, map: Mutex::new(map), lock: None })
    }
}

/// The replacements of a veiled text as a map.
pub(super) fn pairs_of<'v>(replaced: impl Iterator<Item = Replaced<'v>>) -> Result<ReplacementMap, Error> {
    let mut pairs = ReplacementMap::builder();
    for Replaced { replacement, original, kind, .. } in replaced {
        pairs.add(replacement, original, kind)?;
    }
    Ok(pairs.build())
}

/// Pairs that are encrypted under the key of the map. A job keeps them in this form, on disk and in
/// memory, so its folder holds no original.
#[derive(Serialize, Deserialize, Clone)]
#[serde(try_from = "String", into = "String")]
pub(super) struct SealedPairs(Vec<u8>);

impl From<SealedPairs> for String {
    fn from(sealed: SealedPairs) -> Self {
        hex::encode(sealed.0)
    }
}

impl TryFrom<String> for SealedPairs {
    type Error = &'static str;

    fn try_from(digits: String) -> Result<Self, Self::Error> {
        hex::decode(&digits).map(Self).ok_or("not hexadecimal")
    }
}

impl std::fmt::Debug for SealedPairs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SealedPairs({} bytes)", self.0.len())
    }
}

/// An open map.
pub(super) struct MapFile {
    path: PathBuf,
    key: MapKey,
    map: Mutex<ReplacementMap>,
    /// Held while a session is open.
    lock: Option<File>,
}

impl MapFile {
    /// Teaches `known` every pair of the map.
    pub(super) fn remember(&self, known: &mut Replacements) {
        remember(&lock(&self.map), known);
    }

    /// Encrypts the pairs of several texts, in order.
    pub(super) fn seal<'p>(
        &self,
        pairs: impl Iterator<Item = &'p ReplacementMap>,
    ) -> Result<SealedPairs, Error> {
        let mut joined = ReplacementMap::builder();
        for pair in pairs.flat_map(ReplacementMap::pairs) {
            joined.add(pair.replacement(), pair.original(), pair.kind())?;
        }
        let (joined, mut sealed) = (joined.build(), Vec::new());
        match faults::is(Fault::ClearPairs) {
            true => sealed.extend(joined.pairs().flat_map(|pair| pair.original().bytes())),
            false => joined.seal(&self.key, &mut sealed)?,
        }
        Ok(SealedPairs(sealed))
    }

    /// Decrypts pairs, and teaches them to `known`.
    pub(super) fn recall(&self, sealed: &SealedPairs, known: &mut Replacements) -> Result<(), Error> {
        remember(&ReplacementMap::unseal(&sealed.0[..], &self.key)?, known);
        Ok(())
    }

    /// Adds encrypted pairs, and saves the file if it lacks one of them.
    pub(super) fn add_sealed(&self, sealed: &[SealedPairs]) -> Result<(), Error> {
        let opened = sealed.iter().map(|sealed| ReplacementMap::unseal(&sealed.0[..], &self.key));
        self.add(&opened.collect::<Result<Vec<_>, _>>()?)
    }

    /// Returns the pairs so far.
    pub(super) fn pairs(&self) -> ReplacementMap {
        lock(&self.map).clone()
    }

    /// Adds pairs, and saves the file if it lacks one of them.
    pub(super) fn add(&self, pairs: &[ReplacementMap]) -> Result<(), Error> {
        let mut map = lock(&self.map);
        let known = map.len();
        extend(&mut map, pairs)?;
        // An answer may be restored although nothing was replaced, so the file always exists.
        if map.len() > known || !self.path.exists() {
            map.save(&self.path, &self.key, true)?;
        }
        Ok(())
    }
}

/// Adds pairs to a map.
pub(super) fn extend(map: &mut ReplacementMap, pairs: &[ReplacementMap]) -> Result<(), Error> {
    let mut builder = std::mem::take(map).into_builder();
    let added = pairs
        .iter()
        .flat_map(ReplacementMap::pairs)
        .try_for_each(|pair| builder.add(pair.replacement(), pair.original(), pair.kind()));
    *map = builder.build();
    Ok(added?)
}

fn remember(map: &ReplacementMap, known: &mut Replacements) {
    for pair in map.pairs() {
        known.remember(pair.replacement(), pair.original(), pair.kind());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_pairs_hold_no_original_and_need_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let open = |name: &str| {
            let key = MapKeyChoice::File(folder.path().join(name));
            let settings = MapSettings { path: folder.path().join("m.map"), key };
            settings.open(false, true, &super::super::observer::Silent).unwrap()
        };
        let (map, other) = (open("a.key"), open("b.key"));
        let mut pairs = ReplacementMap::builder();
        pairs.add("Made Antonov", "Ana Novak", "person").unwrap();
        let sealed = map.seal([pairs.build()].iter()).unwrap();
        assert!(!sealed.0.windows(3).any(|window| window == b"Ana"));
        let stored = serde_json::to_string(&sealed).unwrap();
        let again: SealedPairs = serde_json::from_str(&stored).unwrap();
        map.recall(&again, &mut Replacements::default()).unwrap();
        assert!(other.recall(&again, &mut Replacements::default()).is_err());
        map.add_sealed(&[again]).unwrap();
        assert_eq!(lock(&map.map).len(), 1);
    }
}
