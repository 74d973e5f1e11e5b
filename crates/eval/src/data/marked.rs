//! Texts with marked personal data.

use std::fs;
use std::ops::Range;
use std::path::Path;

use inkveil_detect::Kind;
use serde::Deserialize;

use super::files::{FileHashes, check_rows, note_hash};
use super::spec::{MarkedFile, SetSpec};
use crate::Error;

/// A range of bytes of a text, its kind, and the word that it counts as.
pub(crate) type Mark = (Range<usize>, Kind, String);

/// A test set of texts with marks. It has no `Debug`, which would print texts.
///
/// ```
/// use inkveil_eval::data::Catalogue;
///
/// let data = tempfile::tempdir()?;
/// std::fs::create_dir(data.path().join("notes"))?;
/// let line = r#"{"source_text": "She lives in Ulm.", "privacy_mask": [{"label": "CITY", "start": 13, "end": 16, "value": "Ulm"}]}"#;
/// std::fs::write(data.path().join("notes/all.jsonl"), line)?;
/// let mine = "[notes]\nabout = \"notes\"\nmarked = { file = \"all.jsonl\", kinds = [\"CITY\"] }\n";
/// let sets = Catalogue::from_toml(mine, "sets.toml".as_ref())?;
/// assert_eq!(sets.marked("notes", data.path())?.texts.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct MarkedSet {
    /// Its name.
    pub name: String,
    /// The texts.
    pub texts: Vec<String>,
    /// The marks of each text, in order and without overlaps.
    pub(crate) marks: Vec<Vec<Mark>>,
    /// The checksums of the files.
    pub files: FileHashes,
}

#[derive(Deserialize)]
struct Row {
    source_text: String,
    privacy_mask: Vec<RowMark>,
}

#[derive(Deserialize)]
struct RowMark {
    label: String,
    start: usize,
    end: usize,
    value: String,
}

impl MarkedSet {
    pub(super) fn read(name: &str, spec: &SetSpec, folder: &Path) -> Result<Self, Error> {
        let Some(marked) = &spec.marked else {
            return Err(Error::argument(format!("the test set {name:?} has no texts with marks")));
        };
        let path = folder.join(&marked.file);
        let mut files = FileHashes::new();
        note_hash(&path, &marked.file, &mut files)?;
        let lines =
            fs::read_to_string(&path).map_err(|error| Error::io("read the file", error).in_file(&path))?;
        let (mut texts, mut marks) = (Vec::new(), Vec::new());
        for (at, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let in_line = |error: Error| error.in_line(at).in_file(&path);
            // The message of serde may quote the line, so it is dropped.
            let wrong = "not a JSON object with the fields \"source_text\" and \"privacy_mask\"";
            let row: Row = serde_json::from_str(line).map_err(|_| in_line(Error::format(wrong)))?;
            marks.push(marked.marks_of(&row).map_err(in_line)?);
            texts.push(row.source_text);
        }
        check_rows(spec.rows, texts.len() as u64, "texts", &path)?;
        Ok(Self { name: name.to_owned(), texts, marks, files })
    }
}

impl MarkedFile {
    fn marks_of(&self, row: &Row) -> Result<Vec<Mark>, Error> {
        // The start of each character, and the end of the text.
        let places: Vec<usize> =
            row.source_text.char_indices().map(|(at, _)| at).chain([row.source_text.len()]).collect();
        let mut marks = Vec::new();
        for mark in &row.privacy_mask {
            let kind = mark.label.to_lowercase();
            let word = match (self.values.contains(&mark.label), self.kinds.contains(&mark.label)) {
                (true, _) => mark.value.trim().to_lowercase(),
                (_, true) => kind.clone(),
                _ => continue,
            };
            let range = match (places.get(mark.start), places.get(mark.end)) {
                (Some(&start), Some(&end)) if start < end => start..end,
                _ => return Err(Error::format("a mark's \"start\" and \"end\" are not a range of its text")),
            };
            marks.push((range, Kind::named(&kind), word));
        }
        marks.sort_by_key(|(range, ..)| range.start);
        match marks.windows(2).all(|two| two[0].0.end <= two[1].0.start) {
            true => Ok(marks),
            false => Err(Error::format("two marks overlap")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Catalogue;

    fn read(lines: &str) -> Result<MarkedSet, String> {
        let data = tempfile::tempdir().unwrap();
        fs::create_dir(data.path().join("notes")).unwrap();
        fs::write(data.path().join("notes/all.jsonl"), lines).unwrap();
        let toml = "[notes]\nabout = \"notes\"\nmarked = { file = \"all.jsonl\", values = [\"SEX\"], kinds = [\"CITY\"] }\n";
        let sets = Catalogue::from_toml(toml, Path::new("sets.toml")).unwrap();
        sets.marked("notes", data.path()).map_err(|error| error.to_string())
    }

    fn line(text: &str, marks: &str) -> String {
        format!("{{\"source_text\": \"{text}\", \"privacy_mask\": [{marks}]}}\n")
    }

    #[test]
    fn ranges_of_characters_become_ranges_of_bytes() {
        let marks = r#"{"label": "CITY", "start": 8, "end": 11, "value": "Ulm"}, {"label": "SEX", "start": 0, "end": 4, "value": "Frâu"},
            {"label": "IBAN", "start": 5, "end": 7, "value": "in"}"#
            .replace('\n', "");
        let set = read(&line("Frâu in Ulm", &marks)).unwrap();
        let found: Vec<(&str, &str)> =
            set.marks[0].iter().map(|(range, _, word)| (&set.texts[0][range.clone()], &**word)).collect();
        assert_eq!(found, [("Frâu", "frâu"), ("Ulm", "city")]);
    }

    #[test]
    fn errors_do_not_quote_texts() {
        let mark = |start, end| {
            format!("{{\"label\": \"CITY\", \"start\": {start}, \"end\": {end}, \"value\": \"secret\"}}")
        };
        for (lines, message) in [
            (line("secret", &mark(0, 9)), "line 1: a mark's"),
            (line("secret", &mark(3, 3)), "line 1: a mark's"),
            (line("secret", &format!("{}, {}", mark(0, 4), mark(3, 6))), "line 1: two marks overlap"),
            ("{\"text\": \"secret\"}\n".to_owned(), "line 1: not a JSON object"),
        ] {
            let error = read(&lines).err().unwrap();
            assert!(error.contains(message) && !error.contains("secret"), "{error}");
        }
    }
}
