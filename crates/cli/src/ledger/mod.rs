//! `inkveil ledger`: shows what was spent, sets limits, exports and checks.

mod export;
mod limit;
mod show;
mod verify;

use std::path::PathBuf;

use anyhow::Context as _;
use inkveil::release::Account;

use crate::args::{LedgerArgs, LedgerCommand, LedgerFileArgs};
use crate::outcome::Outcome;
use crate::{printed, table};

pub(crate) fn run(args: &LedgerArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        LedgerCommand::Show(args) => show::run(args),
        LedgerCommand::Limit(args) => limit::run(args),
        LedgerCommand::Export(args) => export::run(args),
        LedgerCommand::Verify(args) => verify::run(args),
    }
}

/// The ledger that was named, on the command line or in the environment.
fn named(args: &LedgerFileArgs) -> anyhow::Result<PathBuf> {
    let account = match &args.ledger {
        Some(path) => Account::new(path),
        None => Account::from_environment(),
    };
    let advice = || format!("no ledger is named; use --ledger FILE or set {}", Account::VARIABLE);
    account.ledger().cloned().with_context(advice)
}

/// Prints rows. Columns in `numbers` hold numbers.
fn write(header: &[&str], rows: Vec<Vec<String>>, numbers: std::ops::Range<usize>) -> anyhow::Result<()> {
    let for_people = printed::is_terminal();
    table::write(&mut printed::stdout()?, for_people, header, rows, numbers).context("cannot write")
}

/// A name as a field.
fn shown(name: &str) -> String {
    table::on_one_line(name, '\u{FFFD}')
}
