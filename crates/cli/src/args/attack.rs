//! The arguments of `inkveil attack`.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use inkveil::rows::ColumnPath;

use super::DeviceName;
use super::tables::TableArgs;
use super::vector::VectorAttackArgs;

/// Attack your own release: what attackers find, and what would be safer
///
/// Takes originals and their release, made by any tool.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil attack text notes.txt veiled.txt
  inkveil attack text reviews.jsonl veiled.jsonl --column body
  inkveil attack vector vectors.parquet veiled.parquet --texts notes.jsonl --kind person
  inkveil attack style posts.jsonl rewritten.jsonl --author-column author")]
pub(crate) struct AttackArgs {
    #[command(subcommand)]
    pub(crate) command: AttackCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AttackCommand {
    Text(TextAttackArgs),
    Vector(Box<VectorAttackArgs>),
    Style(StyleAttackArgs),
}

/// Attack released texts: find sensitive values, and link texts to their originals
///
/// Attackers know the originals of half of the texts. From these they learn the mechanism, word
/// frequencies and word sequences, and guess the sensitive values of the other half. A value such as
/// a name or an e-mail address is found if every word of it is found.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil attack text notes.txt veiled.txt              # one text per line
  inkveil attack text reviews.csv veiled.csv --column text
  inkveil attack text reviews.jsonl veiled.jsonl --json
  inkveil attack text notes.txt veiled.txt --model smollm2   # one more attacker with a language model")]
pub(crate) struct TextAttackArgs {
    /// The originals: one text per line, or rows of a table
    #[arg(value_name = "ORIGINAL")]
    pub(crate) original: PathBuf,

    /// The released texts, in the same order
    #[arg(value_name = "RELEASED")]
    pub(crate) released: PathBuf,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    /// The model pack whose words and taggers the attackers use
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,

    /// The language model of one more attacker: an installed model, a folder or a GGUF file
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) model: Option<String>,

    /// An attacker of your own: NAME=COMMAND, with words separated by spaces. It reads JSON lines
    ///
    /// Lines {"original": …, "released": …} are texts that it knows. For each line {"released": …} it
    /// writes {"text": …}, what it believes the original is, in the same order.
    #[arg(long = "attacker", value_name = "NAME=COMMAND")]
    pub(crate) attackers: Vec<String>,

    /// The device that computes; cuda needs a binary built with that feature
    #[arg(long, value_enum, default_value_t = DeviceName::Cpu)]
    pub(crate) device: DeviceName,

    /// The most texts that are drawn at random. Attackers know half of them and attack the others
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) rows: u32,

    /// The seed that chooses the texts that are drawn, and those that attackers know
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Do not show progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Attack the authorship of released texts
///
/// Attackers train on half of the originals and name the authors of the other half, of originals
/// and of released texts. Adaptive attackers also know the authors of half of the released texts.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil attack style posts.jsonl rewritten.jsonl --author-column author
  inkveil attack style posts.csv rewritten.csv --author-column user --json")]
pub(crate) struct StyleAttackArgs {
    /// The originals: rows of a table
    #[arg(value_name = "ORIGINAL")]
    pub(crate) original: PathBuf,

    /// The released texts, in the same order
    #[arg(value_name = "RELEASED")]
    pub(crate) released: PathBuf,

    /// The column of the authors
    #[arg(long, value_name = "NAME")]
    pub(crate) author_column: ColumnPath,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    /// The model pack whose encoders the attackers use
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,

    /// The seed that chooses the texts that attackers know
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Do not show progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
