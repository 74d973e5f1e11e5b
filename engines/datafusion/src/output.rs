//! Rows of a query in a file or on standard output.

use std::io::Write as _;
use std::path::Path;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv::{Writer as CsvWriter, WriterBuilder};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::json::writer::LineDelimited;
use datafusion::arrow::json::{Writer as JsonWriter, WriterBuilder as JsonBuilder};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::parquet::arrow::ArrowWriter;
use inkveil::files::{Finished, Output, Sink};

use crate::error::{Error, refused};

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
}

/// Rows on their way to an output.
pub struct RowOutput {
    writer: Writer,
    rows: u64,
}

enum Writer {
    /// All rows are needed to know how wide columns are.
    Table(Box<Sink>, SchemaRef, Vec<RecordBatch>),
    Csv(Box<CsvWriter<Sink>>),
    JsonLines(Box<JsonWriter<Sink, LineDelimited>>),
    Parquet(Box<ArrowWriter<Sink>>),
}

impl RowOutput {
    /// Starts to write rows with these columns.
    ///
    /// # Errors
    /// If the format cannot hold a column.
    pub fn start(output: Output, format: OutputFormat, schema: &SchemaRef) -> Result<Self, Error> {
        let sink = output.stream();
        let nested = schema.fields().iter().find(|field| field.data_type().is_nested());
        let writer = match (format, nested) {
            (OutputFormat::Csv, Some(_)) => {
                return Err(refused("CSV cannot hold a column of lists; write .jsonl or .parquet"));
            }
            (OutputFormat::Csv, None) => {
                let mut writer = WriterBuilder::new().build(sink);
                // The header is written even if no row follows.
                writer.write(&RecordBatch::new_empty(schema.clone())).map_err(|_| failed())?;
                Writer::Csv(Box::new(writer))
            }
            (OutputFormat::Table, _) => Writer::Table(Box::new(sink), schema.clone(), Vec::new()),
            (OutputFormat::JsonLines, _) => {
                Writer::JsonLines(Box::new(JsonBuilder::new().with_explicit_nulls(true).build(sink)))
            }
            (OutputFormat::Parquet, _) => Writer::Parquet(Box::new(
                ArrowWriter::try_new(sink, schema.clone(), None)
                    .map_err(|_| refused("Parquet cannot hold these columns"))?,
            )),
        };
        Ok(Self { writer, rows: 0 })
    }

    /// Writes rows.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&mut self, batch: RecordBatch) -> Result<(), Error> {
        self.rows += batch.num_rows() as u64;
        match &mut self.writer {
            Writer::Table(_, _, batches) => batches.push(batch),
            Writer::Csv(writer) => writer.write(&batch).map_err(|_| failed())?,
            Writer::JsonLines(writer) => writer.write(&batch).map_err(|_| failed())?,
            Writer::Parquet(writer) => writer.write(&batch).map_err(|_| failed())?,
        }
        Ok(())
    }

    /// Ends the output. A file gets its name when the result is committed.
    ///
    /// # Errors
    /// If the rest cannot be written.
    pub fn finish(self) -> Result<Finished, Error> {
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
        Ok(sink.finish(self.rows))
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

/// The writer's message may quote a row.
fn failed() -> Error {
    refused("the rows cannot be written: the disk may be full, or the reader of the output has closed it")
}
