//! `inkveil curves` as it is typed.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, RangedI64ValueParser};
use clap::{Parser, value_parser};
use inkveil::Threshold;

use super::LexiconName;
use crate::curves::Subject;

/// Show, measure or draw what a mechanism does to sensitive words at each ε
///
/// For names, places and conditions of a lexicon: how often a word comes out as it was, how many different words come out for it, how near
/// they are to it, and how often someone who knows the mechanism and all these words guesses which it was. What the pack has stored is
/// shown, what it lacks is measured. Each ε is in its mechanism's own metric: compare mechanisms where as many words survive, not where
/// ε is the same.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  The curves of the default mechanisms, as the pack has them:
    inkveil curves

  One mechanism, measured quickly:
    inkveil curves -m tem --measure --words 50 --points 8

  All of them in one figure, or as data:
    inkveil curves -m all --svg curves.svg
    inkveil curves -m all --csv > curves.csv

  What a pack of your own needs before `inkveil text` can aim at a survival; if interrupted, run it again to go on:
    inkveil curves --pack ./my-pack --lexicon words -m all --save

  What to use unless the user says otherwise, kept in the pack:
    inkveil curves --pack ./my-pack --lexicon words --save --threshold-quantile 0.9 --default-lexicon words")]
pub(crate) struct CurvesArgs {
    /// The model pack: a name, or a folder with its files
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,

    /// Tokens or whole words; what the pack recommends if absent
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) lexicon: Option<LexiconName>,

    /// A mechanism; may be repeated
    #[arg(
        short, long = "mechanism", value_name = "NAME", default_values = ["polar", "exponential"], value_parser = mechanisms()
    )]
    pub(crate) mechanisms: Vec<String>,

    /// Measure what is stored, too
    #[arg(long)]
    pub(crate) measure: bool,

    /// Measure so many sensitive words, spread over the vocabulary
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = several())]
    pub(crate) words: u16,

    /// Draw so often for each; curves are stored for 100, so with another number all are measured
    #[arg(long, value_name = "N", default_value_t = CurvesArgs::STORED_DRAWS, value_parser = several())]
    pub(crate) draws: u16,

    /// Measure at so many ε
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = several())]
    pub(crate) points: u16,

    /// Draw from this seed; the same seed gives the same numbers. Nothing is released, so nothing is at risk
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) insecure_seed: u64,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,

    /// Also draw all curves; `-` for the drawing on standard output instead of the table
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Replace the drawing if it exists
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Keep what is measured in the pack's veil.json, after each mechanism
    #[arg(long)]
    pub(crate) save: bool,

    /// Recommend that the task needs words from this cosine on, −1 to 1
    #[arg(
        long, value_name = "X", requires = "save", conflicts_with = "threshold_quantile", allow_negative_numbers = true,
        value_parser = cosine
    )]
    pub(crate) threshold_cosine: Option<f64>,

    /// Recommend that the task needs words above this share of the vocabulary, 0 to 1
    #[arg(long, value_name = "Q", requires = "save", allow_negative_numbers = true, value_parser = share)]
    pub(crate) threshold_quantile: Option<f64>,

    /// Recommend this lexicon of the pack
    #[arg(long, value_enum, value_name = "KIND", requires = "save")]
    pub(crate) default_lexicon: Option<LexiconName>,

    /// Do not show the progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl CurvesArgs {
    /// What `distinct` is counted of in every stored curve: see [`inkveil::CurvePoint`].
    pub(crate) const STORED_DRAWS: u16 = 100;

    /// What is to be shown, in the order of the help and each once.
    pub(crate) fn subjects(&self) -> Vec<Subject> {
        let wanted =
            |subject: &Subject| self.mechanisms.iter().any(|name| name == ALL || subject.is_called(name));
        Subject::all().into_iter().filter(wanted).collect()
    }

    /// From which relevance on the pack shall recommend that a word is needed.
    pub(crate) fn threshold(&self) -> Option<Threshold> {
        let cosine = self.threshold_cosine.map(Threshold::Cosine);
        cosine.or(self.threshold_quantile.map(Threshold::Quantile))
    }
}

const ALL: &str = "all";

fn mechanisms() -> PossibleValuesParser {
    let value = |subject: Subject| {
        let about = subject.about.trim_end_matches('.');
        PossibleValue::new(subject.name).help(about).aliases(subject.aliases)
    };
    let all = PossibleValue::new(ALL).help("Every one of these");
    PossibleValuesParser::new(Subject::all().into_iter().map(value).chain([all]))
}

/// One word, draw or point says nothing; more than these are a typing error.
fn several() -> RangedI64ValueParser<u16> {
    value_parser!(u16).range(2..=10_000)
}

fn cosine(text: &str) -> Result<f64, String> {
    within(text, -1.0).ok_or_else(|| "write a number from -1 to 1".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    within(text, 0.0).ok_or_else(|| "write a number from 0 to 1".to_owned())
}

fn within(text: &str, least: f64) -> Option<f64> {
    text.parse().ok().filter(|number| (least..=1.0).contains(number))
}
