//! From names on the command line to files that are read and written.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail, ensure};
use inkveil_files::Input;
use inkveil_rows::{
    Columns, JobFile, JobSettings, Packing, RecordFormat, RecordOptions, RecordReader, Records, expand,
};

use crate::args::{JobArgs, OnError, TableArgs};

/// What is read.
pub(crate) struct Corpus {
    pub(crate) files: Vec<JobFile>,
    /// Whether one file was named, so that one file is written.
    pub(crate) single: bool,
}

impl Corpus {
    /// The files that names stand for. With `lines`, every line of a plain text is a text.
    pub(crate) fn new(names: &[PathBuf], from: Option<RecordFormat>, lines: bool) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        for name in names {
            // A file of an unknown kind that was named is a plain text, as everywhere else on a command line.
            let plain = name.is_file() && RecordFormat::of(name).is_none();
            let from = from.or(plain.then_some(RecordFormat::Text));
            files.extend(expand(std::slice::from_ref(name), from)?);
        }
        for file in &mut files {
            if lines && file.format == RecordFormat::Text {
                file.format = RecordFormat::Lines;
            }
        }
        let single = matches!(names, [name] if files.len() == 1 && !name.is_dir());
        Ok(Self { files, single })
    }

    /// Whether there are rows in it, so that a file is more than one text.
    pub(crate) fn has_rows(&self) -> bool {
        self.files.iter().any(|file| file.format != RecordFormat::Text)
    }

    /// How many bytes there are to read.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().filter_map(|file| file.input.metadata().ok()).map(|found| found.len()).sum()
    }

    /// What the data is called if nobody says so.
    pub(crate) fn name(&self) -> String {
        let first = self.files.first().map(|file| &file.input);
        let named = match self.single {
            true => first.and_then(|path| path.file_name()),
            false => first.and_then(|path| path.parent()).and_then(Path::file_name),
        };
        named.map_or_else(|| "texts".to_owned(), |name| name.to_string_lossy().into_owned())
    }
}

/// Where a corpus goes.
pub(crate) struct Target<'a> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) output: &'a Path,
    pub(crate) job: &'a JobArgs,
    pub(crate) options: RecordOptions,
    /// Everything that decides what comes out, besides what is read.
    pub(crate) settings: String,
    pub(crate) force: bool,
}

impl Target<'_> {
    /// The job that reads and writes it.
    pub(crate) fn settings(&self) -> anyhow::Result<JobSettings> {
        let to = self.job.to.as_deref().map(to_format).transpose()?;
        let folder = !self.corpus.single;
        ensure!(
            !folder || !self.output.is_file(),
            "{} is a file, but there are {} files to write; name a folder with --output",
            self.output.display(),
            self.corpus.files.len()
        );
        ensure!(
            folder || !self.output.is_dir(),
            "{} is a folder; name the file to write with --output",
            self.output.display()
        );
        let mut files: Vec<(JobFile, PathBuf)> = Vec::new();
        for file in &self.corpus.files {
            let (format, packing) = self.format_of(file, to);
            let output = match folder {
                true => self.output.join(file.renamed(format, packing)),
                false => self.output.to_owned(),
            };
            inkveil_files::refuse_same_file(&[
                ("the input", Some(&file.input)),
                ("--output", Some(&output)),
            ])?;
            if let Some((other, _)) = files.iter().find(|(_, known)| *known == output) {
                bail!(
                    "{} and {} would both be written to {}; work on them one at a time",
                    other.input.display(),
                    file.input.display(),
                    output.display()
                );
            }
            files.push((file.clone(), output));
        }
        let mut kept = self.output.as_os_str().to_owned();
        while let Some(rest) = kept.to_str().and_then(|name| name.strip_suffix('/')) {
            kept = rest.to_owned().into();
        }
        kept.push(".inkveil-job");
        let mut settings = JobSettings::new(files, kept.into());
        settings.options =
            RecordOptions { reject: self.job.on_error == OnError::Reject, ..self.options.clone() };
        settings.to = self.changed_format(to);
        settings.settings.clone_from(&self.settings);
        settings.overwrite = self.force;
        settings.sample = self.job.sample;
        settings.part_time = std::time::Duration::from_secs(self.job.save_every);
        Ok(settings)
    }

    /// What a file is written as: what is asked for, else what the name of a single output says, else as it was.
    fn format_of(&self, file: &JobFile, to: Option<(RecordFormat, Packing)>) -> (RecordFormat, Packing) {
        let named =
            || RecordFormat::of(self.output).filter(|(format, _)| format.is_table() && self.corpus.single);
        to.or_else(named).unwrap_or((file.format, file.packing))
    }

    /// What files are turned into, if any is written as something else.
    fn changed_format(&self, to: Option<(RecordFormat, Packing)>) -> Option<(RecordFormat, Packing)> {
        let changed = |file: &JobFile| {
            Some(self.format_of(file, to)).filter(|chosen| *chosen != (file.format, file.packing))
        };
        self.corpus.files.iter().rev().find_map(changed)
    }
}

/// A format as it is typed, such as `jsonl.gz`.
fn to_format(name: &str) -> anyhow::Result<(RecordFormat, Packing)> {
    RecordFormat::of(Path::new(&format!("x.{name}")))
        .filter(|(format, _)| format.is_table())
        .ok_or_else(|| anyhow!("--to is jsonl, csv, tsv (also with .gz or .zst), parquet or arrow"))
}

/// How rows are read.
pub(crate) fn options(tables: &TableArgs) -> RecordOptions {
    RecordOptions {
        columns: Columns {
            texts: tables.columns.clone(),
            id: tables.id_column.clone(),
            ..Columns::default()
        },
        encoding: tables.encoding.clone(),
        delimiter: tables.delimiter,
        header: !tables.no_header,
        ..RecordOptions::default()
    }
}

/// Reads texts from files, folders and `-`, some at a time. `take` gets them with the name of their file.
pub(crate) fn read_texts(
    names: &[PathBuf],
    from: Option<RecordFormat>,
    lines: bool,
    options: &RecordOptions,
    mut take: impl FnMut(&str, &Records) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut each = |mut reader: RecordReader| -> anyhow::Result<()> {
        while let Some(records) = reader.next()? {
            take(reader.name(), &records)?;
        }
        Ok(())
    };
    for name in names {
        if name == Path::new("-") {
            ensure!(!std::io::stdin().is_terminal(), "there is nothing on standard input; pipe a text in");
            let format = from.unwrap_or(if lines { RecordFormat::Lines } else { RecordFormat::Text });
            each(RecordReader::open(Input::stdin(), format, Packing::None, options)?)?;
            continue;
        }
        for file in Corpus::new(std::slice::from_ref(name), from, lines)?.files {
            each(RecordReader::open(Input::path(&file.input), file.format, file.packing, options)?)?;
        }
    }
    Ok(())
}
