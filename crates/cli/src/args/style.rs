//! The arguments of `inkveil style`.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use inkveil::style::train::{EncoderSettings, RewriterSettings};

use super::rewrite::RewriteArgs;
use super::tables::TableArgs;

/// Measure and reduce how recognisable the style of a text is
///
/// risk measures how much a text stands out and names the habits that identify it; rewrite gives it a common style;
/// memory stores the styles of a population; train makes the models.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil style risk draft.txt
  inkveil style risk draft.txt --compare old-post-1.txt old-post-2.txt
  inkveil style risk draft.txt --html draft.html
  inkveil style rewrite draft.txt --explain
  inkveil style memory build forum.jsonl -o forum.memory
  inkveil style risk drafts/ --memory forum.memory --json")]
pub(crate) struct StyleArgs {
    #[command(subcommand)]
    pub(crate) command: StyleCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StyleCommand {
    Risk(RiskArgs),
    Rewrite(Box<RewriteArgs>),
    Memory(MemoryArgs),
    Train(TrainArgs),
}

/// Measure how much a text stands out, and name the habits that identify it
///
/// Compares the text with a memory of other styles. This is a measurement with our own encoder and not a formal
/// guarantee; another attacker may see more. Texts in other languages are reported but not measured.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil style risk draft.txt
  cat draft.txt | inkveil style risk -
  inkveil style risk draft.txt --compare posts/2024-*.txt    # can it be linked to these texts?
  inkveil style risk draft.txt --html draft.html             # a page with a map
  inkveil style risk drafts/                                 # one row for each text
  inkveil style risk drafts/ --json | jq .score")]
pub(crate) struct RiskArgs {
    /// Texts: files, `-` for standard input, folders, or rows of tables
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Earlier texts of yours that an attacker may have; measures how well this text can be linked to them
    #[arg(long, value_name = "OLD", num_args = 1..)]
    pub(crate) compare: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    /// The largest number of habits to name
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub(crate) habits: usize,

    /// Print JSON, one line for each text
    #[arg(long)]
    pub(crate) json: bool,

    /// Also write a page with a map of the memory and the text on it (one text only)
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,

    /// Replace existing files
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not show progress
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) tools: StyleTools,
}

/// The models that measure style.
#[derive(Debug, clap::Args)]
pub(crate) struct StyleTools {
    /// The memory to compare with; that of the pack by default
    #[arg(long, value_name = "FILE")]
    pub(crate) memory: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) encoder: EncoderArgs,
}

impl StyleTools {
    /// The style encoder and the memory that the options name.
    pub(crate) fn models(&self) -> inkveil::StyleModels {
        inkveil::StyleModels { memory: self.memory.clone(), ..self.encoder.models() }
    }
}

/// The style encoder.
#[derive(Debug, clap::Args)]
pub(crate) struct EncoderArgs {
    /// The style encoder: weights of `style train encoder`, or the folder of a public one; that of the pack by default
    #[arg(long, value_name = "FILE|FOLDER")]
    pub(crate) encoder: Option<PathBuf>,

    /// The model pack
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,
}

impl EncoderArgs {
    /// The style encoder that the options name.
    pub(crate) fn models(&self) -> inkveil::StyleModels {
        inkveil::StyleModels { pack: self.pack.clone(), encoder: self.encoder.clone(), memory: None }
    }
}

/// Build, change and inspect memories of styles
///
/// A memory stores the styles of a population as prototypes, with the number of texts of each. It does not store the
/// texts unless you ask for it.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil style memory build forum.jsonl -o forum.memory
  inkveil style memory update forum.memory this-week.jsonl
  inkveil style memory inspect forum.memory")]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    pub(crate) command: MemoryCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    Build(MemoryBuildArgs),
    Update(MemoryUpdateArgs),
    Merge(MemoryMergeArgs),
    Inspect(MemoryInspectArgs),
}

/// Build a memory from texts
///
/// Use texts by many people, about as many of each, and about as long as the texts you will compare. They should be
/// public or used with consent, because a memory reveals something about their authors.
#[derive(Debug, Parser)]
pub(crate) struct MemoryBuildArgs {
    /// The texts: .txt files with one text per line, rows of tables, folders, or patterns of names
    #[arg(value_name = "TEXTS", required = true)]
    pub(crate) texts: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    /// The memory to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// The cosine distance below which a text joins a prototype; the paper uses 0.15 for its own encoder, whose vectors lie closer together
    #[arg(long, value_name = "δ", default_value_t = 0.3)]
    pub(crate) merge_radius: f64,

    /// The number of standard deviations above the mean distance from which on a text is an outlier
    #[arg(long, value_name = "λ", default_value_t = 1.5, allow_negative_numbers = true)]
    pub(crate) sensitivity: f64,

    /// The bandwidth of the density of styles
    #[arg(long, value_name = "σ", default_value_t = 0.25)]
    pub(crate) bandwidth: f64,

    /// Store the first text of each prototype as an example for rewriting; only with the consent of its owner
    #[arg(long)]
    pub(crate) keep_texts: bool,

    /// Replace existing files
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not show progress
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) encoder: EncoderArgs,
}

/// Add texts to a memory
#[derive(Debug, Parser)]
pub(crate) struct MemoryUpdateArgs {
    /// The memory; it is replaced after all texts are added
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: PathBuf,

