//! What is to be rewritten: a text, the texts of a folder, or a column of rows.

use std::path::Path;

use anyhow::{bail, ensure};
use inkveil_files::Input;
use inkveil_rows::{Changed, RecordReader, Records, WrittenRows};

use super::job::Settled;
use crate::args::TableArgs;
use crate::corpus::{self, Corpus};
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
    /// The rows that the texts stand in, and what stands before the first of them.
    rows: Vec<Records>,
    prelude: Vec<u8>,
}

impl Source {
    pub(super) fn read(path: &Path, tables: &TableArgs) -> anyhow::Result<Self> {
        if path.is_file() {
            let corpus = Corpus::new(&[path.to_owned()], tables.from, false)?;
            if let [file] = corpus.files.as_slice()
                && corpus.has_rows()
            {
                let options = corpus::options(tables);
                let reader = RecordReader::open(Input::path(path), file.format, file.packing, &options)?;
                return Self::read_rows(reader);
            }
        }
        let form = if path.is_dir() { Form::Folder } else { Form::Text };
        let inputs = inputs::read(&[path.to_owned()], tables)?;
        let (names, texts) = inputs.into_iter().map(|input| (input.name, input.text)).unzip();
        Ok(Self { form, names, texts, rows: Vec::new(), prelude: Vec::new() })
    }

    fn read_rows(mut reader: RecordReader) -> anyhow::Result<Self> {
        let name = reader.name().to_owned();
        ensure!(
            reader.format().is_bytes(),
            "{name}: rows are rewritten in .jsonl, .csv and .tsv files; write one of these first"
        );
        let (mut names, mut texts, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        let prelude = reader.prelude(&[]);
        while let Some(records) = reader.next()? {
            for (index, text) in records.texts().iter().enumerate() {
                names.push(format!("{name}, row {}", records.texts().row(index) + 1));
                texts.push(text.to_owned());
            }
            rows.push(records);
        }
        ensure!(!texts.is_empty(), "{name}: there are no rows in it");
        Ok(Self { form: Form::Rows, names, texts, rows, prelude })
    }

    /// The rows with their new texts, null or empty where one was refused; all else stays.
    pub(super) fn rows(&self, settled: &[Settled]) -> anyhow::Result<Vec<u8>> {
        let mut bytes = self.prelude.clone();
        let mut settled = settled.iter();
        for records in &self.rows {
            let texts = settled.by_ref().take(records.texts().len());
            let texts = texts.map(|settled| settled.text().map(str::to_owned)).collect();
            match records.write(&Changed { texts, ..Changed::default() })? {
                WrittenRows::Bytes(rows) => bytes.extend(rows),
                WrittenRows::Batch(_) => bail!("these rows are no text"),
            }
        }
        Ok(bytes)
    }
}
