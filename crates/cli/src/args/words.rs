//! The arguments of `inkveil words`.

use clap::{Parser, Subcommand};
use inkveil::lexicon::LexiconKind;

use super::choices::lexicons;

/// Inspect a lexicon: the words that replace the words of a veiled text
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil words near doctor boston
  inkveil words near doctor -k 3 --lexicon words --json
  inkveil words info --pack ./my-model")]
pub(crate) struct WordsArgs {
    #[command(subcommand)]
    pub(crate) command: WordsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WordsCommand {
    /// Print the nearest neighbours of words, with their cosines
    Near {
        /// The words
        #[arg(required = true, value_name = "WORD")]
        words: Vec<String>,
        /// The number of neighbours of each word
        #[arg(short = 'k', long, value_name = "K", default_value_t = 10)]
        count: usize,
        #[command(flatten)]
        lexicon: LexiconArgs,
    },
    /// Print the size of a lexicon and the distances between its words
    Info {
        #[command(flatten)]
        lexicon: LexiconArgs,
    },
}

/// The lexicon and the output format.
#[derive(Debug, clap::Args)]
pub(crate) struct LexiconArgs {
    /// The model pack: a name, or a folder with its files
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,

    /// The kind of lexicon; by default subword if the pack has it
    #[arg(long, value_name = "KIND", value_parser = lexicons())]
    pub(crate) lexicon: Option<LexiconKind>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
