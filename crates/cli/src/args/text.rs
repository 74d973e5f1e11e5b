//! `inkveil text` as it is typed.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser};
use inkveil::lexicon::CasingPolicy;
use inkveil::{
    AtZero, Budgets, Calibration, Consistency, Decoding, Epsilon, Grouping, Identifiers, MechanismName,
    Preset, Punctuation, TaskVector,
};

use inkveil_io::ColumnPath;

use super::LexiconName;
use super::detect::TierName;
use super::tables::{JobArgs, MapArgs, SpendingArgs, TABLES, TableArgs};

/// Veil a text: keep what a task needs, hide who it is about
///
/// Every word is sensitive or not (names, places, dates, numbers …), and the task needs it or not. That makes four groups, and each has
/// a budget ε: at 0 a word is replaced without looking at it, at a number it gets noise and becomes a word nearby, at inf it
/// stays. The veiled text goes to standard output and may leave this machine; everything that is said about it goes to standard error
/// and may not. Nothing is sent anywhere unless you ask for it with --repair and an address.
#[derive(Parser)]
#[command(after_help = "\
Examples:
  Veil a text for a question, and see why every word was treated as it was:
    inkveil text \"I am Ana Silva from Porto. My knee hurts.\" -t \"What helps a sore knee?\" --explain

  In a pipe, with a fresh name for a name and a fresh date for a date:
    inkveil text --task \"Summarise this complaint\" --at-zero surrogate < letter.txt > veiled.txt

  A file, with a receipt beside it that others can check:
    inkveil text --file letter.txt -t \"Summarise this complaint\" -o veiled.txt
    inkveil receipt verify veiled.txt.receipt.json --release veiled.txt

  What it would cost, without spending anything:
    inkveil text --file letter.txt -t \"Summarise this complaint\" --dry-run

  A page that shows what became of every word (private: it holds the original):
    inkveil text --file letter.txt -t \"Summarise this complaint\" --explain-html why.html

  Every line of a log as a document of its own, as JSON lines with receipts:
    inkveil text --file tickets.txt --lines --preset strict --json > veiled.jsonl

  Budgets of your own, for the four groups in order; and the settings of a file:
    inkveil text --budgets 40,0,90,inf --mechanism polar \"Call Ana at noon.\"
    inkveil text --config inkveil.toml < letter.txt

  A table: one column veiled, everything else as it was, a receipt beside it; again with --resume if it was interrupted:
    inkveil text --file reviews.jsonl.gz --column review.text -o veiled.jsonl.gz --preset strict

  What a folder of tables would cost, in ε and in time:
    inkveil text --file corpus/ --column text --dry-run

  Record what is spent on whom, under a limit, and keep what is needed to turn answers back:
    inkveil ledger limit --ledger spent.db --every-subject --epsilon 50000
    inkveil text --file mails.csv --column body --subject-column author --ledger spent.db \\
      --at-zero surrogate --map mails.map --map-key mails.key -o veiled.csv

  Let a model on this machine mend the grammar; it sees the veiled text only:
    inkveil text --repair smollm2 < letter.txt")]
pub(crate) struct TextArgs {
    /// The text to veil; standard input if absent or `-`. Several words are one text
    #[arg(conflicts_with = "files")]
    pub(crate) text: Vec<String>,

    /// Files to veil: texts, tables, folders, patterns such as 'data/*.parquet'; `-` for standard input
    #[arg(long = "file", value_name = "FILE", num_args = 1..)]
    pub(crate) files: Vec<PathBuf>,

    /// Take every line of a plain text as a document of its own
    #[arg(long)]
    pub(crate) lines: bool,

    /// What the text is for, such as the question it comes with; may be repeated. Without one, no word counts as needed
    #[arg(short, long = "task", value_name = "TASK")]
    pub(crate) tasks: Vec<String>,

    /// Settings from an inkveil.toml; flags override it
    #[arg(long, value_name = "FILE", conflicts_with = "as_published")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    #[command(flatten)]
    pub(crate) groups: GroupArgs,

