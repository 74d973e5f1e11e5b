//! The arguments of `inkveil text`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser};
use inkveil::detect::{Tier, Unsupported};
use inkveil::lexicon::{CasingPolicy, LexiconKind};
use inkveil::release::ReceiptPlacement;
use inkveil::{
    AtZero, Budgets, Calibration, Consistency, Decoding, Epsilon, Grouping, Identifiers, Links,
    MechanismName, NearestBy, Preset, Punctuation, ShapeLevel, TaskVector,
};

use inkveil::rows::ColumnPath;

use super::choices::{cosine, lexicons, named, open_share, share, tiers, unsupported};
use super::detect::LanguageName;
use super::tables::{AccountArgs, JobArgs, MapArgs, TABLES, TableArgs};

/// Veil a text: replace sensitive words and keep the words that the task needs
///
/// Each word is sensitive or not (names, places, dates, numbers …), and the task needs it or not. This
/// makes four groups. Each group has a budget ε: with ε = 0 a word is replaced, with a finite ε it is
/// noised and may become a nearby word, and with ε = inf it is kept. The veiled text goes to standard
/// output and may leave this machine. Explanations go to standard error and may not. Nothing is sent
/// anywhere, unless you name a server with --repair; it receives the veiled text only.
#[derive(Parser)]
#[command(after_help = "\
Examples:
  Veil a text for a question, and explain the treatment of every word:
    inkveil text \"I am Ana Silva from Porto. My knee hurts.\" -t \"What helps a sore knee?\" --explain

  In a pipe, with surrogates: another name for a name, another date for a date:
    inkveil text --task \"Summarise this complaint\" --at-zero surrogate < letter.txt > veiled.txt

  Veil a file. The receipt beside it can be checked by anyone:
    inkveil text --file letter.txt -t \"Summarise this complaint\" -o veiled.txt
    inkveil receipt verify veiled.txt.receipt.json --release veiled.txt

  Show the cost without releasing anything:
    inkveil text --file letter.txt -t \"Summarise this complaint\" --dry-run

  Write a page that explains every word (private: it holds the original):
    inkveil text --file letter.txt -t \"Summarise this complaint\" --explain-html why.html

  Treat every line of a log as a document, and print JSON lines with receipts:
    inkveil text --file tickets.txt --lines --preset strict --json > veiled.jsonl

  Set the budgets of the four groups; use a settings file:
    inkveil text --budgets 40,0,90,inf --mechanism polar \"Call Ana at noon.\"
    inkveil text --config inkveil.toml < letter.txt

  Veil one column of a table and copy the others. After an interruption, add --resume:
    inkveil text --file reviews.jsonl.gz --column review.text -o veiled.jsonl.gz --preset strict

  Predict the cost of a folder of tables, in ε and in time:
    inkveil text --file corpus/ --column text --dry-run

  Charge a ledger per subject, at most 200 words at ε = 20 each, and keep a map to restore answers:
    inkveil ledger limit --ledger spent.db --every-subject --epsilon 4000
    inkveil text --file mails.csv --column body --subject-column author --ledger spent.db \\
      --budgets 0,0,20,20 -m exponential --at-zero surrogate --map mails.map --map-key mails.key -o veiled.csv

  Look at doubtful places before the text leaves; or list them for a program, and apply its decisions:
    inkveil text --file letter.txt -o veiled.txt --review
    inkveil text --file letter.txt --review=list > places.jsonl
    inkveil text --file letter.txt -o veiled.txt --decisions decisions.jsonl

  Let a model on this machine repair the grammar; it sees the veiled text only:
    inkveil text --preset strict --repair qwen-1.5b < letter.txt")]
pub(crate) struct TextArgs {
    /// The text to veil. Several words are one text. Default: standard input, also with `-`
    #[arg(conflicts_with = "files")]
    pub(crate) text: Vec<String>,

    /// Files to veil: texts, tables, folders, or patterns such as 'data/*.parquet'; `-` is standard input
    #[arg(long = "file", value_name = "FILE", num_args = 1..)]
    pub(crate) files: Vec<PathBuf>,

    /// Treat every line of a plain text as a document
    #[arg(long)]
    pub(crate) lines: bool,

    /// What the text is for, for example the question it comes with. Repeatable. Without a task no word
    /// counts as needed
    #[arg(short, long = "task", value_name = "TASK")]
    pub(crate) tasks: Vec<String>,

