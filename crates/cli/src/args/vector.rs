//! The arguments of `inkveil vector`.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Parser, Subcommand};
use inkveil::detect::{Kind, Tier};
use inkveil::fit::FitMethod;
use inkveil::rows::ColumnPath;
use inkveil::{AfterNoise, Epsilon, VectorNoise};
use inkveil_eval::attack::VectorAttacker;

use super::choices::{named, share};
use super::noise::VectorFileArgs;
use super::tables::{AccountArgs, TableArgs};

/// Protect a concept in embeddings: names, places, diagnoses, any list or rule
///
/// `embed` turns texts into vectors, `fit` finds the directions that tell the words of a concept apart,
/// `apply` erases them and adds noise, and `inspect` describes masks. `inkveil attack vector` measures what
/// attackers still find.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil vector embed public.jsonl -o public-vectors.jsonl --local
  inkveil vector fit public.jsonl --public-corpus --kind person -o people.mask
  inkveil vector embed notes.jsonl -o notes-vectors.parquet --local
  inkveil vector apply notes-vectors.parquet -o veiled.parquet --mask people.mask -e 130
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

/// Turn texts into vectors, with or without noise
///
/// Texts are the lines of a file, or a column of a table. The output keeps their order. JSON lines keep
/// every field and get a field `embedding`; Parquet gets an id and a vector; .npy gets the vectors alone.
/// A note beside the output names the encoder, and a receipt states the guarantee. Vectors without noise
/// have none: a ledger is charged ε = inf for them, unless --local says that they stay on this machine.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil vector embed notes.txt -o notes.npy --local
  inkveil vector embed notes.jsonl --column body --id-column key -o notes.parquet --local
  inkveil vector embed notes.jsonl -o notes-vectors.jsonl --pack mpnet --local
  inkveil vector embed notes.jsonl -o notes-vectors.jsonl --local --resume    # after an interruption
  inkveil vector embed notes.jsonl -o veiled.jsonl --mask people.mask -e 130
  inkveil vector embed notes.jsonl -o veiled.jsonl --mask people.mask --target 0.2  # as measured")]
pub(crate) struct EmbedArgs {
    #[command(flatten)]
    pub(crate) texts: TextsArgs,

    /// The file to write: .jsonl, .parquet or .npy
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// The sentence encoder: a pack that is installed or was pulled, or a folder
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,

    /// The vectors stay on this machine: nothing is charged to a ledger
    #[arg(long, conflicts_with_all = ["epsilon", "target", "ledger", "dataset", "subject", "subject_column"])]
    pub(crate) local: bool,

    /// Add noise with this budget for each vector, as `vector apply` does
    #[arg(short, long, value_name = "ε", allow_negative_numbers = true, group = "budget")]
    pub(crate) epsilon: Option<Epsilon>,

    /// Add noise with the budget that was measured to reach this target, as `vector apply` does
    #[arg(long, value_name = "SHARE", value_parser = share::<f64>, group = "budget", conflicts_with = "epsilon")]
    pub(crate) target: Option<f64>,

    #[command(flatten)]
    pub(crate) noise: MaskedNoiseArgs,

    /// Resume an interrupted run, also after a bad row was corrected
    #[arg(long)]
    pub(crate) resume: bool,

    #[command(flatten)]
    pub(crate) account: AccountArgs,

    /// Replace existing files
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not show progress
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// INSECURE: draw noise from a fixed seed, for tests. The receipt says so
    #[arg(long, value_name = "SEED", requires = "budget")]
    pub(crate) insecure_seed: Option<u64>,
}

/// Noise that follows masks.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Noise")]
pub(crate) struct MaskedNoiseArgs {
    /// A mask of `vector fit`. Several masks protect all of their concepts
    #[arg(long = "mask", value_name = "FILE")]
    pub(crate) masks: Vec<PathBuf>,

    /// The mechanism (default: erase, or mahalanobis if a mask has no eraser)
    #[arg(short, long, value_parser = mechanisms())]
    pub(crate) mechanism: Option<VectorNoise>,

