//! Windows of a text that is read piece by piece.

use std::io::{self, Read};
use std::thread;

use super::cut;
use super::stream::WindowSource;
use super::window::Window;
use crate::error::{Error, ErrorKind};

/// The number of bytes to read at once.
const READ: usize = 256 << 10;

/// Reads a UTF-8 text of any length and cuts it into windows.
///
/// The whole input is one text, or every line is a text with [`WindowReader::lines`].
pub struct WindowReader<R, T = ()> {
    reader: R,
    tag: T,
    lines: bool,
    /// The number of bytes of windows in a batch.
    batch: usize,
    /// The text that was read, from shortly before the next window on.
    text: String,
    /// Where the next window starts in it.
    next: usize,
    /// The first bytes of a character that is not completely read.
    partial: Vec<u8>,
    /// The number of bytes and line breaks so far, for errors.
    read: u64,
    breaks: u64,
    /// The number of lines in windows so far.
    line: u64,
    /// Whether the last window did not end its text.
    inside: bool,
    ended: bool,
}

impl<R: Read, T: Clone> WindowReader<R, T> {
    /// Reads one text. Every window has a copy of the tag.
    pub fn new(reader: R, tag: T) -> Self {
        // Enough for all cores, but few enough that a cancellation is noticed soon.
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self {
            reader,
            tag,
            lines: false,
            batch: 2 * cores * cut::LONGEST,
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

    /// Makes every line a text of its own. Lines are passed on as they arrive.
    #[must_use]
    pub fn lines(mut self) -> Self {
        self.lines = true;
        self
    }

    /// Reads once and returns the number of bytes.
    fn read_some(&mut self) -> Result<usize, Error> {
        let mut bytes = std::mem::take(&mut self.partial);
        let kept = bytes.len();
        bytes.resize(kept + READ, 0);
        let count = loop {
            match self.reader.read(&mut bytes[kept..]) {
                Ok(count) => break count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io("read the text", error)),
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
                    return Err(ErrorKind::NotUtf8 { byte: self.read, line: self.breaks + 1 }.into());
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

    /// Cuts windows of the whole input.
    fn cut_text(&mut self, windows: &mut Vec<Window<T>>) {
        let end = self.ended.then_some(self.text.len());
        while let Some(window) = self.cut(end, None, "") {
            let last = window.last;
            windows.push(window);
            if last {
                break;
            }
        }
    }

    /// Cuts windows of lines.
    fn cut_lines(&mut self, windows: &mut Vec<Window<T>>) {
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
            let Some(window) = self.cut(end, Some(self.line + 1), line_break) else { return };
            if window.last {
                self.line += 1;
                self.next += line_break.len();
            }
            windows.push(window);
        }
    }

    /// Returns the next window of a text that ends at `end`, if its end is known. Returns `None` if more
    /// must be read first.
    fn cut(&mut self, end: Option<usize>, line: Option<u64>, line_break: &'static str) -> Option<Window<T>> {
        let until = end.unwrap_or(self.text.len());
        let rest = &self.text[self.next..until];
        let last = end.is_some() && rest.len() <= cut::LONGEST;
        let ahead = if end.is_some() { 0 } else { cut::AHEAD };
        let own_end = match last {
            true => until,
            false if rest.len() > cut::LONGEST + ahead => self.next + cut::first_piece(rest),
            false => return None,
        };
        // The first window of a text must not show the text before it.
        let behind = if self.inside { cut::BEHIND } else { 0 };
        let from = self.text.floor_char_boundary(self.next.saturating_sub(behind));
        let to = self.text.floor_char_boundary(until.min(own_end + cut::AHEAD));
        let window = Window {
            tag: self.tag.clone(),
            line,
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

    /// Drops text that no later window shows.
    fn forget(&mut self) {
        let kept = if self.inside { cut::BEHIND } else { 0 };
        let dropped = self.text.floor_char_boundary(self.next.saturating_sub(kept));
        self.text.drain(..dropped);
        self.next -= dropped;
    }
}

impl<R: Read, T: Clone> WindowSource for WindowReader<R, T> {
    type Tag = T;
    type Error = Error;

    fn next_windows(&mut self) -> Result<Option<Vec<Window<T>>>, Error> {
        let mut windows = Vec::new();
        while !self.ended && windows.is_empty() {
            let wanted = if self.lines { 1 } else { self.batch };
            let mut new = 0;
            while !self.ended && new < wanted {
                new += self.read_some()?;
            }
            if self.lines {
                self.cut_lines(&mut windows);
            } else {
                self.cut_text(&mut windows);
            }
            self.forget();
        }
        Ok(if windows.is_empty() { None } else { Some(windows) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that gives a limited number of bytes at once.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = self.1.min(buffer.len());
            self.0.read(&mut buffer[..most])
        }
    }

    fn windows(bytes: &[u8], lines: bool, at_once: usize) -> Result<Vec<Window>, Error> {
        let mut reader = WindowReader::new(Trickle(bytes, at_once), ());
        reader.lines = lines;
        reader.batch = 3 * cut::LONGEST;
        let mut all = Vec::new();
        while let Some(batch) = reader.next_windows()? {
            assert!(!batch.is_empty());
            all.extend(batch);
        }
        Ok(all)
    }

    fn joined(windows: &[Window]) -> String {
        windows.iter().flat_map(|window| [&window.text[window.own.clone()], window.line_break]).collect()
    }

    #[test]
    fn the_pieces_of_all_windows_are_the_text() {
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
                    // Small reads of large texts are slow and test nothing new.
                    if at_once == 7 && text.len() > 1000 {
                        continue;
                    }
                    let all = windows(text.as_bytes(), lines, at_once).unwrap();
                    assert_eq!(joined(&all), text);
                    assert!(all.iter().all(|window| window.own.len() <= cut::LONGEST));
                    let texts = all.iter().filter(|window| window.first).count();
                    assert_eq!(texts, all.iter().filter(|window| window.last).count());
                    assert_eq!(texts, if lines { text.lines().count() } else { 1 });
                }
            }
        }
    }

    #[test]
    fn windows_show_the_text_around_their_piece() {
        let text = "some words ".repeat(cut::LONGEST / 4);
        for (lines, input) in [(false, text.clone()), (true, format!("short\n{text}\r\nshort"))] {
            for at_once in [1000, 10_000_000] {
                let all = windows(input.as_bytes(), lines, at_once).unwrap();
                let all: Vec<&Window> =
                    all.iter().filter(|window| window.line.is_none_or(|line| line == 2)).collect();
                assert!(all.len() > 2);
                let mut at = 0;
                for window in all {
                    let (from, to) = (at - window.own.start, at - window.own.start + window.text.len());
                    assert_eq!(from, if window.first { 0 } else { at - cut::BEHIND });
                    at += window.own.len();
                    assert_eq!(to, text.len().min(at + cut::AHEAD));
                    assert!(window.text == text[from..to]);
                }
                assert_eq!(at, text.len());
            }
        }
    }

    #[test]
    fn lines_are_counted() {
        let long = "y ".repeat(cut::LONGEST);
        let all = windows(format!("a\r\n\n{long}\nb").as_bytes(), true, 1000).unwrap();
        let shown: Vec<_> =
            all.iter().map(|window| (window.line, window.first, window.last, window.line_break)).collect();
        assert_eq!(shown[..2], [(Some(1), true, true, "\r\n"), (Some(2), true, true, "\n")]);
        assert_eq!(shown[2], (Some(3), true, false, ""));
        assert!(shown[3..shown.len() - 2].iter().all(|window| *window == (Some(3), false, false, "")));
        assert_eq!(shown[shown.len() - 2], (Some(3), false, true, "\n"));
        assert_eq!(shown[shown.len() - 1], (Some(4), true, true, ""));
    }

    #[test]
    fn an_error_about_bytes_that_are_not_utf8_has_their_place() {
        for (bytes, place) in [
            (&b"\xff"[..], "byte 0 (line 1)"),
            (b"one\ntwo\n\xc3(", "byte 8 (line 3)"),
            (b"one\n\xf0\x9d\x84", "byte 4 (line 2)"),
        ] {
            for at_once in [1, 1000] {
                let error = windows(bytes, false, at_once).err().unwrap().to_string();
                assert!(error.starts_with(&format!("{place} is not UTF-8")), "{error}");
            }
        }
    }
}
