//! Formats of files with rows of text, and their compression.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use inkveil_documents::DocumentFormat;

use crate::error::{Error, ErrorKind};

/// The format of a file with texts.
///
/// ```
/// use inkveil_rows::{Packing, RecordFormat};
/// use std::path::Path;
///
/// assert_eq!(RecordFormat::of(Path::new("reviews.jsonl.gz")), Some((RecordFormat::Jsonl, Packing::Gzip)));
/// assert_eq!(RecordFormat::of(Path::new("letter.txt")), Some((RecordFormat::Text, Packing::None)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordFormat {
    /// The whole file is one text.
    Text,
    /// Every line is a text.
    Lines,
    /// Every line is a JSON object.
    Jsonl,
    /// Comma-separated values; `;`, `|` and tabs are recognised too.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, as a file or as a stream.
    Arrow,
    /// A document: its text is one text. Each mail of a mailbox is a row.
    Document(DocumentFormat),
}

/// The compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Packing {
    /// No compression.
    #[default]
    None,
    /// gzip, as `.gz`.
    Gzip,
    /// Zstandard, as `.zst`.
    Zstd,
}

impl RecordFormat {
    /// All formats but those of documents.
    pub const ALL: [Self; 7] =
        [Self::Text, Self::Lines, Self::Jsonl, Self::Csv, Self::Tsv, Self::Parquet, Self::Arrow];

    /// Returns the format and the compression that a file's name stands for.
    pub fn of(path: &Path) -> Option<(Self, Packing)> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let (name, packing) = match name.rsplit_once('.') {
            Some((name, "gz")) => (name, Packing::Gzip),
            Some((name, "zst" | "zstd")) => (name, Packing::Zstd),
            _ => (name.as_str(), Packing::None),
        };
        let format = match name.rsplit_once('.')?.1 {
            "txt" | "text" | "log" => Self::Text,
            "jsonl" | "ndjson" => Self::Jsonl,
            "csv" => Self::Csv,
            "tsv" | "tab" => Self::Tsv,
            "parquet" | "pq" => Self::Parquet,
            "arrow" | "arrows" | "ipc" | "feather" => Self::Arrow,
            // Any data can be JSON. A chat is known by its content.
            "json" => return None,
            _ => Self::Document(DocumentFormat::of(Path::new(name))?),
        };
        // These formats compress their content themselves.
        let packs = format.is_bytes() && format.document().is_none();
        (packs || packing == Packing::None).then_some((format, packing))
    }

    /// Returns the name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Lines => "lines",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Document(format) => format.name(),
        }
    }

    /// Returns the format of a document, if it is one.
    pub fn document(self) -> Option<DocumentFormat> {
        match self {
            Self::Document(format) => Some(format),
            _ => None,
        }
    }

    /// Returns whether a file has rows, and so more than one text.
    pub fn has_rows(self) -> bool {
        match self {
            Self::Text => false,
            Self::Document(format) => format == DocumentFormat::Mbox,
            _ => true,
        }
    }

    /// Returns whether rows are consecutive bytes, so that everything but the texts is kept byte for byte.
    pub fn is_bytes(self) -> bool {
        !matches!(self, Self::Parquet | Self::Arrow)
    }

    /// Returns whether rows have named values.
    pub fn is_table(self) -> bool {
        !matches!(self, Self::Text | Self::Lines | Self::Document(_))
    }

    /// Returns the usual extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Text | Self::Lines => "txt",
            Self::Document(format) => format.extension(),
            other => other.name(),
        }
    }
}

impl Packing {
    /// Returns the extension with its dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
        }
    }
}

impl FromStr for RecordFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let known = Self::ALL.into_iter().find(|format| format.name() == name);
        let document = || name.parse().ok().map(Self::Document);
        known.or_else(document).ok_or_else(|| ErrorKind::UnknownFormat { given: name.to_owned() }.into())
    }
}

impl fmt::Display for RecordFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_files_are() {
        let of = |name: &str| RecordFormat::of(Path::new(name));
        assert_eq!(of("a/b.CSV"), Some((RecordFormat::Csv, Packing::None)));
        assert_eq!(of("b.csv.zst"), Some((RecordFormat::Csv, Packing::Zstd)));
        assert_eq!(of("x.parquet"), Some((RecordFormat::Parquet, Packing::None)));
        assert_eq!(of("x.parquet.gz"), None);
        assert_eq!(of("notes"), None);
        assert_eq!(of(".gz"), None);
        assert_eq!(of("a.docx"), Some((RecordFormat::Document(DocumentFormat::Docx), Packing::None)));
        assert_eq!(of("a.docx.gz"), None);
        for format in RecordFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert!("xml".parse::<RecordFormat>().unwrap_err().to_string().contains("jsonl"));
    }
}