    /// With erase: the principal axes to keep (default: 100); 0 keeps all. Noise is axes/ε long, so
    /// fewer axes need a smaller ε
    #[arg(long, value_name = "N")]
    pub(crate) axes: Option<usize>,

    /// With mahalanobis: the least noise in any direction, from 0 to 1, as a share of round noise
    /// (default: 0.1). It bounds the guarantee in Euclidean distance
    #[arg(long, value_name = "SHARE")]
    pub(crate) floor: Option<f64>,

    /// Clip vectors to this length, a public constant, instead of scaling all to length 1; `inf` leaves
    /// lengths unchanged
    #[arg(long, value_name = "LENGTH")]
    pub(crate) clip: Option<f64>,

    /// What to do with noisy vectors, which costs no privacy. Default: shrink with a mask, else as-is
    #[arg(long, value_name = "HOW", value_parser = after())]
    pub(crate) after: Option<AfterNoise>,
}

/// The file of texts.
#[derive(Debug, clap::Args)]
pub(crate) struct TextsArgs {
    /// The texts: a .txt file with one per line, or a table; `-` reads lines from standard input
    #[arg(value_name = "TEXTS")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) tables: TableArgs,
}

/// The concept to protect.
#[derive(Debug, clap::Args)]
pub(crate) struct ConceptArgs {
    /// A kind of `inkveil detect`, for example person or location. Repeatable, commas allowed
    #[arg(long = "kind", value_name = "KIND", value_parser = kind, value_delimiter = ',')]
    pub(crate) kinds: Vec<Kind>,

    /// A word or phrase, in any case. Repeatable
    #[arg(long = "word", value_name = "WORD")]
    pub(crate) words: Vec<String>,

    /// A file of words or phrases, one per line
    #[arg(long, value_name = "FILE")]
    pub(crate) words_file: Option<PathBuf>,

    /// A regular expression. Repeatable
    #[arg(long = "pattern", value_name = "REGEX")]
    pub(crate) patterns: Vec<String>,

    /// A file with tables [[concept]]: name, kinds, words, words-file, patterns, tier
    #[arg(long, value_name = "FILE", conflicts_with_all = ["kinds", "words", "words_file", "patterns"])]
    pub(crate) concepts: Option<PathBuf>,

    /// The name of the concept; with --concepts, the one to use
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// How thoroughly to look for kinds
    #[arg(long, value_name = "TIER", default_value_t = Tier::Fast)]
    pub(crate) tier: Tier,
}

