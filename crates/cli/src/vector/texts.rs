//! Texts of a file, one to a line or to a row.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use inkveil::files::Input;
use inkveil::rows::{ColumnPath, Packing, RecordFormat, RecordOptions, RecordReader, Records};

use inkveil::release::Corpus;

/// A row of a file: its text, and the row it stands in. Not for debugging output, which would print it.
pub(super) struct Row {
    pub(super) text: String,
    /// What a column of labels says.
    label: Option<String>,
}

impl Row {
    /// Whether the label says yes; `file` and `number` are named in the error.
    pub(super) fn has_label(&self, column: &ColumnPath, file: &str, number: usize) -> anyhow::Result<bool> {
        label_of(self.label.as_deref()).with_context(|| {
            format!("{file}: row {number}: {:?} is neither true nor false", column.to_string())
        })
    }
}

/// Reads rows one after the other, each with exactly one text.
pub(super) struct Rows {
    reader: RecordReader,
    /// What was read, and which of its texts is next.
    now: Option<(Records, usize)>,
    count: u64,
}

impl Rows {
    /// Opens a file; `-` is standard input.
    pub(super) fn open(
        file: &Path,
        from: Option<RecordFormat>,
        options: &RecordOptions,
    ) -> anyhow::Result<Self> {
        let reader = if file == Path::new("-") {
            RecordReader::open(Input::stdin(), from.unwrap_or(RecordFormat::Lines), Packing::None, options)?
        } else {
            let corpus = Corpus::open(&[file.to_owned()], from, true)?;
            let [one] = corpus.files.as_slice() else { bail!("{}: name one file of texts", file.display()) };
            RecordReader::open(Input::path(&one.input), one.format, one.packing, options)?
        };
        Ok(Self { reader, now: None, count: 0 })
    }

    /// Opens a file whose rows have a label in a column.
    pub(super) fn open_labelled(
        file: &Path,
        from: Option<RecordFormat>,
        options: &RecordOptions,
        label: Option<&ColumnPath>,
    ) -> anyhow::Result<Self> {
        let mut options = options.clone();
        // A value beside the texts, wherever it stands.
        options.columns.task = label.cloned();
        let rows = Self::open(file, from, &options)?;
        if let Some(label) = label {
            let table = rows.reader.format().is_table();
            ensure!(table, "{}: only files of rows can have a column {:?}", rows.name(), label.to_string());
        }
        Ok(rows)
    }

    /// The name for messages.
    pub(super) fn name(&self) -> &str {
        self.reader.name()
    }

    fn next_row(&mut self) -> anyhow::Result<Option<Row>> {
        loop {
            if let Some((records, index)) = &mut self.now
                && *index < records.texts().len()
            {
                let texts = records.texts();
                let row =
                    Row { text: texts.text(*index).to_owned(), label: texts.task(*index).map(str::to_owned) };
                let number = texts.row(*index);
                ensure!(
                    number <= self.count,
                    "{}: row {}: there is no text in it",
                    self.reader.name(),
                    self.count + 1
                );
                ensure!(
                    number == self.count,
                    "{}: row {}: there is more than one text in it",
                    self.reader.name(),
                    number + 1
                );
                *index += 1;
                self.count += 1;
                return Ok(Some(row));
            }
            match self.reader.next()? {
                Some(records) => self.now = Some((records, 0)),
                None => return Ok(None),
            }
        }
    }
}

impl Iterator for Rows {
    type Item = anyhow::Result<Row>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_row().transpose()
    }
}

/// All texts of a file, with a label each if a column has one.
pub(super) struct Texts {
    pub(super) texts: Vec<String>,
    pub(super) labels: Option<Vec<bool>>,
}

impl Texts {
    pub(super) fn read(
        file: &Path,
        from: Option<RecordFormat>,
        options: &RecordOptions,
        label: Option<&ColumnPath>,
    ) -> anyhow::Result<Self> {
        let rows = Rows::open_labelled(file, from, options, label)?;
        let name = rows.name().to_owned();
        let mut read = Self { texts: Vec::new(), labels: label.map(|_| Vec::new()) };
        for row in rows {
            let row = row?;
            if let (Some(column), Some(labels)) = (label, &mut read.labels) {
                labels.push(row.has_label(column, &name, labels.len() + 1)?);
            }
            read.texts.push(row.text);
        }
        ensure!(!read.texts.is_empty(), "{name}: there are no texts in it");
        Ok(read)
    }

    pub(super) fn as_strs(&self) -> Vec<&str> {
        self.texts.iter().map(String::as_str).collect()
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

/// The words of a file, one to a line.
pub(super) fn words(file: &PathBuf) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(text.lines().map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, content: &[u8], label: Option<&str>) -> Result<Texts, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, content).unwrap();
        let options = RecordOptions {
            columns: inkveil::rows::Columns { texts: vec![ColumnPath::column("text")], ..Default::default() },
            ..RecordOptions::default()
        };
        let label = label.map(ColumnPath::column);
        Texts::read(&file, None, &options, label.as_ref())
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
