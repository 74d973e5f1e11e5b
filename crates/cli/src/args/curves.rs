//! The arguments of `inkveil curves`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, RangedI64ValueParser};
use clap::{Parser, value_parser};
use inkveil::Threshold;
use inkveil::lexicon::LexiconKind;
use inkveil_eval::curves::CurveSubject;

use super::choices::{cosine, lexicons, share};

/// Show, measure or draw how mechanisms treat sensitive words at each ε
///
/// For names, places and conditions of a lexicon: how often a word survives unchanged, how many
/// distinct words replace it, how similar these are, and how often an attacker who knows the
/// mechanism and all these words guesses the word. Stored curves of the pack are shown; the others
/// are measured. Each ε is in its mechanism's own metric, so compare mechanisms at equal survival,
/// not at equal ε.
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  The stored curves of the default mechanisms:
    inkveil curves

  A quick measurement of one mechanism:
    inkveil curves -m tem --measure --words 50 --points 8

  All mechanisms in one drawing, or as data:
    inkveil curves -m all --svg curves.svg
    inkveil curves -m all --csv > curves.csv

  Curves for your own pack, which `inkveil text --target-survival` needs; run it again to resume:
    inkveil curves --pack ./my-pack --lexicon words -m all --save

  Defaults of your own pack:
    inkveil curves --pack ./my-pack --lexicon words --save --threshold-quantile 0.9 --default-lexicon words")]
pub(crate) struct CurvesArgs {
    /// The model pack: a name, or a folder with its files
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) pack: String,

    /// The lexicon: tokens or whole words; by default the one that the pack recommends
    #[arg(long, value_name = "KIND", value_parser = lexicons())]
    pub(crate) lexicon: Option<LexiconKind>,

    /// A mechanism; repeatable
    #[arg(
        short, long = "mechanism", value_name = "NAME", default_values = ["polar", "exponential"], value_parser = mechanisms()
    )]
    pub(crate) mechanisms: Vec<String>,

    /// Also measure stored curves
    #[arg(long)]
    pub(crate) measure: bool,

    /// The number of sensitive words, spread over the vocabulary
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = several())]
    pub(crate) words: u16,

    /// The number of draws for each word; stored curves have 100, so another number measures all
    /// curves
    #[arg(long, value_name = "N", default_value_t = CurvesArgs::STORED_DRAWS, value_parser = several())]
    pub(crate) draws: u16,

    /// The number of budgets ε
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = several())]
    pub(crate) points: u16,

    /// The seed of the draws. Nothing is released, so it is no secret
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) insecure_seed: u64,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,

    /// Also draw all curves; `-` writes the drawing to standard output instead of the table
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Replace an existing drawing
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Save each curve in the pack's veil.json when it is finished
    #[arg(long)]
    pub(crate) save: bool,

    /// Recommend the cosine, −1 to 1, from which a word is needed for the task
    #[arg(
        long, value_name = "X", requires = "save", conflicts_with = "threshold_quantile", allow_negative_numbers = true,
        value_parser = cosine
    )]
    pub(crate) threshold_cosine: Option<f64>,

    /// Recommend the share of the vocabulary, 0 to 1, above which a word is needed for the task
    #[arg(long, value_name = "Q", requires = "save", allow_negative_numbers = true, value_parser = share::<f64>)]
    pub(crate) threshold_quantile: Option<f64>,

    /// Recommend a lexicon of the pack
    #[arg(long, value_name = "KIND", requires = "save", value_parser = lexicons())]
    pub(crate) default_lexicon: Option<LexiconKind>,

    /// Do not show progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl CurvesArgs {
    /// The number of draws of every stored curve; see [`inkveil::Point`].
    pub(crate) const STORED_DRAWS: u16 = 100;

    /// The chosen curves, in the order of the help and each once.
    pub(crate) fn subjects(&self) -> Vec<CurveSubject> {
        let named = |subject: &CurveSubject| self.mechanisms.iter().any(|name| subject.is_called(name));
        let all = self.mechanisms.iter().any(|name| name == ALL);
        let nearest = CurveSubject::all().into_iter().filter(|subject| all || named(subject));
        nearest.chain(CurveSubject::joint().into_iter().filter(named)).collect()
    }

    /// The recommended threshold of relevance.
    pub(crate) fn threshold(&self) -> Option<Threshold> {
        let cosine = self.threshold_cosine.map(Threshold::Cosine);
        cosine.or(self.threshold_quantile.map(Threshold::Quantile))
    }
}

const ALL: &str = "all";

fn mechanisms() -> PossibleValuesParser {
    let value = |subject: CurveSubject| {
        let about = subject.about.trim_end_matches('.');
        PossibleValue::new(subject.name).help(about).aliases(subject.aliases)
    };
    let all = PossibleValue::new(ALL).help("All mechanisms, decoded to the nearest word");
    let subjects = CurveSubject::all().into_iter().chain(CurveSubject::joint());
    PossibleValuesParser::new(subjects.map(value).chain([all]))
}

/// One word, draw or budget gives no curve; more than the limit is a typing error.
fn several() -> RangedI64ValueParser<u16> {
    value_parser!(u16).range(2..=10_000)
}
