//! Descriptions of test sets.

use std::collections::BTreeMap;
use std::path::Path;

use inkveil_rows::RecordFormat;
use serde::{Deserialize, Serialize};

use crate::Error;

/// The description of a test set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetSpec {
    /// What it is, in a few words.
    pub about: String,
    /// Its folder in the data folder, if it has another name.
    #[serde(default)]
    pub folder: Option<String>,
    /// The task of its texts, as a veil gets it.
    #[serde(default)]
    pub task: Option<String>,
    /// Files of texts with labels for training.
    #[serde(default)]
    pub train: Vec<SetFile>,
    /// Files of texts with labels for testing.
    #[serde(default)]
    pub test: Vec<SetFile>,
    /// Files of questions in SQuAD's format.
    #[serde(default)]
    pub questions: Vec<SetFile>,
    /// Pairs of sentences with scores, in the layout of `sts12` or `stsb`.
    #[serde(default)]
    pub pairs: Option<String>,
    /// Texts with authors: a known layout (`movie`, `spooky`, `authormix`, `congress`;
    /// `synthpai-age`, `-education` and `-sex` have an attribute instead of the author), or a file
    /// of JSON lines with `author`, `text` and an optional `label`.
    #[serde(default)]
    pub authors: Option<String>,
    /// How many texts with authors are drawn for training, and to be attacked.
    #[serde(default)]
    pub draw: Option<(usize, usize)>,
    /// Queries and documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchFiles>,
    /// Texts with marked personal data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marked: Option<MarkedFile>,
    /// The number of pairs, documents or marked texts, if it is known.
    #[serde(default)]
    pub rows: Option<u64>,
}

/// A file of a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetFile {
    /// Its name in the folder of the set.
    pub file: String,
    /// Its format if the name does not show it: `csv`, `tsv`, `jsonl` or `parquet`.
    #[serde(default)]
    pub format: Option<String>,
    /// Whether the first row names the columns.
    #[serde(default = "yes")]
    pub header: bool,
    /// The columns of the text, by name or, without a header, by number from 1.
    #[serde(default)]
    pub texts: Vec<String>,
    /// The column of the label.
    #[serde(default)]
    pub label: Option<String>,
    /// The meanings of the labels. Several labels can have the same meaning.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Labels whose rows are left out.
    #[serde(default)]
    pub leave: Vec<String>,
    /// The number of rows, if it is known.
    #[serde(default)]
    pub rows: Option<u64>,
}

fn yes() -> bool {
    true
}

impl SetFile {
    pub(super) fn record_format(&self) -> Result<RecordFormat, Error> {
        let name = match &self.format {
            Some(format) => format!("x.{format}"),
            None => self.file.clone(),
        };
        RecordFormat::of(Path::new(&name)).map(|(format, _)| format).ok_or_else(|| {
            Error::format("its name does not show its format; add format = \"csv\" (or tsv, jsonl, parquet)")
                .in_file(Path::new(&self.file))
        })
    }
}

/// A file of JSON lines with `source_text` and `privacy_mask`: a list of `label`, `start`, `end`
/// (in characters) and `value`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarkedFile {
    /// Its name in the folder of the set.
    pub file: String,
    /// Labels with repeated values: each value is a word.
    #[serde(default)]
    pub values: Vec<String>,
    /// Labels with unique values: all values count as one word.
    #[serde(default)]
    pub kinds: Vec<String>,
}

/// The files of queries and documents, in the layouts of [`retrieval`](crate::retrieval).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchFiles {
    /// The documents.
    pub documents: String,
    /// The queries.
    pub queries: String,
    /// The relevant documents of each query.
    pub judgements: String,
}
