//! Folders of test sets: originals, and what methods made of them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Outcome;

/// A text of a test set.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) author: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) label: Option<String>,
    pub(crate) text: String,
}

/// What a method made of a text.
#[derive(Serialize)]
pub(crate) struct Released<'a> {
    pub(crate) id: &'a str,
    pub(crate) text: &'a str,
}

/// The folders inside a folder, by name.
pub(crate) fn folders(of: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(of).map_err(|error| format!("{}: {error}", of.display()))?;
    let mut all: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    all.retain(|path| path.is_dir());
    all.sort();
    Ok(all)
}

/// The last part of a path.
pub(crate) fn name(folder: &Path) -> String {
    folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

pub(crate) fn write_rows<T: Serialize>(file: &Path, rows: impl IntoIterator<Item = T>) -> Outcome<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut out = std::io::BufWriter::new(fs::File::create(file)?);
    for row in rows {
        serde_json::to_writer(&mut out, &row)?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// The originals of a file.
pub(crate) fn read_rows(file: &Path) -> Outcome<Vec<Row>> {
    let rows = objects(file)?;
    let row = |(index, row): (usize, &Object)| {
        let field = |field: &str| required(file, index, row, field);
        let label = row.get("label").filter(|label| !label.is_null());
        let label = label.map(|_| field("label")).transpose()?;
        Ok(Row { id: field("id")?, author: field("author")?, label, text: field("text")? })
    };
    let rows: Vec<Row> = rows.iter().enumerate().map(row).collect::<Outcome<_>>()?;
    if rows.is_empty() {
        return Err(format!("{}: there are no rows", file.display()).into());
    }
    // A classifier learns from all of them, or there is none.
    match rows.iter().position(|row| row.label.is_none()) {
        Some(index) if rows.iter().any(|row| row.label.is_some()) => {
            Err(wrong(file, index, "label", "is missing, and other rows have one"))
        }
        _ => Ok(rows),
    }
}

/// The texts that a method released instead of `originals`; where it says that it has none (`null`), its user would release the original.
pub(crate) fn read_released(file: &Path, originals: &[Row]) -> Outcome<Vec<String>> {
    let rows = objects(file)?;
    if rows.len() != originals.len() {
        return Err(format!(
            "{}: there are {} rows and {} originals; release every text",
            file.display(),
            rows.len(),
            originals.len()
        )
        .into());
    }
    let text = |(index, (row, original)): (usize, (&Object, &Row))| match required(file, index, row, "id")?
        == original.id
    {
        true if row.get("text").is_some_and(serde_json::Value::is_null) => Ok(original.text.clone()),
        true => required(file, index, row, "text"),
        false => Err(wrong(file, index, "id", "is not that of the original; keep the originals' order")),
    };
    rows.iter().zip(originals).enumerate().map(text).collect()
}

type Object = serde_json::Map<String, serde_json::Value>;

fn objects(file: &Path) -> Outcome<Vec<Object>> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let object = |(index, line): (usize, &str)| {
        // What the parser says may quote the line.
        serde_json::from_str(line)
            .map_err(|_| format!("{}: row {} is no JSON object", file.display(), index + 1).into())
    };
    text.lines().enumerate().map(object).collect()
}

fn required(file: &Path, index: usize, row: &Object, field: &str) -> Outcome<String> {
    match row.get(field) {
        None => Err(wrong(file, index, field, "is missing")),
        Some(serde_json::Value::String(text)) if text.trim().is_empty() => {
            Err(wrong(file, index, field, "is empty"))
        }
        Some(serde_json::Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(wrong(file, index, field, "is no string")),
    }
}

fn wrong(file: &Path, index: usize, field: &str, what: &str) -> Box<dyn std::error::Error + Send + Sync> {
    format!("{}: row {}: {field:?} {what}", file.display(), index + 1).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_rows_are_named_and_not_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rows.jsonl");
        let original =
            |id: &str| Row { id: id.into(), author: "ann".into(), label: None, text: "hush".into() };
        let originals = [original("1"), original("2")];
        let first = r#"{"id":"1","text":"hush"}"#;
        for (second, says) in [
            (r#"{"id":"2","text":" "}"#, r#"row 2: "text" is empty"#),
            (r#"{"id":"2"}"#, r#"row 2: "text" is missing"#),
            (r#"{"id":"2","text":7}"#, r#"row 2: "text" is no string"#),
            (r#"{"id":"3","text":"hush"}"#, r#"row 2: "id" is not that of the original"#),
            (r#"["hush"]"#, "row 2 is no JSON object"),
            ("", "1 rows and 2 originals"),
        ] {
            fs::write(&file, format!("{first}\n{second}")).unwrap();
            let said = read_released(&file, &originals).unwrap_err().to_string();
            assert!(said.contains(says) && said.contains("rows.jsonl") && !said.contains("hush"), "{said}");
        }
        fs::write(&file, first).unwrap();
        assert_eq!(read_released(&file, &originals[..1]).unwrap(), ["hush"]);
        fs::write(&file, format!("{first}\n{{\"id\":\"2\",\"text\":null}}")).unwrap();
        assert_eq!(read_released(&file, &originals).unwrap(), ["hush", "hush"]);
        let said = read_rows(&file).err().unwrap().to_string();
        assert!(said.contains(r#"row 1: "author" is missing"#), "{said}");
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("set").join("train.jsonl");
        let row = |id: &str, label: Option<&str>| Row {
            id: id.into(),
            author: "ann".into(),
            label: label.map(str::to_owned),
            text: "Tea, \"again\".\nYes.".into(),
        };
        for labels in [[None, None], [Some("good"), Some("bad")]] {
            let rows = [row("1", labels[0]), row("2", labels[1])];
            write_rows(&file, &rows).unwrap();
            assert!(read_rows(&file).unwrap() == rows);
        }
        assert_eq!(
            folders(folder.path()).unwrap().iter().map(|path| name(path)).collect::<Vec<_>>(),
            ["set"]
        );
    }
}
