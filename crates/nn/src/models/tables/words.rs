//! Word vectors as text.

use std::collections::HashSet;
use std::path::Path;

use rayon::prelude::*;

use super::VectorTable;
use crate::Error;
use crate::weights::FileBytes;

const FORMAT: &str = "word table";

impl VectorTable {
    /// Opens a table of words as text, in the format of GloVe: each line has a word and its
    /// numbers, separated by spaces. A first line with the numbers of rows and columns is skipped.
    /// A word may contain spaces.
    pub fn open_words(path: &Path) -> Result<Self, Error> {
        read(&FileBytes::map(path)?).map_err(|e| e.in_file(path))
    }

    /// Reads a table of words as text; see [`open_words`](Self::open_words).
    pub fn from_words(text: &[u8]) -> Result<Self, Error> {
        read(text)
    }
}

fn read(text: &[u8]) -> Result<VectorTable, Error> {
    let mut lines: Vec<(usize, &[u8])> = (1..).zip(text.split(|&byte| byte == b'\n')).collect();
    // The text after the last line break is not a row.
    lines.pop_if(|(_, line)| line.is_empty());
    let width = match lines.first().map(|(_, line)| header_width(line)) {
        Some(Some(width)) => {
            lines.remove(0);
            width
        }
        _ => lines.first().map_or(0, |(_, line)| line.split(|&byte| byte == b' ').count() - 1),
    };
    if width == 0 || lines.is_empty() {
        return Err(Error::corrupt(FORMAT, "it has no rows of a word and numbers"));
    }
    // A number and its space take two bytes, so this allocates at most four times the size of the
    // file.
    let count = lines.len().checked_mul(width).filter(|&count| count <= text.len() / 2);
    let count = count
        .ok_or_else(|| Error::corrupt(FORMAT, format!("it is too short for {width} numbers in every row")))?;
    let mut values = vec![0.0; count];
    let parsed: Vec<Result<String, Error>> = values
        .par_chunks_exact_mut(width)
        .zip(&lines)
        .map(|(out, &(row, line))| parse(row, line, out))
        .collect();
    let names = parsed.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut seen = HashSet::with_capacity(names.len());
    if let Some(position) = names.iter().position(|name| !seen.insert(name.as_str())) {
        return Err(wrong(lines[position].0, "repeats the word of an earlier row"));
    }
    Ok(VectorTable { names, values, width })
}

/// Returns the number of columns if a line consists of two integers: the numbers of rows and
/// columns.
fn header_width(line: &[u8]) -> Option<usize> {
    let (rows, columns) = std::str::from_utf8(line).ok()?.trim_end().split_once(' ')?;
    rows.parse::<usize>().ok().and(columns.parse().ok())
}

/// Parses one row into `out` and returns its word.
fn parse(row: usize, line: &[u8], out: &mut [f32]) -> Result<String, Error> {
    let line =
        std::str::from_utf8(line).map_err(|_| wrong(row, "is not UTF-8"))?.trim_end_matches(['\r', ' ']);
    let mut rest = line;
    // From the end: everything before the numbers is the word.
    for (index, value) in out.iter_mut().enumerate().rev() {
        let (before, number) = rest.rsplit_once(' ').ok_or_else(|| wrong(row, "has too few numbers"))?;
        let number = number.parse().ok().filter(|number: &f32| number.is_finite());
        *value =
            number.ok_or_else(|| wrong(row, &format!("has no finite number in column {}", index + 1)))?;
        rest = before;
    }
    match rest.is_empty() {
        true => Err(wrong(row, "has no word")),
        false => Ok(rest.to_owned()),
    }
}

fn wrong(row: usize, what: &str) -> Error {
    Error::corrupt(FORMAT, format!("row {row} {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_with_and_without_a_header_are_read() {
        let table = read(b"2 3\na 1 2 3\n. . . -1e-3 0 4\n").unwrap();
        assert_eq!(table.names(), ["a", ". . ."]);
        assert_eq!(table.values(), [1.0, 2.0, 3.0, -1e-3, 0.0, 4.0]);
        let table = read("é 0.5 1\r\n2 7 8".as_bytes()).unwrap();
        assert_eq!((table.names(), table.width()), (["é".to_owned(), "2".to_owned()].as_slice(), 2));
    }

    #[test]
    fn errors_name_the_row() {
        for (text, what) in [
            (&b"a 1 2\nb 1 2\nc 1\n"[..], "row 3 has too few numbers"),
            (b"a 1 2\nb x 2\n", "row 2 has no finite number in column 1"),
            (b"a 1 2\nb 1 nan\n", "row 2 has no finite number in column 2"),
            (b"a 1 2\nb 1 2\na 3 4\n", "row 3 repeats the word of an earlier row"),
            (b"a 1 2\n\nc 1 2\n", "row 2 has too few numbers"),
            (b"a 1 2\n\xff 1 2\n", "row 2 is not UTF-8"),
            (b"a 1 2\n 1 2\n", "row 2 has no word"),
            (b"1 2\na 5 6\n 1 2\n", "row 3 has no word"),
            (b"", "no rows"),
            (b"\n\n", "no rows"),
            (b"word\n", "no rows"),
            (b"1 99999999999999\na 1\n", "too short"),
            (b"1 18446744073709551615\na 1\nb 2\n", "too short"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(what), "{error} for {what}");
        }
    }
}
