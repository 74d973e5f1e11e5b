//! A report for people.

use std::fmt::Write as _;

use serde::{Serialize as _, Serializer};

use super::{ColumnReport, ScanReport};
use crate::policy::Treatment;

impl ScanReport {
    /// The report as lines of text.
    pub fn render(&self) -> String {
        let mut out = String::new();
        for table in &self.tables {
            let more = if table.is_whole { "" } else { ", the others were not read" };
            let id = match (&table.id, table.is_whole) {
                (None, _) => String::new(),
                (Some(id), true) => format!(", ids in {}", shown(id)),
                (Some(id), false) => {
                    format!(", perhaps ids in {}: they may repeat in the other rows", shown(id))
                }
            };
            // Writing to a string does not fail.
            let _ = writeln!(out, "{} ({}): {} rows{more}{id}", table.name, table.path.display(), table.rows);
            table.columns.iter().for_each(|column| render(column, &mut out));
        }
        for (name, why) in &self.unread {
            let _ = writeln!(out, "{name}: not read: {why}");
        }
        if self.tables.is_empty() && self.unread.is_empty() {
            out.push_str("no tables: files end in .parquet, .csv, .jsonl, .ndjson or .json\n");
        }
        out
    }
}

fn render(column: &ColumnReport, out: &mut String) {
    let suggestion = match column.suggestion {
        Treatment::Veil => "veil",
        Treatment::Mask => "mask",
        Treatment::Detect => "detect",
        Treatment::Drop => "drop",
        Treatment::Keep => "keep",
    };
    let share = 100.0 * column.texts_with_findings as f64 / column.texts.max(1) as f64;
    let found = match column.searched {
        true => {
            format!("findings in {} of {} texts ({share:.1} %)", column.texts_with_findings, column.texts)
        }
        false => column.r#type.clone(),
    };
    let _ = writeln!(out, "  {:<24} {suggestion:<6} {found}; {}", shown(&column.name), column.reason);
    for (kind, found) in &column.kinds {
        let _ = writeln!(
            out,
            "    {kind:<22} {} findings in {} texts, most often of the form {}",
            found.count, found.texts, found.shape
        );
    }
}

/// Writes the name of a column to JSON.
pub(super) fn serialize_shown<S: Serializer>(name: &str, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(shown(name))
}

/// Writes the name of a column to JSON, if there is one.
pub(super) fn serialize_shown_id<S: Serializer>(name: &Option<String>, to: S) -> Result<S::Ok, S::Error> {
    name.as_deref().map(shown).serialize(to)
}

/// The name of a column. A file without a header has data in place of names.
fn shown(name: &str) -> &str {
    match inkveil::looks_like_name(name) {
        true => name,
        false => "(name not shown)",
    }
}
