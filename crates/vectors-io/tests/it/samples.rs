//! Files to test with, made here rather than stored.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use arrow_array::builder::{FixedSizeListBuilder, LargeListBuilder, ListBuilder, PrimitiveBuilder};
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use inkveil_files::{Input, Output};
use inkveil_privacy::{Grid, GridRows};
use inkveil_vectors_io::{
    Error, ErrorKind, ReadOptions, VectorBatch, VectorFormat, VectorReader, VectorWriter, transform,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

pub(crate) fn open(bytes: &[u8], format: VectorFormat) -> Result<VectorReader, Error> {
    open_with(bytes, format, None, 3)
}

pub(crate) fn open_with(
    bytes: &[u8],
    format: VectorFormat,
    column: Option<&str>,
    batch_rows: usize,
) -> Result<VectorReader, Error> {
    let options = ReadOptions { column: column.map(str::to_owned), batch_rows };
    VectorReader::open(Input::from_bytes(bytes.to_vec()), format, &options)
}

/// All vectors of a file, or what was wrong with it.
pub(crate) fn values(bytes: &[u8], format: VectorFormat) -> Result<Vec<f64>, Error> {
    let mut reader = open(bytes, format)?;
    let mut values = Vec::new();
    while let Some(batch) = reader.next_batch()? {
        assert_eq!(batch.values().len(), batch.rows() * batch.dim());
        values.extend_from_slice(batch.values());
    }
    Ok(values)
}

/// A writer whose bytes can be looked at afterwards.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Sends a file through the pipeline.
pub(crate) fn change(
    reader: VectorReader,
    f: impl FnMut(&mut VectorBatch) -> Result<(), Error>,
) -> Result<Vec<u8>, Error> {
    let shared = Shared::default();
    let writer = VectorWriter::like(&reader, Output::writer(Box::new(shared.clone())))?;
    let finished = transform(reader, writer, &AtomicBool::new(false), |_| {}, f)?;
    assert_eq!(finished.bytes(), shared.bytes().len() as u64);
    finished.commit()?;
    Ok(shared.bytes())
}

pub(crate) fn keep(_: &mut VectorBatch) -> Result<(), Error> {
    Ok(())
}

pub(crate) fn double(batch: &mut VectorBatch) -> Result<(), Error> {
    let dim = batch.dim();
    batch.release(|values| {
        let doubled = GridRows::without_noise(values, dim)
            .and_then(|rows| rows.then(Grid::WITHOUT_NOISE, |row| row.iter_mut().for_each(|x| *x *= 2.0)));
        doubled.map_err(|_| Error::from(ErrorKind::OutOfOrder))
    })
}

pub(crate) fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (text.len() + 11) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

/// A safetensors file of the given header and data.
pub(crate) fn tensors(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

pub(crate) fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lists {
    Fixed,
    List,
    Large,
}

pub(crate) type Rows<T> = Vec<Option<Vec<Option<T>>>>;

pub(crate) fn f32_lists(lists: Lists, dim: i32, rows: &Rows<f32>) -> ArrayRef {
    list_array::<Float32Type>(lists, dim, rows)
}

pub(crate) fn f64_lists(lists: Lists, dim: i32, rows: &Rows<f64>) -> ArrayRef {
    list_array::<Float64Type>(lists, dim, rows)
}

fn list_array<T: ArrowPrimitiveType>(lists: Lists, dim: i32, rows: &Rows<T::Native>) -> ArrayRef {
    let items = PrimitiveBuilder::<T>::new();
    macro_rules! fill {
        ($builder:expr, $pad:expr) => {{
            let mut builder = $builder;
            for row in rows {
                let padding = vec![None; $pad];
                row.as_ref()
                    .unwrap_or(&padding)
                    .iter()
                    .for_each(|value| builder.values().append_option(*value));
                builder.append(row.is_some());
            }
            Arc::new(builder.finish()) as ArrayRef
        }};
    }
    match lists {
        Lists::Fixed => fill!(FixedSizeListBuilder::new(items, dim), dim as usize),
        Lists::List => fill!(ListBuilder::new(items), 0),
        Lists::Large => fill!(LargeListBuilder::new(items), 0),
    }
}

/// A Parquet file with ids, texts and the vectors given, in row groups of two rows.
pub(crate) fn parquet(vectors: &ArrayRef) -> Vec<u8> {
    let rows = vectors.len();
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
    let texts: ArrayRef = Arc::new(StringArray::from_iter(
        (0..rows).map(|i| (i % 3 != 1).then(|| format!("text {i} 987.654"))),
    ));
    let field = Field::new("embedding", vectors.data_type().clone(), true)
        .with_metadata([("model".to_owned(), "m-1".to_owned())].into());
    let schema = Arc::new(Schema::new_with_metadata(
        vec![
            Field::new("id", DataType::Int64, false),
            Arc::new(field).as_ref().clone(),
            Field::new("text", DataType::Utf8, true),
        ],
        [("origin".to_owned(), "test".to_owned())].into(),
    ));
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(2))
        .set_key_value_metadata(Some(vec![KeyValue::new("owner".to_owned(), "me".to_owned())]))
        .set_column_compression(ColumnPath::from("id"), Compression::ZSTD(ZstdLevel::default()))
        .set_column_compression(ColumnPath::from("text"), Compression::SNAPPY)
        .build();
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![ids, Arc::clone(vectors), texts]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

pub(crate) fn some<T: Copy>(rows: &[&[T]]) -> Rows<T> {
    rows.iter().map(|row| Some(row.iter().copied().map(Some).collect())).collect()
}

/// One well-formed file of each format, with vectors of two numbers in five rows.
pub(crate) fn one_of_each() -> Vec<(VectorFormat, Vec<u8>)> {
    let numbers = [0.5f32, 1.5, -2.0, 3.25, 987.654, 5.0, 0.0, -7.0, 8.0, 9.0];
    let rows: Vec<&[f32]> = numbers.chunks(2).collect();
    let lines: String = rows
        .iter()
        .map(|row| format!("{{\"id\":\"x\",\"embedding\":[{:?},{:?}]}}\n", row[0], row[1]))
        .collect();
    let header = "{\"a\":{\"dtype\":\"I8\",\"shape\":[3],\"data_offsets\":[0,3]},\
                   \"v\":{\"dtype\":\"F32\",\"shape\":[5,2],\"data_offsets\":[3,43]},\
                   \"z\":{\"dtype\":\"I8\",\"shape\":[2],\"data_offsets\":[43,45]}}";
    let data = [&[1, 2, 3][..], &f32s(&numbers), &[4, 5]].concat();
    vec![
        (VectorFormat::Jsonl, lines.into_bytes()),
        (VectorFormat::Npy, npy("<f4", "(5, 2)", &f32s(&numbers))),
        (VectorFormat::Safetensors, tensors(header, &data)),
        (VectorFormat::Parquet, parquet(&f32_lists(Lists::List, 2, &some(&rows)))),
    ]
}
