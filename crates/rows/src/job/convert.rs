//! Converts rows to another format.

use std::io::{BufReader, Read};
use std::sync::Arc;

use arrow_array::{ArrayRef, LargeStringArray, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::assembly::Assembly;
use super::part::copy;
use super::plain_pairs::PlainPairs;
use crate::columnar::{RowsWriter, guarded, parquet_rows};
use crate::error::{Error, ErrorKind};
use crate::records::{Packer, Packing, RecordFormat};
use inkveil_files::{Input, Sink};

type Batches<'a> = Box<dyn Iterator<Item = Result<RecordBatch, Error>> + 'a>;

/// Writes the rows of a file in another format, or those of a columnar file in the same format.
pub(super) fn convert(
    assembly: &Assembly<'_>,
    to: RecordFormat,
    packing: Packing,
    sink: Sink,
) -> Result<Sink, Error> {
    if to == RecordFormat::Parquet && assembly.file.format == RecordFormat::Parquet {
        return parquet(assembly, sink);
    }
    let (schema, rows): (SchemaRef, Batches<'_>) = match assembly.file.format {
        RecordFormat::Parquet | RecordFormat::Arrow => (assembly.schema()?, Box::new(assembly.batches())),
        from => read(assembly, from)?,
    };
    match to {
        RecordFormat::Parquet => {
            let mut writer = RowsWriter::new(&schema, sink)?;
            for batch in rows {
                writer.write(&batch?)?;
            }
            writer.finish()
        }
        RecordFormat::Arrow => arrow(assembly, &schema, rows, sink),
        RecordFormat::Jsonl | RecordFormat::Csv | RecordFormat::Tsv => {
            text(assembly, to, packing, rows, sink)
        }
        RecordFormat::Text | RecordFormat::Lines | RecordFormat::Document(_) => {
            Err(Error::unsupported("a table as plain text", "write jsonl, csv, tsv, parquet or arrow"))
        }
    }
}

/// Writes a Parquet file with the columns, metadata and row groups of the input.
fn parquet(assembly: &Assembly<'_>, sink: Sink) -> Result<Sink, Error> {
    let like = parquet_rows(Input::path(&assembly.file.input), 1, 1)?;
    let schema = assembly.schema()?;
    let mut writer = RowsWriter::like(like.metadata(), &schema, sink)?;
    for batch in assembly.batches() {
        let batch = batch?;
        let batch = RecordBatch::try_new(Arc::clone(&schema), batch.columns().to_vec())
            .map_err(|_| Error::from(ErrorKind::OutOfOrder))?;
        writer.write(&batch)?;
    }
    writer.finish()
}

/// Reads the rows of a text format as tables.
fn read<'a>(assembly: &'a Assembly<'_>, from: RecordFormat) -> Result<(SchemaRef, Batches<'a>), Error> {
    let unreadable = move || {
        Error::corrupt(from.name(), "the rows do not form a table; keep the format, or correct the rows")
    };
    let whole = move || Chain { assembly, next: 0, now: None };
    match from {
        RecordFormat::Document(_) => {
            Err(Error::unsupported("a document as a table", "write the format of the document, or .txt"))
        }
        RecordFormat::Jsonl => {
            let lines = move || BufReader::new(PlainPairs::new(BufReader::new(whole())));
            let (schema, _) =
                arrow_json::reader::infer_json_schema(lines(), None).map_err(|_| unreadable())?;
            let schema = Arc::new(schema);
            let reader = arrow_json::ReaderBuilder::new(Arc::clone(&schema))
                .build(lines())
                .map_err(|_| unreadable())?;
            Ok((schema, Box::new(reader.map(move |batch| batch.map_err(|_| unreadable())))))
        }
        RecordFormat::Csv | RecordFormat::Tsv => {
            // Values stay texts. "007" may be a number or not.
            let (delimiter, mut names) = assembly.reader()?.separated().ok_or_else(unreadable)?;
            names.extend(assembly.added.iter().cloned());
            let fields: Vec<Field> =
                names.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
            let schema = Arc::new(Schema::new(fields));
            let reader = arrow_csv::ReaderBuilder::new(Arc::clone(&schema))
                .with_delimiter(delimiter)
                .with_header(assembly.settings.options.header)
                .build(whole())
                .map_err(|_| unreadable())?;
            Ok((schema, Box::new(reader.map(move |batch| batch.map_err(|_| unreadable())))))
        }
        _ => {
            let fields =
                [Field::new("line", DataType::UInt64, false), Field::new("text", DataType::LargeUtf8, false)];
            let schema = Arc::new(Schema::new(fields.to_vec()));
            let lines = Lines {
                reader: BufReader::new(whole()),
                schema: Arc::clone(&schema),
                done: 0,
                whole: from == RecordFormat::Text,
            };
            Ok((schema, Box::new(lines)))
        }
    }
}

