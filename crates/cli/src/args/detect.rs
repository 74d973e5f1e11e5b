//! Arguments of `inkveil detect`.

use std::fmt;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use inkveil::detect::{Language, Tier, Unsupported};

use super::choices::{share, tiers, unsupported};
use super::tables::{AccountArgs, JobArgs, TableArgs};

/// Find sensitive information in texts and explain why it was found
///
/// Reads a text, files or standard input. Finds names, addresses, numbers, secrets and other sensitive
/// information. Rules and lists work in any language. The taggers, which find names by their context, read
/// English, German, French, Spanish, Italian, Portuguese and Dutch. Nothing leaves this machine.
#[derive(Parser)]
#[command(after_help = "\
Examples:
  Mark sensitive information:
    inkveil detect \"Write to ana@example.com before 3 May.\"

  Replace it in a pipe:
    inkveil detect --mask < letter.txt > masked.txt

  Treat every line as a text, and write JSON lines with places in bytes, characters and UTF-16 units:
    inkveil detect --file chat.log --lines --format jsonl

  Search rows of tables, or mask them and keep all other columns:
    inkveil detect --file mails.csv --column body --format jsonl --id-column id
    inkveil detect --file 'mails/*.parquet' --column body --mask -o masked/

  Write a page with a reason for every mark:
    inkveil detect --file letter.txt --format html --output letter.html

  Refuse files with secrets and print their places (for hooks and CI):
    inkveil detect --check --tier rules --kind secret,password --file src/*.rs

  List all kinds and rules:
    inkveil detect --list

Exit codes: 0, or with --check 1 if anything was found; 2 after an error.")]
pub(crate) struct DetectArgs {
    /// The text to search. By default, or for `-`, standard input. Several words are one text
    #[arg(conflicts_with = "files")]
    pub(crate) text: Vec<String>,

    /// Files, folders or patterns to search; `-` is standard input. Tables are read row by row if --column or
    /// --from is given, or if they are not plain text
    #[arg(long = "file", value_name = "FILE", num_args = 1..)]
    pub(crate) files: Vec<PathBuf>,

    /// Treat every line as a text
    #[arg(long)]
    pub(crate) lines: bool,

    /// The effort per text. By default, the tier of the settings file, or fast
    #[arg(long, value_name = "TIER", value_parser = tiers())]
    pub(crate) tier: Option<Tier>,

    /// The language of the texts: auto, en, de, fr, es, it, pt or nl. By default, the language of the settings
    /// file, or auto: the language of each passage is found
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) language: Option<LanguageName>,

    /// What to do with passages in another language. By default, the choice of the settings file, or warn
    #[arg(long, value_name = "CHOICE", value_parser = unsupported())]
    pub(crate) unsupported: Option<Unsupported>,

    /// Drop findings of any kind with a lower score, from 0 to 1; 0.5 by default
    #[arg(long, value_name = "SCORE", value_parser = share::<f32>)]
    pub(crate) threshold: Option<f32>,

    /// Find only these kinds (repeatable, see --list)
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',')]
    pub(crate) kinds: Vec<String>,

    /// Ignore these kinds (repeatable)
    #[arg(long = "ignore-kind", value_name = "KIND", value_delimiter = ',')]
    pub(crate) ignore_kinds: Vec<String>,

    /// Settings file with rules, lists and thresholds in its table [detect]; flags override it. By default,
    /// inkveil.toml in the current folder if it exists
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// The model pack of the tiers fast and accurate. By default, the pack of the settings file, or en
    #[arg(long, value_name = "NAME|FOLDER")]
    pub(crate) pack: Option<String>,

    /// The format of the report; text by default, places with --check
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<FormatName>,

    /// Print the text with placeholders such as [EMAIL]. It has no guarantee: a ledger is charged ε = inf
    #[arg(long, conflicts_with_all = ["format", "explain", "summary", "with_text"])]
    pub(crate) mask: bool,

    /// With --mask: the output stays on this machine, and nothing is charged to a ledger
    #[arg(long, conflicts_with_all = ["ledger", "dataset", "subject", "subject_column"])]
    pub(crate) local: bool,

    /// Print the reasons under each line (text)
    #[arg(long, conflicts_with = "summary")]
    pub(crate) explain: bool,

    /// Print only how often each kind was found, and by which rule
    #[arg(long, conflicts_with = "with_text")]
    pub(crate) summary: bool,

    /// Include the text of each finding (jsonl, csv)
    #[arg(long)]
    pub(crate) with_text: bool,

    /// Exit with 1 if anything was found
    #[arg(long)]
    pub(crate) check: bool,

    /// File to write. By default, or for `-`, standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Replace an existing output file
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Hide progress and notes. With --check and without --format, print nothing
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    #[command(flatten)]
    pub(crate) job: JobArgs,

    #[command(flatten)]
    pub(crate) account: AccountArgs,

    /// Print all kinds and rules
    #[arg(long, conflicts_with_all = ["text", "files"])]
    pub(crate) list: bool,
}

/// Does not show the text.
impl fmt::Debug for DetectArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("DetectArgs");
        shown.field("words", &self.text.len()).field("files", &self.files).finish_non_exhaustive()
    }
}

/// The language of texts, or that it is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LanguageName(pub(crate) Option<Language>);

impl std::str::FromStr for LanguageName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "auto" => Ok(Self(None)),
            code => code.parse().map(|language| Self(Some(language))).map_err(|error| format!("{error}")),
        }
    }
}

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// The text with findings in [kind: …]
    Text,
    /// A line for each finding: place, kind and reason, without the text
    Places,
    /// A JSON object for each text, without the text
    Jsonl,
    /// A row for each finding, without the text
    Csv,
    /// A self-contained page
    Html,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_does_not_show_the_text() {
        let args = DetectArgs::try_parse_from(["detect", "--lines", "ana@example.org"]).unwrap();
        assert_eq!(format!("{args:?}"), "DetectArgs { words: 1, files: [], .. }");
    }
}
