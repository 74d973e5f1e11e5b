//! The arguments of all commands.

mod attack;
mod audit;
mod choices;
mod config;
mod curves;
mod detect;
mod eval;
mod gateway;
mod ledger;
mod models;
mod noise;
mod restore;
mod rewrite;
mod session;
mod style;
mod tables;
mod text;
mod vector;
mod words;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::outcome::Outcome;
use crate::printed;

pub(crate) use attack::{AttackArgs, AttackCommand, StyleAttackArgs, TextAttackArgs};
pub(crate) use audit::{AuditArgs, ReceiptArgs, ReceiptCommand};
pub(crate) use config::ConfigArgs;
pub(crate) use curves::CurvesArgs;
pub(crate) use detect::{DetectArgs, FormatName};
pub(crate) use eval::{DataArgs, EvalArgs, EvalCommand, ReportArgs, RunArgs};
pub(crate) use gateway::{McpArgs, OpenArgs, ServeArgs, SqlArgs};
pub(crate) use ledger::{
    ExportArgs, ExportFormat, LedgerArgs, LedgerCommand, LedgerFileArgs, LimitArgs, ShowArgs, VerifyArgs,
};
pub(crate) use models::{AddArgs, MakeArgs, ModelsArgs, ModelsCommand, PullArgs};
pub(crate) use noise::{MechanismName, NoiseArgs, VectorFileArgs};
pub(crate) use restore::RestoreArgs;
pub(crate) use rewrite::{FactsName, FallbackName, RewriteArgs};
pub(crate) use session::{SessionAction, SessionArgs};
pub(crate) use style::{
    BootstrapArgs, DeviceName, GrpoArgs, MemoryArgs, MemoryBuildArgs, MemoryCommand, MemoryInspectArgs,
    MemoryMergeArgs, MemoryUpdateArgs, RiskArgs, SftArgs, StageArgs, StyleArgs, StyleCommand, TrainArgs,
    TrainCommand, TrainEncoderArgs,
};
pub(crate) use tables::{AccountArgs, JobArgs, OnError, PASSPHRASE, TableArgs, key_choice};
pub(crate) use text::{ReviewName, TextArgs};
pub(crate) use vector::{
    ApplyArgs, ConceptArgs, EmbedArgs, FitArgs, InspectArgs, MaskedNoiseArgs, VectorArgs, VectorAttackArgs,
    VectorCommand,
};
pub(crate) use words::{LexiconArgs, WordsArgs, WordsCommand};

/// Replaces a setting by the value of an option, if it is given.
pub(crate) fn replace<T>(setting: &mut T, given: Option<T>) {
    if let Some(value) = given {
        *setting = value;
    }
}

/// Veil text before it leaves your machine.
///
/// Data goes to standard output, messages go to standard error.
#[derive(Debug, Parser)]
#[command(
    name = "inkveil",
    version,
    propagate_version = true,
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Prints help, or reports a wrong command line. A text that begins with a dash is taken for an option. It stays
/// out of the message, which may end up in a log, unless it looks like a mistyped option.
pub(crate) fn refuse(error: clap::Error, words: &[std::ffi::OsString]) -> u8 {
    use clap::error::{ContextKind, ContextValue};
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    // The whole word: of `-ana`, only `-a` is unknown.
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(unknown)) => unknown.as_str(),
        _ => "-",
    };
    let takes_text = matches!(words.get(1).map(String::as_str), Some("detect" | "text"));
    let is_flag = |word: &str| match word.strip_prefix("--") {
        Some(name) => word.len() <= 24 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'),
        None => word.len() == 2,
    };
    let is_text = |word: &String| {
        word.starts_with(unknown) && (word.contains(char::is_whitespace) || takes_text && !is_flag(word))
    };
    if error.kind() == ErrorKind::UnknownArgument && words.iter().any(is_text) {
        say!("error: an argument that begins with a dash is taken for an option; put such a text after --");
    } else if error.use_stderr() {
        // A message that cannot be written has no other place to go.
        let _ = error.print();
    } else if let Err(failed) = print_help(&error) {
        return Outcome::of_error(failed).code();
    }
    u8::try_from(error.exit_code()).unwrap_or(2)
}

/// Prints help or the version, which clap gives as an error.
fn print_help(help: &clap::Error) -> anyhow::Result<()> {
    drop(printed::stdout()?);
    help.print().context("cannot write to standard output")?;
    printed::flush()
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Text(Box<TextArgs>),
    Restore(RestoreArgs),
    Session(SessionArgs),
    Detect(DetectArgs),
    Vector(Box<VectorArgs>),
    Style(Box<StyleArgs>),
    Attack(AttackArgs),
    Eval(EvalArgs),
    Noise(NoiseArgs),
    Audit(AuditArgs),
    Receipt(ReceiptArgs),
    Ledger(LedgerArgs),
    Words(WordsArgs),
    Curves(CurvesArgs),
    Config(ConfigArgs),
    Open(OpenArgs),
    Serve(ServeArgs),
    Mcp(McpArgs),
    Sql(SqlArgs),
    Pull(PullArgs),
    Models(ModelsArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Print a completion script for a shell
#[derive(Debug, Parser)]
#[command(after_help = "\
Example:
  inkveil completions bash > ~/.local/share/bash-completion/completions/inkveil")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page, or write all pages to a folder
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil man | man -l -
  inkveil man -o ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write one page per command to this folder
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}
