//! The number of spans of each kind, and what found them.

use std::io::{self, Write};

use inkveil::detect::windows::SpanCounts;
use serde_json::json;

use super::writer::Report;
use crate::detect::inputs::Piece;
use crate::table;

pub(in crate::detect) struct Summary {
    format: SummaryFormat,
    counts: SpanCounts,
}

/// The format of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::detect) enum SummaryFormat {
    Table,
    Tabs,
    Csv,
    Json,
}

impl Summary {
    pub(in crate::detect) fn new(format: SummaryFormat) -> Self {
        Self { format, counts: SpanCounts::default() }
    }
}

impl Report for Summary {
    fn piece(&mut self, piece: &Piece, _: &mut dyn Write) -> io::Result<()> {
        self.counts.add(piece);
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let (texts, with_spans) = (self.counts.texts(), self.counts.texts_with_spans());
        let counts = self.counts.counts();
        let row = |[kind, source, name]: [&str; 3], count: u64| {
            [kind.to_owned(), source.to_owned(), name.to_owned(), count.to_string()]
        };
        let mut rows = counts.iter().map(|of| row([of.kind, of.source.name(), of.name], of.count));
        match self.format {
            SummaryFormat::Table => {
                let table = table::drawn(&["kind", "found by", "name", "count"], rows, [3]);
                writeln!(out, "{table}\nin {with_spans} of {texts} texts")
            }
            SummaryFormat::Tabs => rows.try_for_each(|row| writeln!(out, "{}", row.join("\t"))),
            SummaryFormat::Csv => {
                let mut out = csv::Writer::from_writer(out);
                out.write_record(["kind", "source", "name", "count"])?;
                rows.try_for_each(|row| out.write_record(row))?;
                out.flush()
            }
            SummaryFormat::Json => {
                let summary = json!({ "texts": texts, "texts_with_findings": with_spans, "found": counts });
                writeln!(out, "{summary}")
            }
        }
    }
}
