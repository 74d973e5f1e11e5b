//! Texts from files and standard input, piece by piece, so that memory does not grow with the input.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use anyhow::{Context as _, ensure};
use inkveil_rows::{JobFile, Packing, RecordFormat, RecordOptions, RecordReader};

use super::batch::{Message, Origin, Window};
use super::cut;

/// What to read. Not for debugging output, which would print the text.
pub(super) enum Input {
    Text(String),
    Stdin,
    File(PathBuf),
    /// A file of rows.
    Rows(JobFile),
    /// Rows on standard input.
    StdinRows(RecordFormat),
}

impl Input {
    /// The file it is, if it is one.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Rows(file) => Some(&file.input),
            Self::Text(_) | Self::Stdin | Self::StdinRows(_) => None,
        }
    }

    /// How many bytes it has, if that is known.
    fn bytes(&self) -> Option<u64> {
        match self {
            Self::Text(text) => Some(text.len() as u64),
            Self::Stdin | Self::StdinRows(_) => None,
            Self::File(_) | Self::Rows(_) => {
                let metadata = std::fs::metadata(self.path()?).ok()?;
                metadata.is_file().then_some(metadata.len())
            }
        }
    }
}

/// How much is asked of the system at once.
const READ: usize = 256 << 10;

/// Reads all inputs in order, on a thread of its own: a silent pipe must not keep an interruption from being noticed.
pub(super) fn read(
    inputs: Vec<Input>,
    lines: bool,
    options: RecordOptions,
) -> Receiver<anyhow::Result<Message>> {
    // One batch waits while another is worked on.
    let (sender, receiver) = sync_channel(1);
    thread::spawn(move || {
        for input in inputs {
            let sent = match input {
                Input::Rows(file) => {
                    let (format, packing) = (file.format, file.packing);
                    let origin = Origin::File(file.input.display().to_string());
                    let input = inkveil_files::Input::path(file.input);
                    send_rows(input, origin, format, packing, &options, &sender)
                }
                Input::StdinRows(format) => {
                    let input = inkveil_files::Input::stdin();
                    send_rows(input, Origin::Stdin, format, Packing::None, &options, &sender)
                }
                Input::Text(_) | Input::Stdin | Input::File(_) => send_pieces(input, lines, &sender),
            };
            if let Err(error) = sent {
                // If nobody listens any more, nobody wants to know.
                let _ = sender.send(Err(error));
                return;
            }
        }
        let _ = sender.send(Ok(Message::End));
    });
    receiver
}

/// Every text of a row is a text of its own.
fn send_rows(
    input: inkveil_files::Input,
    origin: Origin,
    format: RecordFormat,
    packing: Packing,
    options: &RecordOptions,
    sender: &SyncSender<anyhow::Result<Message>>,
) -> anyhow::Result<()> {
    let origin = Arc::new(origin);
    let mut reader = RecordReader::open(input, format, packing, options)?;
    while let Some(records) = reader.next()? {
        let texts = records.texts();
        let window = |index: usize| Window {
            origin: Arc::clone(&origin),
            line: Some(texts.row(index) + 1),
            id: texts.id(index).map(str::to_owned),
            text: texts.text(index).to_owned(),
            own: 0..texts.text(index).len(),
            first: true,
            last: true,
            line_break: "\n",
        };
        let windows = (0..texts.len()).map(window).collect();
        if sender.send(Ok(Message::Windows(windows))).is_err() {
            break;
        }
    }
    Ok(())
}

fn send_pieces(
    input: Input,
    lines: bool,
    sender: &SyncSender<anyhow::Result<Message>>,
) -> anyhow::Result<()> {
    let (origin, reader): (_, Box<dyn Read>) = match input {
        Input::Text(text) => (Origin::Argument, Box::new(io::Cursor::new(text))),
        Input::Stdin => (Origin::Stdin, Box::new(io::stdin())),
        Input::File(path) => {
            let name = path.display().to_string();
            let file = File::open(&path).with_context(|| format!("cannot read {name}"))?;
            (Origin::File(name), Box::new(file))
        }
        Input::Rows(_) | Input::StdinRows(_) => return Ok(()),
    };
    // Enough pieces at once that every core has some, few enough that an interruption is noticed soon.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut pieces = Pieces::new(reader, origin, lines, 2 * cores * cut::LONGEST);
    while let Some(batch) = pieces.next_batch()? {
        if sender.send(Ok(Message::Windows(batch))).is_err() {
            break;
        }
    }
    Ok(())
}

/// Cuts what a reader gives into pieces.
struct Pieces<R> {
    reader: R,
    origin: Arc<Origin>,
    lines: bool,
    /// How many bytes of pieces make a batch.
    batch: usize,
    /// What was read and is not yet in a piece, after the end of what is.
    text: String,
    /// Where in it the next piece begins.
    next: usize,
    /// The beginning of a character whose end is not yet read.
    partial: Vec<u8>,
    /// Bytes and line breaks of valid text read so far, to say where something is wrong.
    read: u64,
    breaks: u64,
    /// The lines that are in pieces already.
    line: u64,
    /// Whether the last piece was not the end of its text.
    inside: bool,
    ended: bool,
}

