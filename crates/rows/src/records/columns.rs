//! Which values of a row are texts, and what else about it is wanted.

use super::path::ColumnPath;

/// The values of a row that are read.
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
    /// The texts. If there is none, the one column that is usually called so.
    pub texts: Vec<ColumnPath>,
    /// What the texts of a row are for.
    pub task: Option<ColumnPath>,
    /// What the row is called.
    pub id: Option<ColumnPath>,
    /// Whom the row is about.
    pub subject: Option<ColumnPath>,
}

/// Where a text is looked for if nobody says where it is.
const USUAL: [&str; 9] =
    ["text", "review", "content", "body", "message", "comment", "sentence", "document", "prompt"];

impl Columns {
    /// The text column among `names`, if none was chosen: the only one there is, or the one with a usual name.
    pub(crate) fn usual(names: &[String]) -> Option<ColumnPath> {
        let found = match names {
            [only] => Some(only),
            _ => USUAL.iter().find_map(|usual| names.iter().find(|name| name.eq_ignore_ascii_case(usual))),
        };
        found.map(|name| ColumnPath::column(name))
    }

    /// What is read besides the texts, in the order of [`Beside`].
    pub(crate) fn beside(&self) -> [Option<&ColumnPath>; 3] {
        [self.task.as_ref(), self.id.as_ref(), self.subject.as_ref()]
    }
}
