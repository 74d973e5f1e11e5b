//! `inkveil vector` as it is typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use inkveil_detect::{Kind, Tier};
use inkveil_privacy::Epsilon;
use inkveil_rows::ColumnPath;

use super::ReleaseArgs;
use super::tables::TableArgs;

/// Protect a concept in embeddings: names, places, diagnoses, any list or rule
///
/// embed turns texts into vectors; fit learns which dimensions carry a concept; apply adds noise where they are; attack says what can
/// still be read from the result and what search with it is worth; inspect looks at masks.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil vector embed public.jsonl -o public-vectors.jsonl
  inkveil vector fit public.jsonl --kind person -o people.mask
  inkveil vector embed notes.jsonl -o notes-vectors.parquet
  inkveil vector apply notes-vectors.parquet -o veiled.parquet --mask people.mask -e 300 --floor 0.1
  inkveil attack vector notes-vectors.parquet veiled.parquet --texts notes.jsonl --kind person")]
pub(crate) struct VectorArgs {
    #[command(subcommand)]
    pub(crate) command: VectorCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum VectorCommand {
    Embed(EmbedArgs),
    Fit(Box<FitArgs>),
    Apply(ApplyArgs),
    Inspect(InspectArgs),
}

/// Turn texts into vectors
///
/// Texts are lines of a file, or a field of JSON lines. The output keeps their order: JSON lines keep everything and get a field
/// `embedding`; Parquet has a column for the id and one for the vector; .npy has the vectors alone. Beside it lies a note that says which
/// encoder made them.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil vector embed notes.txt -o notes.npy
  inkveil vector embed notes.jsonl --column body --id-column key -o notes.parquet
  inkveil vector embed notes.jsonl -o notes-vectors.jsonl --pack mpnet
  inkveil vector embed notes.jsonl -o notes-vectors.jsonl --resume    # after an interruption")]
pub(crate) struct EmbedArgs {
    #[command(flatten)]
    pub(crate) texts: TextsArgs,

    /// File to write: .jsonl, .parquet or .npy
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// The sentence encoder: a pack that came along or was pulled, or a folder
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,

    /// Go on where a run stopped that was interrupted or met a bad row (JSON lines from a file whose rows so far are the same)
    #[arg(long)]
    pub(crate) resume: bool,

    /// Replace files that exist
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not show the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Where texts are.
#[derive(Debug, clap::Args)]
pub(crate) struct TextsArgs {
    /// The texts: .txt with one to a line, or rows of a table; `-` for lines on standard input
    #[arg(value_name = "TEXTS")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) tables: TableArgs,
}

/// What is to be protected.
#[derive(Debug, clap::Args)]
pub(crate) struct ConceptArgs {
    /// A kind that `inkveil detect` knows, such as person or location; may be repeated
    #[arg(long = "kind", value_name = "KIND", value_parser = kind)]
    pub(crate) kinds: Vec<Kind>,

    /// A word or phrase, in any case; may be repeated
    #[arg(long = "word", value_name = "WORD")]
    pub(crate) words: Vec<String>,

    /// A file of words or phrases, one to a line
    #[arg(long, value_name = "FILE")]
    pub(crate) words_file: Option<PathBuf>,

    /// A regular expression; may be repeated
    #[arg(long = "pattern", value_name = "REGEX")]
    pub(crate) patterns: Vec<String>,

    /// A file with tables [[concept]]: name, kinds, words, words-file, patterns, tier
    #[arg(long, value_name = "FILE", conflicts_with_all = ["kinds", "words", "words_file", "patterns"])]
    pub(crate) concepts: Option<PathBuf>,

    /// What the concept is called; of a file, which one to take
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// How hard kinds are looked for
    #[arg(long, value_name = "TIER", default_value_t = Tier::Fast)]
    pub(crate) tier: Tier,
}

/// Learn which dimensions carry a concept
///
/// Texts that mention the concept are compared with the same texts without it; a mask is learnt that keeps the dimensions which tell them
/// apart. The mask says something about the texts it was learnt from: use public ones, or ask their owners.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil vector fit public.jsonl --kind person --kind location -o names.mask
  inkveil vector fit notes.txt --words-file diagnoses.txt --name diagnoses -o diagnoses.mask
  inkveil vector fit notes.jsonl --label-column is_minor --name minors -o minors.mask
  inkveil vector fit public.jsonl --concepts concepts.toml -o masks/     # one mask for each")]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) texts: TextsArgs,

    #[command(flatten)]
    pub(crate) concept: ConceptArgs,

    /// A column that says, by true or false, which texts have the concept; instead of finding it in them
    #[arg(long = "label-column", alias = "label-field", value_name = "NAME", conflicts_with_all = ["kinds", "words", "words_file", "patterns", "concepts"])]
    pub(crate) label_column: Option<ColumnPath>,

    /// The mask to write; with several concepts a folder
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// The sentence encoder: a pack that came along or was pulled, or a folder
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,

    /// What an open dimension costs: more makes a mask of fewer dimensions
    #[arg(long, value_name = "λ", default_value_t = 1e-4)]
    pub(crate) lambda: f64,

    /// How often every pair is seen
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) epochs: usize,

    /// The learning rate of the predictor
    #[arg(long, value_name = "RATE", default_value_t = 1e-4)]
    pub(crate) rate: f32,