impl<R: Read> Pieces<R> {
    fn new(reader: R, origin: Origin, lines: bool, batch: usize) -> Self {
        Self {
            reader,
            origin: Arc::new(origin),
            lines,
            batch,
            text: String::new(),
            next: 0,
            partial: Vec::new(),
            read: 0,
            breaks: 0,
            line: 0,
            inside: false,
            ended: false,
        }
    }

    /// The next pieces; none at the end.
    fn next_batch(&mut self) -> anyhow::Result<Option<Vec<Window>>> {
        let mut pieces = Vec::new();
        while !self.ended && pieces.is_empty() {
            // Lines are handed on as they arrive: whoever follows a log does not want to wait for megabytes.
            let wanted = if self.lines { 1 } else { self.batch };
            let mut new = 0;
            while !self.ended && new < wanted {
                new += self.read_some()?;
            }
            if self.lines {
                self.cut_lines(&mut pieces);
            } else {
                self.cut_text(&mut pieces);
            }
            self.forget();
        }
        Ok(if pieces.is_empty() { None } else { Some(pieces) })
    }

    /// Reads once; says how many bytes came.
    fn read_some(&mut self) -> anyhow::Result<usize> {
        let mut bytes = std::mem::take(&mut self.partial);
        let kept = bytes.len();
        bytes.resize(kept + READ, 0);
        let count = loop {
            match self.reader.read(&mut bytes[kept..]) {
                Ok(count) => break count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(error).with_context(|| format!("cannot read {}", self.called()));
                }
            }
        };
        bytes.truncate(kept + count);
        self.ended = count == 0;
        match std::str::from_utf8(&bytes) {
            Ok(text) => self.take(text),
            Err(error) => {
                let (valid, rest) = bytes.split_at(error.valid_up_to());
                self.take(std::str::from_utf8(valid).unwrap_or_default());
                if error.error_len().is_some() || self.ended {
                    return Err(self.not_utf8());
                }
                self.partial = rest.to_vec();
            }
        }
        Ok(count)
    }

    fn take(&mut self, text: &str) {
        self.text.push_str(text);
        self.read += text.len() as u64;
        self.breaks += text.matches('\n').count() as u64;
    }

    fn not_utf8(&self) -> anyhow::Error {
        anyhow::anyhow!(
            "{}: byte {} (line {}) is not UTF-8; convert the file, for example with iconv, or leave it out",
            self.called(),
            self.read,
            self.breaks + 1
        )
    }

    fn called(&self) -> &str {
        match &*self.origin {
            Origin::Argument => "the text",
            Origin::Stdin => "standard input",
            Origin::File(name) => name,
        }
    }

    /// The whole input is one text.
    fn cut_text(&mut self, pieces: &mut Vec<Window>) {
        let end = self.ended.then_some(self.text.len());
        while let Some(piece) = self.cut(end, None, "") {
            let last = piece.last;
            pieces.push(piece);
            if last {
                break;
            }
        }
    }

    /// Every line is a text.
    fn cut_lines(&mut self, pieces: &mut Vec<Window>) {
        loop {
            let rest = &self.text[self.next..];
            let (end, line_break) = match rest.find('\n') {
                Some(end) if rest[..end].ends_with('\r') => (Some(end - 1), "\r\n"),
                Some(end) => (Some(end), "\n"),
                None if !self.ended => (None, ""),
                None if rest.is_empty() && !self.inside => return,
                None => (Some(rest.len()), ""),
            };
            let end = end.map(|end| self.next + end);
            let Some(piece) = self.cut(end, Some(self.line + 1), line_break) else { return };
            if piece.last {
                self.line += 1;
                self.next += line_break.len();
            }
            pieces.push(piece);
        }
    }

    /// The next piece of a text that ends at `end`, if that is known already. None if more must be read first.
    fn cut(&mut self, end: Option<usize>, line: Option<u64>, line_break: &'static str) -> Option<Window> {
        let until = end.unwrap_or(self.text.len());
        let rest = &self.text[self.next..until];
        let last = end.is_some() && rest.len() <= cut::LONGEST;
        let ahead = if end.is_some() { 0 } else { cut::AHEAD };
        let own_end = match last {
            true => until,
            false if rest.len() > cut::LONGEST + ahead => self.next + cut::first_piece(rest),
            false => return None,
        };
        // The first piece of a text has only other texts before it.
        let seen_before = if self.inside { cut::BEHIND } else { 0 };
        let from = self.text.floor_char_boundary(self.next.saturating_sub(seen_before));
        let to = self.text.floor_char_boundary(until.min(own_end + cut::AHEAD));
        let window = Window {
            origin: Arc::clone(&self.origin),
            line,
            id: None,
            text: self.text[from..to].to_owned(),
            own: self.next - from..own_end - from,
            first: !self.inside,
            last,
            line_break,
        };
        self.inside = !last;
        self.next = own_end;
        Some(window)
    }

    /// Drops what no piece needs any more.
    fn forget(&mut self) {
        let kept = if self.inside { cut::BEHIND } else { 0 };
        let gone = self.text.floor_char_boundary(self.next.saturating_sub(kept));
        self.text.drain(..gone);
        self.next -= gone;
    }
}

