//! An error kind and the place where it happened.

use std::error::Error;
use std::fmt;

/// Where an error happened. Every part is optional.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file, server, pack or address.
    pub subject: Option<String>,
    /// The row, counted from 1.
    pub row: Option<u64>,
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// The field, column or tensor.
    pub field: Option<String>,
}

/// An error kind and the place where it happened: the content of every type that [`error_type!`](crate::error_type)
/// writes.
#[derive(Clone, PartialEq, Eq)]
pub struct Located<K> {
    /// What happened.
    pub kind: K,
    /// Where it happened.
    pub place: Place,
}

impl<K> From<K> for Located<K> {
    fn from(kind: K) -> Self {
        Self { kind, place: Place::default() }
    }
}

/// The place and the message; the alternate form also prints the causes.
impl<K: Error> fmt::Display for Located<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.kind.to_string();
        let Place { subject, row, line, field } = &self.place;
        if let Some(subject) = subject {
            // The message is that of a wrapped error if the kind is transparent, and may begin with the same file.
            let named = message.strip_prefix(subject.as_str()).is_some_and(|rest| rest.starts_with(": "));
            if !named {
                write!(f, "{subject}: ")?;
            }
        }
        let mut parts = Vec::new();
        parts.extend(row.map(|row| format!("row {row}")));
        parts.extend(line.map(|line| format!("line {line}")));
        parts.extend(field.as_ref().map(|field| format!("field {field:?}")));
        if !parts.is_empty() {
            write!(f, "{}: ", parts.join(", "))?;
        }
        f.write_str(&message)?;
        if f.alternate() {
            let mut next = self.kind.source();
            while let Some(cause) = next {
                write!(f, ": {cause}")?;
                next = cause.source();
            }
        }
        Ok(())
    }
}