/// Learn where a concept lies in vectors
///
/// `erase` finds the directions that tell the words of the concept apart, in closed form. `mask` compares
/// texts that mention the concept with the same texts without it, and learns which dimensions tell them
/// apart (SPARSE). A mask reveals something about the texts it was learnt from: use public texts, or ask
/// their owners.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil vector fit public.jsonl --public-corpus --kind person --kind location -o names.mask
  inkveil vector fit public.jsonl --public-corpus --kind person --measure -o people.mask  # for apply --target
  inkveil vector fit notes.txt --words-file diagnoses.txt --name diagnoses -o diagnoses.mask
  inkveil vector fit notes.jsonl --label-column is_minor --name minors -o minors.mask
  inkveil vector fit public.jsonl --public-corpus --concepts concepts.toml -o masks/  # one mask each
  inkveil vector fit public.jsonl --vectors theirs.parquet --encoder their-api --kind person -o people.mask
  inkveil vector fit public.jsonl --public-corpus --kind person --method mask -o people.mask  # as published")]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) texts: TextsArgs,

    #[command(flatten)]
    pub(crate) concept: ConceptArgs,

    /// A column of true or false that says which texts have the concept, instead of searching for it
    #[arg(long = "label-column", value_name = "NAME", conflicts_with_all = ["kinds", "words", "words_file", "patterns", "concepts"])]
    pub(crate) label_column: Option<ColumnPath>,

    /// What to learn
    #[arg(long, value_parser = methods(), default_value = "erase")]
    pub(crate) method: FitMethod,

    /// With erase: the price of similarity. A larger one erases fewer directions
    #[arg(long, value_name = "γ", default_value_t = 0.7)]
    pub(crate) gamma: f64,

    /// With erase: the regularisation. A smaller one erases more exactly and stretches distances more
    #[arg(long, value_name = "ρ", default_value_t = 1.0)]
    pub(crate) rho: f64,

    /// With erase: words in fewer texts are left out
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) min_count: u64,

    /// The mask to write; a folder for several concepts
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Declare that the texts are public. A mask reveals something about its texts; without this
    /// declaration, receipts of releases with the mask list them as not covered
    #[arg(long)]
    pub(crate) public_corpus: bool,

    /// The sentence encoder: a pack that is installed or was pulled, or a folder
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,

    /// With erase: the vectors of the texts, in the same order, instead of encoding texts here. For
    /// encoders that you reach over the network only
    #[arg(long, value_name = "FILE")]
    pub(crate) vectors: Option<PathBuf>,

    /// The name of the encoder that made --vectors, if there is no note beside them
    #[arg(long, value_name = "NAME", requires = "vectors")]
    pub(crate) encoder: Option<String>,

    /// With erase: measure what attackers find behind the eraser at six budgets, and keep it in the mask, for
    /// `vector apply --target`. The eraser learns from two fifths of the texts, attackers from as many, and they
    /// attack the rest. No part has near duplicates of another
    #[arg(long, conflicts_with = "label_column")]
    pub(crate) measure: bool,

    /// With --measure: the attackers (default: all). Repeatable, commas allowed
    #[arg(long = "attacker", value_name = "NAME", value_delimiter = ',', value_parser = attackers(), requires = "measure")]
    pub(crate) attackers: Vec<VectorAttacker>,

    /// With mask: the penalty of an open dimension (default: 0.0001). A larger one gives a mask of fewer
    /// dimensions
    #[arg(long, value_name = "λ")]
    pub(crate) lambda: Option<f64>,

    /// With mask: the number of passes over all pairs (default: 100)
    #[arg(long, value_name = "N")]
    pub(crate) epochs: Option<usize>,

    /// With mask: the learning rate of the predictor (default: 0.0001)
    #[arg(long, value_name = "RATE")]
    pub(crate) rate: Option<f32>,

    /// With mask: the learning rate of the gates (default: 0.01; the paper uses 0.0001)
    #[arg(long, value_name = "RATE")]
    pub(crate) gate_rate: Option<f32>,

    /// With mask or --measure: the seed (default: 1). The same seed gives the same mask
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,

    /// With mask: learn from an attacker's attention instead, by integrated gradients: a file written by `attack
    /// vector --save-attacker`
    #[arg(long, value_name = "FILE", conflicts_with = "label_column")]
    pub(crate) white_box: Option<PathBuf>,

    /// Replace existing files
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not show progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Erase a concept from vectors and add noise, with a receipt
///
/// ε counts per unit of distance. For vectors of length 1 with n dimensions the noise has a length of
/// about n/ε, so an ε far below n leaves little to search with. Reads and writes JSON lines, .npy, Parquet
/// and safetensors. Everything beside the vectors is copied.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  inkveil vector apply vectors.parquet -o veiled.parquet --mask people.mask -e 130
  inkveil vector apply vectors.npy -o veiled.npy --mask people.mask --mask places.mask -e 130
  inkveil vector apply vectors.npy -o veiled.npy --mask people.mask --target 0.2  # with `fit --measure`
  inkveil vector apply queries.npy -o queries-erased.npy --mask people.mask -e inf  # queries that stay here
  inkveil vector apply vectors.jsonl -o veiled.jsonl -m laplace-l2 -e 500     # the same noise in all directions
  inkveil vector apply vectors.npy -o veiled.npy -m laplace-l2 -e 500 --ledger budget.ledger --resume")]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    pub(crate) noise: MaskedNoiseArgs,

    /// The budget of each vector, per unit of distance
    #[arg(short, long, value_name = "ε", allow_negative_numbers = true, required_unless_present = "target")]
    pub(crate) epsilon: Option<Epsilon>,

    /// Choose the budget by a target instead: the share of the concept's words, from 0 to 1, that attackers may
    /// find. Takes the largest budget measured by `vector fit --measure` at which, as at all smaller ones, the upper
    /// end of their 95 % intervals is at most this share. A target is measured on texts of the mask's corpus and not guaranteed
    #[arg(long, value_name = "SHARE", value_parser = share::<f64>, conflicts_with = "epsilon")]
    pub(crate) target: Option<f64>,

    /// The encoder that made the vectors, if there is no note beside the file. A mask of another encoder
    /// is refused
    #[arg(long, value_name = "NAME|FOLDER")]
    pub(crate) pack: Option<String>,

    #[command(flatten)]
    pub(crate) files: VectorFileArgs,
}

