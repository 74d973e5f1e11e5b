//! The arguments of `inkveil style rewrite`.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use super::style::{DeviceName, StyleTools};
use super::tables::{AccountArgs, JobArgs, TableArgs};

/// Rewrite a text in a common style, with a language model on this machine
///
/// The model writes several candidates for each passage. Of those that keep the meaning and invent no facts,
/// the one is used whose style is farthest from yours and closest to a common style, that stands out least, and
/// that keeps the fewest of your words and of the n-grams that attackers use. A rewrite gives no formal
/// guarantee; the receipt lists what was measured, and a ledger is charged ε = inf unless --with-text-veil comes
/// first.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil style rewrite draft.txt
  cat draft.txt | inkveil style rewrite - --explain
  inkveil style rewrite draft.txt -o post.txt --strength strong      # farther from your words
  inkveil style rewrite draft.txt -o post.txt --goal 0.1             # as far as needed: found by one in ten
  inkveil style rewrite draft.txt -o post.txt --compare posts/*.txt  # less like what you wrote before
  inkveil style rewrite draft.txt -o post.txt --review               # decide about each sentence
  inkveil style rewrite drafts/ -o posts/                            # one output per text
  inkveil style rewrite posts.parquet --column text -o veiled.parquet
  inkveil style rewrite posts.csv --column text -o veiled.csv --resume   # after an interruption
  inkveil style rewrite draft.txt --model smollm2                    # faster, and often wrong; inkveil pull smollm2
  inkveil style rewrite draft.txt --model http://localhost:8080/v1#llama3 --allow-remote
  inkveil style rewrite draft.txt --with-text-veil                   # veil names and numbers first")]
pub(crate) struct RewriteArgs {
    /// The text: a file, `-` for standard input, a folder of .txt and .md files, or a table (.jsonl, .csv,
    /// .tsv, .parquet, .arrow)
    #[arg(value_name = "FILE")]
    pub(crate) input: PathBuf,

    /// The file to write, or a folder for a folder. Default: standard output
    #[arg(short, long, value_name = "FILE|FOLDER")]
    pub(crate) output: Option<PathBuf>,

    /// The language model: one on this machine, or `https://HOST/v1#MODEL` with --allow-remote
    #[arg(long, value_name = "NAME|FOLDER|URL", default_value = "qwen-1.5b")]
    pub(crate) model: String,

    /// Send the text to the server of --model. The server sees it before it is rewritten, and the receipt
    /// says so
    #[arg(long)]
    pub(crate) allow_remote: bool,

    /// Adapters for a local model; `none` for none. Default: those of the pack
    #[arg(long, value_name = "FILE|none")]
    pub(crate) adapters: Option<PathBuf>,

    /// How far the rewrite may go. Default: balanced
    #[arg(long, value_enum)]
    pub(crate) strength: Option<StrengthName>,

    /// Go as far as needed: try the strengths from light to max until an attacker finds you among N authors of the
    /// memory with at most this chance (default N: 50). An estimate for our own attackers, with style vectors and,
    /// with --compare, n-grams; its interval must lie within P. If no strength reaches it, nothing is released unless
    /// --fallback is closest, and the exit code is 1
    #[arg(long, value_name = "P[,N]", allow_negative_numbers = true)]
    pub(crate) goal: Option<inkveil::style::Goal>,

    /// The number of candidates for each passage. Default: that of --strength
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) candidates: Option<u8>,

    /// How many rounds of candidates to draw for a passage at most. Default: that of --strength
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(crate) rounds: Option<u8>,

    /// The least share of the meaning that a rewrite must keep, from 0 to 1. Default: that of --strength
    #[arg(long, value_name = "SHARE")]
    pub(crate) meaning: Option<f64>,

    /// Texts that you have published: files, folders or tables. Candidates are preferred that are less like them,
    /// and the likeness is reported before and after. Name them after FILE
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) compare: Vec<PathBuf>,

    /// What to do about candidates that invent a number, a day, a name or the writer, or change a negation
    #[arg(long, value_enum, default_value_t = FactsName::Refuse)]
    pub(crate) facts: FactsName,

    /// The sampling temperature: 0 always takes the likeliest word, 1 follows the model's probabilities
    #[arg(long, value_name = "T", default_value_t = 0.9)]
    pub(crate) temperature: f64,

    /// What to do with a passage if no candidate is good enough, and with a text that misses its --goal
    #[arg(long, value_enum, default_value_t = FallbackName::Refuse)]
    pub(crate) fallback: FallbackName,

    /// Veil names, numbers and other sensitive words first, as `inkveil text` does, with these budgets.
    /// Default budgets: surrogates for everything sensitive
    #[arg(
        long,
        value_name = "ε1,ε2,ε3,ε4",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "0,0,inf,inf"
    )]
    pub(crate) with_text_veil: Option<inkveil::Budgets>,

    /// Before the text is released, show each passage before and after on the terminal, and ask whether to use it.
    /// Where the sentences of both correspond, you can decide about each of them
    #[arg(long)]
    pub(crate) review: bool,

    /// Write one JSON object instead of the text: the new text, each passage and sentence before and after, the measures, and
    /// what still identifies a person. It quotes your text, so keep it; the receipt is for the new text
    #[arg(long)]
    pub(crate) json: bool,

    /// Print measurements before and after on standard error
    #[arg(long)]
    pub(crate) explain: bool,

    /// The receipt's file. Default: OUTPUT.receipt.json, and none without --output
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    #[command(flatten)]
    pub(crate) job: JobArgs,

    #[command(flatten)]
    pub(crate) account: AccountArgs,

    /// Draw the same candidates again. Candidates need variety, not secrecy
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,

    /// The device that computes; cuda needs a binary built with that feature
    #[arg(long, value_enum, default_value_t = DeviceName::Cpu)]
    pub(crate) device: DeviceName,

    /// Replace existing files
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not show progress
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) tools: StyleTools,
}

/// How far a rewrite may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrengthName {
    /// 4 candidates, at least .8 of the meaning
    Light,
    /// 4 candidates, at least .7 of the meaning
    Balanced,
    /// 6 candidates that avoid your words (a model on this machine), rewritten once more, at least .6 of the meaning
    Strong,
    /// 8 candidates that avoid your words more, rewritten twice more, at least .5 of the meaning
    Max,
}

impl StrengthName {
    pub(crate) fn strength(self) -> inkveil::style::Strength {
        match self {
            Self::Light => inkveil::style::Strength::Light,
            Self::Balanced => inkveil::style::Strength::Balanced,
            Self::Strong => inkveil::style::Strength::Strong,
            Self::Max => inkveil::style::Strength::Max,
        }
    }
}

/// What to do about invented facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FactsName {
    /// Do not use such a candidate
    Refuse,
    /// Use it, and list the changes with --explain
    Report,
}

/// What to do with a passage if no candidate is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FallbackName {
    /// Do not release the text
    Refuse,
    /// Use the candidate that invents least and keeps most of the meaning. If there is none, keep the passage. Release
    /// a text that misses its goal with the rewrite that comes nearest to it
    Closest,
    /// Keep the passage unchanged, with its style. A text that misses its goal is not released
    Keep,
}
