//! Rows of a query in a file or on standard output.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv::{Writer as CsvWriter, WriterBuilder};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::json::writer::LineDelimited;
use datafusion::arrow::json::{Writer as JsonWriter, WriterBuilder as JsonBuilder};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::parquet::arrow::ArrowWriter;
use inkveil::files::{Finished, Output, Sink};

use crate::error::{Error, refused};

/// The bytes of a part of a Parquet file. They are kept in memory until the part is complete.
const ROW_GROUP: usize = 64 << 20;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// A table to read.
    Table,
    /// Comma-separated values with a header.
    Csv,
    /// A JSON object to a line.
    JsonLines,
    /// A Parquet file.
    Parquet,
}

impl OutputFormat {
    /// The format of a file by its name.
    ///
    /// # Errors
    /// If its ending stands for none.
    pub fn of(path: &Path) -> Result<Self, Error> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => Ok(Self::Csv),
            Some("jsonl" | "ndjson") => Ok(Self::JsonLines),
            Some("parquet") => Ok(Self::Parquet),
            _ => Err(refused("the name of the output ends in .parquet, .csv or .jsonl")),
        }
    }

    /// Checks that the format can hold these columns.
    ///
    /// # Errors
    /// If it cannot.
    pub fn check(self, schema: &SchemaRef) -> Result<(), Error> {
        match self {
            Self::Csv if schema.fields().iter().any(|field| field.data_type().is_nested()) => {
                Err(refused("CSV cannot hold a column of lists; write .jsonl or .parquet"))
            }
            Self::Parquet => match ArrowWriter::try_new(Vec::<u8>::new(), schema.clone(), None) {
                Ok(_) => Ok(()),
                Err(_) => Err(refused("Parquet cannot hold these columns")),
            },
            Self::Table | Self::Csv | Self::JsonLines => Ok(()),
        }
    }
}

/// Rows on their way to an output.
pub struct RowOutput {
    writer: Writer,
    rows: u64,
    failure: Failure,
}

enum Writer {
    /// All rows are needed to know how wide columns are.
    Table(Box<Watched>, SchemaRef, Vec<RecordBatch>),
    Csv(Box<CsvWriter<Watched>>),
    JsonLines(Box<JsonWriter<Watched, LineDelimited>>),
    Parquet(Box<ArrowWriter<Watched>>),
}

impl RowOutput {
    /// Starts to write rows with these columns.
    ///
    /// # Errors
    /// If the format cannot hold a column.
    pub fn start(output: Output, format: OutputFormat, schema: &SchemaRef) -> Result<Self, Error> {
        format.check(schema)?;
        let failure = Failure::default();
        let sink = Watched { sink: output.stream(), failure: failure.clone() };
        let writer = match format {
            OutputFormat::Csv => {
                let mut writer = WriterBuilder::new().build(sink);
                // The header is written even if no row follows.
                writer.write(&RecordBatch::new_empty(schema.clone())).map_err(|_| failed(&failure))?;
                Writer::Csv(Box::new(writer))
            }
            OutputFormat::Table => Writer::Table(Box::new(sink), schema.clone(), Vec::new()),
            OutputFormat::JsonLines => {
                Writer::JsonLines(Box::new(JsonBuilder::new().with_explicit_nulls(true).build(sink)))
            }
            OutputFormat::Parquet => Writer::Parquet(Box::new(
                ArrowWriter::try_new(sink, schema.clone(), None).map_err(|_| failed(&failure))?,
            )),
        };
        Ok(Self { writer, rows: 0, failure })
    }

    /// Writes rows.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&mut self, batch: RecordBatch) -> Result<(), Error> {
        self.rows += batch.num_rows() as u64;
        let written = match &mut self.writer {
            Writer::Table(_, _, batches) => {
                batches.push(batch);
                true
            }
            Writer::Csv(writer) => writer.write(&batch).is_ok(),
            Writer::JsonLines(writer) => writer.write(&batch).is_ok(),
            Writer::Parquet(writer) => writer
                .write(&batch)
                .and_then(|()| match writer.in_progress_size() >= ROW_GROUP {
                    true => writer.flush(),
                    false => Ok(()),
                })
                .is_ok(),
        };
        match written {
            true => Ok(()),
            false => Err(failed(&self.failure)),
        }
    }

    /// Ends the output. A file gets its name when the result is committed.
    ///
    /// # Errors
    /// If the rest cannot be written.
    pub fn finish(self) -> Result<Finished, Error> {
        let failed = || failed(&self.failure);
        let sink = match self.writer {
            Writer::Table(mut sink, schema, batches) => {
                let empty = [RecordBatch::new_empty(schema)];
                let table = pretty_format_batches(if batches.is_empty() { &empty } else { &batches });
                let table = visible(&table.map_err(|_| failed())?.to_string());
                writeln!(sink, "{table}").map_err(|_| failed())?;
                *sink
            }
            Writer::Csv(writer) => writer.into_inner(),
            Writer::JsonLines(mut writer) => {
                writer.finish().map_err(|_| failed())?;
                writer.into_inner()
            }
            Writer::Parquet(writer) => writer.into_inner().map_err(|_| failed())?,
        };
        Ok(sink.sink.finish(self.rows))
    }
}

/// Why the sink failed. The writers of rows keep it in words only, beside values of the row.
type Failure = Arc<OnceLock<std::io::ErrorKind>>;

/// A sink that keeps the reason why it failed.
struct Watched {
    sink: Sink,
    failure: Failure,
}

impl Watched {
    fn kept<T>(&self, result: std::io::Result<T>) -> std::io::Result<T> {
        result.inspect_err(|error| {
            // The first reason counts.
            let _ = self.failure.set(error.kind());
        })
    }
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.sink.write(bytes);
        self.kept(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let flushed = self.sink.flush();
        self.kept(flushed)
    }
}

impl std::fmt::Debug for RowOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RowOutput({} rows)", self.rows)
    }
}

/// Replaces characters that would control a terminal or reverse the direction of a line.
fn visible(table: &str) -> String {
    let is_hidden = |letter: char| {
        letter.is_control() && letter != '\n'
            || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    table.chars().map(|letter| if is_hidden(letter) { '\u{fffd}' } else { letter }).collect()
}

/// The writer's message may quote a row, so only the reason of the system is kept.
fn failed(failure: &Failure) -> Error {
    Error::Output(failure.get().map(|kind| std::io::Error::from(*kind)))
}