    /// A settings file. Options override it. Default: inkveil.toml in the current folder, if it exists
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

    /// The column that holds the task of each row
    #[arg(long, value_name = "NAME", conflicts_with = "tasks", help_heading = TABLES)]
    pub(crate) task_column: Option<ColumnPath>,

    #[command(flatten)]
    pub(crate) job: JobArgs,

    /// Where the receipts of rows go
    #[arg(long, value_name = "WHERE", default_value = "sidecar", value_parser = placements(), help_heading = "Long jobs")]
    pub(crate) receipts: ReceiptPlacement,

    #[command(flatten)]
    pub(crate) account: AccountArgs,

    #[command(flatten)]
    pub(crate) map: MapArgs,

    /// Before a single text is released, ask on the terminal about each doubtful place: findings with a low
    /// score, and kept words that may identify someone. --review=list prints the places as JSON lines
    /// (bytes of the text) and releases nothing
    #[arg(long, value_name = "HOW", num_args = 0..=1, default_missing_value = "ask", require_equals = true, conflicts_with = "dry_run")]
    pub(crate) review: Option<ReviewName>,

    /// Decisions about places of a single text, as JSON lines such as {"start": 4, "end": 8, "action": "keep"}
    /// or {"text": "Trnava", "action": "replace", "kind": "location"}. Actions: keep, replace, another
    #[arg(long, value_name = "FILE", conflicts_with_all = ["review", "dry_run"])]
    pub(crate) decisions: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How doubtful places are reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ReviewName {
    /// Ask about each on the terminal
    Ask,
    /// Print them as JSON lines; release nothing
    List,
}

/// Shows neither the text nor the tasks.
impl fmt::Debug for TextArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("TextArgs");
        shown.field("words", &self.text.len()).field("files", &self.files).finish_non_exhaustive()
    }
}

/// The budgets of the groups.
#[derive(Debug, Args)]
#[command(next_help_heading = "Purpose or budgets (choose one; default: --preset prompt)")]
pub(crate) struct BudgetArgs {
    /// Settings for a purpose. Options such as --at-zero and --tier override them
    #[arg(long, value_name = "NAME", group = "how-much", value_parser = presets())]
    pub(crate) preset: Option<Preset>,

    /// A base ε. Groups 1 to 4 get 2, 1, 4 and 3 times as much
    #[arg(short, long, value_name = "ε", group = "how-much", allow_negative_numbers = true)]
    pub(crate) epsilon: Option<Epsilon>,

    /// One ε for each group, for example 40,0,90,inf
    #[arg(long, value_name = "ε,ε,ε,ε", group = "how-much", allow_hyphen_values = true)]
    pub(crate) budgets: Option<Budgets>,

    /// The same ε for every word: the baseline
    #[arg(long, value_name = "ε", group = "how-much", allow_negative_numbers = true)]
    pub(crate) uniform: Option<Epsilon>,

    /// The budget at which a sensitive word survives unchanged with at most this probability, for
    /// example 0.05
    #[arg(long, value_name = "SHARE", group = "how-much", value_parser = open_share, allow_negative_numbers = true)]
    pub(crate) target_survival: Option<f64>,
}

/// Which word belongs to which group.
#[derive(Debug, Args)]
#[command(next_help_heading = "Groups: which words are sensitive, and which are needed")]
pub(crate) struct GroupArgs {
    /// How thoroughly to look for sensitive words. Default: as the preset says
    #[arg(long, value_name = "TIER", value_parser = tiers())]
    pub(crate) tier: Option<Tier>,

    /// The language of the texts: auto, en, de, fr, es, it, pt or nl. Default: as the settings file says, or auto:
    /// the language of each passage is found
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) language: Option<LanguageName>,

    /// What to do with passages in another language. Default: as the settings file says, or warn
    #[arg(long, value_name = "CHOICE", value_parser = unsupported())]
    pub(crate) unsupported: Option<Unsupported>,

    /// Decide groups by the whole text (finds far more) or by each word alone (the group of a word is
    /// then public, but the order of groups still shows)
    #[arg(long, value_name = "BY", value_parser = one_of::<Grouping>(Grouping::ALL.map(Grouping::name)))]
    pub(crate) grouping: Option<Grouping>,

    /// A word is needed if its cosine with the task is at least this. Default: chosen by the pack
    #[arg(long, value_name = "COSINE", value_parser = cosine, allow_negative_numbers = true, conflicts_with = "quantile")]
    pub(crate) threshold: Option<f64>,

    /// A word is needed if it is closer to the task than this share of the vocabulary, for example 0.9.
    /// With --task-vector context: of the text
    #[arg(long, value_name = "SHARE", value_parser = share::<f64>, allow_negative_numbers = true)]
    pub(crate) quantile: Option<f64>,

    /// The vector of a task: the mean of its tokens, a weighted mean in which common words count less, or
    /// its sentence embedding, which `context` compares with each word in its text. Default: weighted
    #[arg(long, value_name = "WHAT", value_parser = one_of::<TaskVector>(TaskVector::ALL.map(TaskVector::name)))]
    pub(crate) task_vector: Option<TaskVector>,
}

