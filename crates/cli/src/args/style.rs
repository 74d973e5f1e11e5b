//! `inkveil style` as it is typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// Ask how recognisable a text's style is, before you post it
///
/// risk says how a text stands out and which habits give it away; memory holds how others write; train makes the encoder behind both.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil style risk draft.txt
  inkveil style risk draft.txt --compare old-post-1.txt old-post-2.txt
  inkveil style risk draft.txt --html draft.html
  inkveil style memory build forum.jsonl -o forum.memory
  inkveil style risk drafts/ --memory forum.memory --json")]
pub(crate) struct StyleArgs {
    #[command(subcommand)]
    pub(crate) command: StyleCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StyleCommand {
    Risk(RiskArgs),
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
    /// Texts: files, `-` for standard input, or folders of .txt and .md files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Earlier texts of yours that someone may hold: how well could this one be linked to them?
    #[arg(long, value_name = "OLD", num_args = 1..)]
    pub(crate) compare: Vec<PathBuf>,

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
    /// The texts: .txt with one to a line, or .jsonl
    #[arg(value_name = "TEXTS", required = true)]
    pub(crate) texts: Vec<PathBuf>,

    /// The field of JSON lines that holds the text
    #[arg(long, value_name = "NAME", default_value = "text")]
    pub(crate) text_field: String,

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

    /// The texts: .txt with one to a line, or .jsonl
    #[arg(value_name = "TEXTS", required = true)]
    pub(crate) texts: Vec<PathBuf>,

    /// The field of JSON lines that holds the text
    #[arg(long, value_name = "NAME", default_value = "text")]
    pub(crate) text_field: String,

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
