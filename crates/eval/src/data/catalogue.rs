//! Descriptions of test sets.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use inkveil_files::Sha256Sum;
use inkveil_rows::RecordFormat;
use serde::{Deserialize, Serialize};

use super::{
    AuthoredSet, FileHashes, LabelledSet, MarkedFile, MarkedSet, QuestionSet, ScoredPairs, SearchFiles,
    SearchSet,
};
use crate::Error;

/// The sets that are known by name.
const KNOWN: &str = include_str!("sets.toml");

/// Test sets, by name.
///
/// ```
/// use inkveil_eval::data::Catalogue;
///
/// let mut sets = Catalogue::known();
/// assert!(sets.names().any(|name| name == "ag_news"));
/// let mine = "[mine]\nabout = \"Letters, by mood\"\n\
///             [[mine.test]]\nfile = \"letters.jsonl\"\ntexts = [\"text\"]\nlabel = \"mood\"\nlabels = { a = \"glad\", b = \"sad\" }\n";
/// sets.add(Catalogue::from_toml(mine, "sets.toml".as_ref())?);
/// assert_eq!(sets.get("mine")?.about, "Letters, by mood");
/// assert!(sets.get("mein").unwrap_err().to_string().contains("ag_news"));
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Catalogue {
    sets: BTreeMap<String, SetSpec>,
}

/// What a set consists of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetSpec {
    /// What it is, in a few words.
    pub about: String,
    /// Its folder in the data directory, if that has another name.
    #[serde(default)]
    pub folder: Option<String>,
    /// What its texts are for, as a veil is told it.
    #[serde(default)]
    pub task: Option<String>,
    /// Files of texts with labels, to train on.
    #[serde(default)]
    pub train: Vec<SetFile>,
    /// Files of texts with labels, to test on.
    #[serde(default)]
    pub test: Vec<SetFile>,
    /// Files of questions in SQuAD's format.
    #[serde(default)]
    pub questions: Vec<SetFile>,
    /// Pairs of sentences with scores, in the layout of `sts12` or `stsb`.
    #[serde(default)]
    pub pairs: Option<String>,
    /// Texts with their authors: a layout that is known (`movie`, `spooky`, `authormix`, `congress`; `synthpai-age`, `-education`
    /// and `-sex`, where what somebody is stands in the place of who it is), or a file of JSON lines with `author`, `text` and perhaps `label`.
    #[serde(default)]
    pub authors: Option<String>,
    /// How many of these are drawn to learn from, and to attack.
    #[serde(default)]
    pub draw: Option<(usize, usize)>,
    /// Queries and documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchFiles>,
    /// Texts in which people marked what is personal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marked: Option<MarkedFile>,
    /// How many pairs, documents or marked texts there are, if that is known.
    #[serde(default)]
    pub rows: Option<u64>,
}

/// A file of a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetFile {
    /// Its name in the set's folder.
    pub file: String,
    /// What it is, where its name does not say: `csv`, `tsv`, `jsonl` or `parquet`.
    #[serde(default)]
    pub format: Option<String>,
    /// Whether the first row names the columns.
    #[serde(default = "yes")]
    pub header: bool,
    /// The columns that make up the text, by name or, without a header, by number from 1.
    #[serde(default)]
    pub texts: Vec<String>,
    /// The column of the label.
    #[serde(default)]
    pub label: Option<String>,
    /// What the labels mean. Several may mean the same.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Labels whose rows are left out.
    #[serde(default)]
    pub leave: Vec<String>,
    /// How many rows there are, if that is known.
    #[serde(default)]
    pub rows: Option<u64>,
}

fn yes() -> bool {
    true
}

impl Catalogue {
    /// The sets that are known by name.
    pub fn known() -> Self {
        // A test reads it, so it can be read.
        Self::from_toml(KNOWN, Path::new("sets.toml")).unwrap_or_default()
    }

    /// These sets.
    pub fn new(sets: BTreeMap<String, SetSpec>) -> Self {
        Self { sets }
    }

    /// Reads descriptions; `file` is named in errors.
    ///
    /// # Errors
    /// If it is not TOML, or says something that no set has.
    pub fn from_toml(text: &str, file: &Path) -> Result<Self, Error> {
        let sets = toml::from_str(text).map_err(|error| Error::format(error.to_string()).in_file(file))?;
        Ok(Self { sets })
    }

    /// Adds sets; they replace those of the same name.
    pub fn add(&mut self, more: Self) {
        self.sets.extend(more.sets);
    }

