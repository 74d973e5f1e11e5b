//! Texts to fit on: in memory, or in a file with one text to a line or row.

use std::path::PathBuf;

use inkveil_files::{Input, Sha256Sum, hex};
use inkveil_rows::{ColumnPath, Packing, RecordFormat, RecordOptions, RecordReader, Records};

use crate::error::{Error, ErrorKind};
use crate::release::{Corpus, content_of};

/// The texts that a mask is fitted on.
#[expect(clippy::large_enum_variant, reason = "there is one of them in a fit")]
pub enum FitTexts<'a> {
    /// Texts in memory.
    Memory(&'a [&'a str]),
    /// Texts in a file.
    File(TextFile),
}

/// A text, and whether it has the label if a column says so.
type LabelledText = (String, Option<bool>);

impl FitTexts<'_> {
    pub(super) fn sha256(&self) -> Result<String, Error> {
        Ok(match self {
            Self::Memory(texts) => hex::encode(content_of(texts.iter().copied())),
            Self::File(file) => Sha256Sum::of_file(&file.path)?.to_string(),
        })
    }

    pub(super) fn rows(&self) -> Result<Box<dyn Iterator<Item = Result<LabelledText, Error>> + '_>, Error> {
        Ok(match self {
            Self::Memory(texts) => Box::new(texts.iter().map(|text| Ok(((*text).to_owned(), None)))),
            Self::File(file) => Box::new(file.rows()?),
        })
    }

    pub(super) fn read(&self) -> Result<Texts, Error> {
        match self {
            Self::Memory(texts) => {
                Ok(Texts { texts: texts.iter().map(|text| (*text).to_owned()).collect(), labels: None })
            }
            Self::File(file) => file.read(),
        }
    }

    /// The error that there are no texts.
    pub(super) fn empty(&self) -> Error {
        match self {
            Self::Memory(_) => ErrorKind::Contradiction("there are no texts").into(),
            Self::File(file) => ErrorKind::NoTexts { path: file.path.clone() }.into(),
        }
    }
}

/// A file of texts, one to a line or row. `-` is standard input.
#[derive(Debug, Clone)]
pub struct TextFile {
    /// The file.
    pub path: PathBuf,
    /// Its format, if the name does not tell.
    pub from: Option<RecordFormat>,
    /// Where the texts are.
    pub options: RecordOptions,
    /// A column of true or false.
    pub label: Option<ColumnPath>,
}

/// All texts of a file, with a label each if a column has one. It has no `Debug`, which would print them.
pub struct Texts {
    /// The texts.
    pub texts: Vec<String>,
    /// The labels, if a column has them.
    pub labels: Option<Vec<bool>>,
}

impl Texts {
    /// The texts as string slices.
    pub fn as_strs(&self) -> Vec<&str> {
        self.texts.iter().map(String::as_str).collect()
    }
}

impl TextFile {
    /// Reads all texts.
    ///
    /// # Errors
    /// If the file cannot be read, has no texts, or a row has no text, several, or no label. The file and row are named.
    pub fn read(&self) -> Result<Texts, Error> {
        let mut read = Texts { texts: Vec::new(), labels: self.label.as_ref().map(|_| Vec::new()) };
        for row in self.rows()? {
            let (text, label) = row?;
            read.texts.push(text);
            if let Some(labels) = &mut read.labels {
                labels.extend(label);
            }
        }
        match read.texts.is_empty() {
            true => Err(ErrorKind::NoTexts { path: self.path.clone() }.into()),
            false => Ok(read),
        }
    }

    /// Reads rows one after the other, each with exactly one text.
    fn rows(&self) -> Result<Rows<'_>, Error> {
        let mut options = self.options.clone();
        // A value beside the texts, wherever it stands.
        options.columns.task = self.label.clone();
        let reader = if self.path.as_os_str() == "-" {
            let format = self.from.unwrap_or(RecordFormat::Lines);
            RecordReader::open(Input::stdin(), format, Packing::None, &options)?
        } else {
            let corpus = Corpus::open(std::slice::from_ref(&self.path), self.from, true)?;
            let [one] = corpus.files.as_slice() else {
                return Err(Error::from(ErrorKind::NotOneFile).in_file(&self.path));
            };
            RecordReader::open(Input::path(&one.input), one.format, one.packing, &options)?
        };
        if let Some(label) = &self.label
            && !reader.format().is_table()
        {
            let column = label.to_string();
            return Err(Error::from(ErrorKind::NotATable { column }).in_file(reader.name()));
        }
        Ok(Rows { label: self.label.as_ref(), reader, now: None, count: 0 })
    }
}

