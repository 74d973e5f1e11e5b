//! `inkveil ledger`: shows what was spent, sets limits, exports and checks.

mod export;
mod limit;
mod show;
mod table;
mod verify;

use std::path::PathBuf;

use anyhow::Context as _;

use crate::args::{LedgerArgs, LedgerCommand, LedgerFileArgs};
use crate::corpus::named_ledger;
use crate::outcome::Outcome;

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
    named_ledger(args.ledger.as_deref())
        .context("no ledger is named; use --ledger FILE or set INKVEIL_LEDGER")
}
