//! A line for each finding, as compilers print them: where, what and why. Never the text: it may go to the log of a build.

use std::io::{self, Write};

use super::{Finding, Part, Report, parts};
use crate::detect::batch::Piece;
use crate::reason;

#[derive(Default)]
pub(in crate::detect) struct Places {
    cursor: Cursor,
}

/// A line and a column, in characters, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cursor {
    line: u64,
    column: u64,
}

impl Default for Cursor {
    fn default() -> Self {
        Self { line: 1, column: 1 }
    }
}

impl Cursor {
    fn over(self, text: &str) -> Self {
        match text.rfind('\n') {
            Some(last) => Self {
                line: self.line + text.matches('\n').count() as u64,
                column: 1 + text[last + 1..].chars().count() as u64,
            },
            None => Self { line: self.line, column: self.column + text.chars().count() as u64 },
        }
    }
}

impl Report for Places {
    fn piece(&mut self, piece: &Piece, findings: &[Finding<'_>], out: &mut dyn Write) -> io::Result<()> {
        if piece.first {
            self.cursor = Cursor { line: piece.line.unwrap_or(1), column: 1 };
        }
        for part in parts(piece, findings) {
            let text = match part {
                Part::Plain(text) => text,
                Part::Found(finding) => {
                    let Cursor { line, column } = self.cursor;
                    let span = finding.span;
                    if let Some(name) = piece.origin.name() {
                        write!(out, "{name}:")?;
                    }
                    let (score, words) = (reason::score(span), reason::words(span));
                    writeln!(out, "{line}:{column}: {} {score:.3} ({words})", span.kind)?;
                    finding.text
                }
            };
            self.cursor = self.cursor.over(text);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns() {
        let start = Cursor::default();
        assert_eq!(start.over("é𝄞"), Cursor { line: 1, column: 3 });
        assert_eq!(start.over("a\nb\r\n"), Cursor { line: 3, column: 1 });
        assert_eq!(start.over("a\nbé").over("c"), Cursor { line: 2, column: 4 });
    }
}