    /// The learning rate of the gates; the paper has 0.0001
    #[arg(long, value_name = "RATE", default_value_t = 1e-2)]
    pub(crate) gate_rate: f32,

    /// The same seed gives the same mask
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Learn from where an attacker looks instead, by integrated gradients: a file that `attack vector --save-attacker` wrote
    #[arg(long, value_name = "FILE", conflicts_with = "label_column")]
    pub(crate) white_box: Option<PathBuf>,

    /// Replace files that exist
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not show the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Add noise to vectors where a concept lies, with a receipt
///
/// ε counts per unit of distance. On vectors of length 1 with n dimensions the noise is about n/ε long, so ε far below n leaves little
/// to search with. Reads and writes JSON lines, .npy, Parquet and safetensors; everything beside the vectors stays. A run that fails or is
/// interrupted leaves no file and spends nothing: start it again.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil vector apply vectors.parquet -o veiled.parquet --mask people.mask -e 300 --floor 0.1
  inkveil vector apply vectors.npy -o veiled.npy --mask people.mask --mask places.mask -e 300
  inkveil vector apply vectors.jsonl -o veiled.jsonl -m laplace-l2 -e 500     # the same noise in all directions")]
pub(crate) struct ApplyArgs {
    /// A mask of `vector fit`; several protect all of their concepts
    #[arg(long = "mask", value_name = "FILE")]
    pub(crate) masks: Vec<PathBuf>,

    /// How to add noise
    #[arg(short, long, value_enum, default_value = "mahalanobis")]
    pub(crate) mechanism: VectorMechanismName,

    /// Privacy budget of each vector, per unit of distance
    #[arg(short, long, value_name = "ε", allow_negative_numbers = true)]
    pub(crate) epsilon: Epsilon,

    /// The least noise in any direction, 0 to 1, as a share of what round noise would be; bounds the promise in plain distance
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub(crate) floor: f64,

    /// Shorten longer vectors to this length first, a public constant, instead of bringing all to length 1; `inf` takes them as they are
    #[arg(long, value_name = "LENGTH")]
    pub(crate) clip: Option<f64>,

    /// What is done to noisy vectors, which costs no privacy; shrink if absent and there is a mask, else as-is
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) after: Option<AfterName>,

    /// The encoder that made the vectors, if no note beside the file says so: a mask of another is refused
    #[arg(long, value_name = "NAME|FOLDER")]
    pub(crate) pack: Option<String>,

    #[command(flatten)]
    pub(crate) files: ReleaseArgs,
}

/// The mechanisms of a veil over vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VectorMechanismName {
    /// Elliptical, by masks (SPARSE); ε per unit of Mahalanobis distance
    Mahalanobis,
    /// The same in all directions (LapMech); ε per unit of Euclidean distance
    LaplaceL2,
    /// Turns directions (PurMech); ε per unit of angle
    Purkayastha,
}

/// What is done to noisy vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AfterName {
    /// Nothing
    AsIs,
    /// They are brought to length 1
    Unit,
    /// Noisy dimensions are shrunk, so that similarities are not drowned by them (needs a mask)
    Shrink,
}

/// Look at masks: what they protect, how they were learnt, and which dimensions they share
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil vector inspect people.mask
  inkveil vector inspect masks/*.mask --svg masks.svg")]
pub(crate) struct InspectArgs {
    /// The masks
    #[arg(required = true, value_name = "MASK")]
    pub(crate) masks: Vec<PathBuf>,

    /// Draw the strongest dimensions of each mask across all of them
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// How many dimensions of each mask to draw
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) top: usize,

    /// Replace the drawing if it exists
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Attack veiled vectors, and see what search with them is worth
///
/// An attacker who knows the texts of some rows learns to tell the concept's words from vectors, and is tried on the others: on the
/// vectors as they were and as they are now.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil attack vector vectors.npy veiled.npy --texts notes.txt --kind person
  inkveil attack vector vectors.parquet veiled.parquet --texts notes.jsonl --words-file diagnoses.txt --json")]
pub(crate) struct VectorAttackArgs {
    /// The vectors before noise
    #[arg(value_name = "ORIGINAL")]
    pub(crate) original: PathBuf,

    /// The vectors with noise, in the same order
    #[arg(value_name = "VEILED")]
    pub(crate) veiled: PathBuf,

    /// Their texts, in the same order: .txt with one to a line, or rows of a table
    #[arg(long = "texts", value_name = "FILE")]
    pub(crate) texts: PathBuf,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    #[command(flatten)]
    pub(crate) concept: ConceptArgs,

    /// Words in fewer texts than this are not attacked: there is too little to learn them from
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) min_count: usize,

    /// How often the attacker sees every row; long enough for 2,000 steps if absent
    #[arg(long, value_name = "N")]
    pub(crate) epochs: Option<usize>,

    /// Keep the attacker that was trained on the vectors before noise, for `vector fit --white-box`
    #[arg(long, value_name = "FILE")]
    pub(crate) save_attacker: Option<PathBuf>,

    /// The same seed gives the same figures
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Replace files that exist
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Do not show the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

fn kind(name: &str) -> Result<Kind, String> {
    inkveil_detect::Settings::default().kind(name).map_err(|error| error.to_string())
}
