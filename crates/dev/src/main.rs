//! Tools for the developers of inkveil. `cargo run --release -p inkveil-dev -- --help` lists them.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)] // the tools print their results

mod choose_lexicon;
mod entities;
mod gazetteer;
mod languages;
mod late_interaction;
mod paraphrase;
mod picture;
mod prior;
mod published_groups;
mod questions;
mod rollouts;
mod style;
mod tagger;
mod wording;

use clap::{Parser, Subcommand};

/// Tools for the developers of inkveil
#[derive(Debug, Parser)]
#[command(name = "inkveil-dev")]
struct Arguments {
    #[command(subcommand)]
    tool: Tool,
}

#[derive(Debug, Subcommand)]
enum Tool {
    #[command(subcommand)]
    Tagger(tagger::TaggerCommand),
    Gazetteer(gazetteer::ListArgs),
    /// Write the lists of surrogate values as one file of a pack
    SurrogateLists(gazetteer::ListArgs),
    ChooseLexicon(choose_lexicon::ChooseArgs),
    LateInteraction(late_interaction::LateArgs),
    Paraphrase(paraphrase::ParaphraseArgs),
    Picture(picture::PictureArgs),
    Prior(prior::PriorArgs),
    PublishedGroups(published_groups::PublishedArgs),
    Questions(questions::QuestionArgs),
    Rollouts(rollouts::RolloutArgs),
    Wording(wording::WordingArgs),
    #[command(subcommand)]
    Entities(entities::EntitiesCommand),
    #[command(subcommand)]
    Style(style::StyleCommand),
    #[command(subcommand)]
    Languages(languages::LanguagesCommand),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().tool {
        Tool::Tagger(command) => tagger::run(&command),
        Tool::Gazetteer(args) => gazetteer::write_gazetteer(&args),
        Tool::SurrogateLists(args) => gazetteer::write_surrogate_lists(&args),
        Tool::ChooseLexicon(args) => choose_lexicon::run(&args),
        Tool::LateInteraction(args) => late_interaction::run(&args),
        Tool::Paraphrase(args) => paraphrase::run(&args),
        Tool::Picture(args) => picture::run(&args),
        Tool::Prior(args) => prior::run(&args),
        Tool::PublishedGroups(args) => published_groups::run(&args),
        Tool::Questions(args) => questions::run(&args),
        Tool::Entities(command) => entities::run(&command),
        Tool::Rollouts(args) => rollouts::run(&args),
        Tool::Wording(args) => wording::run(&args),
        Tool::Style(command) => style::run(&command),
        Tool::Languages(command) => languages::run(&command),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_arguments_are_valid() {
        Arguments::command().debug_assert();
    }
}
