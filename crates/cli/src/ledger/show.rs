//! `inkveil ledger show`.

use std::io::{BufWriter, Write};

use anyhow::Context;
use inkveil::ledger::{Filter, Ledger, LedgerEntry, Total};
use owo_colors::OwoColorize;
use serde_json::json;

use super::{named, shown, write};
use crate::args::ShowArgs;
use crate::outcome::Outcome;
use crate::printed;

pub(super) fn run(args: &ShowArgs) -> anyhow::Result<Outcome> {
    let ledger = Ledger::open_existing(named(&args.file)?)?;
    let filter = Filter { subject: args.subject.clone(), dataset: args.dataset.clone(), ..Filter::default() };
    match (args.releases, args.json) {
        (false, false) => totals(&ledger, &filter)?,
        (false, true) => totals_json(&ledger, &filter)?,
        (true, false) => releases(&ledger, filter)?,
        (true, true) => releases_json(&ledger, filter)?,
    }
    Ok(Outcome::Success)
}

fn totals(ledger: &Ledger, filter: &Filter) -> anyhow::Result<()> {
    let header = ["", "name", "measure", "ε", "δ", "composed", "limit", "left", "units", "releases"];
    let rows: Vec<Vec<String>> = ledger.totals(filter)?.iter().map(row).collect();
    if rows.is_empty() {
        say!("{} nothing was recorded", "note:".bold());
    } else {
        write(&header, rows, 3..header.len())?;
    }
    let open = unconfirmed(ledger, filter)?;
    if open > 0 {
        say!(
            "{} {open} {} not confirmed: counted as spent; see them with --releases",
            "note:".bold(),
            if open == 1 { "release is" } else { "releases are" },
        );
    }
    Ok(())
}

/// The number of releases that were never confirmed.
fn unconfirmed(ledger: &Ledger, filter: &Filter) -> anyhow::Result<usize> {
    let filter = Filter { unconfirmed: true, ..filter.clone() };
    let mut count = 0;
    for entry in ledger.releases(filter) {
        entry?;
        count += 1;
    }
    Ok(count)
}

fn row(total: &Total) -> Vec<String> {
    vec![
        total.scope.kind().to_owned(),
        shown(total.scope.name().unwrap_or_default()),
        total.measure.to_string(),
        total.epsilon.readable(),
        if total.delta == 0.0 { String::new() } else { format!("{:e}", total.delta) },
        total.composed.map(|epsilon| epsilon.readable()).unwrap_or_default(),
        total.readable_limit().unwrap_or_default(),
        total.readable_left().unwrap_or_default(),
        // The units of worst cases are those of the other lines.
        if total.units == 0 { String::new() } else { total.units.to_string() },
        total.releases.to_string(),
    ]
}

fn totals_json(ledger: &Ledger, filter: &Filter) -> anyhow::Result<()> {
    let shown = json!({ "totals": ledger.totals(filter)?, "unconfirmed": unconfirmed(ledger, filter)? });
    printed::json(&shown, "cannot write")
}

fn releases(ledger: &Ledger, filter: Filter) -> anyhow::Result<()> {
    let header =
        ["", "recorded", "state", "id", "part", "dataset", "subject", "mechanism", "measure", "ε", "receipt"];
    let for_people = printed::is_terminal();
    let mut rows = Vec::new();
    for entry in ledger.releases(filter) {
        rows.extend(lines(&entry?, for_people));
    }
    if rows.is_empty() {
        say!("{} no release was recorded", "note:".bold());
        return Ok(());
    }
    write(&header, rows, 9..10)
}

/// One line per charge.
fn lines(entry: &LedgerEntry, for_people: bool) -> Vec<Vec<String>> {
    // A screen has room for the beginning of an id.
    let short = |text: String| if for_people { text.chars().take(8).collect() } else { text };
    let state = match entry.released {
        Some(_) => "released",
        None => "not confirmed: counted as spent",
    };
    let of = |charge: &inkveil::ledger::Charge| {
        vec![
            entry.seq.to_string(),
            entry.at.to_string(),
            state.to_owned(),
            short(entry.id.to_string()),
            entry.part.to_string(),
            shown(&entry.dataset),
            shown(charge.subject.as_deref().unwrap_or_default()),
            shown(&entry.mechanism),
            charge.measure().to_string(),
            charge.epsilon.readable(),
            short(entry.receipt.clone()),
        ]
    };
    entry.charges.iter().map(of).collect()
}

fn releases_json(ledger: &Ledger, filter: Filter) -> anyhow::Result<()> {
    let mut out = BufWriter::new(printed::stdout()?);
    for entry in ledger.releases(filter) {
        entry?.write_json(&mut out).context("cannot write")?;
    }
    out.flush().context("cannot write")
}
