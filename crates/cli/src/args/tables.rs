//! Arguments that several commands share: tables, long jobs, accounting and maps.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use inkveil::documents::DocumentFormat;
use inkveil::privacy::Secret;
use inkveil::release::{Account, Destination, KeyChoice, MapKeyChoice, MapSettings};
use inkveil::rows::{ColumnPath, Columns, Packing, RecordFormat, RecordOptions};

use crate::session;

/// The environment variable with the passphrase of a map.
pub(crate) const PASSPHRASE: &str = "INKVEIL_PASSPHRASE";

/// The heading of options about tables.
pub(super) const TABLES: &str = "Tables (.jsonl, .csv, .tsv, also with .gz or .zst; .parquet, .arrow)";

/// Which columns hold texts, and how files are read.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = TABLES)]
pub(crate) struct TableArgs {
    /// The column of the texts, or several; `all` for every string. Write a nested field with a dot and each
    /// element of a list with []: messages[].content. By default a column called text, review, content … is
    /// used, if no other column holds texts or anything that detection finds. Other columns are copied
    #[arg(long = "column", value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) columns: Vec<ColumnChoice>,

    /// Columns that may be copied unchanged although they may hold texts
    #[arg(long = "copy", value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) copied: Vec<ColumnPath>,

    /// The column that holds the id of a row
    #[arg(long, value_name = "NAME")]
    pub(crate) id_column: Option<ColumnPath>,

    /// The format of the files, if their names do not tell
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub(crate) from: Option<RecordFormat>,

    /// The encoding of text files, for example windows-1252. Default: UTF-8. Output is always UTF-8
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,

    /// The separator of .csv files. Recognised by default
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub(crate) delimiter: Option<u8>,

    /// Also read symbolic links in folders. A link that you name is always read
    #[arg(long)]
    pub(crate) follow_links: bool,

    /// The .csv and .tsv files have no header row. Columns are then called 1, 2 …
    #[arg(long)]
    pub(crate) no_header: bool,
}

impl TableArgs {
    /// Whether columns are named.
    pub(crate) fn names_columns(&self) -> bool {
        !self.columns.is_empty() || !self.copied.is_empty()
    }

    /// How rows are read.
    pub(crate) fn options(&self) -> RecordOptions {
        RecordOptions {
            columns: Columns {
                texts: self.columns.iter().filter_map(ColumnChoice::path).cloned().collect(),
                all: self.columns.contains(&ColumnChoice::All),
                copied: self.copied.clone(),
                id: self.id_column.clone(),
                ..Columns::default()
            },
            encoding: self.encoding.clone(),
            delimiter: self.delimiter,
            header: !self.no_header,
            ..RecordOptions::default()
        }
    }
}

/// What `--column` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ColumnChoice {
    /// Every string of a row. A column that is called `all` is written in quotes.
    All,
    /// A column, or a field in it.
    Path(ColumnPath),
}

impl ColumnChoice {
    pub(crate) fn path(&self) -> Option<&ColumnPath> {
        match self {
            Self::All => None,
            Self::Path(path) => Some(path),
        }
    }
}

impl std::str::FromStr for ColumnChoice {
    type Err = inkveil::rows::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "all" => Ok(Self::All),
            text => text.parse().map(Self::Path),
        }
    }
}

/// How long jobs run.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Long jobs")]
pub(crate) struct JobArgs {
    /// Write another format: jsonl, csv, tsv, parquet or arrow; text formats also as jsonl.gz or csv.zst
    #[arg(long, value_name = "FORMAT", value_parser = output_format)]
    pub(crate) to: Option<(RecordFormat, Packing)>,

    /// Resume an interrupted job. It draws the same noise, and nothing is charged twice
    #[arg(long)]
    pub(crate) resume: bool,

    /// Save finished work every N seconds. An interrupted job loses at most this much
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub(crate) save_every: u64,

    /// Use only the first N rows of each file
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sample: Option<u64>,

    /// What to do with a row that cannot be read
    #[arg(long, value_name = "ACTION", default_value = "stop")]
    pub(crate) on_error: OnError,
}

impl JobArgs {
    /// Applies these arguments to a destination.
    pub(crate) fn apply<'a>(&self, destination: Destination<'a>, force: bool) -> Destination<'a> {
        let reject = self.on_error == OnError::Reject;
        Destination {
            format: self.to,
            options: RecordOptions { reject, ..destination.options },
            overwrite: force,
            resume: self.resume,
            sample: self.sample,
            save_every: Duration::from_secs(self.save_every),
            ..destination
        }
    }
}

