//! Measures style vectors and the memory of styles.
//!
//! A corpus has lines `{"author", "topic", "source", "text"}`. Its authors must not have been
//! trained on; if they were, the results say so.

mod growth;
mod options;
mod risk;
mod verify;

use clap::Subcommand;

/// Measure style vectors and the memory of styles
#[derive(Debug, Subcommand)]
pub(crate) enum StyleCommand {
    Verify(verify::VerifyArgs),
    Risk(risk::RiskArgs),
    Growth(growth::GrowthArgs),
}

pub(crate) fn run(command: &StyleCommand) -> anyhow::Result<()> {
    match command {
        StyleCommand::Verify(args) => verify::run(args),
        StyleCommand::Risk(args) => risk::run(args),
        StyleCommand::Growth(args) => growth::run(args),
    }
}
