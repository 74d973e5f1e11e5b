//! Documents from the command line, a file or standard input. Lines come in batches, so that memory grows with the longest line and
//! not with the input.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use anyhow::{Context as _, anyhow, ensure};

/// What to read.
pub(super) enum Input {
    Argument(String),
    Stdin,
    File(PathBuf),
}

impl Input {
    /// The file it is, if it is one.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Argument(_) | Self::Stdin => None,
        }
    }

    /// How many bytes it has, if that is known.
    pub(super) fn bytes(&self) -> Option<u64> {
        match self {
            Self::Argument(text) => Some(text.len() as u64),
            Self::Stdin => None,
            Self::File(path) => path.metadata().ok().filter(|found| found.is_file()).map(|found| found.len()),
        }
    }

    /// Refuses what cannot be read before anything is written.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        if let Some(path) = self.path() {
            let metadata = path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
            ensure!(!metadata.is_dir(), "{} is a folder; name a file in it", path.display());
        }
        Ok(())
    }
}

/// A document as it was read. Private.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Original {
    /// Which line it is, from 1, where every line is a document.
    pub(super) line: Option<u64>,
    pub(super) text: String,
    /// What ends it: `"\n"`, `"\r\n"` or nothing. It is no part of the document, and written as it was.
    pub(super) line_break: &'static str,
}

impl Original {
    fn new(line: Option<u64>, text: &str) -> Self {
        let line_break = ["\r\n", "\n", ""].into_iter().find(|end| text.ends_with(end)).unwrap_or_default();
        Self { line, text: text[..text.len() - line_break.len()].to_owned(), line_break }
    }

    /// How many bytes of the input it is.
    pub(super) fn bytes(&self) -> u64 {
        (self.text.len() + self.line_break.len()) as u64
    }
}

/// No batch has more lines: an interruption and the first answer should not wait for many.
const LINES: usize = 256;

/// How much is asked of the system at once.
const READ: usize = 256 << 10;

/// Documents that were read together; none is the end. A channel that closes before is a failure, not an end.
pub(super) type Batch = anyhow::Result<Option<Vec<Original>>>;

/// Reads the input in order, on a thread of its own: a silent pipe must not keep an interruption from being noticed.
pub(super) fn read(input: Input, lines: bool) -> Receiver<Batch> {
    // One batch waits while another is worked on.
    let (sender, receiver) = sync_channel(1);
    thread::spawn(move || {
        // If nobody listens any more, nobody wants to know.
        let _ = match send(input, lines, &sender) {
            Ok(()) => sender.send(Ok(None)),
            Err(error) => sender.send(Err(error)),
        };
    });
    receiver
}

fn send(input: Input, lines: bool, sender: &SyncSender<Batch>) -> anyhow::Result<()> {
    let (name, mut reader): (_, Box<dyn Read>) = match input {
        Input::Argument(mut text) => {
            // A text from the command line has no line break of its own, and a prompt should not follow it.
            if !text.ends_with('\n') {
                text.push('\n');
            }
            ("the text".to_owned(), Box::new(io::Cursor::new(text)))
        }
        Input::Stdin => ("standard input".to_owned(), Box::new(io::stdin())),
        Input::File(path) => {
            let name = path.display().to_string();
            let file = File::open(&path).with_context(|| format!("cannot read {name}"))?;
            (name, Box::new(file))
        }
    };
    let mut place = Place { name, bytes: 0, lines: 0 };
    if lines {
        send_lines(&mut *reader, &mut place, sender)
    } else {
        send_whole(&mut *reader, &place, sender)
    }
}

/// The whole input is one document.
fn send_whole(reader: &mut dyn Read, place: &Place, sender: &SyncSender<Batch>) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).with_context(|| place.cannot_read())?;
    let document = Original::new(None, place.text(&bytes)?);
    let _ = sender.send(Ok(Some(vec![document])));
    Ok(())
}