    /// Their names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sets.keys().map(String::as_str)
    }

    /// A set.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn get(&self, name: &str) -> Result<&SetSpec, Error> {
        self.sets.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.names().collect();
            Error::argument(format!("there is no test set {name:?}; known are {}", known.join(", ")))
        })
    }

    /// What decides how the files of a set are read: its description without what it is about. Two sets may share their files.
    ///
    /// # Errors
    /// If there is none of this name.
    pub(crate) fn reading(&self, name: &str) -> Result<SetSpec, Error> {
        Ok(SetSpec { about: String::new(), ..self.get(name)?.clone() })
    }

    /// Reads a set of texts with labels from the data directory.
    ///
    /// # Errors
    /// If there is no such set, it has no labels, or a file of it is not as described.
    pub fn labelled(&self, name: &str, data: &Path) -> Result<LabelledSet, Error> {
        LabelledSet::read(name, self.get(name)?, &self.folder(name, data)?)
    }

    /// Reads a set of questions from the data directory.
    ///
    /// # Errors
    /// If there is no such set, it has no questions, or a file of it is not as described.
    pub fn questions(&self, name: &str, data: &Path) -> Result<QuestionSet, Error> {
        QuestionSet::read(name, self.get(name)?, &self.folder(name, data)?)
    }

    /// Reads a set of sentence pairs from the data directory.
    ///
    /// # Errors
    /// If there is no such set, it has no pairs, or a file of it is not as described.
    pub fn pairs(&self, name: &str, data: &Path) -> Result<ScoredPairs, Error> {
        ScoredPairs::read(name, self.get(name)?, &self.folder(name, data)?)
    }

    /// Reads a set of texts with authors from the data directory.
    ///
    /// # Errors
    /// If there is no such set, it has no authors, or a file of it is not as described.
    pub fn authored(&self, name: &str, data: &Path) -> Result<AuthoredSet, Error> {
        AuthoredSet::read(name, self.get(name)?, &self.folder(name, data)?)
    }

    /// Reads a set of queries and documents from the data directory.
    ///
    /// # Errors
    /// If there is no such set, it has no documents, or a file of it is not as described.
    pub fn search(&self, name: &str, data: &Path) -> Result<SearchSet, Error> {
        SearchSet::read(name, self.get(name)?, &self.folder(name, data)?)
    }

    /// Reads a set of texts with marks from the data directory.
    ///
    /// # Errors
    /// If there is no such set, it has no marks, or a file of it is not as described.
    pub fn marked(&self, name: &str, data: &Path) -> Result<MarkedSet, Error> {
        MarkedSet::read(name, self.get(name)?, &self.folder(name, data)?)
    }

    fn folder(&self, name: &str, data: &Path) -> Result<PathBuf, Error> {
        let folder = data.join(self.get(name)?.folder.as_deref().unwrap_or(name));
        match folder.is_dir() {
            true => Ok(folder),
            false => Err(Error::format("there is no such folder; name the data directory").in_file(&folder)),
        }
    }
}

impl SetFile {
    pub(super) fn record_format(&self) -> Result<RecordFormat, Error> {
        let name = match &self.format {
            Some(format) => format!("x.{format}"),
            None => self.file.clone(),
        };
        RecordFormat::of(Path::new(&name)).map(|(format, _)| format).ok_or_else(|| {
            Error::format("its name does not say what it is; add format = \"csv\" (or tsv, jsonl, parquet)")
                .in_file(Path::new(&self.file))
        })
    }
}

/// That as many rows, or whatever they are called, were read as there should be.
pub(super) fn check_rows(expected: Option<u64>, found: u64, what: &str, path: &Path) -> Result<(), Error> {
    match expected {
        Some(rows) if rows != found => Err(Error::format(format!(
            "{found} {what}, but there should be {rows}; is it another version, or cut off?"
        ))
        .in_file(path)),
        _ => Ok(()),
    }
}

/// Notes the checksum of a file.
pub(super) fn note_hash(path: &Path, name: &str, hashes: &mut FileHashes) -> Result<(), Error> {
    hashes.insert(name.to_owned(), Sha256Sum::of_file(path)?.to_string());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_sets_can_be_read() {
        let sets = Catalogue::from_toml(KNOWN, Path::new("sets.toml")).unwrap();
        for name in sets.names() {
            let set = sets.get(name).unwrap();
            let kinds = [
                !set.questions.is_empty(),
                !set.test.is_empty(),
                set.pairs.is_some(),
                set.authors.is_some(),
                set.search.is_some(),
                set.marked.is_some(),
            ];
            assert_eq!(kinds.iter().filter(|has| **has).count(), 1, "{name} is of one kind");
            for file in set.train.iter().chain(&set.test) {
                assert!(
                    file.record_format().is_ok() && file.label.is_some() && !file.texts.is_empty(),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn what_no_set_has_is_told_with_its_line() {
        let error =
            Catalogue::from_toml("[a]\nabout = \"x\"\nfiles = 3\n", Path::new("mine.toml")).unwrap_err();
        let said = error.to_string();
        assert!(
            said.starts_with("mine.toml: ") && said.contains("files") && said.contains("line 3"),
            "{said}"
        );
    }
}
