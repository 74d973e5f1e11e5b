//! `inkveil ledger export`.

use std::io::{BufWriter, Write};

use anyhow::Context;
use inkveil::ledger::{Filter, Ledger, LedgerEntry};

use super::named;
use crate::args::{ExportArgs, ExportFormat};
use crate::outcome::Outcome;
use crate::printed;

pub(super) fn run(args: &ExportArgs) -> anyhow::Result<Outcome> {
    let ledger = Ledger::open_existing(named(&args.file)?)?;
    let filter = Filter { subject: args.subject.clone(), dataset: args.dataset.clone(), ..Filter::default() };
    let mut out = BufWriter::new(printed::stdout()?);
    if args.format == ExportFormat::Csv {
        writeln!(out, "{}", LedgerEntry::csv_header()).context("cannot write")?;
    }
    for entry in ledger.releases(filter) {
        let entry = entry?;
        let written = match args.format {
            ExportFormat::Jsonl => entry.write_json(&mut out),
            ExportFormat::Csv => entry.write_csv(&mut out),
        };
        written.context("cannot write")?;
    }
    out.flush().context("cannot write")?;
    Ok(Outcome::Success)
}
