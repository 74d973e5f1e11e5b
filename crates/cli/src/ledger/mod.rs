//! `inkveil ledger`: what was spent, limits, exports, checks.

mod export;
mod limit;
mod show;
mod table;
mod verify;

use std::path::PathBuf;

use anyhow::bail;

use crate::args::{LedgerArgs, LedgerCommand, LedgerFileArgs};
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
    let from_environment = || std::env::var_os("INKVEIL_LEDGER").filter(|name| !name.is_empty());
    match args.ledger.clone().or_else(|| from_environment().map(PathBuf::from)) {
        Some(path) => Ok(path),
        None => bail!("no ledger was named; use --ledger FILE or set INKVEIL_LEDGER"),
    }
}
