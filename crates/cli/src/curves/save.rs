//! Keeping curves and recommendations in a pack.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use inkveil::{CurvePoint, NOTES_FILE, Threshold, VeilNotes};
use inkveil_files::Output;
use inkveil_lexicon::{Lexicon, LexiconKind};
use inkveil_pack::{MANIFEST, Manifest, Provenance};
use owo_colors::OwoColorize;

use super::Subject;
use crate::args::CurvesArgs;

/// Writes the notes of a pack.
pub(super) struct Keeper {
    folder: PathBuf,
    lexicon: LexiconKind,
    /// The command that measures the same again, for the manifest.
    made_by: String,
}

impl Keeper {
    /// Refuses a folder that cannot be written, and curves that cannot be stored.
    pub(super) fn new(folder: &Path, lexicon: LexiconKind, args: &CurvesArgs) -> anyhow::Result<Self> {
        ensure!(
            args.draws == CurvesArgs::STORED_DRAWS,
            "a pack stores how many different words come out of {} draws; leave --draws out to save",
            CurvesArgs::STORED_DRAWS
        );
        // Opened to see that it can be, and dropped, which leaves nothing behind.
        drop(Output::file(folder.join(NOTES_FILE), true).context(
            "nothing can be saved in this pack; copy it to a folder of yours and name that with --pack",
        )?);
        let made_by = format!(
            "inkveil curves --words {} --points {} --insecure-seed {} --save",
            args.words, args.points, args.insecure_seed
        );
        Ok(Self { folder: folder.to_owned(), lexicon, made_by })
    }

    /// Keeps a curve.
    pub(super) fn keep(&self, subject: &Subject, points: &[CurvePoint]) -> anyhow::Result<()> {
        self.change(subject.name, Some(&self.made_by), |notes| {
            let lexicon = notes.lexicons.entry(self.lexicon.name().to_owned()).or_default();
            lexicon.curves.insert(subject.name.to_owned(), points.to_vec());
        })
    }

    /// Keeps what to use unless the user says otherwise.
    pub(super) fn recommend(
        &self,
        threshold: Option<Threshold>,
        default: Option<LexiconKind>,
    ) -> anyhow::Result<()> {
        if let Some(threshold) = threshold {
            let what = format!("the threshold of the {} lexicon, {threshold},", self.lexicon);
            self.change(&what, None, |notes| {
                notes.lexicons.entry(self.lexicon.name().to_owned()).or_default().threshold = Some(threshold);
            })?;
        }
        if let Some(default) = default {
            Lexicon::open_kind(&self.folder, default)
                .with_context(|| format!("the {default} lexicon cannot be recommended"))?;
            self.change(&format!("the default lexicon, {default},"), None, |notes| {
                notes.default_lexicon = Some(default.name().to_owned());
            })?;
        }
        Ok(())
    }

    /// Changes the notes as they are now: another run may have saved something meanwhile.
    fn change(
        &self,
        what: &str,
        made_by: Option<&str>,
        change: impl FnOnce(&mut VeilNotes),
    ) -> anyhow::Result<()> {
        let mut notes = VeilNotes::open(&self.folder)?;
        change(&mut notes);
        let path = self.folder.join(NOTES_FILE);
        inkveil_files::write_atomically(&path, notes.to_json()?.as_bytes(), true)?;
        self.record(made_by)?;
        anstream::eprintln!("{} {what} is saved in {}", "ok:".green().bold(), path.display());
        Ok(())
    }

    /// Brings the manifest up to date, where the pack has one. A recommendation leaves the command that measured.
    fn record(&self, made_by: Option<&str>) -> anyhow::Result<()> {
        if !self.folder.join(MANIFEST).exists() {
            return Ok(());
        }
        let manifest = Manifest::read(&self.folder)?;
        let before = manifest.files().iter().find(|file| file.path == NOTES_FILE);
        let made_by = made_by
            .or(before.and_then(|file| file.made_by.as_deref()))
            .unwrap_or("inkveil curves --save")
            .to_owned();
        let licence = manifest.provenance().licence.clone();
        let provenance = Provenance::new(licence, "measured on the lexicons of this pack", made_by);
        let about = "what is known about veiling: curves of mechanisms, recommendations";
        manifest.with_file(&self.folder, NOTES_FILE, about, provenance)?.write(&self.folder)?;
        Ok(())
    }
}
