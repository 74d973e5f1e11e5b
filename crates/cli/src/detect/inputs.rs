//! Inputs: a text, standard input, files and rows of tables.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

use anyhow::{Context as _, ensure};
use inkveil::detect::windows::{TextPiece, Window, WindowReader, WindowSource};
use inkveil::rows::{JobFile, Packing, RecordFormat, RecordOptions, RecordReader};

/// An input. There is no `Debug`, because it would print the text.
pub(super) enum Input {
    Text(String),
    Stdin,
    File(PathBuf),
    Rows(JobFile),
    StdinRows(RecordFormat),
}

/// The input of a text.
#[derive(Clone)]
pub(super) struct Label {
    /// The name of the file, `-` for standard input, or `None` for a text of the command line. Texts of one
    /// input share it.
    pub(super) name: Option<Arc<str>>,
    /// The id of the row.
    pub(super) id: Option<String>,
}

/// A piece of a text with the spans in it.
pub(super) type Piece = TextPiece<Label>;

impl Label {
    pub(super) fn is_same_input(&self, other: &Label) -> bool {
        match (&self.name, &other.name) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    /// Returns the name, with words for inputs that are not files.
    pub(super) fn shown_name(&self) -> &str {
        match self.name.as_deref() {
            None => "the text",
            Some("-") => "standard input",
            Some(name) => name,
        }
    }
}

impl Input {
    pub(super) fn is_rows(&self) -> bool {
        matches!(self, Self::Rows(_) | Self::StdinRows(_))
    }

    /// Returns the path of a file.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Rows(file) => Some(&file.input),
            Self::Text(_) | Self::Stdin | Self::StdinRows(_) => None,
        }
    }

    /// Returns the number of bytes, if it is known.
    pub(super) fn bytes(&self) -> Option<u64> {
        match self {
            Self::Text(text) => Some(text.len() as u64),
            _ => std::fs::metadata(self.path()?).ok().filter(|file| file.is_file()).map(|file| file.len()),
        }
    }

    /// Refuses an input that cannot be opened, before anything is written.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        if let Some(path) = self.path() {
            let name = path.display();
            let metadata = std::fs::metadata(path).with_context(|| format!("cannot read {name}"))?;
            ensure!(!metadata.is_dir(), "{name} is a folder; name the files in it");
        }
        Ok(())
    }
}

/// All inputs in order, opened one after another.
pub(super) struct Inputs {
    waiting: vec::IntoIter<Input>,
    open: Option<Open>,
    lines: bool,
    options: RecordOptions,
}

/// Longer texts of rows are searched in windows.
const WHOLE: usize = 1 << 20;

/// An open input.
enum Open {
    Text(Label, WindowReader<Box<dyn Read + Send>, Label>),
    Rows(Label, RecordReader),
}

impl Inputs {
    pub(super) fn new(inputs: Vec<Input>, lines: bool, options: RecordOptions) -> Self {
        Self { waiting: inputs.into_iter(), open: None, lines, options }
    }

    fn open(&self, input: Input) -> anyhow::Result<Open> {
        let name = match &input {
            Input::Text(_) => None,
            Input::Stdin | Input::StdinRows(_) => Some("-".into()),
            Input::File(path) | Input::Rows(JobFile { input: path, .. }) => {
                Some(path.display().to_string().into())
            }
        };
        let label = Label { name, id: None };
        let rows = |input, format, packing| RecordReader::open(input, format, packing, &self.options);
        let text: Box<dyn Read + Send> = match input {
            Input::Rows(JobFile { input, format, packing, .. }) => {
                return Ok(Open::Rows(label, rows(inkveil::files::Input::path(input), format, packing)?));
            }
            Input::StdinRows(format) => {
                return Ok(Open::Rows(label, rows(inkveil::files::Input::stdin(), format, Packing::None)?));
            }
            Input::Text(text) => Box::new(io::Cursor::new(text)),
            Input::Stdin => Box::new(io::stdin()),
            Input::File(path) => {
                Box::new(File::open(&path).with_context(|| format!("cannot read {}", path.display()))?)
            }
        };
        let windows = WindowReader::new(text, label.clone());
        Ok(Open::Text(label, if self.lines { windows.lines() } else { windows }))
    }
}

impl Open {
    fn next_windows(&mut self) -> anyhow::Result<Option<Vec<Window<Label>>>> {
        match self {
            Self::Text(label, windows) => {
                Ok(windows.next_windows().with_context(|| label.shown_name().to_owned())?)
            }
            Self::Rows(label, reader) => {
                let Some(records) = reader.next()? else { return Ok(None) };
                let (texts, has_rows) = (records.texts(), reader.format().has_rows());
                let mut all = Vec::with_capacity(texts.len());
                for index in 0..texts.len() {
                    let label = Label { id: texts.id(index).map(str::to_owned), ..label.clone() };
                    let (row, text) = (has_rows.then(|| texts.row(index) + 1), texts.text(index));
                    if text.len() <= WHOLE {
                        all.push(Window::whole(label, row, text.to_owned()));
                        continue;
                    }
                    let mut reader = WindowReader::new(text.as_bytes(), label);
                    while let Some(windows) = reader.next_windows()? {
                        all.extend(windows.into_iter().map(|mut window| {
                            window.line = row;
                            window
                        }));
                    }
                }
                Ok(Some(all))
            }
        }
    }
}

impl WindowSource for Inputs {
    type Tag = Label;
    type Error = anyhow::Error;

    fn next_windows(&mut self) -> anyhow::Result<Option<Vec<Window<Label>>>> {
        loop {
            if let Some(open) = &mut self.open
                && let Some(windows) = open.next_windows()?
            {
                return Ok(Some(windows));
            }
            let Some(input) = self.waiting.next() else { return Ok(None) };
            self.open = Some(self.open(input)?);
        }
    }
}