/// What to do with a row that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnError {
    /// Stop, and name the file, the row and the field
    Stop,
    /// Write the row to OUTPUT.rejects.jsonl, count it, and continue
    Reject,
}

/// Where spending is recorded.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Accounting (see `inkveil ledger --help`)")]
pub(crate) struct AccountArgs {
    /// Charge this ledger before anything is released. Default: the file named by INKVEIL_LEDGER
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,

    /// The name of the data in the ledger. Default: the name of the file
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Option<String>,

    /// The person or thing that the data is about
    #[arg(long, value_name = "NAME", conflicts_with = "subject_column")]
    pub(crate) subject: Option<String>,

    /// The column that names the subject of each row
    #[arg(long, value_name = "NAME")]
    pub(crate) subject_column: Option<ColumnPath>,
}

impl AccountArgs {
    /// The account to charge.
    pub(crate) fn account(&self) -> anyhow::Result<Account> {
        let mut account = match &self.ledger {
            Some(path) => Account::new(path),
            None => Account::from_environment(),
        };
        ensure!(
            account.is_kept()
                || (self.dataset.is_none() && self.subject.is_none() && self.subject_column.is_none()),
            "--dataset, --subject and --subject-column are recorded in a ledger; name one with --ledger"
        );
        if let Some(dataset) = &self.dataset {
            account = account.dataset(dataset);
        }
        if let Some(subject) = &self.subject {
            account = account.subject(subject);
        }
        Ok(account)
    }
}

/// How replacements can be restored.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Restoring answers (see `inkveil restore --help`)")]
pub(crate) struct MapArgs {
    /// Keep replacements and originals, encrypted, in this file. Private
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,

    /// The key file of the map. It is created if it does not exist. Default: the passphrase in
    /// INKVEIL_PASSPHRASE
    #[arg(long, value_name = "FILE", requires = "map")]
    pub(crate) map_key: Option<PathBuf>,

    /// Continue this conversation, or begin it: all its texts share one encrypted map, and a person keeps
    /// the same name. Restore answers with `inkveil restore --session NAME`
    #[arg(long, value_name = "NAME", conflicts_with = "map")]
    pub(crate) session: Option<String>,
}

impl MapArgs {
    /// Whether replacements are kept.
    pub(crate) fn keeps(&self) -> bool {
        self.map.is_some() || self.session.is_some()
    }

    /// The map to keep, if one or a session is named.
    pub(crate) fn settings(&self) -> anyhow::Result<Option<MapSettings>> {
        if let Some(name) = &self.session {
            return session::settings(name).map(Some);
        }
        let Some(path) = self.map.clone() else { return Ok(None) };
        let key = match &self.map_key {
            Some(file) => MapKeyChoice::File(file.clone()),
            None => {
                let passphrase = std::env::var(PASSPHRASE).ok().filter(|passphrase| !passphrase.is_empty());
                let passphrase = passphrase.with_context(|| {
                    format!("a map needs a key; name a key file with --map-key, or set {PASSPHRASE}")
                })?;
                MapKeyChoice::Passphrase(Secret::new(passphrase))
            }
        };
        Ok(Some(MapSettings { path, key }))
    }
}

/// The source of noise. A fixed seed is announced, because it protects nothing.
pub(crate) fn key_choice(insecure_seed: Option<u64>) -> KeyChoice {
    let Some(seed) = insecure_seed else { return KeyChoice::Fresh };
    tell!(yellow, "warning:", "noise from a fixed seed protects nothing; use it for tests only");
    KeyChoice::InsecureSeed(seed)
}

fn formats() -> impl TypedValueParser<Value = RecordFormat> {
    let tables = RecordFormat::ALL.map(|format| PossibleValue::new(format.name()));
    // Documents are known by their names. The list would be long.
    let documents = DocumentFormat::ALL.map(|format| PossibleValue::new(format.name()).hide(true));
    PossibleValuesParser::new(tables.into_iter().chain(documents)).try_map(|name| name.parse())
}

fn output_format(name: &str) -> Result<(RecordFormat, Packing), anyhow::Error> {
    RecordFormat::of(Path::new(&format!("x.{name}")))
        .filter(|(format, _)| format.is_table())
        .ok_or_else(|| anyhow!("choose jsonl, csv, tsv (also with .gz or .zst), parquet or arrow"))
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
