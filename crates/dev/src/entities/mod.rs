//! Trains and measures the resolver of entities on generated documents.

mod dialogues;
mod documents;
mod gold;
mod measure;
mod people;
mod templates;
mod train;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use inkveil_surrogates::Lists;

/// Train and measure the resolver of entities
#[derive(Debug, Subcommand)]
pub(crate) enum EntitiesCommand {
    /// Train the scorer of doubtful pairs and print its weights
    Train(GeneratedArgs),
    /// Measure entities with one identity and wrong merges
    Measure(GeneratedArgs),
    /// Measure the mentions that are restored in answers
    Dialogues(GeneratedArgs),
}

/// Generated documents
#[derive(Debug, Args)]
pub(crate) struct GeneratedArgs {
    /// The folder with the lists of names
    #[arg(long, default_value = "crates/surrogates/lists")]
    lists: PathBuf,
    /// The number of documents
    #[arg(long, default_value_t = 1000)]
    documents: u64,
    /// The seed of the documents
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A file with one annotated document on a line (see scripts/gum-mentions). Training adds every second
    /// document, and measuring uses the others alone
    #[arg(long)]
    gold: Option<PathBuf>,
    /// Print the first documents with an error
    #[arg(long, default_value_t = 0)]
    show: usize,
}

pub(crate) fn run(command: &EntitiesCommand) -> anyhow::Result<()> {
    let (EntitiesCommand::Train(args) | EntitiesCommand::Measure(args) | EntitiesCommand::Dialogues(args)) =
        command;
    let lists = Lists::open(&args.lists)?;
    match command {
        EntitiesCommand::Train(_) => train::run(args, &lists)?,
        EntitiesCommand::Measure(_) => measure::run(args, &lists)?,
        EntitiesCommand::Dialogues(_) => dialogues::run(args, &lists)?,
    }
    Ok(())
}
