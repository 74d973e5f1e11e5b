//! Reads texts from files.

use std::path::{Path, PathBuf};

use anyhow::bail;
use inkveil::documents::DocumentFormat;
use inkveil::release::{self, Corpus};
use inkveil::rows::{RecordFormat, RecordOptions, Records};

use crate::args::TableArgs;

/// Finds the files that names stand for, and says what is in folders and is not read.
pub(crate) fn open(names: &[PathBuf], tables: &TableArgs, lines: bool) -> Result<Corpus, inkveil::Error> {
    const SHOWN: usize = 8;
    let corpus = match tables.follow_links {
        true => Corpus::open_with_links(names, tables.from, lines)?,
        false => Corpus::open(names, tables.from, lines)?,
    };
    if !corpus.skipped.is_empty() {
        let shown = corpus.skipped.iter().take(SHOWN);
        let shown: Vec<String> =
            shown.map(|skipped| format!("{} ({})", skipped.path.display(), skipped.why.words())).collect();
        let more = match corpus.skipped.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        tell!(yellow, "note:", "not read: {}{more}", shown.join(", "));
    }
    Ok(corpus)
}

/// Reads the texts of files, folders and `-`, batch by batch.
pub(crate) fn read_texts(
    names: &[PathBuf],
    tables: &TableArgs,
    lines: bool,
    options: &RecordOptions,
    mut take: impl FnMut(&str, &Records) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for name in names {
        if name == Path::new("-") {
            release::read_texts(std::slice::from_ref(name), tables.from, lines, options, &mut take)?;
            continue;
        }
        for file in open(std::slice::from_ref(name), tables, lines)?.files {
            release::read_texts(&[file.input], Some(file.format), false, options, &mut take)?;
        }
    }
    Ok(())
}

/// Whether all of these are names of documents. A document can be named in place of a text.
pub(crate) fn are_documents(names: &[String]) -> bool {
    let is_document = |name: &String| {
        let path = Path::new(name);
        RecordFormat::of(path).is_some_and(|(format, _)| format.document().is_some()) && path.is_file()
    };
    !names.is_empty() && names.iter().all(is_document)
}

/// Whether a document is written as its text: to a file with such a name, or to standard output if it is no text itself.
pub(crate) fn writes_text(document: DocumentFormat, output: Option<&Path>) -> anyhow::Result<bool> {
    let Some(output) = output else { return Ok(!document.is_text()) };
    let known = RecordFormat::of(output).map(|(format, _)| format);
    match known {
        Some(RecordFormat::Text) => Ok(true),
        Some(RecordFormat::Document(other)) if other != document => bail!(
            "{} is another format than the document; write .{} or .txt",
            output.display(),
            document.extension()
        ),
        Some(other) if other.is_table() => {
            bail!("{} is a table; write .{} or .txt", output.display(), document.extension())
        }
        _ => Ok(false),
    }
}
