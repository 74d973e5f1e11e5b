//! What is to be rewritten: a text, the texts of a folder, or a field of JSON lines.

use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use serde_json::{Map, Value};

use super::job::Settled;
use crate::style::inputs;

/// How texts came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Folder,
    Rows,
}

/// Texts with their names. Not for debugging output, which would print them.
pub(super) struct Source {
    pub(super) form: Form,
    pub(super) names: Vec<String>,
    pub(super) texts: Vec<String>,
    rows: Vec<Map<String, Value>>,
    field: String,
}

impl Source {
    pub(super) fn read(path: &Path, field: &str) -> anyhow::Result<Self> {
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("jsonl")) {
            return Self::read_rows(path, field);
        }
        let form = if path.is_dir() { Form::Folder } else { Form::Text };
        let inputs = inputs::read(&[path.to_owned()])?;
        let (names, texts) = inputs.into_iter().map(|input| (input.name, input.text)).unzip();
        Ok(Self { form, names, texts, rows: Vec::new(), field: field.to_owned() })
    }

    fn read_rows(path: &Path, field: &str) -> anyhow::Result<Self> {
        let name = path.display();
        let content = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
        let content = String::from_utf8(content).ok().with_context(|| format!("{name}: not UTF-8 text"))?;
        let (mut names, mut texts, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for (index, line) in content.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let here = format!("{name}, row {}", index + 1);
            // The parser's own message may quote the line, so only the place is kept.
            let row: Map<String, Value> = serde_json::from_str(line)
                .map_err(|error| anyhow::anyhow!("{here}: no JSON object (at column {})", error.column()))?;
            let Some(Value::String(text)) = row.get(field) else {
                bail!("{here}: the field {field:?} is missing or no string; name another with --text-field");
            };
            names.push(here);
            texts.push(text.clone());
            rows.push(row);
        }
        ensure!(!rows.is_empty(), "{name}: there are no rows in it");
        Ok(Self { form: Form::Rows, names, texts, rows, field: field.to_owned() })
    }

    /// The rows with their new texts, `null` where one was refused; other fields stay.
    pub(super) fn rows(&self, settled: &[Settled]) -> anyhow::Result<String> {
        let mut lines = String::new();
        for (row, settled) in self.rows.iter().zip(settled) {
            let mut row = row.clone();
            row.insert(self.field.clone(), settled.text().map_or(Value::Null, Value::from));
            lines.push_str(&serde_json::to_string(&row)?);
            lines.push('\n');
        }
        Ok(lines)
    }
}
