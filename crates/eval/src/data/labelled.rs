//! Texts with labels.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use inkveil_files::Input;
use inkveil_rows::{ColumnPath, Columns, Packing, RecordOptions, RecordReader};

use super::files::{FileHashes, check_rows, note_hash};
use super::sample::sample;
use super::spec::{SetFile, SetSpec};
use crate::Error;

/// Texts, and the label of each as its position among all labels.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct LabelledTexts {
    /// The texts.
    pub texts: Vec<String>,
    /// Their labels.
    pub labels: Vec<usize>,
}

/// A test set of texts with labels. It has no `Debug`, which would print texts.
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
/// assert_eq!(set.train.texts.len(), 1); // the other text is a test text
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct LabelledSet {
    /// Its name.
    pub name: String,
    /// The task of its texts.
    pub task: Option<String>,
    /// The meanings of the labels, in alphabetical order.
    pub labels: Vec<String>,
    /// The training texts, without duplicates and without test texts.
    pub train: LabelledTexts,
    /// The test texts.
    pub test: LabelledTexts,
    /// The checksums of the files.
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
        let mut train = LabelledTexts::default();
        for (text, label) in read.texts.iter().zip(read.labels) {
            // Training must not include test texts.
            if seen.insert(text) {
                train.texts.push(text.clone());
                train.labels.push(label);
            }
        }
        Ok(Self { name: name.to_owned(), task: spec.task.clone(), labels, train, test, files })
    }
}

impl LabelledTexts {
    /// Draws `wanted` texts by the seed, in order.
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
) -> Result<LabelledTexts, Error> {
    let mut all = LabelledTexts::default();
    for file in files {
        let path = folder.join(&file.file);
        note_hash(&path, &file.file, hashes)?;
        let rows = read(file, &path, labels, &mut all)?;
        check_rows(file.rows, rows, "rows", &path)?;
    }
    Ok(all)
}

/// Reads a file. The text columns of a row are joined by a space.
fn read(file: &SetFile, path: &Path, labels: &[String], all: &mut LabelledTexts) -> Result<u64, Error> {
    let failed = |error: inkveil_rows::Error| Error::format("its rows cannot be read").caused_by(error);
    let column = |name: &String| name.parse::<ColumnPath>().map_err(failed);
    let columns = Columns {
        texts: file.texts.iter().map(column).collect::<Result<_, _>>()?,
        // The reader returns the label as the subject of a row.
        subject: file.label.as_ref().map(column).transpose()?,
        ..Columns::default()
    };
    let options = RecordOptions { columns, header: file.header, ..RecordOptions::default() };
    let mut reader = RecordReader::open(Input::path(path), file.record_format()?, Packing::None, &options)
        .map_err(failed)?;
    let mut rows = 0;
    while let Some(records) = reader.next().map_err(failed)? {
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
                return Err(Error::format(
                    "a label that the description of the set does not have; check the column",
                )
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
