//! Texts with authors.

mod authormix;
mod congress;
mod draw;
mod lines;
mod movie;
mod passage;
mod spooky;
mod synthpai;
mod text;

pub use text::AuthoredText;

use std::path::Path;

use super::files::{FileHashes, note_hash};
use super::spec::SetSpec;
use crate::Error;
use synthpai::Attribute;
use text::FoundTexts;

/// The seed of the samples, which are always the same.
const SEED: u64 = 1;

/// The default number of training texts, and of attacked texts.
const DRAWN: (usize, usize) = (1_000, 300);

/// A test set of texts with authors: training texts and attacked texts. It has no `Debug`, which
/// would print texts.
///
/// Long texts are cut to a passage. Every author has the same number of texts with each label on
/// both sides, so that a label does not reveal an author; authors with fewer texts give all.
///
/// ```
/// use inkveil_eval::data::Catalogue;
///
/// let data = tempfile::tempdir()?;
/// std::fs::create_dir(data.path().join("letters"))?;
/// let line = |author: &str, day: usize| {
///     format!("{{\"author\": \"{author}\", \"text\": \"On day {day} there was nothing at all to tell of.\"}}\n")
/// };
/// let lines: String = (0..40).map(|day| line(["ann", "bob"][day % 2], day)).collect();
/// std::fs::write(data.path().join("letters/all.jsonl"), lines)?;
/// let mut sets = Catalogue::known();
/// let mine = "[letters]\nabout = \"letters by two\"\nauthors = \"all.jsonl\"\ndraw = [20, 10]\n";
/// sets.add(Catalogue::from_toml(mine, "sets.toml".as_ref())?);
/// let set = sets.authored("letters", data.path())?;
/// assert_eq!((set.train.len(), set.test.len()), (20, 10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct AuthoredSet {
    /// Its name.
    pub name: String,
    /// The task of its texts.
    pub task: Option<String>,
    /// The training texts of attackers.
    pub train: Vec<AuthoredText>,
    /// The texts that are released and attacked.
    pub test: Vec<AuthoredText>,
    /// The checksums of the files.
    pub files: FileHashes,
}

impl AuthoredSet {
    pub(super) fn read(name: &str, spec: &SetSpec, folder: &Path) -> Result<Self, Error> {
        let (train, test) = spec.draw.unwrap_or(DRAWN);
        let with_attribute = |attribute| synthpai::read(folder, attribute, (train, test), SEED);
        let drawn = |(all, read): FoundTexts| (draw::draw(all, train, test, SEED), read);
        let (drawn, read) = match spec.authors.as_deref() {
            None => return Err(Error::argument(format!("the test set {name:?} has no authors"))),
            Some("movie") => drawn(movie::read(folder, SEED)?),
            Some("spooky") => drawn(spooky::read(folder, SEED)?),
            Some("authormix") => drawn(authormix::read(folder, SEED)?),
            Some("congress") => drawn(congress::read(folder, SEED)?),
            Some("synthpai-age") => with_attribute(Attribute::Age)?,
            Some("synthpai-education") => with_attribute(Attribute::Education)?,
            Some("synthpai-sex") => with_attribute(Attribute::Sex)?,
            Some(file) => drawn(lines::read(&folder.join(file), SEED)?),
        };
        let mut files = FileHashes::new();
        for file in read {
            let shown = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
            note_hash(&file, &shown, &mut files)?;
        }
        let has_two_authors = |rows: &[AuthoredText]| rows.iter().any(|row| row.author != rows[0].author);
        if !has_two_authors(&drawn.train) || !has_two_authors(&drawn.test) {
            return Err(Error::format(
                "attacks on authorship need texts of 8 words or more by at least two authors",
            )
            .in_file(folder));
        }
        Ok(Self {
            name: name.to_owned(),
            task: spec.task.clone(),
            train: drawn.train,
            test: drawn.test,
            files,
        })
    }
}
