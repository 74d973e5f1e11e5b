//! Documents from the command line, a file or standard input, in batches, so that memory grows with the longest row and not with the
//! input.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use anyhow::ensure;
use inkveil_rows::{JobFile, Packing, RecordFormat, RecordOptions, RecordReader, Records};

/// What to read.
pub(super) enum Input {
    Argument(String),
    Stdin(RecordFormat),
    File(JobFile),
}

impl Input {
    /// The file it is, if it is one.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(&file.input),
            Self::Argument(_) | Self::Stdin(_) => None,
        }
    }

    /// What it is.
    pub(super) fn format(&self) -> RecordFormat {
        match self {
            Self::Argument(_) => RecordFormat::Text,
            Self::Stdin(format) => *format,
            Self::File(file) => file.format,
        }
    }

    /// How many bytes it has, if that is known.
    pub(super) fn bytes(&self) -> Option<u64> {
        match self {
            Self::Argument(text) => Some(text.len() as u64),
            Self::Stdin(_) => None,
            Self::File(file) => {
                file.input.metadata().ok().filter(|found| found.is_file()).map(|found| found.len())
            }
        }
    }

    /// What the data is called if nobody says so.
    pub(super) fn name(&self) -> String {
        let name = self.path().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "texts".to_owned())
    }

    /// Refuses what cannot be read before anything is written.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        if let Some(path) = self.path() {
            ensure!(!path.is_dir(), "{} is a folder; name a file in it", path.display());
            std::fs::File::open(path)
                .map_err(|error| anyhow::anyhow!("cannot read {}: {error}", path.display()))?;
        }
        Ok(())
    }

    fn open(self, options: &RecordOptions) -> Result<RecordReader, inkveil_rows::Error> {
        let format = self.format();
        let (input, packing) = match self {
            Self::Argument(mut text) => {
                // A text from the command line has no line break of its own, and a prompt should not follow it.
                if !text.ends_with('\n') {
                    text.push('\n');
                }
                (inkveil_files::Input::from_bytes(text.into_bytes()), Packing::None)
            }
            Self::Stdin(_) => (inkveil_files::Input::stdin(), Packing::None),
            Self::File(file) => (inkveil_files::Input::path(PathBuf::from(&file.input)), file.packing),
        };
        RecordReader::open(input, format, packing, options)
    }
}

/// A document as it was read. Private.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Original {
    /// Which row it is, from 1, where there are rows.
    pub(super) line: Option<u64>,
    /// What its row is called, where the input says so.
    pub(super) id: Option<String>,
    pub(super) text: String,
    /// What it is for, where the input says so.
    pub(super) task: Option<String>,
    /// What ends it: `"\n"`, `"\r\n"` or nothing. It is no part of the document, and written as it was.
    pub(super) line_break: &'static str,
}

impl Original {
    /// How many bytes of the input it is.
    pub(super) fn bytes(&self) -> u64 {
        (self.text.len() + self.line_break.len()) as u64
    }

    fn all(records: &Records, rows: bool) -> Vec<Self> {
        let texts = records.texts();
        let one = |index: usize| Self {
            line: rows.then(|| texts.row(index) + 1),
            id: texts.id(index).map(str::to_owned),
            text: texts.text(index).to_owned(),
            task: texts.task(index).map(str::to_owned),
            line_break: records.line_break(index),
        };
        (0..texts.len()).map(one).collect()
    }
}

/// Documents that were read together, and how much of the input was read with them.
pub(super) struct Read {
    pub(super) originals: Vec<Original>,
    pub(super) bytes: u64,
}

/// Documents that were read together; none is the end. A channel that closes before is a failure, not an end.
pub(super) type Batch = anyhow::Result<Option<Read>>;

/// Reads the input in order, on a thread of its own: a silent pipe must not keep an interruption from being noticed. Not more rows than `most`.
pub(super) fn read(input: Input, options: RecordOptions, most: Option<u64>) -> Receiver<Batch> {
    // One batch waits while another is worked on.
    let (sender, receiver) = sync_channel(1);
    thread::spawn(move || {
        // If nobody listens any more, nobody wants to know.
        let _ = match send(input, &options, most, &sender) {
            Ok(()) => sender.send(Ok(None)),
            Err(error) => sender.send(Err(error)),
        };
    });
    receiver
}

fn send(
    input: Input,
    options: &RecordOptions,
    most: Option<u64>,
    sender: &SyncSender<Batch>,
) -> anyhow::Result<()> {
    let rows = input.format() != RecordFormat::Text;
    let mut reader = input.open(options)?;
    if let Some(most) = most {
        reader.take(most);
    }
    while let Some(records) = reader.next()? {
        let read = Read { originals: Original::all(&records, rows), bytes: records.bytes_read() };
        if sender.send(Ok(Some(read))).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, format: RecordFormat) -> Vec<Original> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, text).unwrap();
        let file = JobFile::new(path, Some(format)).unwrap();
        let batches = read(Input::File(file), RecordOptions::default(), None);
        batches.iter().filter_map(Result::unwrap).flat_map(|read| read.originals).collect()
    }

    #[test]
    fn lines_are_the_input() {
        let text = "one\n\nzwei é\r\n𝄞\r\n\nno end";
        let lines = all(text, RecordFormat::Lines);
        let joined: String = lines.iter().flat_map(|line| [line.text.as_str(), line.line_break]).collect();
        assert_eq!(joined, text);
        let numbers: Vec<u64> = lines.iter().filter_map(|line| line.line).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
        assert_eq!((lines[2].text.as_str(), lines[2].line_break), ("zwei é", "\r\n"));
        let whole = all(text, RecordFormat::Text);
        assert_eq!((whole.len(), whole[0].text.as_str(), whole[0].line), (1, text, None));
        assert!(all("", RecordFormat::Lines).is_empty());
    }
}
