//! How often each kind was found, and by what.

use std::collections::BTreeMap;
use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};
use serde_json::json;

use super::csv::field;
use super::{Finding, Report};
use crate::detect::batch::Piece;
use crate::reason;

pub(in crate::detect) struct Summary {
    format: SummaryFormat,
    counts: Counts,
}

/// How a summary is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::detect) enum SummaryFormat {
    /// For people.
    Table,
    /// For `cut` and `awk`.
    Tabs,
    Csv,
    Json,
}

/// Counts per kind, and per what found it.
#[derive(Debug, Default)]
pub(super) struct Counts {
    texts: u64,
    texts_with: u64,
    /// Whether the text under way had a finding.
    in_this: bool,
    by_kind: BTreeMap<String, BTreeMap<(&'static str, String), u64>>,
}

impl Counts {
    pub(super) fn add(&mut self, piece: &Piece, findings: &[Finding<'_>]) {
        self.in_this &= !piece.first;
        for Finding { span, .. } in findings {
            let found_by = (reason::source(span), span.why.name.to_string());
            *self.by_kind.entry(span.kind.name().to_owned()).or_default().entry(found_by).or_default() += 1;
        }
        self.in_this |= !findings.is_empty();
        if piece.last {
            self.texts += 1;
            self.texts_with += u64::from(self.in_this);
        }
    }

    /// Kinds with how often they were found, the most frequent first.
    pub(super) fn kinds(&self) -> Vec<(&str, u64)> {
        let mut kinds: Vec<(&str, u64)> =
            self.by_kind.iter().map(|(kind, found_by)| (kind.as_str(), found_by.values().sum())).collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        kinds
    }

    /// Kind, source, name and count, in the order of kinds, the most frequent first.
    fn rows(&self) -> Vec<[String; 4]> {
        let mut rows = Vec::new();
        for (kind, _) in self.kinds() {
            let mut found_by: Vec<_> = self.by_kind.get(kind).into_iter().flatten().collect();
            found_by.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            rows.extend(found_by.into_iter().map(|((source, name), count)| {
                [kind.to_owned(), (*source).to_owned(), name.clone(), count.to_string()]
            }));
        }
        rows
    }
}

impl Summary {
    pub(in crate::detect) fn new(format: SummaryFormat) -> Self {
        Self { format, counts: Counts::default() }
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::UTF8_BORDERS_ONLY);
        table.set_header(["kind", "found by", "name", "times"]);
        table.add_rows(self.counts.rows());
        if let Some(column) = table.column_mut(3) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }

    fn json(&self) -> serde_json::Value {
        let Counts { texts, texts_with, .. } = self.counts;
        let row = |[kind, source, name, count]: [String; 4]| json!({ "kind": kind, "source": source, "name": name, "count": count.parse::<u64>().unwrap_or(0) });
        let found: Vec<_> = self.counts.rows().into_iter().map(row).collect();
        json!({ "texts": texts, "texts_with_findings": texts_with, "found": found })
    }
}

impl Report for Summary {
    fn piece(&mut self, piece: &Piece, findings: &[Finding<'_>], _: &mut dyn Write) -> io::Result<()> {
        self.counts.add(piece, findings);
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            SummaryFormat::Table => {
                let Counts { texts, texts_with, .. } = self.counts;
                writeln!(out, "{}\nin {texts_with} of {texts} texts", self.table())
            }
            SummaryFormat::Tabs => {
                self.counts.rows().iter().try_for_each(|row| writeln!(out, "{}", row.join("\t")))
            }
            SummaryFormat::Csv => {
                writeln!(out, "kind,source,name,count")?;
                let fields =
                    |row: &[String; 4]| row.each_ref().map(|text| field(text).into_owned()).join(",");
                self.counts.rows().iter().try_for_each(|row| writeln!(out, "{}", fields(row)))
            }
            SummaryFormat::Json => writeln!(out, "{}", self.json()),
        }
    }
}
