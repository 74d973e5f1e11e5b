//! A policy: what happens to the columns of each table on every read.

mod apply;
mod file;

use std::collections::BTreeMap;
use std::path::Path;

pub(crate) use apply::{is_harmless, view};

use crate::error::Error;

/// What happens to a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Treatment {
    /// Its texts are veiled.
    Veil,
    /// What detection finds in its texts is replaced by placeholders.
    Mask,
    /// What detection finds is listed in place of the texts.
    Detect,
    /// It is left out.
    Drop,
    /// It is read as it is.
    Keep,
}

impl Treatment {
    pub(crate) const ALL: [(&str, Self); 5] = [
        ("veil", Self::Veil),
        ("mask", Self::Mask),
        ("detect", Self::Detect),
        ("drop", Self::Drop),
        ("keep", Self::Keep),
    ];
}

/// The policy of one table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TablePolicy {
    /// The column with the id of each row.
    pub id: Option<String>,
    /// What veiled texts are for.
    pub task: Option<String>,
    /// Whether columns of texts that are not listed are read as they are.
    pub keep_others: bool,
    /// The treatment of each column.
    pub columns: BTreeMap<String, Treatment>,
}

/// A policy for all tables of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Settings of the session. A query cannot change them.
    pub settings: BTreeMap<String, String>,
    /// The tables.
    pub tables: BTreeMap<String, TablePolicy>,
}

impl Policy {
    /// Reads a policy file.
    ///
    /// # Errors
    /// Every mistake in the file, with its line.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Ok(file::parse(&inkveil::settings::read_file(path)?, path)?)
    }

    /// Reads the text of a policy file.
    ///
    /// # Errors
    /// Every mistake in the text, with its line.
    pub fn from_toml(text: &str, file: &Path) -> Result<Self, Error> {
        Ok(file::parse(text, file)?)
    }

    /// The text of a policy file.
    pub fn to_toml(&self) -> String {
        file::written(self)
    }
}
