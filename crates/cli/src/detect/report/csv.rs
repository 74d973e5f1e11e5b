//! A CSV row for each span (RFC 4180).

use std::io::{self, Write};

use csv::Writer;

use super::writer::Report;
use crate::detect::inputs::Piece;

pub(in crate::detect) struct Csv {
    with_text: bool,
}

const HEADER: &str = "file,line,start,end,char_start,char_end,utf16_start,utf16_end,kind,score,source,name,\
                      context,validator,also";

impl Csv {
    pub(in crate::detect) fn new(with_text: bool) -> Self {
        Self { with_text }
    }
}

impl Report for Csv {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{HEADER}{}", if self.with_text { ",text" } else { "" })
    }

    fn piece(&mut self, piece: &Piece, out: &mut dyn Write) -> io::Result<()> {
        let mut out = Writer::from_writer(out);
        for found in piece.found() {
            let (start, end, reason) = (found.place.start, found.place.end, &found.span.reason);
            out.write_field(piece.tag.name.as_deref().unwrap_or_default())?;
            out.write_field(piece.line.map(|line| line.to_string()).unwrap_or_default())?;
            for at in [start.byte, end.byte, start.char, end.char, start.utf16, end.utf16] {
                out.write_field(at.to_string())?;
            }
            out.write_field(found.span.kind.name())?;
            out.write_field(found.span.rounded_score().to_string())?;
            out.write_field(reason.found_by.name())?;
            for text in [Some(&reason.name), reason.context.as_ref(), reason.validator.as_ref()] {
                out.write_field(text.map_or("", AsRef::as_ref))?;
            }
            out.write_field(reason.also.join(" "))?;
            if self.with_text {
                out.write_field(found.text)?;
            }
            out.write_record(None::<&[u8]>)?;
        }
        out.flush()
    }
}
