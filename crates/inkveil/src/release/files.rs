//! Which files are read, and where each goes.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use inkveil_files::{Input, is_pipe, refuse_same_file};
use inkveil_rows::{
    DocumentFormat, JobFile, JobSettings, Packing, RecordFormat, RecordOptions, RecordReader, Records,
    Skipped, expand,
};

use super::rows::job_folder;
use crate::error::{Error, ErrorKind};

/// Files of texts that are read together.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// The files.
    pub files: Vec<JobFile>,
    /// Whether one file was named, so that one file is written.
    pub single: bool,
    /// What was found in folders and is not read.
    pub skipped: Vec<Skipped>,
}

impl Corpus {
    /// Finds the files that names stand for: files, folders and patterns. `format` is their format, if
    /// their names do not tell. With `lines`, every line of a plain text is a text.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn open(names: &[PathBuf], format: Option<RecordFormat>, lines: bool) -> Result<Self, Error> {
        Self::find(names, format, lines, false)
    }

    /// As [`open`](Self::open), and reads links in folders too.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn open_with_links(
        names: &[PathBuf],
        format: Option<RecordFormat>,
        lines: bool,
    ) -> Result<Self, Error> {
        Self::find(names, format, lines, true)
    }

    fn find(
        names: &[PathBuf],
        format: Option<RecordFormat>,
        lines: bool,
        links: bool,
    ) -> Result<Self, Error> {
        let (mut files, mut skipped) = (Vec::new(), Vec::new());
        for name in names {
            // A named file of an unknown kind is plain text, and so is a pipe. A chat is known by its content.
            let chat = format.is_none() && is_chat(name);
            let format = format.or(chat.then_some(RecordFormat::Document(DocumentFormat::Chat)));
            let plain = (name.is_file() || is_pipe(name)) && RecordFormat::of(name).is_none();
            let format = format.or(plain.then_some(RecordFormat::Text));
            let found = expand(std::slice::from_ref(name), format, links)?;
            files.extend(found.files);
            skipped.extend(found.skipped);
        }
        for file in &mut files {
            if lines && file.format == RecordFormat::Text {
                file.format = RecordFormat::Lines;
            }
        }
        let single = matches!(names, [name] if files.len() == 1 && !name.is_dir());
        Ok(Self { files, single, skipped })
    }

    /// Whether a file has rows, and so more than one text.
    pub fn has_rows(&self) -> bool {
        self.files.iter().any(|file| file.format.has_rows())
    }

    /// The size of all files, in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().filter_map(|file| file.input.metadata().ok()).map(|found| found.len()).sum()
    }

    /// The name of the data in a ledger, if the user gives none.
    pub fn name(&self) -> String {
        let first = self.files.first().map(|file| &file.input);
        let named = match self.single {
            true => first.and_then(|path| path.file_name()),
            false => first.and_then(|path| path.parent()).and_then(Path::file_name),
        };
        named.map_or_else(|| "texts".to_owned(), |name| name.to_string_lossy().into_owned())
    }
}

/// Where a corpus goes, and how it is read and written.
#[derive(Debug, Clone)]
pub struct Destination<'a> {
    /// What is read.
    pub corpus: &'a Corpus,
    /// The file to write, or a folder for several.
    pub output: PathBuf,
    /// The receipt's file, if it is not beside the output. For a single output.
    pub receipt: Option<PathBuf>,
    /// The format to write, if it is not that of the input or of the output's name.
    pub format: Option<(RecordFormat, Packing)>,
    /// How rows are read.
    pub options: RecordOptions,
    /// Whether existing outputs are replaced and an interrupted job is discarded.
    pub overwrite: bool,
    /// Whether an interrupted job is resumed.
    pub resume: bool,
    /// At most this many rows of each file.
    pub sample: Option<u64>,
    /// How often finished work is saved.
    pub save_every: Duration,
}

impl<'a> Destination<'a> {
    /// Writes a corpus to a file, or to a folder if it has several files.
    pub fn new(corpus: &'a Corpus, output: impl Into<PathBuf>) -> Self {
        Self {
            corpus,
            output: output.into(),
            receipt: None,
            format: None,
            options: RecordOptions::default(),
            overwrite: false,
            resume: false,
            sample: None,
            save_every: Duration::from_secs(30),
        }
    }