struct Rows<'a> {
    label: Option<&'a ColumnPath>,
    reader: RecordReader,
    /// What was read, and which of its texts is next.
    now: Option<(Records, usize)>,
    count: u64,
}

impl Rows<'_> {
    fn next_row(&mut self) -> Result<Option<LabelledText>, Error> {
        loop {
            if let Some((records, index)) = &mut self.now
                && *index < records.texts().len()
            {
                let texts = records.texts();
                let wrong = |kind: ErrorKind, row: u64| {
                    Err(Error::from(kind).in_row(row).in_file(self.reader.name()))
                };
                let number = texts.row(*index);
                if number > self.count {
                    return wrong(ErrorKind::NotOneText { count: 0 }, self.count);
                }
                if number < self.count {
                    return wrong(ErrorKind::NotOneText { count: 2 }, number);
                }
                let label = match self.label {
                    None => None,
                    Some(column) => match label_of(texts.task(*index)) {
                        Some(label) => Some(label),
                        None => return wrong(ErrorKind::NotALabel { column: column.to_string() }, number),
                    },
                };
                let text = texts.text(*index).to_owned();
                *index += 1;
                self.count += 1;
                return Ok(Some((text, label)));
            }
            match self.reader.next()? {
                Some(records) => self.now = Some((records, 0)),
                None => return Ok(None),
            }
        }
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<LabelledText, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_row().transpose()
    }
}

/// Whether a label says yes: true, 1 or their opposites.
fn label_of(label: Option<&str>) -> Option<bool> {
    match label {
        Some("true" | "1" | "True") => Some(true),
        Some("false" | "0" | "False") | None => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, content: &[u8], label: Option<&str>) -> Result<Texts, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, content).unwrap();
        let options = RecordOptions {
            columns: inkveil_rows::Columns { texts: vec![ColumnPath::column("text")], ..Default::default() },
            ..RecordOptions::default()
        };
        let label = label.map(ColumnPath::column);
        TextFile { path: file, from: None, options, label }
            .read()
            .map_err(|error| format!("{error:#}").rsplit('/').next().unwrap().to_owned())
    }

    #[test]
    fn lines_and_columns_are_read() {
        assert_eq!(read("a.txt", b"one\r\ntwo\n\nthree", None).unwrap().texts, ["one", "two", "", "three"]);
        let rows = b"{\"text\": \"a \\u00e9\", \"is\": true}\n{\"is\": 0, \"text\": \"b\"}\n";
        let texts = read("a.jsonl", rows, Some("is")).unwrap();
        assert_eq!(
            (texts.texts, texts.labels),
            (vec!["a é".to_owned(), "b".to_owned()], Some(vec![true, false]))
        );
        let texts = read("a.csv", b"is,text\nfalse,a\ntrue,b\n", Some("is")).unwrap();
        assert_eq!((texts.texts, texts.labels), (vec!["a".into(), "b".into()], Some(vec![false, true])));
    }

    #[test]
    fn what_is_wrong_is_named_by_row_and_field_and_never_quoted() {
        let wrong = |name, content: &str, label| read(name, content.as_bytes(), label).map(drop).unwrap_err();
        assert_eq!(wrong("a.txt", "", None), "a.txt: there are no texts in it");
        for (rows, place) in [
            ("{\"text\": \"secret\"}\nsecret\n", "a.jsonl: row 2: "),
            ("{\"txt\": \"secret\"}\n", "a.jsonl: row 1, field \"text\": "),
            ("{\"text\": 7}\n", "a.jsonl: row 1, field \"text\": "),
            ("{\"text\": null}\n{\"text\": \"secret\"}\n", "a.jsonl: row 1: there is no text in it"),
        ] {
            let error = wrong("a.jsonl", rows, None);
            assert!(error.starts_with(place) && !error.contains("secret"), "{error}");
        }
        let row = "{\"text\": \"x\", \"is\": \"secret\"}\n";
        assert_eq!(wrong("a.jsonl", row, Some("is")), "a.jsonl: row 1: \"is\" is neither true nor false");
        assert_eq!(wrong("a.txt", "x\n", Some("is")), "a.txt: only files of rows can have a column \"is\"");
        let bytes = read("a.txt", b"fine\n\xff\n", None).map(drop).unwrap_err();
        assert!(bytes.starts_with("a.txt: row 2: ") && bytes.contains("UTF-8"), "{bytes}");
    }
}
