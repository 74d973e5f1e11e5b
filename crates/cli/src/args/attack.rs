//! `inkveil attack` as it is typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use inkveil_rows::ColumnPath;

use super::DeviceName;
use super::tables::TableArgs;
use super::vector::VectorAttackArgs;

/// Attack your own release: how much can be found out, from what, and what would be safer
///
/// Takes what you had and what you released, whichever tool made it, and tries what an attacker would.
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

/// Attack veiled texts: which words come back, and which text is whose
///
/// An attacker who knows the originals of half of the texts learns from them what the veil does, how frequent words are and which follow each
/// other, and guesses the sensitive words of the other half.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil attack text notes.txt veiled.txt              # one text to a line
  inkveil attack text reviews.csv veiled.csv --column text
  inkveil attack text reviews.jsonl veiled.jsonl --json
  inkveil attack text notes.txt veiled.txt --model smollm2   # a language model reads, too: slower, and it may find more")]
pub(crate) struct TextAttackArgs {
    /// The texts as they were: one to a line, or rows of a table
    #[arg(value_name = "ORIGINAL")]
    pub(crate) original: PathBuf,

    /// The same texts as they were released, in the same order
    #[arg(value_name = "RELEASED")]
    pub(crate) released: PathBuf,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    /// The pack whose words and taggers the attacker uses
    #[arg(long, value_name = "NAME", default_value = "en")]
    pub(crate) pack: String,

    /// A language model that reads the released texts for one more attacker: one that was pulled, or a folder or GGUF file
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) model: Option<String>,

    /// Where the language model computes
    #[arg(long, value_enum, default_value_t = DeviceName::Cpu)]
    pub(crate) device: DeviceName,

    /// Which texts the attacker knows
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Do not show the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Attack rewritten texts: who wrote them
///
/// Attackers learn how each author writes from half of the originals, and name the authors of the other half: as they were, and as they were
/// released. Adaptive ones know half of the released texts too.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil attack style posts.jsonl rewritten.jsonl --author-column author
  inkveil attack style posts.csv rewritten.csv --author-column user --json")]
pub(crate) struct StyleAttackArgs {
    /// The texts as they were: rows of a table
    #[arg(value_name = "ORIGINAL")]
    pub(crate) original: PathBuf,

    /// The same texts as they were released, in the same order
    #[arg(value_name = "RELEASED")]
    pub(crate) released: PathBuf,

    /// The column that says who wrote a text
    #[arg(long, value_name = "NAME")]
    pub(crate) author_column: ColumnPath,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    /// The pack whose encoders the attackers use
    #[arg(long, value_name = "NAME", default_value = "en")]
    pub(crate) pack: String,

    /// Which texts the attackers know
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Do not show the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
