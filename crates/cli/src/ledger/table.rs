//! Rows as a table for people, or as tab-separated fields for programs.

use std::io::Write;

use anyhow::Context;
use comfy_table::{CellAlignment, Table, presets};

use crate::printed;
use crate::visible::stand_in;

/// Writes rows to standard output. Columns from `numbers` on, counted from 0, are aligned to the right.
pub(super) fn write(
    header: &[&str],
    rows: &[Vec<String>],
    numbers: std::ops::Range<usize>,
) -> anyhow::Result<()> {
    let out = &mut printed::stdout()?;
    let written = if printed::is_terminal() {
        let mut table = Table::new();
        table.load_style(presets::UTF8_BORDERS_ONLY);
        table.set_header(header.iter().copied());
        table.add_rows(rows.iter().cloned());
        for number in numbers {
            if let Some(column) = table.column_mut(number) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        writeln!(out, "{table}")
    } else {
        rows.iter().try_for_each(|row| writeln!(out, "{}", row.join("\t")))
    };
    written.context("cannot write")
}

/// A name without characters that a terminal acts on or that would end a field.
pub(super) fn name(text: &str) -> String {
    let shown = |c| match c {
        '\t' | '\n' => '\u{FFFD}',
        c => stand_in(c).unwrap_or(c),
    };
    text.chars().map(shown).collect()
}