    #[command(flatten)]
    pub(crate) words: WordArgs,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    /// The column that says what the texts of a row are for
    #[arg(long, value_name = "NAME", conflicts_with = "tasks", help_heading = TABLES)]
    pub(crate) task_column: Option<ColumnPath>,

    #[command(flatten)]
    pub(crate) job: JobArgs,

    /// Receipts of rows: one for each file, beside it, or one in each row, in a column inkveil_receipt
    #[arg(long, value_name = "WHERE", default_value = "sidecar", help_heading = "Long jobs")]
    pub(crate) receipts: ReceiptsName,

    #[command(flatten)]
    pub(crate) spending: SpendingArgs,

    #[command(flatten)]
    pub(crate) map: MapArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Where the receipts of rows go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ReceiptsName {
    /// OUTPUT.receipt.json beside each output
    Sidecar,
    /// A column of each row
    Columns,
}

/// Without the text and the tasks.
impl fmt::Debug for TextArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("TextArgs");
        shown.field("words", &self.text.len()).field("files", &self.files).finish_non_exhaustive()
    }
}

/// How much each group may give away: one of these.
#[derive(Debug, Args)]
#[command(next_help_heading = "How much may be given away (one of these; --preset balanced if none)")]
pub(crate) struct BudgetArgs {
    /// Budgets with a name
    #[arg(long, value_name = "NAME", group = "how-much", value_parser = presets())]
    pub(crate) preset: Option<Preset>,

    /// A base ε: groups 1 to 4 get 2, 1, 4 and 3 times as much
    #[arg(short, long, value_name = "ε", group = "how-much", allow_negative_numbers = true)]
    pub(crate) epsilon: Option<Epsilon>,

    /// An ε for each group, such as 40,0,90,inf
    #[arg(long, value_name = "ε,ε,ε,ε", group = "how-much", allow_hyphen_values = true)]
    pub(crate) budgets: Option<Budgets>,

    /// The same ε for every word, whatever its group: the baseline
    #[arg(long, value_name = "ε", group = "how-much", allow_negative_numbers = true)]
    pub(crate) uniform: Option<Epsilon>,

    /// As much as lets a sensitive word come out as it was at most this often, such as 0.05
    #[arg(long, value_name = "SHARE", group = "how-much", value_parser = open_share, allow_negative_numbers = true)]
    pub(crate) target_survival: Option<f64>,
}

/// Which word is in which group.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which words are sensitive, and which are needed")]
pub(crate) struct GroupArgs {
    /// How much work to do to find what is sensitive; fast if absent
    #[arg(long, value_name = "TIER")]
    pub(crate) tier: Option<TierName>,

    /// What groups follow from: the whole text (finds far more), or each word alone (a stronger promise)
    #[arg(long, value_name = "BY", value_parser = one_of::<Grouping>(Grouping::ALL.map(Grouping::name)))]
    pub(crate) grouping: Option<Grouping>,

    /// A word is needed if its cosine with the task is at least this; chosen by the pack if absent
    #[arg(long, value_name = "COSINE", value_parser = cosine, allow_negative_numbers = true, conflicts_with = "quantile")]
    pub(crate) threshold: Option<f64>,

    /// A word is needed if it is nearer to the task than this share of the vocabulary, such as 0.9
    #[arg(long, value_name = "SHARE", value_parser = share, allow_negative_numbers = true)]
    pub(crate) quantile: Option<f64>,

    /// What stands for a task: the mean of its words, the same with common words counting less, or its sentence's vector; weighted if
    /// absent
    #[arg(long, value_name = "WHAT", value_parser = one_of::<TaskVector>(TaskVector::ALL.map(TaskVector::name)))]
    pub(crate) task_vector: Option<TaskVector>,
}

/// How words are noised and written.
#[derive(Debug, Args)]
#[command(next_help_heading = "How words are noised and written")]
pub(crate) struct WordArgs {
    /// How a word with a finite ε is noised; polar if absent
    #[arg(short, long, value_name = "NAME", value_parser = mechanisms())]
    pub(crate) mechanism: Option<MechanismName>,

