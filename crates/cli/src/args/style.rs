//! `inkveil style` as it is typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use super::rewrite::RewriteArgs;
use super::tables::TableArgs;

/// Ask how recognisable a text's style is, before you post it
///
/// risk says how a text stands out and which habits give it away; rewrite puts it into common words; memory holds how others write; train makes the models
/// behind them.
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
    Rewrite(RewriteArgs),
    Memory(MemoryArgs),
    Train(TrainArgs),
}

/// Say how a text stands out, and which habits give it away
///
/// Compares the text with a memory of how others write. Nothing is promised: it says what our own encoder sees, and others may see more.
/// Texts in other languages are told, not measured.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil style risk draft.txt
  cat draft.txt | inkveil style risk -
  inkveil style risk draft.txt --compare posts/2024-*.txt    # can it be linked to these?
  inkveil style risk draft.txt --html draft.html             # a page with a map
  inkveil style risk drafts/                                 # one row for each text
  inkveil style risk drafts/ --json | jq .score")]
pub(crate) struct RiskArgs {
    /// Texts: files, `-` for standard input, folders, or rows of tables
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Earlier texts of yours that someone may hold: how well could this one be linked to them?
    #[arg(long, value_name = "OLD", num_args = 1..)]
    pub(crate) compare: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    /// How many habits to name
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub(crate) habits: usize,

    /// Print JSON, one line for each text
    #[arg(long)]
    pub(crate) json: bool,

    /// Also write a page with a map of the memory and the text on it (one text only)
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,

    /// Replace files that exist
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not show the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) tools: StyleTools,
}

/// What style is measured with.
#[derive(Debug, clap::Args)]
pub(crate) struct StyleTools {
    /// The memory to compare with; that of the pack if absent
    #[arg(long, value_name = "FILE")]
    pub(crate) memory: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) encoder: EncoderArgs,
}

/// Which style encoder.
#[derive(Debug, clap::Args)]
pub(crate) struct EncoderArgs {
    /// The style encoder: weights of `style train encoder`, or a folder of a public one; that of the pack if absent
    #[arg(long, value_name = "FILE|FOLDER")]
    pub(crate) encoder: Option<PathBuf>,

    /// The pack
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,
}

/// Hold how a population writes
///
/// A memory keeps prototypes of styles and how many texts came to each, and not the texts, unless you ask for it.
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
/// Take texts by many people, about as many of each, and about as long as those you will ask about. They should be public or given by people who
/// agree: a memory says something about them.
#[derive(Debug, Parser)]
pub(crate) struct MemoryBuildArgs {
    /// The texts: .txt with one to a line, or rows of tables; folders and patterns too
    #[arg(value_name = "TEXTS", required = true)]
    pub(crate) texts: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    /// The memory to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Texts nearer than this to a prototype join it (cosine distance); the paper has 0.15 for its own encoder, whose vectors lie closer together
    #[arg(long, value_name = "δ", default_value_t = 0.3)]
    pub(crate) merge_radius: f64,

    /// How many standard deviations above the mean distance make an outlier
    #[arg(long, value_name = "λ", default_value_t = 1.5, allow_negative_numbers = true)]
    pub(crate) sensitivity: f64,

    /// How wide a neighbourhood counts for the density
    #[arg(long, value_name = "σ", default_value_t = 0.25)]
    pub(crate) bandwidth: f64,

    /// Keep the text that founded each prototype, as an example for rewriting: only if its owner allows it
    #[arg(long)]
    pub(crate) keep_texts: bool,

    /// Replace files that exist
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not show the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) encoder: EncoderArgs,
}

/// Add texts to a memory
#[derive(Debug, Parser)]
pub(crate) struct MemoryUpdateArgs {
    /// The memory; it is replaced when all texts are in
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: PathBuf,

    /// The texts: .txt with one to a line, or rows of tables; folders and patterns too
    #[arg(value_name = "TEXTS", required = true)]
    pub(crate) texts: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    /// Keep the text that founded each new prototype
    #[arg(long)]
    pub(crate) keep_texts: bool,

    /// Do not show the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) encoder: EncoderArgs,
}

/// Join memories of the same encoder
#[derive(Debug, Parser)]
pub(crate) struct MemoryMergeArgs {
    /// The memories
    #[arg(value_name = "MEMORY", required = true, num_args = 2..)]
    pub(crate) memories: Vec<PathBuf>,

    /// The memory to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Replace files that exist
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// Say what is in a memory
#[derive(Debug, Parser)]
pub(crate) struct MemoryInspectArgs {
    /// The memory; that of the pack if absent
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: Option<PathBuf>,

    /// Also draw its map
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) svg: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Replace files that exist
    #[arg(short, long)]
    pub(crate) force: bool,

    /// The pack
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,
}

