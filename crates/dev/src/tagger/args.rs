//! The arguments of the tagger tools.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use inkveil_detect::{Language, Settings, Tier};

#[derive(Debug, Args)]
pub(super) struct DataArgs {
    /// The folder of the public data sets, one folder for each
    #[arg(long, value_name = "FOLDER", default_value = "../shared/data")]
    pub(super) data: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct PackArgs {
    /// The folder of the pack
    #[arg(long, value_name = "FOLDER", default_value = "models/en")]
    pub(super) pack: PathBuf,
}

/// Train a tagger
#[derive(Debug, Args)]
pub(crate) struct TrainArgs {
    /// Which tagger
    pub(super) tagger: TaggerName,

    #[command(flatten)]
    pub(super) data: DataArgs,

    #[command(flatten)]
    pub(super) pack: PackArgs,

    /// The file to write; by default the tagger of the pack
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Where to compute; cuda needs a binary built with that feature
    #[arg(long, default_value = "cpu")]
    pub(super) device: DeviceName,

    /// How often every text is seen; by default 12 for fast and 4 for accurate
    #[arg(long, value_name = "N")]
    pub(super) epochs: Option<u64>,

    /// The learning rate; by default 0.002 for fast and 0.001 for accurate
    #[arg(long)]
    pub(super) rate: Option<f64>,

    /// The number of words in a step; by default 4096 for fast and 8192 for accurate
    #[arg(long, value_name = "WORDS")]
    pub(super) batch: Option<usize>,

    /// Stop after this time; the learning rate falls in time for it
    #[arg(long, value_name = "MINUTES")]
    pub(super) minutes: Option<f64>,

    /// How often every labelled post is seen in an epoch, each time with other names and spellings
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(super) copies: usize,

    /// The weight of sensitive words in posts; above 1, more is found there
    #[arg(long, value_name = "WEIGHT", default_value_t = 2.0)]
    pub(super) emphasis: f32,

    /// The seed of weights, order and generated texts
    #[arg(long, default_value_t = 4)]
    pub(super) seed: u64,
}

/// Measure how much is found in held-out texts
#[derive(Debug, Args)]
pub(crate) struct ScoreArgs {
    /// What detects: rules, fast or accurate
    #[arg(default_value = "fast")]
    pub(super) tier: Tier,

    #[command(flatten)]
    pub(super) data: DataArgs,

    #[command(flatten)]
    pub(super) pack: PackArgs,

    /// The set to measure on; by default all
    #[arg(long, value_name = "SET")]
    pub(super) on: Option<String>,

    /// Measure on the sets of the languages instead: held-out templates, and the files in the folder languages
    #[arg(long, conflicts_with = "on")]
    pub(super) languages: bool,

    /// The language of all texts, such as de. By default it is found for each passage
    #[arg(long, value_name = "CODE")]
    pub(super) language: Option<Language>,

    /// The least score of a finding
    #[arg(long, default_value_t = Settings::THRESHOLD)]
    pub(super) threshold: f32,

    /// Also print the share of each label
    #[arg(long)]
    pub(super) spans: bool,
}

/// Count what is found in files that contain nothing sensitive, by rule
#[derive(Debug, Args)]
pub(crate) struct AlarmArgs {
    /// The files
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,

    /// What detects: rules, fast or accurate
    #[arg(long, default_value = "fast")]
    pub(super) tier: Tier,

    #[command(flatten)]
    pub(super) pack: PackArgs,

    /// Also print every finding with its text
    #[arg(long)]
    pub(super) spans: bool,
}

/// Print the held-out part of a set for other tools, in the format of presidio-research
#[derive(Debug, Args)]
pub(crate) struct GoldArgs {
    /// The set
    pub(super) set: String,

    #[command(flatten)]
    pub(super) data: DataArgs,

    /// Print the first N texts only
    #[arg(long, value_name = "N")]
    pub(super) first: Option<usize>,
}

/// Print how many cases of each class of the hostile test set are found, by tier
#[derive(Debug, Args)]
pub(crate) struct HostileArgs {
    #[command(flatten)]
    pub(super) pack: PackArgs,

    /// Print the missed cases of the classes whose names contain this text instead
    #[arg(long, value_name = "CLASS")]
    pub(super) missed: Option<String>,

    /// What detects for --missed: rules, fast or accurate
    #[arg(long, default_value = "fast")]
    pub(super) tier: Tier,
}

/// Print a large file for measurements of speed and memory
#[derive(Debug, Args)]
pub(crate) struct LargeArgs {
    /// Its size in megabytes
    pub(super) megabytes: usize,

    /// The lines to repeat; by default our templates without values
    #[arg(long, value_name = "FILE")]
    pub(super) text: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TaggerName {
    Fast,
    Accurate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DeviceName {
    Cpu,
    Cuda,
}
