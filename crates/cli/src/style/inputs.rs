//! The texts of a command: files, standard input, folders and rows of tables.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use inkveil::rows::{RecordFormat, RecordOptions};

use crate::args::TableArgs;
use crate::corpus;

/// The largest size of a text. Style is measured on texts, not on archives.
const LONGEST: u64 = 16 << 20;

/// A text and its name. It has no `Debug`, which would print the text.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) text: String,
}

/// Reads files, the files of folders in the order of their names, and rows of tables.
pub(super) fn read(files: &[PathBuf], tables: &TableArgs) -> anyhow::Result<Vec<Input>> {
    for file in files {
        // A user may type a text in place of a file. It must not appear in an error, which may be logged.
        ensure!(
            file == Path::new("-") || file.exists() || !file.to_string_lossy().contains(char::is_whitespace),
            "this is not the name of a file; to assess a text, pipe it in: echo … | inkveil style risk -"
        );
    }
    let mut inputs = Vec::new();
    // A text that is too long is refused below, and not read in parts.
    let options = RecordOptions { longest_text: LONGEST as usize + 1, ..tables.options() };
    corpus::read_texts(files, tables, false, &options, |name, records| {
        let texts = records.texts();
        let rows = is_table(name, tables);
        for index in 0..texts.len() {
            // Errors name the row. Its id is input.
            let place = match rows {
                true => format!("{name}, row {}", texts.row(index) + 1),
                false => name.to_owned(),
            };
            let name = texts.id(index).map_or_else(|| place.clone(), str::to_owned);
            // The line break at the end of a file belongs to its text.
            let text = match rows {
                true => texts.text(index).to_owned(),
                false => format!("{}{}", texts.text(index), records.line_break(index)),
            };
            ensure!(
                text.len() as u64 <= LONGEST,
                "{place}: it is longer than {} MiB; split it into parts",
                LONGEST >> 20
            );
            ensure!(!text.trim().is_empty(), "{place}: it contains no text");
            inputs.push(Input { name, text });
        }
        Ok(())
    })?;
    Ok(inputs)
}

fn is_table(name: &str, tables: &TableArgs) -> bool {
    let format = tables.from.or(RecordFormat::of(Path::new(name)).map(|(format, _)| format));
    format.is_some_and(RecordFormat::has_rows)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::RiskArgs;

    fn read(files: &[PathBuf]) -> anyhow::Result<Vec<Input>> {
        super::read(files, &RiskArgs::parse_from(["risk", "x"]).tables)
    }

    #[test]
    fn folders_are_read_in_order_and_empty_texts_are_named() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("b.txt", "two"), ("a.md", "one"), ("c.png", "no text")] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let texts: Vec<String> =
            read(&[folder.path().to_owned()]).unwrap().into_iter().map(|input| input.text).collect();
        assert_eq!(texts, ["one", "two"]);
        std::fs::write(folder.path().join("d.txt"), " \n").unwrap();
        let error = read(&[folder.path().join("d.txt")]).map(drop).unwrap_err().to_string();
        assert!(error.ends_with("d.txt: it contains no text"), "{error}");
        std::fs::write(folder.path().join("e.txt"), b"\xff\xff").unwrap();
        let error = read(&[folder.path().join("e.txt")]).map(drop).unwrap_err().to_string();
        assert!(error.contains("e.txt") && error.contains("UTF-8"), "{error}");
        std::fs::write(folder.path().join("f.csv"), "id,text\n1,three\n2,four\n").unwrap();
        let rows = read(&[folder.path().join("f.csv")]).unwrap();
        assert!(rows[1].name.ends_with("f.csv, row 2") && rows[1].text == "four");
    }
}
