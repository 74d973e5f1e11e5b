//! The known test sets, and how they are read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::authored::AuthoredSet;
use super::labelled::LabelledSet;
use super::marked::MarkedSet;
use super::pairs::ScoredPairs;
use super::questions::QuestionSet;
use super::search::SearchSet;
use super::spec::SetSpec;
use crate::{Error, ErrorKind};

/// The known sets.
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

impl Catalogue {
    /// The known sets.
    pub fn known() -> Self {
        // A test reads the file, so this never fails.
        Self::from_toml(KNOWN, Path::new("sets.toml")).unwrap_or_default()
    }

    /// A catalogue of these sets.
    pub fn new(sets: BTreeMap<String, SetSpec>) -> Self {
        Self { sets }
    }

    /// Reads descriptions; `file` is named in errors.
    ///
    /// # Errors
    /// If it is not TOML, or has an unknown key.
    pub fn from_toml(text: &str, file: &Path) -> Result<Self, Error> {
        let sets = toml::from_str(text).map_err(|error| Error::format(error.to_string()).in_file(file))?;
        Ok(Self { sets })
    }

    /// Adds sets. They replace sets of the same name.
    pub fn add(&mut self, more: Self) {
        self.sets.extend(more.sets);
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sets.keys().map(String::as_str)
    }

    /// Returns a set.
    ///
    /// # Errors
    /// If there is no set of this name.
    pub fn get(&self, name: &str) -> Result<&SetSpec, Error> {
        self.sets.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.names().collect();
            Error::argument(format!("there is no test set {name:?}; known are {}", known.join(", ")))
        })
    }

    /// Returns what determines how the files of a set are read: its description without the remark.
    ///
    /// # Errors
    /// If there is no set of this name.
    pub(crate) fn layout(&self, name: &str) -> Result<SetSpec, Error> {
        Ok(SetSpec { about: String::new(), ..self.get(name)?.clone() })
    }

    /// Reads a set of texts with labels from the data folder.
    ///
    /// # Errors
    /// If there is no such set, it has no labels, or a file of it is not as described.
    pub fn labelled(&self, name: &str, data: &Path) -> Result<LabelledSet, Error> {
        LabelledSet::read(name, self.get(name)?, &self.folder(name, data)?)
    }

    /// Reads a set of questions from the data folder.
    ///
    /// # Errors
    /// If there is no such set, it has no questions, or a file of it is not as described.
    pub fn questions(&self, name: &str, data: &Path) -> Result<QuestionSet, Error> {
        QuestionSet::read(name, self.get(name)?, &self.folder(name, data)?)
    }

    /// Reads a set of sentence pairs from the data folder.
    ///
    /// # Errors
    /// If there is no such set, it has no pairs, or a file of it is not as described.
    pub fn pairs(&self, name: &str, data: &Path) -> Result<ScoredPairs, Error> {
        ScoredPairs::read(name, self.get(name)?, &self.folder(name, data)?)
    }

    /// Reads a set of texts with authors from the data folder.
    ///
    /// # Errors
    /// If there is no such set, it has no authors, or a file of it is not as described.
    pub fn authored(&self, name: &str, data: &Path) -> Result<AuthoredSet, Error> {
        AuthoredSet::read(name, self.get(name)?, &self.folder(name, data)?)
    }

    /// Reads a set of queries and documents from the data folder.
    ///
    /// # Errors
    /// If there is no such set, it has no documents, or a file of it is not as described.
    pub fn search(&self, name: &str, data: &Path) -> Result<SearchSet, Error> {
        SearchSet::read(name, self.get(name)?, &self.folder(name, data)?)
    }

    /// Reads a set of texts with marks from the data folder.
    ///
    /// # Errors
    /// If there is no such set, it has no marks, or a file of it is not as described.
    pub fn marked(&self, name: &str, data: &Path) -> Result<MarkedSet, Error> {
        MarkedSet::read(name, self.get(name)?, &self.folder(name, data)?)
    }

    /// Reads a set from the data folder and returns its size in words.
    ///
    /// # Errors
    /// If there is no such set, or a file of it is not as described.
    pub fn describe(&self, name: &str, data: &Path) -> Result<String, Error> {
        let set = self.get(name)?;
        Ok(if !set.questions.is_empty() {
            let set = self.questions(name, data)?;
            format!("{} questions about {} passages", set.questions.len(), set.passages.len())
        } else if set.pairs.is_some() {
            format!("{} pairs of sentences", self.pairs(name, data)?.pairs.len())
        } else if set.search.is_some() {
            let task = self.search(name, data)?.task;
            format!("{} queries, {} documents", task.queries.len(), task.documents.len())
        } else if set.marked.is_some() {
            format!("{} texts with marks", self.marked(name, data)?.texts.len())
        } else if set.authors.is_some() {
            let set = self.authored(name, data)?;
            let authors: BTreeSet<&str> = set.test.iter().map(|text| text.author.as_str()).collect();
            let (test, train) = (set.test.len(), set.train.len());
            format!("{test} test texts, {train} training texts, {} authors", authors.len())
        } else {
            let set = self.labelled(name, data)?;
            let (test, train) = (set.test.texts.len(), set.train.texts.len());
            format!("{test} test texts, {train} training texts, {} labels", set.labels.len())
        })
    }

    fn folder(&self, name: &str, data: &Path) -> Result<PathBuf, Error> {
        let folder = data.join(self.get(name)?.folder.as_deref().unwrap_or(name));
        match folder.is_dir() {
            true => Ok(folder),
            false => Err(Error::from(ErrorKind::NoTestSet).in_file(&folder)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_sets_are_valid() {
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
            assert_eq!(kinds.iter().filter(|has| **has).count(), 1, "{name} has one kind");
            for file in set.train.iter().chain(&set.test) {
                assert!(
                    file.record_format().is_ok() && file.label.is_some() && !file.texts.is_empty(),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line() {
        let error =
            Catalogue::from_toml("[a]\nabout = \"x\"\nfiles = 3\n", Path::new("mine.toml")).unwrap_err();
        let message = error.to_string();
        assert!(
            message.starts_with("mine.toml: ") && message.contains("files") && message.contains("line 3"),
            "{message}"
        );
    }
}