    /// How ε becomes noise: κ = ε, ε/π or ε/D (polar, polar-radial); paper if absent
    #[arg(long, value_name = "NAME", value_parser = one_of::<Calibration>(Calibration::ALL.map(Calibration::name)))]
    pub(crate) calibration: Option<Calibration>,

    /// How the nearest word is found (laplace-l1); cosine if absent
    #[arg(long, value_name = "BY", value_parser = one_of::<Decoding>(Decoding::ALL.map(Decoding::name)))]
    pub(crate) decoding: Option<Decoding>,

    /// What is written where ε is 0; mask if absent
    #[arg(long, value_name = "HOW", value_parser = ways_to_replace())]
    pub(crate) at_zero: Option<AtZero>,

    /// The local language model that fills gaps (--at-zero fill): a name, or a folder
    #[arg(long, value_name = "NAME|FOLDER")]
    pub(crate) model: Option<String>,

    /// Where the same entity gets the same replacement: nowhere, within a document, or within the whole job; that it is the same shows then
    #[arg(long, value_name = "WHERE", value_parser = one_of::<Consistency>(Consistency::ALL.iter().map(|how| how.name())))]
    pub(crate) consistent: Option<Consistency>,

    /// Numbers and codes with a finite ε: replace them whole, or noise their parts like words; replace if absent
    #[arg(long, value_name = "HOW", value_parser = one_of::<Identifiers>(Identifiers::ALL.iter().map(|how| how.name())))]
    pub(crate) identifiers: Option<Identifiers>,

    /// Punctuation: keep it, or noise it like words; keep if absent
    #[arg(long, value_name = "HOW", value_parser = one_of::<Punctuation>(Punctuation::ALL.iter().map(|how| how.name())))]
    pub(crate) punctuation: Option<Punctuation>,

    /// Upper and lower case of what is written: as in the original (which shows it), or as in the vocabulary
    #[arg(long, value_name = "AS", value_parser = casings())]
    pub(crate) casing: Option<CasingPolicy>,

    /// Noise whole words (easier to read) or the tokens of the model (the paper's); chosen by the pack if absent
    #[arg(long, value_name = "KIND")]
    pub(crate) lexicon: Option<LexiconName>,

    /// The model pack: a name, or a folder with its files; en if absent
    #[arg(long, value_name = "NAME|FOLDER")]
    pub(crate) pack: Option<String>,

    /// Begin from the choices of the paper's published code instead of ours
    #[arg(long)]
    pub(crate) as_published: bool,

    /// Let a language model mend the grammar afterwards: a local model, or the address of a server (key: INKVEIL_API_KEY). It sees the
    /// veiled text only, and a rewrite that changes what was replaced is thrown away
    #[arg(long, value_name = "MODEL|URL")]
    pub(crate) repair: Option<String>,

    /// The model to ask a server for
    #[arg(long, value_name = "NAME", requires = "repair")]
    pub(crate) repair_model: Option<String>,

    /// INSECURE: draw noise from a fixed seed, for tests; the receipt says so
    #[arg(long, value_name = "SEED")]
    pub(crate) insecure_seed: Option<u64>,
}

/// What is written where, and what is said about it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// File to write; standard output if absent or `-`. A receipt is written beside it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Where the receipt goes; `OUTPUT.receipt.json` if absent, and nowhere without --output
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<PathBuf>,

    /// Say on standard error what became of every word, and why. Private: it shows the original
    #[arg(long)]
    pub(crate) explain: bool,

    /// Write the same as a page for a browser. Private: it holds the original
    #[arg(long, value_name = "FILE")]
    pub(crate) explain_html: Option<PathBuf>,

    /// Print a JSON object for each document: text and receipt; with --explain also its units, which are private
    #[arg(long)]
    pub(crate) json: bool,

    /// Print what each group would cost instead. Nothing is drawn, released or spent, and no file is written
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Replace files that exist
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Print no summary and no progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// One of these names.
fn one_of<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    described(names.into_iter().map(PossibleValue::new))
}

