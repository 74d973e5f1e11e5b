//! A row for each finding, as RFC 4180 has it.

use std::borrow::Cow;
use std::io::{self, Write};

use super::{Finding, Report};
use crate::detect::batch::Piece;
use crate::reason;

pub(in crate::detect) struct Csv {
    with_text: bool,
}

const HEADER: &str = "file,line,start,end,char_start,char_end,utf16_start,utf16_end,kind,score,source,name,context,validator,also";

impl Csv {
    pub(in crate::detect) fn new(with_text: bool) -> Self {
        Self { with_text }
    }
}

impl Report for Csv {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{HEADER}{}", if self.with_text { ",text" } else { "" })
    }

    fn piece(&mut self, piece: &Piece, findings: &[Finding<'_>], out: &mut dyn Write) -> io::Result<()> {
        for Finding { span, place, text } in findings {
            let why = &span.why;
            let line = piece.line.map(|line| line.to_string()).unwrap_or_default();
            let (start, end) = (place.start, place.end);
            write!(out, "{},{line},", field(piece.origin.name().unwrap_or_default()))?;
            write!(
                out,
                "{},{},{},{},{},{},",
                start.byte, end.byte, start.char, end.char, start.utf16, end.utf16
            )?;
            write!(
                out,
                "{},{},{},{},{},{},{}",
                field(span.kind.name()),
                reason::score(span),
                reason::source(span),
                field(&why.name),
                field(why.context.as_deref().unwrap_or_default()),
                field(why.validator.as_deref().unwrap_or_default()),
                field(&why.also.join(" ")),
            )?;
            if self.with_text {
                write!(out, ",{}", field(text))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// A field, in quotes if it needs them.
pub(super) fn field(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        for (text, expected) in
            [("", ""), ("a b", "a b"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\"")]
        {
            assert_eq!(field(text), expected);
        }
    }
}
