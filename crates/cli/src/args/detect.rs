//! `inkveil detect` as it is typed.

use std::fmt;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use inkveil_detect::Tier;

use super::tables::{JobArgs, TableArgs};

/// Find what is sensitive in a text, and say why
///
/// Reads a text, files or standard input, and marks names, addresses, numbers, secrets and what else is sensitive. Rules and lists work
/// in any language; the tagger, which sees names by their context, reads English. Nothing leaves this machine.
#[derive(Parser)]
#[command(after_help = "\
Examples:
  Mark what is sensitive:
    inkveil detect \"Write to ana@example.com before 3 May.\"

  Replace it, in a pipe:
    inkveil detect --mask < letter.txt > masked.txt

  Every line of a file as a text of its own, as JSON lines with places in bytes, characters and UTF-16 units:
    inkveil detect --file chat.log --lines --format jsonl

  Rows of tables: where something is, by row; or the same tables without it, everything else as it was:
    inkveil detect --file mails.csv --column body --format jsonl --id-column id
    inkveil detect --file 'mails/*.parquet' --column body --mask -o masked/

  A page to read, with the reason for every mark:
    inkveil detect --file letter.txt --format html --output letter.html

  Refuse files with secrets in them, with the place and the reason of each (for hooks and CI):
    inkveil detect --check --tier rules --kinds secret,password --file src/*.rs

  What can be found, and by which rules:
    inkveil detect --list

Exit codes: 0, or with --check 1 if anything was found; 2 if something went wrong.")]
pub(crate) struct DetectArgs {
    /// The text to look into; standard input if absent or `-`. Several words are one text
    #[arg(conflicts_with = "files")]
    pub(crate) text: Vec<String>,

    /// Files to look into, also folders and patterns; `-` for standard input. Files of rows are read as such where --column or --from is given, and
    /// where they are no text by themselves
    #[arg(long = "file", value_name = "FILE", num_args = 1..)]
    pub(crate) files: Vec<PathBuf>,

    /// Take every line as a text of its own
    #[arg(long)]
    pub(crate) lines: bool,

    /// How much work to do per text; fast if absent
    #[arg(long, value_name = "TIER")]
    pub(crate) tier: Option<TierName>,

    /// Drop what is less sure than this, of any kind, from 0 to 1; 0.5 if absent
    #[arg(long, value_name = "SCORE", value_parser = share)]
    pub(crate) threshold: Option<f32>,

    /// Look for these kinds only; see --list
    #[arg(long, value_name = "KIND,…", value_delimiter = ',')]
    pub(crate) kinds: Vec<String>,

    /// Do not look for these kinds
    #[arg(long, value_name = "KIND,…", value_delimiter = ',')]
    pub(crate) ignore_kinds: Vec<String>,

    /// A TOML file with rules, lists, thresholds and more; flags override it
    #[arg(long, value_name = "FILE")]
    pub(crate) settings: Option<PathBuf>,

    /// The model of the tiers fast and accurate: a name, or a folder with its files
    #[arg(long, value_name = "NAME|FOLDER", default_value = "en")]
    pub(crate) model: String,

    /// How to print; text if absent, places with --check
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<FormatName>,

    /// Print the text with `[KIND]` in place of what was found
    #[arg(long, conflicts_with_all = ["format", "explain", "summary", "with_text"])]
    pub(crate) mask: bool,

    /// Say under each line why something in it was found (text)
    #[arg(long, conflicts_with = "summary")]
    pub(crate) explain: bool,

    /// Print how often each kind was found, and by which rule, instead
    #[arg(long, conflicts_with = "with_text")]
    pub(crate) summary: bool,

    /// Print what was found too, not only where (jsonl, csv)
    #[arg(long)]
    pub(crate) with_text: bool,

    /// Exit with 1 if anything was found
    #[arg(long)]
    pub(crate) check: bool,

    /// File to write; standard output if absent or `-`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Replace the output file if it exists
    #[arg(short, long)]
    pub(crate) force: bool,

    /// Do not show the progress; with --check and no --format, print nothing
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) tables: TableArgs,

    #[command(flatten)]
    pub(crate) job: JobArgs,

    /// Print all kinds and rules instead
    #[arg(long, conflicts_with_all = ["text", "files"])]
    pub(crate) list: bool,
}

/// Without the text.
impl fmt::Debug for DetectArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("DetectArgs");
        shown.field("words", &self.text.len()).field("files", &self.files).finish_non_exhaustive()
    }
}

/// The tiers of detection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TierName {
    /// Rules and lists: fast, in any language, blind to most names
    Rules,
    /// Rules, lists and a small tagger
    Fast,
    /// Rules, lists and a large tagger: slower, and sees more
    Accurate,
}

impl From<TierName> for Tier {
    fn from(name: TierName) -> Self {
        match name {
            TierName::Rules => Tier::Rules,
            TierName::Fast => Tier::Fast,
            TierName::Accurate => Tier::Accurate,
        }
    }
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// The text, with what was found in [kind: …]
    Text,
    /// A line for each finding: where, what and why, without the text
    Places,
    /// A JSON object for each text, without the text
    Jsonl,
    /// A row for each finding, without the text
    Csv,
    /// A page that stands by itself
    Html,
}

fn share(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("write a number from 0 to 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_not_in_debugging_output() {
        let args = DetectArgs::try_parse_from(["detect", "--lines", "ana@example.org"]).unwrap();
        assert_eq!(format!("{args:?}"), "DetectArgs { words: 1, files: [], .. }");
    }
}
