//! Texts of a file, one to a line or in a field of JSON lines.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// No line is longer: a file without line breaks must not fill the memory.
const LONGEST_LINE: u64 = 64 << 20;

/// A row of a file: its text, and the line it stands in. Not for debugging output, which would print it.
pub(super) struct Row {
    /// The line as it is, without its end.
    pub(super) line: String,
    pub(super) text: String,
}

/// Reads rows one after the other.
pub(super) struct Rows {
    name: String,
    reader: Box<dyn BufRead>,
    /// The field with the text, if lines are JSON.
    field: Option<String>,
    count: u64,
}

impl Rows {
    /// Opens a file; `-` is standard input.
    pub(super) fn open(file: &Path, field: &str) -> anyhow::Result<Self> {
        if file == Path::new("-") {
            let reader = Box::new(BufReader::new(std::io::stdin()));
            return Ok(Self { name: "standard input".to_owned(), reader, field: None, count: 0 });
        }
        let name = file.display().to_string();
        let extension = file.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        let field = match extension.as_str() {
            "jsonl" | "ndjson" => Some(field.to_owned()),
            "txt" | "text" => None,
            _ => bail!("{name}: texts are read from .txt (one to a line) and .jsonl files"),
        };
        let opened = File::open(file).with_context(|| format!("cannot read {name}"))?;
        Ok(Self { name, reader: Box::new(BufReader::with_capacity(1 << 16, opened)), field, count: 0 })
    }

    /// The name for messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether lines are JSON objects.
    pub(super) fn is_json(&self) -> bool {
        self.field.is_some()
    }

    fn next_row(&mut self) -> anyhow::Result<Option<Row>> {
        let mut bytes = Vec::new();
        let mut limited = std::io::Read::take(&mut self.reader, LONGEST_LINE);
        let read =
            limited.read_until(b'\n', &mut bytes).with_context(|| format!("cannot read {}", self.name))?;
        if read == 0 {
            return Ok(None);
        }
        self.count += 1;
        let at = || format!("{}: line {}", self.name, self.count);
        ensure!((read as u64) < LONGEST_LINE, "{}: longer than {} MiB", at(), LONGEST_LINE >> 20);
        let mut line = String::from_utf8(bytes).ok().with_context(|| format!("{}: not UTF-8", at()))?;
        line.truncate(line.trim_end_matches(['\n', '\r']).len());
        let text = match &self.field {
            None => line.clone(),
            Some(field) => text_of(&line, field).with_context(at)?,
        };
        Ok(Some(Row { line, text }))
    }
}

impl Iterator for Rows {
    type Item = anyhow::Result<Row>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_row().transpose()
    }
}

/// The string in a field of a JSON object.
fn text_of(line: &str, field: &str) -> anyhow::Result<String> {
    let value = field_of(line, field)?.with_context(|| format!("there is no field {field:?}"))?;
    serde_json::from_str(value.get()).ok().with_context(|| format!("the field {field:?} is not a text"))
}

/// What is in a field of a JSON object, if it has that field.
pub(super) fn field_of(line: &str, field: &str) -> anyhow::Result<Option<Box<RawValue>>> {
    // What serde says may quote the line.
    let mut object: BTreeMap<String, Box<RawValue>> =
        serde_json::from_str(line).ok().context("not a JSON object")?;
    Ok(object.remove(field))
}

/// All texts of a file, with a label each if a field has one.
pub(crate) struct Texts {
    pub(crate) texts: Vec<String>,
    pub(crate) labels: Option<Vec<bool>>,
}

impl Texts {
    pub(crate) fn read(file: &Path, field: &str, label_field: Option<&str>) -> anyhow::Result<Self> {
        let rows = Rows::open(file, field)?;
        let name = rows.name().to_owned();
        if let Some(label) = label_field {
            ensure!(rows.is_json(), "{name}: only JSON lines can have a field {label:?}");
        }
        let mut read = Self { texts: Vec::new(), labels: label_field.map(|_| Vec::new()) };
        for row in rows {
            let row = row?;
            if let (Some(field), Some(labels)) = (label_field, &mut read.labels) {
                let number = labels.len() + 1;
                labels.push(label_of(&row.line, field).with_context(|| format!("{name}: line {number}"))?);
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
fn label_of(line: &str, field: &str) -> anyhow::Result<bool> {
    let value = field_of(line, field)?.with_context(|| format!("there is no field {field:?}"))?;
    match value.get() {
        "true" | "1" => Ok(true),
        "false" | "0" | "null" => Ok(false),
        _ => bail!("the field {field:?} is neither true nor false"),
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

    fn read(name: &str, content: &str, label: Option<&str>) -> Result<Texts, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, content).unwrap();
        Texts::read(&file, "text", label)
            .map_err(|error| format!("{error:#}").rsplit('/').next().unwrap().to_owned())
    }

    #[test]
    fn lines_and_fields_are_read() {
        assert_eq!(read("a.txt", "one\r\ntwo\n\nthree", None).unwrap().texts, ["one", "two", "", "three"]);
        let rows = "{\"text\": \"a \\u00e9\", \"is\": true}\n{\"is\": 0, \"text\": \"b\"}\n";
        let texts = read("a.jsonl", rows, Some("is")).unwrap();
        assert_eq!(
            (texts.texts, texts.labels),
            (vec!["a é".to_owned(), "b".to_owned()], Some(vec![true, false]))
        );
    }

    #[test]
    fn what_is_wrong_is_named_by_line_and_field_and_never_quoted() {
        let wrong = |name, content, label| read(name, content, label).map(drop).unwrap_err();
        assert_eq!(wrong("a.txt", "", None), "a.txt: there are no texts in it");
        assert_eq!(
            wrong("a.jsonl", "{\"text\": \"secret\"}\nsecret\n", None),
            "a.jsonl: line 2: not a JSON object"
        );
        assert_eq!(
            wrong("a.jsonl", "{\"txt\": \"secret\"}\n", None),
            "a.jsonl: line 1: there is no field \"text\""
        );
        assert_eq!(
            wrong("a.jsonl", "{\"text\": 7}\n", None),
            "a.jsonl: line 1: the field \"text\" is not a text"
        );
        let row = "{\"text\": \"x\", \"is\": \"secret\"}\n";
        assert_eq!(
            wrong("a.jsonl", row, Some("is")),
            "a.jsonl: line 1: the field \"is\" is neither true nor false"
        );
        assert_eq!(wrong("a.txt", "x\n", Some("is")), "a.txt: only JSON lines can have a field \"is\"");
        assert!(wrong("a.doc", "x", None).contains(".txt"));
    }

    #[test]
    fn bytes_that_are_no_text_are_named_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        std::fs::write(&file, b"fine\n\xff\n").unwrap();
        let error = Texts::read(&file, "text", None).map(drop).unwrap_err().to_string();
        assert!(error.ends_with("a.txt: line 2: not UTF-8"), "{error}");
    }
}
