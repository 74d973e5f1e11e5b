//! The path to a text in a row: a column, a field inside it, an element of a list.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};

/// The path to a text in a row.
///
/// Names are separated by dots; `[3]` is an element of a list (from 0), `[]` each of them. A name with a dot or a bracket in it is
/// written in quotes.
///
/// ```
/// use inkveil_rows::ColumnPath;
///
/// let path: ColumnPath = "messages[].content".parse()?;
/// assert_eq!(path.to_string(), "messages[].content");
/// assert_eq!(path.first(), "messages");
/// let dotted: ColumnPath = "\"a.b\".c".parse()?;
/// assert_eq!(dotted.first(), "a.b");
/// # Ok::<(), inkveil_rows::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnPath {
    name: String,
    pub(crate) steps: Vec<Step>,
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Field(String),
    Element(usize),
    Each,
}

impl ColumnPath {
    /// Returns the path of a column by its plain name, which may contain any characters.
    pub fn column(name: &str) -> Self {
        Self { name: name.to_owned(), steps: Vec::new() }
    }

    /// Returns whether the path is that of a whole column.
    pub(crate) fn is_whole(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the path with one more step.
    pub(crate) fn then(&self, step: Step) -> Self {
        let mut longer = self.clone();
        longer.steps.push(step);
        longer
    }

    /// Returns the column at the start of the path.
    pub fn first(&self) -> &str {
        &self.name
    }
}

impl FromStr for ColumnPath {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = || Error::from(ErrorKind::BadPath { given: text.to_owned() });
        let mut rest = text;
        let mut steps = Vec::new();
        loop {
            let (name, after) = match rest.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').ok_or_else(bad)?,
                None => rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len())),
            };
            if name.is_empty() {
                return Err(bad());
            }
            steps.push(Step::Field(name.to_owned()));
            rest = after;
            while let Some(inside) = rest.strip_prefix('[') {
                let (index, after) = inside.split_once(']').ok_or_else(bad)?;
                steps.push(match index {
                    "" | "*" => Step::Each,
                    index => Step::Element(index.parse().map_err(|_| bad())?),
                });
                rest = after;
            }
            match rest.strip_prefix('.') {
                Some(after) => rest = after,
                None if rest.is_empty() => break,
                None => return Err(bad()),
            }
        }
        match steps.remove(0) {
            Step::Field(name) => Ok(Self { name, steps }),
            Step::Element(_) | Step::Each => Err(bad()),
        }
    }
}

impl fmt::Display for ColumnPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |f: &mut fmt::Formatter<'_>, name: &str| match name.contains(['.', '[']) {
            true => write!(f, "\"{name}\""),
            false => f.write_str(name),
        };
        name(f, &self.name)?;
        for step in &self.steps {
            match step {
                Step::Field(field) => {
                    f.write_str(".")?;
                    name(f, field)?;
                }
                Step::Element(index) => write!(f, "[{index}]")?,
                Step::Each => f.write_str("[]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_and_written() {
        for text in ["text", "a.b", "a[].b[2].c", "\"a.b\".c[]"] {
            assert_eq!(text.parse::<ColumnPath>().unwrap().to_string(), text);
        }
        assert_eq!("a[*]".parse::<ColumnPath>().unwrap().to_string(), "a[]");
        for text in ["", ".", "a.", "a[", "a[x]", "[0]", "a]b[", "a..b", "\"a"] {
            assert!(text.parse::<ColumnPath>().is_err() || text == "a]b[", "{text}");
        }
    }
}