/// Every line is a document. What has arrived is handed on: whoever follows a log does not want to wait for more of it.
fn send_lines(reader: &mut dyn Read, place: &mut Place, sender: &SyncSender<Batch>) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    loop {
        let kept = bytes.len();
        bytes.resize(kept + READ, 0);
        let count = loop {
            match reader.read(&mut bytes[kept..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result.with_context(|| place.cannot_read())?,
            }
        };
        bytes.truncate(kept + count);
        let last_break = bytes[kept..].iter().rposition(|byte| *byte == b'\n');
        let whole = if count == 0 { kept } else { last_break.map_or(0, |at| kept + at + 1) };
        let text = place.text(&bytes[..whole])?;
        let mut lines = (place.lines + 1..).zip(text.split_inclusive('\n')).peekable();
        while lines.peek().is_some() {
            let batch =
                lines.by_ref().take(LINES).map(|(number, line)| Original::new(Some(number), line)).collect();
            if sender.send(Ok(Some(batch))).is_err() {
                return Ok(());
            }
        }
        if count == 0 {
            return Ok(());
        }
        place.lines += text.matches('\n').count() as u64;
        place.bytes += whole as u64;
        bytes.drain(..whole);
    }
}

/// How far reading has come, to say where something is wrong.
struct Place {
    name: String,
    bytes: u64,
    lines: u64,
}

impl Place {
    fn cannot_read(&self) -> String {
        format!("cannot read {}", self.name)
    }

    fn text<'b>(&self, bytes: &'b [u8]) -> anyhow::Result<&'b str> {
        std::str::from_utf8(bytes).map_err(|error| {
            let valid = &bytes[..error.valid_up_to()];
            let lines = valid.iter().filter(|byte| **byte == b'\n').count();
            anyhow!(
                "{}: byte {} (line {}) is not UTF-8; convert it, for example with iconv",
                self.name,
                self.bytes + valid.len() as u64,
                self.lines + lines as u64 + 1
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trickle::Trickle;

    fn lines(bytes: &[u8], at_once: usize) -> Vec<Batch> {
        let (sender, receiver) = sync_channel(10_000);
        let mut place = Place { name: "it".to_owned(), bytes: 0, lines: 0 };
        if let Err(error) = send_lines(&mut Trickle(bytes, at_once), &mut place, &sender) {
            sender.send(Err(error)).unwrap();
        }
        drop(sender);
        receiver.iter().collect()
    }

    #[test]
    fn lines_are_the_input_however_they_arrive() {
        let text = "one\n\nzwei é\r\n𝄞\r\n\nno end";
        for at_once in [1, 2, 3, 7, 100] {
            let all: Vec<Original> =
                lines(text.as_bytes(), at_once).into_iter().filter_map(Result::unwrap).flatten().collect();
            let joined: String = all.iter().flat_map(|line| [line.text.as_str(), line.line_break]).collect();
            assert_eq!(joined, text);
            let numbers: Vec<u64> = all.iter().filter_map(|line| line.line).collect();
            assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
            assert_eq!((all[2].text.as_str(), all[2].line_break), ("zwei é", "\r\n"));
        }
        assert!(lines(b"", 9).is_empty());
    }

    #[test]
    fn batches_are_small_and_in_order() {
        let text: String = (1..=1000).map(|number| format!("{number}\n")).collect();
        let batches: Vec<Vec<Original>> =
            lines(text.as_bytes(), usize::MAX).into_iter().filter_map(Result::unwrap).collect();
        assert!(batches.len() >= 4 && batches.iter().all(|batch| batch.len() <= LINES));
        for (number, line) in (1..).zip(batches.iter().flatten()) {
            assert_eq!((line.line, line.text.as_str()), (Some(number), number.to_string().as_str()));
        }
    }

    #[test]
    fn what_is_not_utf8_is_told_by_its_place() {
        for at_once in [1, 4, 100] {
            let all = lines(b"one\ntwo\nab\xff\n", at_once);
            let error = all.last().unwrap().as_ref().err().unwrap().to_string();
            assert!(error.starts_with("it: byte 10 (line 3) is not UTF-8"), "{error}");
        }
    }

    #[test]
    fn a_whole_text_is_one_document() {
        let read = |input| read(input, false).iter().filter_map(Result::unwrap).flatten().collect::<Vec<_>>();
        let all = read(Input::Argument("a\nb".to_owned()));
        assert!(all == [Original { line: None, text: "a\nb".to_owned(), line_break: "\n" }]);
        let all = read(Input::Argument("a\r\n".to_owned()));
        assert!(all == [Original { line: None, text: "a".to_owned(), line_break: "\r\n" }]);
    }
}