/// One of these names, each with what it means.
fn described<T>(names: impl Iterator<Item = PossibleValue>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

fn mechanisms() -> impl TypedValueParser<Value = MechanismName> {
    described(
        MechanismName::ALL
            .iter()
            .map(|name| PossibleValue::new(name.name()).help(name.about().trim_end_matches('.'))),
    )
}

fn presets() -> impl TypedValueParser<Value = Preset> {
    described(Preset::ALL.into_iter().map(|preset| {
        let value = PossibleValue::new(preset.name());
        match preset {
            Preset::Strict => {
                value.help("Nothing sensitive comes through, and every third other word changes")
            }
            Preset::Balanced => value
                .help("What is sensitive is replaced, or noised if it is needed; other words rarely change"),
            Preset::Light => value.help("Sensitive words are noised; all others stay"),
            // Five rows that differ by a number: one line of help is enough.
            Preset::Paper(_) => value
                .help("The first row of the paper's Table 1; paper-2 to paper-5 are the others")
                .hide(preset.name() != "paper-1"),
        }
    }))
}

fn ways_to_replace() -> impl TypedValueParser<Value = AtZero> {
    described(AtZero::ALL.iter().map(|how| {
        PossibleValue::new(how.name()).help(match how {
            AtZero::Mask => "A placeholder with the kind, such as [person]",
            AtZero::Drop => "Nothing",
            AtZero::Surrogate => "A fresh value of the same kind and format",
            AtZero::Fill => "What a local language model would write there",
        })
    }))
}

fn casings() -> impl TypedValueParser<Value = CasingPolicy> {
    PossibleValuesParser::new(["original", "vocabulary"]).map(|name| match name.as_str() {
        "vocabulary" => CasingPolicy::AsVocabulary,
        _ => CasingPolicy::AsOriginal,
    })
}

fn number_in(text: &str, fits: impl Fn(f64) -> bool, advice: &str) -> Result<f64, String> {
    text.parse().ok().filter(|number| fits(*number)).ok_or_else(|| advice.to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    number_in(text, |number| (0.0..=1.0).contains(&number), "write a number from 0 to 1")
}

fn open_share(text: &str) -> Result<f64, String> {
    number_in(text, |number| number > 0.0 && number < 1.0, "write a number between 0 and 1, such as 0.05")
}

fn cosine(text: &str) -> Result<f64, String> {
    number_in(text, |number| (-1.0..=1.0).contains(&number), "write a number from -1 to 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_tasks_are_in_no_debug_output() {
        let args = TextArgs::parse_from(["text", "Ana Lima", "--task", "her address"]);
        let shown = format!("{args:?}");
        assert!(!shown.contains("Ana") && !shown.contains("address"), "{shown}");
    }

    #[test]
    fn budgets_exclude_each_other() {
        let budgets = [
            ["--preset", "strict"],
            ["--epsilon", "30"],
            ["--budgets", "1,0,3,inf"],
            ["--uniform", "30"],
            ["--target-survival", "0.1"],
        ];
        for first in budgets {
            assert!(TextArgs::try_parse_from(["text"].into_iter().chain(first)).is_ok(), "{first:?}");
            for second in budgets {
                let both = TextArgs::try_parse_from(["text"].into_iter().chain(first).chain(second));
                assert!(both.is_err(), "{first:?} {second:?}");
            }
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for (flag, value) in [
            ("--epsilon", "-1"),
            ("--budgets", "-1,0,0,0"),
            ("--budgets", "1,2,3"),
            ("--uniform", "nan"),
            ("--target-survival", "0"),
            ("--target-survival", "1"),
            ("--threshold", "-1.5"),
            ("--quantile", "1.01"),
        ] {
            assert!(TextArgs::try_parse_from(["text", flag, value]).is_err(), "{flag} {value}");
        }
    }
}