/// Train the models behind style
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
/// Texts by one author on different topics are drawn together, texts by others on the same topic pushed apart. Some authors are held out and
/// the encoder is checked on them. A run that was interrupted goes on from its checkpoint when it is started again.
#[derive(Debug, Parser)]
#[command(after_help = "\
The settings file, with its defaults:
  texts = [\"authors.jsonl\"]   # lines {\"author\": …, \"topic\": …, \"source\": …, \"text\": …}; needed
  steps = 3000                # batches
  batch = 192                 # texts in a batch
  rate = 0.0005               # the highest learning rate
  temperature = 0.07          # how sharply near and far are told apart
  personas = 0.4              # the share of pairs in made-up ways of writing
  held-out = 0.1              # the share of authors to check on
  parts = \"surface\"           # patterns and features; \"trunk\" (the pack's encoder) and \"both\" want a GPU
  check-every = 250           # steps between checks and checkpoints
  seed = 1

Examples:
  inkveil style train encoder style.toml -o style.safetensors --curve curve.svg
  inkveil style risk draft.txt --encoder style.safetensors")]
pub(crate) struct TrainEncoderArgs {
    /// The settings file
    #[arg(value_name = "SETTINGS")]
    pub(crate) settings: PathBuf,

    /// The weights to write; a card (.json) and, while training, a checkpoint (.checkpoint) lie beside them
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Also draw how training went
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) curve: Option<PathBuf>,

    /// The pack whose encoder is trained further
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,

    /// Where to compute; cuda needs a binary built with that feature
    #[arg(long, value_enum, default_value_t = DeviceName::Cpu)]
    pub(crate) device: DeviceName,

    /// Replace files that exist
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not show the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Where a network is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeviceName {
    Cpu,
    Cuda,
}

/// The settings of all stages, for help.
const REWRITER_SETTINGS: &str = "\
The settings file is the same for bootstrap, sft and grpo; with its defaults:
  texts = [\"authors.jsonl\"]   # lines {\"author\": …, \"text\": …}; needed
  seed = 1

  [bootstrap]
  texts = 4000                # how many are rewritten, about as many of each author
  candidates = 8              # of each, drawn at
  temperature = 0.9
  top-p = 0.95
  max-tokens = 512
  meaning = 0.7               # the least share of the meaning a rewrite keeps
  guidance = 1.0              # nearness to the reference beside distance from the source
  entities = 1.0              # what names that are kept count against a rewrite
  batch = 96                  # texts at once

  [sft]
  epochs = 3
  batch = 32
  at-once = 32                # of a batch; fewer need less memory
  rate = 0.0003
  rank = 16                   # of the adapters
  held-out = 0.05             # the share of authors to check on
  check-every = 50

  [grpo]
  steps = 200
  texts = 16                  # in a step
  group = 16                  # rewrites of each
  temperature = 1.0
  pool = 4000                 # texts to draw from
  updates = 1                 # from each draw
  at-once = 64
  max-tokens = 256
  rate = 0.00005
  clip-norm = 0.1
  rank = 16                   # where there is no --from
  clip = 0.2
  divergence = 0.04           # the weight of KL to the reference
  authors = 200               # that the attribution model knows
  refresh = false             # add good rewrites to the memory
  base = 1.0                  # privacy weighs base + sensitivity · risk
  sensitivity = 1.0
  utility = 1.0
  floor = 0.6                 # meaning earns from here on
  enough = 0.85               # and no more above this
  guided = true               # the memory guides the style
  adaptive = true             # the risk of a text weighs
  check-every = 20";

/// Let a teacher rewrite texts, to learn from
///
/// A large model writes several candidates for each text; the fittest that keeps the meaning is kept. Rows are written as they come, and a run that was
/// interrupted goes on after them when it is started again.
#[derive(Debug, Parser)]
#[command(after_long_help = REWRITER_SETTINGS)]
pub(crate) struct BootstrapArgs {
    /// The teacher: a model on this machine, or `https://HOST/v1#MODEL`
    #[arg(long, value_name = "NAME|FOLDER|URL", default_value = "qwen-1.5b")]
    pub(crate) teacher: String,

    #[command(flatten)]
    pub(crate) stage: StageArgs,
}

/// Tune a model on a teacher's rewrites
#[derive(Debug, Parser)]
#[command(after_long_help = REWRITER_SETTINGS)]
pub(crate) struct SftArgs {
    /// The model that learns
    #[arg(long, value_name = "NAME|FOLDER", default_value = "smollm2")]
    pub(crate) model: String,

    /// The rewrites, as `style train bootstrap` wrote them
    #[arg(long, value_name = "FILE")]
    pub(crate) pairs: PathBuf,

    #[command(flatten)]
    pub(crate) stage: StageArgs,
}

/// Tune a model by what its rewrites earn
#[derive(Debug, Parser)]
#[command(after_long_help = REWRITER_SETTINGS)]
pub(crate) struct GrpoArgs {
    /// The model that learns
    #[arg(long, value_name = "NAME|FOLDER", default_value = "smollm2")]
    pub(crate) model: String,

    /// The adapters to begin from, and not to stray from; those of `style train sft`
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) stage: StageArgs,
}

/// What all stages of the rewriter's training take.
#[derive(Debug, clap::Args)]
pub(crate) struct StageArgs {
    /// The settings file
    #[arg(value_name = "SETTINGS")]
    pub(crate) settings: PathBuf,

    /// What to write: rewrites (.jsonl) for bootstrap, adapters (.safetensors) for sft and grpo
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Also write the points of the curve, one JSON object to a line
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) log: Option<PathBuf>,

    /// Also draw how training went
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) curve: Option<PathBuf>,

    /// Where to compute; cuda needs a binary built with that feature
    #[arg(long, value_enum, default_value_t = DeviceName::Cpu)]
    pub(crate) device: DeviceName,

    /// Replace files that exist
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not show the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) tools: StyleTools,
}