    /// The settings of the job that does the work.
    ///
    /// # Errors
    /// If outputs would collide with each other or with inputs.
    pub(super) fn job_settings(&self) -> Result<JobSettings, Error> {
        let folder = !self.corpus.single;
        if folder && self.output.is_file() {
            let files = self.corpus.files.len();
            return Err(ErrorKind::OutputIsFile { path: self.output.clone(), files }.into());
        }
        if !folder && self.output.is_dir() {
            return Err(ErrorKind::OutputIsFolder { path: self.output.clone() }.into());
        }
        let mut files: Vec<(JobFile, PathBuf)> = Vec::new();
        for file in &self.corpus.files {
            if is_pipe(&file.input) {
                return Err(ErrorKind::PipeIntoFile { path: file.input.clone() }.into());
            }
            let (format, packing) = self.format_of(file);
            let output = match folder {
                true => self.output.join(file.renamed(format, packing)),
                false => self.output.clone(),
            };
            refuse_same_file(&[("the input", Some(&file.input)), ("the output", Some(&output))])?;
            if let Some((other, _)) = files.iter().find(|(_, known)| *known == output) {
                let inputs = [other.input.clone(), file.input.clone()];
                return Err(ErrorKind::SameOutput { inputs, output }.into());
            }
            files.push((file.clone(), output));
        }
        let mut settings = JobSettings::new(files, job_folder(&self.output));
        settings.options = self.options.clone();
        settings.to = self.changed_format();
        settings.overwrite = self.overwrite;
        settings.sample = self.sample;
        settings.part_time = self.save_every;
        Ok(settings)
    }

    /// The format of an output: the one asked for, else the one that the name of a single output
    /// tells, else that of the input.
    fn format_of(&self, file: &JobFile) -> (RecordFormat, Packing) {
        let named =
            || RecordFormat::of(&self.output).filter(|(format, _)| format.is_table() && self.corpus.single);
        self.format.or_else(named).unwrap_or((file.format, file.packing))
    }

    /// The format that files are converted to, if any is converted.
    fn changed_format(&self) -> Option<(RecordFormat, Packing)> {
        let changed = |file: &JobFile| {
            Some(self.format_of(file)).filter(|chosen| *chosen != (file.format, file.packing))
        };
        self.corpus.files.iter().rev().find_map(changed)
    }
}

/// Whether a file is the export of a chat.
fn is_chat(path: &Path) -> bool {
    /// The beginning of a file that is looked at.
    const BEGINNING: u64 = 64 << 10;
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let mut beginning = Vec::new();
    is_json
        && path.is_file()
        && File::open(path).is_ok_and(|file| file.take(BEGINNING).read_to_end(&mut beginning).is_ok())
        && inkveil_documents::looks_like_chat(&beginning)
}

/// The path of the receipt beside an output.
pub fn receipt_beside(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".receipt.json");
    name.into()
}

/// Reads the texts of files, folders and `-` (standard input), batch by batch. `take` gets each batch with
/// the name of its file. `lines` and `format` are as in [`Corpus::open`].
///
/// # Errors
/// If a file cannot be read, or `take` fails.
pub fn read_texts<E: From<Error>>(
    names: &[PathBuf],
    format: Option<RecordFormat>,
    lines: bool,
    options: &RecordOptions,
    mut take: impl FnMut(&str, &Records) -> Result<(), E>,
) -> Result<(), E> {
    let mut each = |input: Input, format: RecordFormat, packing: Packing| -> Result<(), E> {
        let mut reader = RecordReader::open(input, format, packing, options).map_err(Error::from)?;
        while let Some(records) = reader.next().map_err(Error::from)? {
            take(reader.name(), &records)?;
        }
        Ok(())
    };
    for name in names {
        if name == Path::new("-") {
            let plain = if lines { RecordFormat::Lines } else { RecordFormat::Text };
            each(Input::stdin(), format.unwrap_or(plain), Packing::None)?;
            continue;
        }
        for file in Corpus::open(std::slice::from_ref(name), format, lines)?.files {
            each(Input::path(&file.input), file.format, file.packing)?;
        }
    }
    Ok(())
}
