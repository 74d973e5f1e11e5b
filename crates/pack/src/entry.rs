//! Packs on this machine, and models that can be downloaded, as one list.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::error::Error;
use crate::find::{InstalledPack, PackFolders};
use crate::manifest::Manifest;
use crate::pack::Pack;
use crate::registry::{KnownModel, known_models};

/// A pack on this machine, a known model, or both.
#[derive(Debug)]
pub struct PackEntry {
    /// Its name.
    pub name: String,
    known: Option<&'static KnownModel>,
    found: Option<InstalledPack>,
    /// The manifest if there is one, or why it cannot be used.
    manifest: Result<Option<Manifest>, Error>,
}

impl PackFolders {
    /// Returns all packs of these folders, and then the known models that are not among them.
    pub fn entries(&self) -> Vec<PackEntry> {
        let mut entries: Vec<PackEntry> = self.list().into_iter().map(PackEntry::of_found).collect();
        let is_absent = |model: &&KnownModel| !entries.iter().any(|entry| entry.name == model.name);
        let absent: Vec<&KnownModel> = known_models().iter().filter(is_absent).collect();
        entries.extend(absent.into_iter().map(PackEntry::of_known));
        entries
    }
}

impl PackEntry {
    fn of_found(found: InstalledPack) -> Self {
        let known = known_models().iter().find(|model| model.name == found.name);
        let manifest = Pack::open_folder(&found.folder).map(|pack| pack.manifest().cloned());
        Self { name: found.name.clone(), known, found: Some(found), manifest }
    }

    fn of_known(model: &'static KnownModel) -> Self {
        Self { name: model.name.to_owned(), known: Some(model), found: None, manifest: Ok(None) }
    }

    fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref().ok()?.as_ref()
    }

    /// Returns its purpose or, if that is unknown, its origin. Says if the pack is damaged.
    pub fn purpose(&self) -> String {
        match (self.known, &self.manifest) {
            (_, Err(error)) => {
                let why = error.kind().to_string();
                format!("BROKEN: {}", why.split(';').next().unwrap_or(&why))
            }
            (Some(model), _) => model.purpose.to_owned(),
            (None, Ok(Some(manifest))) => manifest.provenance().origin.clone(),
            (None, Ok(None)) => "a folder without a manifest".to_owned(),
        }
    }

    /// Returns its size.
    pub fn bytes(&self) -> Option<u64> {
        self.manifest().map(Manifest::bytes).or_else(|| self.known.map(KnownModel::bytes))
    }

    /// Returns its licence.
    pub fn licence(&self) -> Option<&str> {
        let of_known = || self.known.map(|model| model.licence);
        self.manifest().map(|manifest| manifest.provenance().licence.as_str()).or_else(of_known)
    }

    /// Returns the checksum of the largest file, which has the weights.
    pub fn sha256(&self) -> Option<String> {
        let largest =
            self.manifest().and_then(|manifest| manifest.files().iter().max_by_key(|file| file.bytes));
        let of_known = || self.known?.weights().map(|file| file.sha256);
        largest.map(|file| file.sha256).or_else(of_known).map(|sum| sum.to_string())
    }

    /// Returns where it is installed, in words.
    pub fn state(&self) -> String {
        self.found.as_ref().map_or_else(|| "not installed".to_owned(), |found| found.location.to_string())
    }

    fn folder(&self) -> Option<&PathBuf> {
        self.found.as_ref().map(|found| &found.folder)
    }

    /// Returns everything that is known about it.
    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "state": self.state(),
            "about": self.known.map(|model| model.about),
            "purpose": self.purpose(),
            "bytes": self.bytes(),
            "licence": self.licence(),
            "sha256": self.sha256(),
            "origin": self.manifest().map(|manifest| &manifest.provenance().origin),
            "folder": self.folder(),
        })
    }
}