/// How many bytes will be read, if that is known.
pub(super) fn total_bytes(inputs: &[Input]) -> Option<u64> {
    inputs.iter().map(Input::bytes).sum()
}

/// Refuses what cannot be opened before anything is written.
pub(super) fn check(inputs: &[Input]) -> anyhow::Result<()> {
    for path in inputs.iter().filter_map(Input::path) {
        let name = path.display();
        let metadata = std::fs::metadata(path).with_context(|| format!("cannot read {name}"))?;
        ensure!(!metadata.is_dir(), "{name} is a folder; name the files in it");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trickle::Trickle;

    fn pieces(bytes: &[u8], lines: bool, at_once: usize) -> anyhow::Result<Vec<Window>> {
        let mut reader = Pieces::new(Trickle(bytes, at_once), Origin::Stdin, lines, 3 * cut::LONGEST);
        let mut all = Vec::new();
        while let Some(batch) = reader.next_batch()? {
            assert!(!batch.is_empty());
            all.extend(batch);
        }
        Ok(all)
    }

    fn joined(pieces: &[Window]) -> String {
        pieces.iter().flat_map(|piece| [&piece.text[piece.own.clone()], piece.line_break]).collect()
    }

    #[test]
    fn pieces_are_the_text() {
        let paragraph = "Some words of a paragraph, é and 𝄞.\r\n".repeat(700);
        for text in [
            String::new(),
            "one".into(),
            "one\ntwo\r\n\n\nthree".into(),
            "\n".into(),
            "\r".into(),
            "x".repeat(cut::LONGEST),
            "x".repeat(cut::LONGEST) + "\r\n",
            "x".repeat(3 * cut::LONGEST),
            "é𝄞".repeat(cut::LONGEST),
            [paragraph.as_str(); 20].join("\n"),
        ] {
            for at_once in [7, 100_000, 10_000_000] {
                for lines in [false, true] {
                    // Small reads of large texts take long and show nothing new.
                    if at_once == 7 && text.len() > 1000 {
                        continue;
                    }
                    let all = pieces(text.as_bytes(), lines, at_once).unwrap();
                    assert_eq!(joined(&all), text);
                    assert!(all.iter().all(|piece| piece.own.len() <= cut::LONGEST));
                    let texts = all.iter().filter(|piece| piece.first).count();
                    assert_eq!(texts, all.iter().filter(|piece| piece.last).count());
                    assert_eq!(texts, if lines { text.lines().count() } else { 1 });
                }
            }
        }
    }

    #[test]
    fn pieces_are_seen_with_what_stands_around_them() {
        let text = "some words ".repeat(cut::LONGEST / 4);
        for (lines, input) in [(false, text.clone()), (true, format!("short\n{text}\r\nshort"))] {
            for at_once in [1000, 10_000_000] {
                let all = pieces(input.as_bytes(), lines, at_once).unwrap();
                let all: Vec<&Window> =
                    all.iter().filter(|piece| piece.line.is_none_or(|line| line == 2)).collect();
                assert!(all.len() > 2);
                let mut at = 0;
                for piece in all {
                    let (from, to) = (at - piece.own.start, at - piece.own.start + piece.text.len());
                    assert_eq!(from, if piece.first { 0 } else { at - cut::BEHIND });
                    at += piece.own.len();
                    assert_eq!(to, text.len().min(at + cut::AHEAD));
                    assert!(piece.text == text[from..to]);
                }
                assert_eq!(at, text.len());
            }
        }
    }

    #[test]
    fn lines_are_counted() {
        let long = "y ".repeat(cut::LONGEST);
        let all = pieces(format!("a\r\n\n{long}\nb").as_bytes(), true, 1000).unwrap();
        let shown: Vec<_> =
            all.iter().map(|piece| (piece.line, piece.first, piece.last, piece.line_break)).collect();
        assert_eq!(shown[..2], [(Some(1), true, true, "\r\n"), (Some(2), true, true, "\n")]);
        assert_eq!(shown[2], (Some(3), true, false, ""));
        assert!(shown[3..shown.len() - 2].iter().all(|piece| *piece == (Some(3), false, false, "")));
        assert_eq!(shown[shown.len() - 2], (Some(3), false, true, "\n"));
        assert_eq!(shown[shown.len() - 1], (Some(4), true, true, ""));
    }

    #[test]
    fn bytes_that_are_not_text_are_named_by_place() {
        for (bytes, place) in [
            (&b"\xff"[..], "byte 0 (line 1)"),
            (b"one\ntwo\n\xc3(", "byte 8 (line 3)"),
            (b"one\n\xf0\x9d\x84", "byte 4 (line 2)"),
        ] {
            for at_once in [1, 1000] {
                let error = pieces(bytes, false, at_once).err().unwrap().to_string();
                assert!(error.starts_with(&format!("standard input: {place} is not UTF-8")), "{error}");
            }
        }
    }
}
