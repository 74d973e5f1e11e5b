//! What all commands that read files of texts have in common, as it is typed.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use inkveil_rows::{ColumnPath, RecordFormat};

/// The heading of flags about tables.
pub(super) const TABLES: &str = "Files of rows (.jsonl, .csv, .tsv, also with .gz or .zst; .parquet, .arrow)";

/// Which values of tables are texts, and how files are read.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = TABLES)]
pub(crate) struct TableArgs {
    /// The column of the texts, or several; a field inside is written with a dot, each element of a list with []: messages[].content. Found
    /// by itself if one is called text, review, content …
    #[arg(long = "column", alias = "text-field", value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) columns: Vec<ColumnPath>,

    /// The column that names rows
    #[arg(long, alias = "id-field", value_name = "NAME")]
    pub(crate) id_column: Option<ColumnPath>,

    /// What the files are, if their names do not say it
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub(crate) from: Option<RecordFormat>,

    /// The encoding of text files, such as windows-1252; UTF-8 if absent. What is written is UTF-8
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,

    /// What separates values in .csv files; recognised if absent
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub(crate) delimiter: Option<u8>,

    /// The first row of .csv and .tsv files is no header; columns are called 1, 2 …
    #[arg(long)]
    pub(crate) no_header: bool,
}

/// How long work is done.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Long jobs")]
pub(crate) struct JobArgs {
    /// Write another format: jsonl, csv, tsv, parquet or arrow; text formats also as jsonl.gz or csv.zst
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,

    /// Go on with a job that was interrupted: the same noise, and nothing is spent twice
    #[arg(long)]
    pub(crate) resume: bool,

    /// Save what is done after so many seconds: what an interrupted job has to do again at most
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) save_every: u64,

    /// Take the first N rows of each file only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sample: Option<u64>,

    /// A row that cannot be read: stop there, or set it aside in OUTPUT.rejects.jsonl and go on
    #[arg(long, value_name = "WHAT", default_value = "stop")]
    pub(crate) on_error: OnError,
}

/// What becomes of rows that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnError {
    /// Stop with the file, row and field
    Stop,
    /// Set them aside, count them, and go on
    Reject,
}

/// Where spending is recorded.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Accounting (see `inkveil ledger --help`)")]
pub(crate) struct SpendingArgs {
    /// Record in this ledger what is spent, before it is released; the file in INKVEIL_LEDGER if absent
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,

    /// What the data is called in the ledger; the name of the file if absent
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Option<String>,

    /// Whom the texts are about
    #[arg(long, value_name = "NAME", conflicts_with = "subject_column")]
    pub(crate) subject: Option<String>,

    /// The column that says whom a row is about
    #[arg(long, value_name = "NAME")]
    pub(crate) subject_column: Option<ColumnPath>,
}

/// How what was replaced can be put back.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Turning answers back (see `inkveil restore --help`)")]
pub(crate) struct MapArgs {
    /// Keep what was replaced, encrypted, in this file. Private
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,

    /// The key of the map; made if it is not there. Without one, the passphrase in INKVEIL_PASSPHRASE
    #[arg(long, value_name = "FILE", requires = "map")]
    pub(crate) map_key: Option<PathBuf>,
}

fn formats() -> impl TypedValueParser<Value = RecordFormat> {
    PossibleValuesParser::new(RecordFormat::ALL.map(RecordFormat::name)).try_map(|name| name.parse())
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "\\t" | "tab" => Ok(b'\t'),
        text => match text.as_bytes() {
            [byte] if !byte.is_ascii_alphanumeric() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
            _ => Err("write one character such as ; or |, or tab".to_owned()),
        },
    }
}