    /// The texts: .txt files with one text per line, rows of tables, folders, or patterns of names
    #[arg(value_name = "TEXTS", required = true)]
    pub(crate) texts: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    /// Store the first text of each new prototype
    #[arg(long)]
    pub(crate) keep_texts: bool,

    /// Do not show progress
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) encoder: EncoderArgs,
}

/// Merge memories of the same encoder
#[derive(Debug, Parser)]
pub(crate) struct MemoryMergeArgs {
    /// The memories
    #[arg(value_name = "MEMORY", required = true, num_args = 2..)]
    pub(crate) memories: Vec<PathBuf>,

    /// The memory to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Replace existing files
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// Describe a memory
#[derive(Debug, Parser)]
pub(crate) struct MemoryInspectArgs {
    /// The memory; that of the pack by default
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: Option<PathBuf>,

    /// Also draw its map
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) svg: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Replace existing files
    #[arg(short, long)]
    pub(crate) force: bool,

    /// The model pack
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,
}

/// Train the models of the style commands
#[derive(Debug, Parser)]
pub(crate) struct TrainArgs {
    #[command(subcommand)]
    pub(crate) command: TrainCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrainCommand {
    Encoder(TrainEncoderArgs),
    Bootstrap(BootstrapArgs),
    Sft(SftArgs),
    Grpo(GrpoArgs),
}

/// Train a style encoder on texts with authors
///
/// Texts by one author on different topics are pulled together, and texts by others on the same topic are pushed
/// apart. The encoder is checked on held-out authors. The same command resumes an interrupted run from its checkpoint.
#[derive(Debug, Parser)]
#[command(after_help = with_example("The settings file, with its defaults:", EncoderSettings::EXAMPLE)
    + "\n\n\
Examples:
  inkveil style train encoder style.toml -o style.safetensors --curve curve.svg
  inkveil style risk draft.txt --encoder style.safetensors")]
pub(crate) struct TrainEncoderArgs {
    /// The settings file
    #[arg(value_name = "SETTINGS")]
    pub(crate) settings: PathBuf,

    /// The weights to write; a card (.json) and, during training, a checkpoint (.checkpoint) are written beside them
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Also draw the training curve
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) curve: Option<PathBuf>,

    /// The model pack with the encoder to start from
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,

    /// The device that computes; cuda needs a binary built with that feature
    #[arg(long, value_enum, default_value_t = DeviceName::Cpu)]
    pub(crate) device: DeviceName,

    /// Replace existing files
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not show progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// The device that computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeviceName {
    Cpu,
    Cuda,
}

/// The settings of all stages, for help.
fn rewriter_settings() -> String {
    let about = "The settings file is the same for bootstrap, sft and grpo; with its defaults:";
    with_example(about, RewriterSettings::EXAMPLE)
}

/// A sentence, and the file that it is about.
fn with_example(about: &str, file: &str) -> String {
    let lines = file.lines().map(|line| if line.is_empty() { "\n".into() } else { format!("\n  {line}") });
    about.to_owned() + &lines.collect::<String>()
}

/// Let a teacher rewrite texts, as training data
///
/// A large model writes several candidates for each text, and the best one that keeps the meaning is stored. The same
/// command resumes an interrupted run after the rows that are written.
#[derive(Debug, Parser)]
#[command(after_long_help = rewriter_settings())]
pub(crate) struct BootstrapArgs {
    /// The teacher: a model on this machine, or `https://HOST/v1#MODEL`
    #[arg(long, value_name = "NAME|FOLDER|URL", default_value = "qwen-1.5b")]
    pub(crate) teacher: String,

    #[command(flatten)]
    pub(crate) stage: StageArgs,
}

/// Fine-tune a model on a teacher's rewrites
#[derive(Debug, Parser)]
#[command(after_long_help = rewriter_settings())]
pub(crate) struct SftArgs {
    /// The model that learns
    #[arg(long, value_name = "NAME|FOLDER", default_value = "smollm2")]
    pub(crate) model: String,

    /// The rewrites of `style train bootstrap`
    #[arg(long, value_name = "FILE")]
    pub(crate) pairs: PathBuf,

    #[command(flatten)]
    pub(crate) stage: StageArgs,
}

/// Fine-tune a model by the rewards of its rewrites
#[derive(Debug, Parser)]
#[command(after_long_help = rewriter_settings())]
pub(crate) struct GrpoArgs {
    /// The model that learns
    #[arg(long, value_name = "NAME|FOLDER", default_value = "smollm2")]
    pub(crate) model: String,

    /// The adapters to start from and to stay near to, for example those of `style train sft`
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) stage: StageArgs,
}

/// The arguments of all stages of the rewriter's training.
#[derive(Debug, clap::Args)]
pub(crate) struct StageArgs {
    /// The settings file
    #[arg(value_name = "SETTINGS")]
    pub(crate) settings: PathBuf,

    /// The file to write: rewrites (.jsonl) for bootstrap, adapters (.safetensors) for sft and grpo
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Also write the points of the curve, one JSON object per line
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) log: Option<PathBuf>,

    /// Also draw the training curve
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) curve: Option<PathBuf>,

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
