//! Stores curves and recommendations in a pack.

use std::path::{Path, PathBuf};

use inkveil_files::Output;
use inkveil_lexicon::{Lexicon, LexiconKind};
use inkveil_pack::{MANIFEST, Manifest, Provenance};
use inkveil_text::{CurvePoint, NOTES_FILE, Threshold, VeilNotes};

use crate::Error;

/// Writes the notes of a pack. Each change reads the notes first, because another run may have
/// changed them.
#[derive(Debug, Clone)]
pub struct CurveStore {
    folder: PathBuf,
    lexicon: LexiconKind,
    /// The command that measures the same again, for the manifest.
    made_by: String,
}

impl CurveStore {
    /// Opens the notes of a pack for one of its lexicons.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn open(folder: &Path, lexicon: LexiconKind, made_by: String) -> Result<Self, Error> {
        // Opened as a check and dropped, which leaves no file.
        drop(Output::file(folder.join(NOTES_FILE), true).map_err(failed)?);
        Ok(Self { folder: folder.to_owned(), lexicon, made_by })
    }

    /// The file of the notes.
    pub fn file(&self) -> PathBuf {
        self.folder.join(NOTES_FILE)
    }

    /// Stores a curve.
    ///
    /// # Errors
    /// If the notes cannot be read or written.
    pub fn put_curve(&self, name: &str, points: &[CurvePoint]) -> Result<(), Error> {
        self.change(Some(&self.made_by), |notes| {
            let lexicon = notes.lexicons.entry(self.lexicon.name().to_owned()).or_default();
            lexicon.curves.insert(name.to_owned(), points.to_vec());
        })
    }

    /// Stores the recommended threshold of the lexicon.
    ///
    /// # Errors
    /// If the notes cannot be read or written.
    pub fn put_threshold(&self, threshold: Threshold) -> Result<(), Error> {
        self.change(None, |notes| {
            notes.lexicons.entry(self.lexicon.name().to_owned()).or_default().threshold = Some(threshold);
        })
    }

    /// Stores the recommended lexicon of the pack.
    ///
    /// # Errors
    /// If the pack does not have this lexicon, or the notes cannot be read or written.
    pub fn put_default_lexicon(&self, kind: LexiconKind) -> Result<(), Error> {
        Lexicon::open_kind(&self.folder, kind).map_err(|error| {
            Error::argument(format!("the {kind} lexicon cannot be recommended")).caused_by(error)
        })?;
        self.change(None, |notes| notes.default_lexicon = Some(kind.name().to_owned()))
    }

    fn change(&self, made_by: Option<&str>, change: impl FnOnce(&mut VeilNotes)) -> Result<(), Error> {
        let mut notes = VeilNotes::open(&self.folder)?;
        change(&mut notes);
        inkveil_files::write_atomically(&self.file(), notes.to_json()?.as_bytes(), true).map_err(failed)?;
        self.update_manifest(made_by)
    }

    /// Updates the manifest if the pack has one. A recommendation keeps the command of the
    /// measurement.
    fn update_manifest(&self, made_by: Option<&str>) -> Result<(), Error> {
        if !self.folder.join(MANIFEST).exists() {
            return Ok(());
        }
        let manifest = Manifest::read(&self.folder).map_err(failed)?;
        let before = manifest.files().iter().find(|file| file.path == NOTES_FILE);
        let made_by = made_by
            .or(before.and_then(|file| file.made_by.as_deref()))
            .unwrap_or("inkveil curves --save")
            .to_owned();
        let licence = manifest.provenance().licence.clone();
        let provenance = Provenance::new(licence, "measured on the lexicons of this pack", made_by);
        let about = "what is known about veiling: curves of mechanisms, recommendations";
        let manifest = manifest.with_file(&self.folder, NOTES_FILE, about, provenance).map_err(failed)?;
        manifest.write(&self.folder).map_err(failed)
    }
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::argument("the pack cannot be changed").caused_by(error)
}
