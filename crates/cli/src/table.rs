//! Rows as a table for people, or as fields separated by tabs for programs.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Row, Table, presets};
use inkveil::report::stand_in;

/// Draws a table. Columns in `numbers`, counted from 0, are aligned to the right. A header without words is left out.
pub(crate) fn drawn(
    header: &[&str],
    rows: impl IntoIterator<Item: Into<Row>>,
    numbers: impl IntoIterator<Item = usize>,
) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    if header.iter().any(|title| !title.is_empty()) {
        table.set_header(header);
    }
    table.add_rows(rows);
    for number in numbers {
        if let Some(column) = table.column_mut(number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Writes rows as a table for people, or as lines of fields.
pub(crate) fn write<R: AsRef<[String]> + Into<Row>>(
    out: &mut dyn Write,
    for_people: bool,
    header: &[&str],
    rows: Vec<R>,
    numbers: impl IntoIterator<Item = usize>,
) -> io::Result<()> {
    match for_people {
        true => writeln!(out, "{}", drawn(header, rows, numbers)),
        false => rows.iter().try_for_each(|row| writeln!(out, "{}", row.as_ref().join("\t"))),
    }
}

/// A text on one line, without characters that a terminal acts on or that would end a field.
pub(crate) fn on_one_line(text: &str, instead_of_breaks: char) -> String {
    let shown = |c| match c {
        '\t' | '\n' => instead_of_breaks,
        c => stand_in(c).unwrap_or(c),
    };
    text.chars().map(shown).collect()
}
