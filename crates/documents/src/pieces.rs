//! What a document is written from: fixed bytes, and runs of text between them.

use crate::mail::packing::{Packing, pack};

/// A piece of a file.
pub(crate) enum Piece {
    /// Bytes that are written unchanged.
    Fixed(Vec<u8>),
    /// A run of text.
    Run {
        /// The number of the run.
        run: usize,
        /// How its text is written.
        escape: Escape,
        /// The bytes that are written as long as the text is unchanged.
        source: Option<Vec<u8>>,
    },
    /// A cell of a spreadsheet that holds a value and no text.
    Cell {
        /// The number of the run that shows the value.
        run: usize,
        /// The bytes of the cell as long as the text is unchanged.
        source: Vec<u8>,
        /// The bytes before and after a new text.
        around: [Vec<u8>; 2],
    },
    /// Pieces that are packed together, such as the body of a part of a mail.
    Packed(Vec<Piece>, Packing),
}

/// How a text is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Escape {
    /// As it is.
    None,
    /// As text of XML or HTML.
    Xml,
    /// As an attribute of XML or HTML, in double quotes.
    Attribute,
    /// As a JSON string, without its quotes.
    Json,
    /// As text of Markdown.
    Markdown,
    /// As a line of a mail header, possibly encoded.
    Header,
}

/// Fixed bytes and runs, in the order of the file.
#[derive(Default)]
pub(crate) struct Pieces {
    pub(crate) list: Vec<Piece>,
}

impl Pieces {
    /// Adds fixed bytes.
    pub(crate) fn fixed(&mut self, bytes: impl AsRef<[u8]>) {
        match self.list.last_mut() {
            Some(Piece::Fixed(last)) => last.extend_from_slice(bytes.as_ref()),
            _ => self.list.push(Piece::Fixed(bytes.as_ref().to_vec())),
        }
    }

    /// Adds a run.
    pub(crate) fn run(&mut self, run: usize, escape: Escape) {
        self.list.push(Piece::Run { run, escape, source: None });
    }

    /// Adds a run whose bytes stay as they are if its text does.
    pub(crate) fn run_with_source(&mut self, run: usize, escape: Escape, source: &[u8]) {
        self.list.push(Piece::Run { run, escape, source: Some(source.to_vec()) });
    }
}

/// The texts of all runs, and which of them have changed.
pub(crate) struct RunTexts {
    pub(crate) texts: Vec<String>,
    pub(crate) changed: Vec<bool>,
}

/// Writes pieces.
pub(crate) fn render(pieces: &[Piece], runs: &RunTexts, into: &mut Vec<u8>) {
    for piece in pieces {
        match piece {
            Piece::Fixed(bytes) => into.extend_from_slice(bytes),
            Piece::Run { run, source: Some(source), .. } if !runs.changed[*run] => {
                into.extend_from_slice(source);
            }
            Piece::Run { run, escape, .. } => escape.write(&runs.texts[*run], into),
            Piece::Cell { run, source, .. } if !runs.changed[*run] => into.extend_from_slice(source),
            Piece::Cell { run, around: [before, after], .. } => {
                into.extend_from_slice(before);
                Escape::Xml.write(&runs.texts[*run], into);
                into.extend_from_slice(after);
            }
            Piece::Packed(pieces, packing) => {
                let mut inner = Vec::new();
                render(pieces, runs, &mut inner);
                pack(&inner, *packing, into);
            }
        }
    }
}

impl Escape {
    /// Writes a text.
    pub(crate) fn write(self, text: &str, into: &mut Vec<u8>) {
        match self {
            Self::None => into.extend_from_slice(text.as_bytes()),
            Self::Xml | Self::Attribute => {
                let mut buffer = [0; 4];
                for c in text.chars().filter(|c| is_xml(*c)) {
                    match c {
                        '&' => into.extend_from_slice(b"&amp;"),
                        '<' => into.extend_from_slice(b"&lt;"),
                        '>' => into.extend_from_slice(b"&gt;"),
                        '"' if self == Self::Attribute => into.extend_from_slice(b"&quot;"),
                        '\n' if self == Self::Attribute => into.extend_from_slice(b"&#10;"),
                        '\r' => into.extend_from_slice(b"&#13;"),
                        _ => into.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes()),
                    }
                }
            }
            Self::Json => {
                // A string always serialises.
                let quoted = serde_json::to_string(text).unwrap_or_default();
                into.extend_from_slice(quoted.trim_start_matches('"').as_bytes());
                if into.last() == Some(&b'"') {
                    into.pop();
                }
            }
            Self::Markdown => {
                let mut buffer = [0; 4];
                for c in text.chars() {
                    if matches!(c, '\\' | '<' | '*' | '`' | '&') {
                        into.push(b'\\');
                    }
                    into.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
                }
            }
            Self::Header => crate::mail::header::write(text, into),
        }
    }
}

/// Whether XML can hold a character.
pub(crate) fn is_xml(c: char) -> bool {
    (!c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{80}'..='\u{9f}'))
        && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(escape: Escape, text: &str) -> String {
        let mut bytes = Vec::new();
        escape.write(text, &mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn texts_cannot_leave_their_place() {
        assert_eq!(written(Escape::Xml, "a<b>&\u{1}c\""), "a&lt;b&gt;&amp;c\"");
        assert_eq!(written(Escape::Attribute, "a\"b\nc"), "a&quot;b&#10;c");
        assert_eq!(written(Escape::Json, "\"a\"\n"), "\\\"a\\\"\\n");
        assert_eq!(written(Escape::Json, ""), "");
        assert_eq!(written(Escape::Json, "\\"), "\\\\");
        assert_eq!(written(Escape::Markdown, "<b> *x* [person 1]"), "\\<b> \\*x\\* [person 1]");
    }
}
