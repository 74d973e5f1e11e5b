//! Which columns are read.

use super::path::ColumnPath;

/// The columns that are read.
///
/// ```
/// use inkveil_rows::{ColumnPath, Columns};
///
/// let columns = Columns { texts: vec!["review.text".parse()?], ..Columns::default() };
/// assert!(columns.task.is_none());
/// # Ok::<(), inkveil_rows::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Columns {
    /// The paths of the texts. If none is given, a column with a usual name is used.
    pub texts: Vec<ColumnPath>,
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
    /// Returns the column of texts if none is given: the only column, or the one with a usual name.
    pub(crate) fn usual(names: &[String]) -> Option<ColumnPath> {
        let found = match names {
            [only] => Some(only),
            _ => USUAL.iter().find_map(|usual| names.iter().find(|name| name.eq_ignore_ascii_case(usual))),
        };
        found.map(|name| ColumnPath::column(name))
    }

    /// Returns the columns beside the texts: task, id and subject.
    pub(crate) fn beside(&self) -> [Option<&ColumnPath>; 3] {
        [self.task.as_ref(), self.id.as_ref(), self.subject.as_ref()]
    }
}
