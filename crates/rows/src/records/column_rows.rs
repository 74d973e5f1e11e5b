//! Rows of columnar formats. Texts are found in Arrow columns.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, LargeStringArray, RecordBatch};
use arrow_schema::{DataType, Field, SchemaRef};

use super::batch::{Records, Rest};
use super::column_rest::ColumnRest;
use super::columns::{ColumnUse, Columns, CopiedValue};
use super::format::RecordFormat;
use super::nested::{self, Found};
use super::options::RecordOptions;
use super::path::ColumnPath;
use super::split::Limits;
use super::table::TextsBuilder;
use crate::columnar::{IpcSource, ParquetSource, guarded, parquet_rows};
use crate::error::{Error, ErrorKind};
use inkveil_files::{Input, InputSource, Sha256Sum, is_pipe};

/// The bytes of the file, which are read again for a checksum.
enum RawBytes {
    File(PathBuf),
    Memory(Vec<u8>),
    Pipe,
}

pub(crate) struct ColumnReader {
    raw: RawBytes,
    source: Batches,
    schema: SchemaRef,
    texts: Vec<(usize, ColumnPath)>,
    beside: [Option<usize>; 3],
    /// Strings that are copied in columns that no one has named.
    unnamed: Vec<(usize, ColumnPath)>,
    column_use: ColumnUse,
    options: RecordOptions,
    limits: Limits,
    /// Rows that were read and not returned yet.
    waiting: Option<RecordBatch>,
    done: u64,
    count: u64,
    /// The number of rows that may still be returned.
    left: u64,
    fingerprint: Option<String>,
}

enum Batches {
    Parquet(Box<ParquetSource>),
    Arrow(Box<IpcSource>),
}

impl ColumnReader {
    pub(crate) fn open(input: Input, format: RecordFormat, options: &RecordOptions) -> Result<Self, Error> {
        let raw = match input.source() {
            // A pipe cannot be read again.
            InputSource::Path(path) if is_pipe(path) => RawBytes::Pipe,
            InputSource::Path(path) => RawBytes::File(path.clone()),
            InputSource::Bytes(bytes) => RawBytes::Memory(bytes.clone()),
            InputSource::Stdin => RawBytes::Pipe,
        };
        let (source, schema) = match format {
            RecordFormat::Parquet => {
                let parquet = parquet_rows(input, options.batch_rows, options.batch_bytes)?;
                let schema = parquet.schema();
                (Batches::Parquet(Box::new(parquet)), schema)
            }
            _ => {
                let arrow = IpcSource::open(input)?;
                let schema = arrow.schema();
                (Batches::Arrow(Box::new(arrow)), schema)
            }
        };
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        Columns::check_names(&names)?;
        let columns = &options.columns;
        let place_of = |path: &ColumnPath| {
            schema.index_of(path.first()).map_err(|_| {
                Error::from(ErrorKind::MissingField { present: names.clone() })
                    .in_field(Some(&path.to_string()))
            })
        };
        let mut paths = columns.texts.clone();
        if columns.are_chosen() {
            let strings: Vec<String> = schema
                .fields()
                .iter()
                .filter(|field| nested::check(&ColumnPath::column(field.name()), field.data_type()).is_ok())
                .map(|field| field.name().clone())
                .collect();
            paths.push(columns.usual(&strings)?);
        }
        for path in &columns.copied {
            place_of(path)?;
        }
        // Every string that no one has named: a text if all of them are, and else a value that is copied unchecked.
        let mut strings: Vec<(usize, ColumnPath)> = Vec::new();
        for (index, field) in schema.fields().iter().enumerate() {
            let is_named =
                columns.copies(field.name()) || paths.iter().any(|path| path.first() == field.name());
            if (columns.all || columns.are_chosen()) && !is_named {
                let found = nested::string_paths(&ColumnPath::column(field.name()), field.data_type())
                    .map_err(|error| error.in_field(Some(field.name())))?;
                strings.extend(found.into_iter().map(|path| (index, path)));
            }
        }
        let mut unnamed = Vec::new();
        match columns.all {
            true => paths = strings.into_iter().map(|(_, path)| path).collect(),
            false => unnamed = strings,
        }
        let mut texts: Vec<(usize, ColumnPath)> = Vec::new();
        for path in paths {
            let index = place_of(&path)?;
            nested::check(&path, schema.field(index).data_type())
                .map_err(|error| error.in_field(Some(&path.to_string())))?;
            if !texts.iter().any(|(_, known)| *known == path) {
                texts.push((index, path));
            }
        }
        let mut column_use = ColumnUse {
            texts: texts.iter().map(|(_, path)| path.to_string()).collect(),
            chosen: columns.are_chosen(),
            all: columns.all,
            ..ColumnUse::default()
        };
        let is_veiled = |name: &String| {
            texts.iter().any(|(_, path)| path.first() == *name && (path.is_whole() || columns.all))
        };
        column_use.copies(names.iter().filter(|name| !is_veiled(name)));
        let mut beside = [None; 3];
        for (index, path) in beside.iter_mut().zip(columns.beside()) {
            *index = path.map(&place_of).transpose()?;
        }
        Ok(Self {
            raw,
            source,
            schema,
            texts,
            beside,
            unnamed,
            column_use,
            options: options.clone(),
            limits: options.limits(),
            waiting: None,
            done: 0,
            count: 0,
            left: u64::MAX,
            fingerprint: None,
        })
    }

