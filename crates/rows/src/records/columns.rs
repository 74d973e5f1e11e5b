//! Which columns are read, and what became of the columns of some rows.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::path::ColumnPath;
use crate::error::{Error, ErrorKind};

/// The columns that are read.
///
/// ```
/// use inkveil_rows::{ColumnPath, Columns};
///
/// let columns = Columns { texts: vec!["review.text".parse()?], ..Columns::default() };
/// assert!(columns.task.is_none() && !columns.are_chosen());
/// # Ok::<(), inkveil_rows::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Columns {
    /// The paths of the texts. If none is given, a column with a usual name is chosen.
    pub texts: Vec<ColumnPath>,
    /// Whether every string in a row is a text, except in the columns of `copied`.
    pub all: bool,
    /// Columns that are copied although they may hold texts.
    pub copied: Vec<ColumnPath>,
    /// The task of the texts of a row.
    pub task: Option<ColumnPath>,
    /// The id of the row.
    pub id: Option<ColumnPath>,
    /// The person that the row is about.
    pub subject: Option<ColumnPath>,
}

/// The usual names of a column of texts.
const USUAL: [&str; 9] =
    ["text", "review", "content", "body", "message", "comment", "sentence", "document", "prompt"];

impl Columns {
    /// Returns whether the column of the texts is chosen by its name, because the caller gives none. What is in the other
    /// columns should be checked then, because no one has said that they may be copied.
    pub fn are_chosen(&self) -> bool {
        self.texts.is_empty() && !self.all
    }

    /// Returns the column of texts if none is given: the only column, or the one with a usual name.
    ///
    /// # Errors
    /// If no column has a usual name, or more than one.
    pub(crate) fn usual(&self, names: &[String]) -> Result<ColumnPath, Error> {
        Self::check_names(names)?;
        let open: Vec<&String> = names.iter().filter(|name| !self.copies(name)).collect();
        let is_usual = |name: &&String| USUAL.iter().any(|usual| name.eq_ignore_ascii_case(usual));
        let usual: Vec<&String> = open.iter().copied().filter(is_usual).collect();
        match (open.as_slice(), usual.as_slice()) {
            ([only], _) | (_, [only]) => Ok(ColumnPath::column(only)),
            (_, []) => Err(ErrorKind::NoTexts { candidates: names.to_vec() }.into()),
            _ => {
                let candidates = usual.into_iter().cloned().collect();
                Err(ErrorKind::SeveralTexts { candidates }.into())
            }
        }
    }

    /// Returns whether a column is copied because the caller says so.
    pub(crate) fn copies(&self, name: &str) -> bool {
        self.copied.iter().any(|path| path.first() == name || path.to_string() == name)
    }

    /// Fails if two columns have the same name: only one of them would be read, and the other copied.
    pub(crate) fn check_names<'n>(names: impl IntoIterator<Item = &'n String>) -> Result<(), Error> {
        let mut known = BTreeSet::new();
        for name in names {
            // Spreadsheets write columns without a name. No one can ask for one of them.
            if !name.is_empty() && !known.insert(name) {
                return Err(Error::from(ErrorKind::DuplicateField).in_field(Some(name)));
            }
        }
        Ok(())
    }

    /// Returns the columns beside the texts: task, id and subject.
    pub(crate) fn beside(&self) -> [Option<&ColumnPath>; 3] {
        [self.task.as_ref(), self.id.as_ref(), self.subject.as_ref()]
    }
}

/// What became of the columns of some rows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ColumnUse {
    /// The paths of the texts.
    pub texts: BTreeSet<String>,
    /// The columns that are copied unchanged.
    pub copied: BTreeSet<String>,
    /// Whether the column of the texts was chosen by its name.
    pub chosen: bool,
    /// Whether every string is a text.
    pub all: bool,
    /// Whether some of these texts are parts of a text that is too long to be one.
    pub parts: bool,
    /// What was removed from documents, and how often.
    #[serde(default)]
    pub removed: BTreeMap<String, u64>,
}

impl ColumnUse {
    /// Rows can have any fields, so the number of names is limited.
    const MOST: usize = 1000;

    /// Adds what became of the columns of later rows.
    pub fn join(&mut self, later: &Self) {
        let room = Self::MOST.saturating_sub(self.texts.len());
        self.texts.extend(later.texts.iter().take(room).cloned());
        let room = Self::MOST.saturating_sub(self.copied.len());
        self.copied.extend(later.copied.iter().take(room).cloned());
        self.chosen |= later.chosen;
        self.all |= later.all;
        self.parts |= later.parts;
        for (what, count) in &later.removed {
            *self.removed.entry(what.clone()).or_default() += count;
        }
    }

    /// Notes columns that are copied.
    pub(crate) fn copies<'n>(&mut self, names: impl Iterator<Item = &'n String>) {
        for name in names {
            if self.copied.len() < Self::MOST && !self.copied.contains(name) {
                self.copied.insert(name.clone());
            }
        }
    }
}

/// A value that is copied, in a column that no one has named. **Private.**
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CopiedValue {
    /// The column.
    pub column: String,
    /// The value.
    pub value: String,
}

impl std::fmt::Debug for CopiedValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CopiedValue(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_usual_name_is_chosen_and_two_are_refused() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let columns = Columns::default();
        assert_eq!(columns.usual(&names(&["id", "Text"])).unwrap().first(), "Text");
        assert_eq!(columns.usual(&names(&["words"])).unwrap().first(), "words");
        assert!(matches!(columns.usual(&names(&["a", "b"])).unwrap_err().kind(), ErrorKind::NoTexts { .. }));
        let two = names(&["text", "body"]);
        assert!(matches!(columns.usual(&two).unwrap_err().kind(), ErrorKind::SeveralTexts { .. }));
        let one = Columns { copied: vec![ColumnPath::column("body")], ..Columns::default() };
        assert_eq!(one.usual(&two).unwrap().first(), "text");
        assert!(Columns::check_names(&names(&["a", "", "b", ""])).is_ok());
        assert!(Columns::check_names(&names(&["a", "b", "a"])).is_err());
    }
}
