//! The arguments.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

/// Query tables with SQL, and veil, mask or search their texts
///
/// Functions: veil(text, id), veil(text, id, task), mask(text), detect(text), pii_kinds(text), style_risk(text),
/// restore(text), embed(text), veil_vector(vector, id); and in FROM attack('originals', 'released', 'text', 'id'). A query that
/// veils or masks is charged to the ledger once, before its first row, and has a receipt.
/// Without --command, statements are read from the terminal or from standard input.
#[derive(Debug, Parser)]
#[command(
    name = "inkveil-sql",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  Veil a column and write a Parquet file and its receipt:
    inkveil-sql --table mails=mails.parquet -c \"SELECT id, veil(body, id) AS body FROM mails\" \\
      -o veiled.parquet --receipt veiled.receipt.json

  Count what is sensitive:
    inkveil-sql --table mails=mails.csv -c \"SELECT unnest(pii_kinds(body)) AS kind, count(*) FROM mails GROUP BY 1\"

  Veil the vectors of texts:
    inkveil-sql --table mails=mails.parquet --set vector_epsilon=130 \\
      -c \"SELECT id, veil_vector(embed(body), id) AS vector FROM mails\" -o vectors.parquet

  Read and write object storage, with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment:
    inkveil-sql --table mails=s3://lake/mails/ -c \"SELECT id, mask(body) AS body FROM mails\" \\
      -o s3://lake/masked.parquet

  Charge a ledger, with stricter budgets:
    inkveil-sql --table mails=mails.csv --set preset=strict --set ledger=spent.db \\
      -c \"SELECT veil(body, id) FROM mails\" -o veiled.csv

  Report what is sensitive in a folder of tables, write a policy, and read the tables under it:
    inkveil-sql scan lake/ --policy lake.toml
    inkveil-sql new-key noise.key
    inkveil-sql --folder lake/ --policy lake.toml --set key_file=noise.key -c \"SELECT * FROM mails LIMIT 3\""
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) session: SessionArgs,

    #[command(flatten)]
    pub(crate) query: QueryArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Scan(ScanArgs),
    /// Write a fresh key of noise to a file. Queries with the same key give the same bytes for the same rows
    NewKey {
        /// The file to write. Only its owner can read it
        file: PathBuf,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionArgs {
    /// A table: a file (.parquet, .csv, .jsonl, .ndjson, .json), a folder of such files, or a Delta table; on disk or at
    /// s3://BUCKET/KEY. Repeatable
    #[arg(long = "table", value_name = "NAME=PATH")]
    pub(crate) tables: Vec<String>,

    /// A folder of tables, on disk or at s3://BUCKET/KEY. Each file, and each folder with files of one format, is a table
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,

    /// A policy file: what happens to the columns of each table on every read
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,

    /// A setting, such as preset=strict, ledger=FILE, key_file=FILE or tier=rules. Repeatable
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) settings: Vec<String>,

    /// Partitions of a query (default: one for each core)
    #[arg(long, value_name = "N")]
    pub(crate) partitions: Option<usize>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct QueryArgs {
    /// The statements to run. Only the last may be a query
    #[arg(short = 'c', long = "command", value_name = "SQL")]
    pub(crate) sql: Option<String>,

    /// The file to write, or s3://BUCKET/KEY: .parquet, .csv or .jsonl (default: standard output)
    #[arg(short, long, value_name = "FILE", requires = "sql")]
    pub(crate) output: Option<PathBuf>,

    /// The format of standard output (default: table)
    #[arg(long, value_name = "FORMAT", conflicts_with = "output")]
    pub(crate) format: Option<FormatName>,

    /// The file for the receipts of what the query releases, or s3://BUCKET/KEY: JSON, or JSON lines if it veils and masks
    #[arg(long, value_name = "FILE", requires = "sql")]
    pub(crate) receipt: Option<PathBuf>,

    /// Replace existing files
    #[arg(long)]
    pub(crate) force: bool,

    /// Print no progress and no summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FormatName {
    /// A table to read
    Table,
    /// Comma-separated values
    Csv,
    /// JSON lines
    Jsonl,
}

/// Report what is sensitive in the tables of a folder
///
/// The report lists kinds, counts and forms of findings for each column, and suggests a treatment. It holds no values of
/// rows: letters are shown as x and digits as 9.
#[derive(Debug, Parser)]
pub(crate) struct ScanArgs {
    /// The folder, on disk or at s3://BUCKET/KEY. Each file, and each folder with files of one format, is a table
    pub(crate) folder: PathBuf,

    /// Write the suggested policy to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Read at most this number of rows of each table (default: all). Ids may repeat in the other rows
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<usize>,

    /// A setting, such as tier=rules. Repeatable
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) settings: Vec<String>,

    /// Replace an existing policy file
    #[arg(long)]
    pub(crate) force: bool,

    /// Print no progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
