//! Texts with their authors.

mod authormix;
mod congress;
mod draw;
mod lines;
mod movie;
mod passage;
mod spooky;
mod synthpai;

use std::path::{Path, PathBuf};

use super::FileHashes;
use super::catalogue::{SetSpec, note_hash};
use crate::Error;
use synthpai::Attribute;

/// The drawing of texts is the same for everybody.
const SEED: u64 = 1;

/// How many texts are drawn to learn from and to attack if a set does not say.
const DRAWN: (usize, usize) = (1_000, 300);

/// A text, and what is known of it. Not for debugging output, which would print it.
#[derive(Clone, PartialEq, Eq)]
pub struct Writing {
    /// Who wrote it, or what its writer is, where a set asks for that.
    pub author: String,
    /// What it is about or says, if that is known.
    pub label: Option<String>,
    /// The text: 8 to 120 words.
    pub text: String,
}

/// A test set of texts with their authors, some to learn from and some to attack. Not for debugging output, which would print texts.
///
/// Of a longer text a passage is taken. Every author has equally many texts with each label on both sides, so that a label does not reveal an
/// author; who has fewer gives all.
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
    /// What its texts are for.
    pub task: Option<String>,
    /// What attackers learn from.
    pub train: Vec<Writing>,
    /// What is released, and attacked.
    pub test: Vec<Writing>,
    /// The files that were read.
    pub files: FileHashes,
}

impl AuthoredSet {
    pub(super) fn read(name: &str, spec: &SetSpec, folder: &Path) -> Result<Self, Error> {
        let (train, test) = spec.draw.unwrap_or(DRAWN);
        let about = |attribute| synthpai::read(folder, attribute, (train, test), SEED);
        let drawn = |(all, read): Found| (draw::draw(all, train, test, SEED), read);
        let (drawn, read) = match spec.authors.as_deref() {
            None => return Err(Error::argument(format!("the test set {name:?} has no authors"))),
            Some("movie") => drawn(movie::read(folder, SEED)?),
            Some("spooky") => drawn(spooky::read(folder, SEED)?),
            Some("authormix") => drawn(authormix::read(folder, SEED)?),
            Some("congress") => drawn(congress::read(folder, SEED)?),
            Some("synthpai-age") => about(Attribute::Age)?,
            Some("synthpai-education") => about(Attribute::Education)?,
            Some("synthpai-sex") => about(Attribute::Sex)?,
            Some(file) => drawn(lines::read(&folder.join(file), SEED)?),
        };
        let mut files = FileHashes::new();
        for file in read {
            let shown = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
            note_hash(&file, &shown, &mut files)?;
        }
        let few = |rows: &[Writing]| rows.iter().any(|row| row.author != rows[0].author);
        if !few(&drawn.train) || !few(&drawn.test) {
            return Err(Error::format(
                "attacks on authors need texts of 8 words or more by two authors at least",
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

/// Texts, and the files they come from.
type Found = (Vec<Writing>, Vec<PathBuf>);

/// A file as text, or an error that names it.
fn read_text(file: &Path) -> Result<String, Error> {
    std::fs::read_to_string(file).map_err(|error| Error::io("read it", &error).in_file(file))
}