/// How words are noised and written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Mechanism and replacements")]
pub(crate) struct WordArgs {
    /// The mechanism for words with a finite ε. Default: polar
    #[arg(short, long, value_name = "NAME", value_parser = mechanisms())]
    pub(crate) mechanism: Option<MechanismName>,

    /// How ε sets the noise of polar and polar-radial: κ = ε, ε/π or ε/D. Default: paper
    #[arg(long, value_name = "NAME", value_parser = one_of::<Calibration>(Calibration::ALL.map(Calibration::name)))]
    pub(crate) calibration: Option<Calibration>,

    /// How noised words become words: each alone (nearest), or all together with a public prior over
    /// neighbouring words (joint), which costs no ε. Default: joint if sensitive words are replaced and
    /// the mechanism is polar, otherwise nearest
    #[arg(long, value_name = "HOW", value_parser = one_of::<Decoding>(Decoding::ALL.map(Decoding::name)))]
    pub(crate) decoding: Option<Decoding>,

    /// How laplace-l1 finds the nearest word. Default: cosine
    #[arg(long, value_name = "BY", value_parser = one_of::<NearestBy>(NearestBy::ALL.map(NearestBy::name)))]
    pub(crate) nearest_by: Option<NearestBy>,

    /// State the true worst case of noised words on the receipt, beside the bound. It is computed over all
    /// pairs of words, which takes tens of seconds. For exponential, tem and randomized-response
    #[arg(long)]
    pub(crate) certify: bool,

    /// The replacement of words with ε = 0. Default: as the preset says, or mask
    #[arg(long, value_name = "HOW", value_parser = ways_to_replace())]
    pub(crate) at_zero: Option<AtZero>,

    /// How much of the format of an original its surrogate keeps, and so reveals. Default: coarse
    #[arg(long, value_name = "LEVEL", value_parser = shapes())]
    pub(crate) shape: Option<ShapeLevel>,

    /// The local language model for --at-zero fill: a name, or a folder
    #[arg(long, value_name = "NAME|FOLDER")]
    pub(crate) model: Option<String>,

    /// Where an entity gets the same replacement each time. Repeated values then remain visible as
    /// repetitions
    #[arg(long, value_name = "WHERE", value_parser = one_of::<Consistency>(Consistency::ALL.iter().map(|how| how.name())))]
    pub(crate) consistent: Option<Consistency>,

    /// Which surrogates belong together, with --consistent or --map. Default: as the preset says, or names
    #[arg(long, value_name = "WHAT", value_parser = links())]
    pub(crate) link: Option<Links>,

    /// Numbers and codes with a finite ε: replace them, or noise their parts like words. Default: replace
    #[arg(long, value_name = "HOW", value_parser = one_of::<Identifiers>(Identifiers::ALL.iter().map(|how| how.name())))]
    pub(crate) identifiers: Option<Identifiers>,

    /// Punctuation: keep it, or noise it like words. Default: keep
    #[arg(long, value_name = "HOW", value_parser = one_of::<Punctuation>(Punctuation::ALL.iter().map(|how| how.name())))]
    pub(crate) punctuation: Option<Punctuation>,

    /// Upper and lower case of replacements: as in the original (which reveals it) or as in the vocabulary
    #[arg(long, value_name = "AS", value_parser = casings())]
    pub(crate) casing: Option<CasingPolicy>,

    /// Noise whole words (easier to read) or the model's tokens (as in the paper). Default: chosen by the
    /// pack
    #[arg(long, value_name = "KIND", value_parser = lexicons())]
    pub(crate) lexicon: Option<LexiconKind>,

    /// The model pack: a name, or a folder. Default: en
    #[arg(long, value_name = "NAME|FOLDER")]
    pub(crate) pack: Option<String>,

