//! What was replaced, kept in an encrypted file so that answers can be turned back.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, ensure};
use inkveil::{Replaced, Replacements};
use inkveil_privacy::Secret;
use inkveil_restore::{MapKey, ReplacementMap};
use owo_colors::OwoColorize as _;
use serde::{Deserialize, Serialize};

use crate::args::MapArgs;
use crate::restore::PASSPHRASE;

/// Something that was replaced. **Private.**
#[derive(Serialize, Deserialize, Clone)]
pub(super) struct Kept {
    replacement: String,
    original: String,
    kind: String,
}

impl Kept {
    pub(super) fn of(replaced: Replaced<'_>) -> Self {
        let Replaced { replacement, original, kind, .. } = replaced;
        Self { replacement: replacement.to_owned(), original: original.to_owned(), kind: kind.to_owned() }
    }

    pub(super) fn remember(&self, known: &mut Replacements) {
        known.remember(&self.replacement, &self.original, &self.kind);
    }
}

/// The map of a run, and its key.
pub(super) struct MapFile {
    path: PathBuf,
    key: MapKey,
    map: Mutex<ReplacementMap>,
}

impl MapFile {
    /// The map that is asked for. With `resume`, what is in it already stays.
    pub(super) fn open(args: &MapArgs, resume: bool, force: bool) -> anyhow::Result<Option<Self>> {
        let Some(path) = &args.map else { return Ok(None) };
        let key = match &args.map_key {
            Some(file) if file.exists() => MapKey::from_file(file)?,
            Some(file) => {
                let key = MapKey::create_file(file)?;
                anstream::eprintln!(
                    "{} {} is the key to what was replaced: keep it, and keep it from others",
                    "private:".yellow().bold(),
                    file.display()
                );
                key
            }
            None => {
                let passphrase = std::env::var(PASSPHRASE).ok().filter(|passphrase| !passphrase.is_empty());
                let passphrase = passphrase.with_context(|| {
                    format!("a map needs a key: name a file with --map-key, or set {PASSPHRASE}")
                })?;
                MapKey::from_passphrase(Secret::new(passphrase))?
            }
        };
        ensure!(
            resume || force || !path.exists(),
            "{} exists already; choose another --map, or say --force",
            path.display()
        );
        let map = if resume && path.exists() {
            ReplacementMap::open(path, &key)?
        } else {
            ReplacementMap::default()
        };
        Ok(Some(Self { path: path.clone(), key, map: Mutex::new(map) }))
    }

    /// Makes everything that is in it known.
    pub(super) fn remember(&self, known: &mut Replacements) {
        for pair in self.map.lock().unwrap_or_else(PoisonError::into_inner).pairs() {
            known.remember(pair.replacement(), pair.original(), pair.kind());
        }
    }

    /// Adds pairs, and writes the file anew if it does not have them all.
    pub(super) fn add(&self, more: &[Kept]) -> anyhow::Result<()> {
        let mut map = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        let known = map.len();
        let mut builder = std::mem::take(&mut *map).into_builder();
        let added =
            more.iter().try_for_each(|pair| builder.add(&pair.replacement, &pair.original, &pair.kind));
        *map = builder.build();
        added?;
        // An answer may be turned back before anything was replaced: there is a file in any case.
        if map.len() > known || !self.path.exists() {
            map.save(&self.path, &self.key, true)?;
        }
        Ok(())
    }
}
