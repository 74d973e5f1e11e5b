//! What was replaced, kept in an encrypted file so that answers can be turned back.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, ensure};
use inkveil::{Replaced, Replacements};
use inkveil_privacy::Secret;
use inkveil_restore::{Map, MapKey};
use owo_colors::OwoColorize as _;
use serde::{Deserialize, Serialize};

use crate::args::MapArgs;

/// The variable with the passphrase of maps.
const PASSPHRASE: &str = "INKVEIL_PASSPHRASE";

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
    pairs: Mutex<Vec<Kept>>,
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
        let mut pairs = Vec::new();
        if path.exists() {
            ensure!(
                resume || force,
                "{} exists already; choose another --map, or say --force",
                path.display()
            );
            if resume {
                let map = Map::open(path, &key)?;
                pairs.extend(map.pairs().map(|pair| Kept {
                    replacement: pair.replacement().to_owned(),
                    original: pair.original().to_owned(),
                    kind: pair.kind().to_owned(),
                }));
            }
        }
        Ok(Some(Self { path: path.clone(), key, pairs: Mutex::new(pairs) }))
    }

    /// Everything that is in it.
    pub(super) fn each(&self, take: impl FnMut(&Kept)) {
        self.pairs.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(take);
    }

    /// Adds pairs, and writes the file anew.
    pub(super) fn add(&self, more: &[Kept]) -> anyhow::Result<()> {
        let mut pairs = self.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known: std::collections::HashSet<(String, String)> =
            pairs.iter().map(|pair| (pair.replacement.clone(), pair.original.clone())).collect();
        for pair in more {
            if known.insert((pair.replacement.clone(), pair.original.clone())) {
                pairs.push(pair.clone());
            }
        }
        let mut builder = Map::builder();
        for pair in &*pairs {
            builder.add(&pair.replacement, &pair.original, &pair.kind)?;
        }
        builder.build().save(&self.path, &self.key, true)?;
        Ok(())
    }
}
