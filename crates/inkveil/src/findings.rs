//! What detection finds in texts, written piece by piece, so that memory does not grow with the texts.
//!
//! Neither form shows the text, unless it is asked for.

use std::io::{self, Write};

use inkveil_detect::LineColumn;
use inkveil_detect::windows::{TextPart, TextPiece};

/// A JSON object for each text, one per line.
#[derive(Debug, Default)]
pub struct FindingLines {
    with_text: bool,
    /// Whether the current object already has a span.
    any: bool,
}

impl FindingLines {
    /// Shows the text of each finding if `with_text` is true.
    pub fn new(with_text: bool) -> Self {
        Self { with_text, any: false }
    }

    /// Writes the findings of a piece. `file` and `id` name its text.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn piece<T>(
        &mut self,
        piece: &TextPiece<T>,
        (file, id): (Option<&str>, Option<&str>),
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if piece.first {
            self.any = false;
            out.write_all(b"{")?;
            if let Some(file) = file {
                write!(out, "\"file\":{},", serde_json::to_string(file)?)?;
            }
            if let Some(line) = piece.line {
                write!(out, "\"line\":{line},")?;
            }
            if let Some(id) = id {
                write!(out, "\"id\":{},", serde_json::to_string(id)?)?;
            }
            out.write_all(b"\"spans\":[")?;
        }
        for found in piece.found() {
            if std::mem::replace(&mut self.any, true) {
                out.write_all(b",")?;
            }
            serde_json::to_writer(&mut *out, &found.record(self.with_text))?;
        }
        if piece.last {
            out.write_all(b"]}\n")?;
        }
        Ok(())
    }
}

/// A line for each finding, as compilers print errors: place, kind and reason. The text is never shown, because the
/// lines may be in a build log.
#[derive(Debug)]
pub struct FindingPlaces {
    at: LineColumn,
}

impl Default for FindingPlaces {
    fn default() -> Self {
        Self { at: LineColumn::START }
    }
}

impl FindingPlaces {
    /// Writes the findings of a piece of this file.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn piece<T>(
        &mut self,
        piece: &TextPiece<T>,
        file: Option<&str>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if piece.first {
            self.at = LineColumn { line: piece.line.unwrap_or(1), column: 1 };
        }
        for part in piece.parts() {
            let text = match part {
                TextPart::Plain(text) => text,
                TextPart::Found(found) => {
                    if let Some(file) = file {
                        write!(out, "{file}:")?;
                    }
                    let (LineColumn { line, column }, span) = (self.at, found.span);
                    let (kind, score) = (&span.kind, span.rounded_score());
                    writeln!(out, "{line}:{column}: {kind} {score:.3} ({})", span.reason)?;
                    found.text
                }
            };
            self.at = self.at.after(text);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use inkveil_detect::windows::{Window, WindowDetector};
    use inkveil_detect::{Detector, Settings, Tier};

    use super::*;

    #[test]
    fn findings_have_places_and_do_not_show_the_text() {
        let detector = Detector::open(None, Settings::of(Tier::Rules)).unwrap();
        let text = "Hello,\nwrite to ana@example.com.".to_owned();
        let windows = vec![Window::whole((), Some(3), text)];
        let pieces = WindowDetector::new(&detector).detect(windows).unwrap();
        let (mut lines, mut open, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut writers = (FindingLines::new(false), FindingLines::new(true), FindingPlaces::default());
        for piece in &pieces {
            writers.0.piece(piece, (Some("a.txt"), Some("7")), &mut lines).unwrap();
            writers.1.piece(piece, (None, None), &mut open).unwrap();
            writers.2.piece(piece, Some("a.txt"), &mut places).unwrap();
        }
        let [lines, open, places] = [lines, open, places].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(lines.starts_with("{\"file\":\"a.txt\",\"line\":3,\"id\":\"7\",\"spans\":[{"), "{lines}");
        assert!(lines.ends_with("]}\n") && !lines.contains("ana@") && open.contains("ana@"), "{lines}{open}");
        assert!(places.starts_with("a.txt:4:10: email ") && !places.contains("ana@"), "{places}");
    }
}