/// The joined bytes of all parts.
struct Chain<'a> {
    assembly: &'a Assembly<'a>,
    next: usize,
    now: Option<std::fs::File>,
}

impl Read for Chain<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        loop {
            if let Some(file) = &mut self.now {
                match file.read(into)? {
                    0 => self.now = None,
                    count => return Ok(count),
                }
            }
            if self.next == self.assembly.count {
                return Ok(0);
            }
            let opened = self.assembly.open(self.next);
            self.now = Some(opened.map_err(|_| std::io::Error::from(std::io::ErrorKind::NotFound))?);
            self.next += 1;
        }
    }
}

/// Lines as a table.
struct Lines<R> {
    reader: R,
    schema: SchemaRef,
    done: u64,
    whole: bool,
}

impl<R: std::io::BufRead> Iterator for Lines<R> {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut texts: Vec<String> = Vec::new();
        while texts.len() < 4096 {
            let mut line = String::new();
            let read = match self.whole {
                true => self.reader.read_to_string(&mut line),
                false => self.reader.read_line(&mut line),
            };
            match read {
                Ok(0) => break,
                Ok(_) => texts.push(line.trim_end_matches(['\n', '\r']).to_owned()),
                Err(error) => return Some(Err(Error::io("read what is done", &error))),
            }
        }
        if texts.is_empty() {
            return None;
        }
        let first = self.done + 1;
        self.done += texts.len() as u64;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(UInt64Array::from_iter_values(first..=self.done)),
            Arc::new(LargeStringArray::from(texts)),
        ];
        Some(
            RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(|_| ErrorKind::OutOfOrder.into()),
        )
    }
}

fn arrow(
    assembly: &Assembly<'_>,
    schema: &SchemaRef,
    rows: Batches<'_>,
    mut sink: Sink,
) -> Result<Sink, Error> {
    let failed = |error| match error {
        arrow_schema::ArrowError::IoError(_, io) => Error::io("write it", &io),
        _ => Error::unsupported("a column of this type in an Arrow file", "write Parquet instead"),
    };
    let streams = assembly.output.extension().is_some_and(|ending| ending == "arrows");
    guarded(|| -> Result<(), Error> {
        if streams {
            let mut writer = arrow_ipc::writer::StreamWriter::try_new(&mut sink, schema).map_err(failed)?;
            for batch in rows {
                writer.write(&batch?).map_err(failed)?;
            }
            writer.finish().map_err(failed)
        } else {
            let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut sink, schema).map_err(failed)?;
            for batch in rows {
                writer.write(&batch?).map_err(failed)?;
            }
            writer.finish().map_err(failed)
        }
    })?;
    Ok(sink)
}

fn text(
    assembly: &Assembly<'_>,
    to: RecordFormat,
    packing: Packing,
    rows: Batches<'_>,
    mut sink: Sink,
) -> Result<Sink, Error> {
    let failed = |e: std::io::Error| Error::io("write it", &e);
    let refused = |error| match error {
        arrow_schema::ArrowError::IoError(_, io) => Error::io("write it", &io),
        _ => Error::unsupported(format!("a column of this type as {to}"), "write jsonl or parquet"),
    };
    let mut file = tempfile::tempfile_in(assembly.parts).map_err(failed)?;
    let mut packer = Packer::new(file.try_clone().map_err(failed)?, packing).map_err(failed)?;
    guarded(|| {
        if to == RecordFormat::Jsonl {
            let builder = arrow_json::WriterBuilder::new().with_explicit_nulls(true);
            let mut writer = builder.build::<_, arrow_json::writer::LineDelimited>(&mut packer);
            for batch in rows {
                writer.write(&batch?).map_err(refused)?;
            }
            writer.finish().map_err(refused)
        } else {
            let delimiter = if to == RecordFormat::Tsv { b'\t' } else { b',' };
            let mut writer = arrow_csv::WriterBuilder::new().with_delimiter(delimiter).build(&mut packer);
            for batch in rows {
                writer.write(&batch?).map_err(refused)?;
            }
            Ok(())
        }
    })?;
    packer.finish().map_err(failed)?;
    std::io::Seek::rewind(&mut file).map_err(failed)?;
    copy(&mut file, &mut sink)?;
    Ok(sink)
}