/// Describe masks: what they protect, how they were learned, and which dimensions they share
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

    /// Replace an existing drawing
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Attack veiled vectors, and measure what search with them is worth
///
/// Attackers know the texts of four in five rows, with their vectors before and after noise. They infer the
/// concept's words in the other rows, before and after noise. Each is tried with and without near duplicates
/// of the attacked texts among the known ones. The strongest counts, and the last line is the verdict.
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

    /// How often networks see every row (default: long enough for 2,000 steps)
    #[arg(long, value_name = "N")]
    pub(crate) epochs: Option<usize>,

    /// The attackers (default: all). Repeatable, commas allowed
    #[arg(long = "attacker", value_name = "NAME", value_delimiter = ',', value_parser = attackers())]
    pub(crate) attackers: Vec<VectorAttacker>,

    /// Keep the attacker that was trained on the vectors before noise, for `vector fit --white-box`
    #[arg(long, value_name = "FILE")]
    pub(crate) save_attacker: Option<PathBuf>,

    /// The same seed gives the same figures
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Replace existing files
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Do not show progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// What `vector fit` learns.
fn methods() -> impl TypedValueParser<Value = FitMethod> {
    named([
        ("erase", "The directions that tell the words of the concept apart, to be erased", FitMethod::Erase),
        ("mask", "The dimensions that carry the concept, for noise to follow (SPARSE)", FitMethod::Mask),
        ("both", "Both in one file; `apply --mechanism` chooses", FitMethod::Both),
    ])
}

/// The mechanisms of the vector veil.
fn mechanisms() -> impl TypedValueParser<Value = VectorNoise> {
    named([
        (
            "erase",
            "Erase the concepts of masks, then the same noise in all directions of what is left; ε per unit of distance \
             between what is left",
            VectorNoise::Erased,
        ),
        (
            "mahalanobis",
            "Elliptical noise that follows the gates of masks (SPARSE); ε per unit of Mahalanobis distance",
            VectorNoise::Masked,
        ),
        (
            "laplace-l2",
            "The same noise in all directions (LapMech); ε per unit of Euclidean distance",
            VectorNoise::Round,
        ),
        ("purkayastha", "Noise on directions (PurMech); ε per unit of angle", VectorNoise::Turning),
    ])
}

/// What to do with noisy vectors.
fn after() -> impl TypedValueParser<Value = AfterNoise> {
    named([
        ("as-is", "Nothing", AfterNoise::AsIs),
        ("unit", "Scale them to length 1", AfterNoise::Unit),
        (
            "shrink",
            "Shrink noisy dimensions, so that they do not drown similarities (needs a mask)",
            AfterNoise::Shrink,
        ),
    ])
}

/// The attackers on vectors.
fn attackers() -> impl TypedValueParser<Value = VectorAttacker> {
    named([
        ("mlc", "A network that predicts words", VectorAttacker::Mlc),
        ("big", "A larger network that trains longer", VectorAttacker::Big),
        ("bayes", "Comparison with known texts, without training", VectorAttacker::Bayes),
        ("mean", "The mean of the others", VectorAttacker::Mean),
    ])
}

fn kind(name: &str) -> Result<Kind, String> {
    inkveil::detect::Settings::default().kind(name).map_err(|error| error.to_string())
}
