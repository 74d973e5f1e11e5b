//! A text on one line of a table.

use inkveil::report::stand_in;

/// No cell of a table is longer, in characters.
const LONGEST: usize = 32;

/// A text as a cell of a table: one short line.
pub(super) fn in_cell(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\r' | '\t' => ' ',
        c => stand_in(c).unwrap_or(c),
    };
    let mut cell: String = text.chars().map(shown).take(LONGEST + 1).collect();
    if cell.chars().count() > LONGEST {
        cell = cell.chars().take(LONGEST - 1).chain(['…']).collect();
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_one_short_line() {
        assert_eq!(in_cell("two\r\nlines\u{1b}[2J"), "two  lines␛[2J");
        assert_eq!(in_cell(&"é".repeat(LONGEST)), "é".repeat(LONGEST));
        let cut = in_cell(&"é".repeat(500));
        assert_eq!((cut.chars().count(), cut.ends_with('…')), (LONGEST, true));
    }
}
