//! Texts with labels.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use inkveil_files::Input;
use inkveil_rows::{ColumnPath, Columns, Packing, RecordOptions, RecordReader};

use super::catalogue::{SetFile, SetSpec, check_rows, note_hash};
use super::{FileHashes, sample};
use crate::Error;

/// Texts, and the label of each as its place among all labels.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Labelled {
    /// The texts.
    pub texts: Vec<String>,
    /// Their labels.
    pub labels: Vec<usize>,
}

/// A test set of texts with labels. Not for debugging output, which would print texts.
///
/// ```
/// use inkveil_eval::data::Catalogue;
///
/// let data = tempfile::tempdir()?;
/// std::fs::create_dir(data.path().join("mood"))?;
/// std::fs::write(data.path().join("mood/train.csv"), "1,What a day!\n0,Nothing works.\n")?;
/// std::fs::write(data.path().join("mood/test.csv"), "0,It broke.\n1,Lovely.\n1,What a day!\n")?;
/// let mut sets = Catalogue::known();
/// sets.add(Catalogue::from_toml(
///     r#"
///     [mood]
///     about = "remarks, glad or sad"
///     train = [{ file = "train.csv", header = false, texts = ["2"], label = "1", labels = { 0 = "sad", 1 = "glad" } }]
///     test = [{ file = "test.csv", header = false, texts = ["2"], label = "1", labels = { 0 = "sad", 1 = "glad" }, rows = 3 }]
///     "#,
///     "mood.toml".as_ref(),
/// )?);
/// let set = sets.labelled("mood", data.path())?;
/// assert_eq!(set.labels, ["glad", "sad"]);
/// assert_eq!(set.test.labels, [1, 0, 0]);
/// assert_eq!(set.train.texts.len(), 1); // the other one is in the test texts
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct LabelledSet {
    /// Its name.
    pub name: String,
    /// What its texts are for.
    pub task: Option<String>,
    /// What the labels mean, in alphabetical order.
    pub labels: Vec<String>,
    /// What is trained on: no text of it is in `test`, and none is there twice.
    pub train: Labelled,
    /// What is tested on.
    pub test: Labelled,
    /// The files that were read.
    pub files: FileHashes,
}

impl LabelledSet {
    pub(super) fn read(name: &str, spec: &SetSpec, folder: &Path) -> Result<Self, Error> {
        if spec.test.is_empty() {
            return Err(Error::argument(format!("the test set {name:?} has no texts with labels")));
        }
        let all: BTreeSet<&String> =
            spec.train.iter().chain(&spec.test).flat_map(|file| file.labels.values()).collect();
        let labels: Vec<String> = all.into_iter().cloned().collect();
        let mut files = FileHashes::new();
        let test = read_all(&spec.test, folder, &labels, &mut files)?;
        let mut seen: HashSet<&str> = test.texts.iter().map(String::as_str).collect();
        let read = read_all(&spec.train, folder, &labels, &mut files)?;
        let mut train = Labelled::default();
        for (text, label) in read.texts.iter().zip(read.labels) {
            // What is tested on must not have been learnt by heart.
            if seen.insert(text) {
                train.texts.push(text.clone());
                train.labels.push(label);
            }
        }
        Ok(Self { name: name.to_owned(), task: spec.task.clone(), labels, train, test, files })
    }
}

impl Labelled {
    /// So many of them, drawn by the seed, in their order.
    pub fn sample(&self, wanted: usize, seed: u64) -> Self {
        let items = sample(self.texts.len(), wanted, seed);
        Self {
            texts: items.iter().map(|&item| self.texts[item].clone()).collect(),
            labels: items.iter().map(|&item| self.labels[item]).collect(),
        }
    }
}

fn read_all(
    files: &[SetFile],
    folder: &Path,
    labels: &[String],
    hashes: &mut FileHashes,
) -> Result<Labelled, Error> {
    let mut all = Labelled::default();
    for file in files {
        let path = folder.join(&file.file);
        note_hash(&path, &file.file, hashes)?;
        let rows = read(file, &path, labels, &mut all)?;
        check_rows(file.rows, rows, "rows", &path)?;
    }
    Ok(all)
}

/// Reads a file; the texts of a row's columns are joined by a space.
fn read(file: &SetFile, path: &Path, labels: &[String], all: &mut Labelled) -> Result<u64, Error> {
    let column = |name: &String| name.parse::<ColumnPath>();
    let columns = Columns {
        texts: file.texts.iter().map(column).collect::<Result<_, _>>()?,
        // A label is read as whatever a row is about.
        subject: file.label.as_ref().map(column).transpose()?,
        ..Columns::default()
    };
    let options = RecordOptions { columns, header: file.header, ..RecordOptions::default() };
    let mut reader = RecordReader::open(Input::path(path), file.record_format()?, Packing::None, &options)?;
    let mut rows = 0;
    while let Some(records) = reader.next()? {
        let texts = records.texts();
        let mut last = None;
        for index in 0..texts.len() {
            let (row, text) = (texts.row(index), texts.text(index).trim());
            let label = texts.subject(index).unwrap_or_default();
            if file.leave.iter().any(|left| left == label) {
                continue;
            }
            if let Some(joined) = all.texts.last_mut().filter(|_| last == Some(row)) {
                joined.push(' ');
                joined.push_str(text);
                continue;
            }
            let meaning = file.labels.get(label);
            let Some(label) = meaning.and_then(|meaning| labels.iter().position(|known| known == meaning))
            else {
                return Err(Error::format("a label that the set does not have; is the right column named?")
                    .in_line(row as usize)
                    .in_file(path));
            };
            all.texts.push(text.to_owned());
            all.labels.push(label);
            last = Some(row);
        }
        rows += records.rows();
    }
    Ok(rows)
}