    pub(crate) fn signature(&self) -> Vec<String> {
        let words = |field: &Arc<Field>| format!("{}: {}", field.name(), field.data_type());
        self.schema.fields().iter().map(words).collect()
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    pub(crate) fn take(&mut self, rows: u64) {
        self.left = rows;
    }

    pub(crate) fn bytes_total(&self) -> Option<u64> {
        match &self.source {
            Batches::Parquet(source) => Some(source.bytes_total()),
            Batches::Arrow(source) => source.bytes_total(),
        }
    }

    pub(crate) fn rows_total(&self) -> Option<u64> {
        match &self.source {
            Batches::Parquet(source) => Some(source.rows()),
            Batches::Arrow(_) => None,
        }
    }

    /// The checksum is that of the whole file, because the values of a row can be anywhere in a columnar file.
    pub(crate) fn fingerprint(&mut self) -> Result<String, Error> {
        if let Some(known) = &self.fingerprint {
            return Ok(known.clone());
        }
        let sum = match &self.raw {
            RawBytes::Memory(bytes) => Sha256Sum::of(bytes),
            RawBytes::Pipe => Sha256Sum::of(&[]),
            RawBytes::File(path) => Sha256Sum::of_file(path)?,
        };
        Ok(self.fingerprint.insert(sum.to_string()).clone())
    }

    pub(crate) fn skip(&mut self, rows: u64, texts: u64) -> Result<(), Error> {
        let mut left = rows;
        if let Batches::Parquet(source) = &mut self.source {
            source.skip(rows)?;
            left = 0;
        }
        while left > 0 {
            let batch = self.batch()?.ok_or(ErrorKind::Truncated)?;
            let take = usize::try_from(left).unwrap_or(usize::MAX).min(batch.num_rows());
            if take < batch.num_rows() {
                self.waiting = Some(batch.slice(take, batch.num_rows() - take));
            }
            left -= take as u64;
        }
        (self.done, self.count) = (rows, texts);
        Ok(())
    }

    pub(crate) fn next(&mut self) -> Result<Option<Records>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        let Some(mut batch) = self.batch()? else { return Ok(None) };
        let fits = self.limits.bytes / (batch.get_array_memory_size() / batch.num_rows().max(1)).max(1);
        let most = fits.clamp(1, self.limits.rows).min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if batch.num_rows() > most {
            self.waiting = Some(batch.slice(most, batch.num_rows() - most));
            batch = batch.slice(0, most);
        }
        let records = guarded(|| self.records(batch)).map_err(|error| match error.row() {
            Some(_) => error,
            None => error.in_row(self.done),
        })?;
        self.done += records.rows;
        self.left -= records.rows;
        self.count += records.texts.len() as u64;
        Ok(Some(records))
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>, Error> {
        if let Some(batch) = self.waiting.take() {
            return Ok(Some(batch));
        }
        loop {
            let batch = match &mut self.source {
                Batches::Parquet(source) => source.next()?,
                Batches::Arrow(source) => source.next()?,
            };
            match batch {
                Some(batch) if batch.num_rows() == 0 => {}
                other => return Ok(other),
            }
        }
    }

    fn records(&mut self, batch: RecordBatch) -> Result<Records, Error> {
        // A text is identified by its row, its path, and its number among the texts of that path.
        let mut found: Vec<(usize, usize, usize, String)> = Vec::new();
        for (which, (index, path)) in self.texts.iter().enumerate() {
            let mut texts: Vec<Found> = Vec::new();
            nested::collect(batch.column(*index), &path.steps, &mut texts)?;
            found.extend(texts.into_iter().enumerate().map(|(at, text)| (text.row, which, at, text.text)));
        }
        found.sort_by_key(|(row, which, at, _)| (*row, *which, *at));
        let mut beside: [Option<LargeStringArray>; 3] = [const { None }; 3];
        for (column, index) in beside.iter_mut().zip(self.beside) {
            *column = index.map(|index| words(batch.column(index))).transpose()?;
        }
        let mut table = TextsBuilder::default();
        table.columns.clone_from(&self.column_use);
        for (index, path) in &self.unnamed {
            let mut values: Vec<Found> = Vec::new();
            nested::collect(batch.column(*index), &path.steps, &mut values)?;
            let column = self.schema.field(*index).name();
            let copied = |found: Found| CopiedValue { column: column.clone(), value: found.text };
            table.copied.extend(values.into_iter().map(copied));
        }
        let mut places = vec![Vec::new(); self.texts.len()];
        for (position, (row, which, _, text)) in found.iter().enumerate() {
            let number = self.done + *row as u64;
            let parts = self.options.parts_of(text).map_err(|error| error.in_row(number))?;
            let value = |column: &Option<LargeStringArray>| {
                column
                    .as_ref()
                    .filter(|column| column.is_valid(*row))
                    .map(|column| column.value(*row).to_owned())
            };
            let values = beside.each_ref().map(value);
            table.push_parts(number, &parts, values.each_ref().map(Option::as_deref));
            places[*which].push(position);
        }
        let rest = ColumnRest { first_row: self.done, columns: self.texts.clone(), places, batch };
        Ok(Records {
            first_row: self.done,
            rows: rest.batch.num_rows() as u64,
            first_text: self.count,
            texts: table.finish(),
            rejects: Vec::new(),
            bytes_read: self.bytes_read(),
            fingerprint: self.fingerprint()?,
            rest: Rest::Columns(rest),
        })
    }

    fn bytes_read(&self) -> u64 {
        match &self.source {
            Batches::Parquet(source) => source.bytes_read(),
            Batches::Arrow(source) => source.bytes_read(),
        }
    }
}

/// Converts values of any simple type to text.
fn words(column: &ArrayRef) -> Result<LargeStringArray, Error> {
    let cast = arrow_cast::cast(column, &DataType::LargeUtf8).map_err(|_| Error::from(ErrorKind::NotText))?;
    cast.as_any().downcast_ref().cloned().ok_or_else(|| ErrorKind::NotText.into())
}