    /// Start from the settings of the paper's published code instead of ours
    #[arg(long)]
    pub(crate) as_published: bool,

    /// Let a language model repair the grammar: a local model, or the address of a server (key:
    /// INKVEIL_API_KEY). It sees the veiled text only, one sentence at a time. A sentence stays as veiled
    /// if its repair changes a replacement, a number, a name or a negation
    #[arg(long, value_name = "MODEL|URL")]
    pub(crate) repair: Option<String>,

    /// The name of the model on the server
    #[arg(long, value_name = "NAME", requires = "repair")]
    pub(crate) repair_model: Option<String>,

    /// INSECURE: draw noise from a fixed seed, for tests. The receipt says so
    #[arg(long, value_name = "SEED")]
    pub(crate) insecure_seed: Option<u64>,
}

/// What is written where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// The file to write, with a receipt beside it. Default: standard output, also with `-`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// The receipt's file. Default: OUTPUT.receipt.json, and none without --output
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<PathBuf>,

    /// Explain every word on standard error. Private: it shows the original
    #[arg(long)]
    pub(crate) explain: bool,

    /// Write the explanation as a page for a browser. Private: it holds the original
    #[arg(long, value_name = "FILE")]
    pub(crate) explain_html: Option<PathBuf>,

    /// Print one JSON object per document: text and receipt. With --explain also its words, which are
    /// private
    #[arg(long)]
    pub(crate) json: bool,

    /// Print what each group would cost. Nothing is drawn, released, charged or written
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Replace existing files
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Print no summary and no progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Accepts one of these names.
fn one_of<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    described(names.into_iter().map(PossibleValue::new))
}

/// Accepts one of these names, each with a description.
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
            Preset::Prompt => {
                value.help("One text: \"Ana from Lyon\" becomes \"Mira from Graz\"; all else is kept")
            }
            Preset::Corpus => value.help("Many texts: the same names in all of them, and fast detection"),
            Preset::Placeholders => {
                value.help("\"Ana from Lyon\" becomes \"[person 1] from [location 1]\"; all else is kept")
            }
            Preset::Strict => {
                value.help("\"[person] from [location]\", and noise on all other words: a third change")
            }
            // Five rows that differ by a number: one line of help is enough.
            Preset::Paper(_) => value
                .help("The first row of the paper's Table 1; paper-2 to paper-5 are the other rows")
                .hide(preset.name() != "paper-1"),
        }
    }))
}

fn placements() -> impl TypedValueParser<Value = ReceiptPlacement> {
    named([
        ("sidecar", "OUTPUT.receipt.json beside each output", ReceiptPlacement::Sidecar),
        ("columns", "The column inkveil_receipt of each row", ReceiptPlacement::Column),
    ])
}

fn ways_to_replace() -> impl TypedValueParser<Value = AtZero> {
    named([
        ("mask", "A placeholder with the kind, for example [person]", AtZero::Mask),
        ("drop", "Nothing", AtZero::Drop),
        ("surrogate", "A surrogate: a believable value of the same kind; see --shape", AtZero::Surrogate),
        ("fill", "A word that a local language model puts there", AtZero::Fill),
    ])
}

fn links() -> impl TypedValueParser<Value = Links> {
    named([
        ("none", "Each original has a surrogate of its own", Links::None),
        ("names", "Mentions of one person, organisation or place are forms of one identity", Links::Names),
        (
            "all",
            "Also dates, ages and amounts move together (no guarantee); diseases, medications and jobs keep their topic, cities their size",
            Links::All,
        ),
        ("weekdays", "As all, and dates move by whole weeks, so that weekdays stay", Links::Weekdays),
    ])
}

fn shapes() -> impl TypedValueParser<Value = ShapeLevel> {
    named([
        ("kind", "Nothing: the surrogate depends on the kind alone", ShapeLevel::Kind),
        ("coarse", "A few classes of formats; codes keep alphabets and rough lengths", ShapeLevel::Coarse),
        ("exact", "The whole format, for example the class of every character of a code", ShapeLevel::Exact),
    ])
}

fn casings() -> impl TypedValueParser<Value = CasingPolicy> {
    PossibleValuesParser::new(["original", "vocabulary"]).map(|name| match name.as_str() {
        "vocabulary" => CasingPolicy::AsVocabulary,
        _ => CasingPolicy::AsOriginal,
    })
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
