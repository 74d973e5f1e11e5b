//! Reads vectors in any format, one batch at a time.

use std::fmt;
use std::path::PathBuf;

use crate::batch::VectorBatch;
use crate::columnar::ColumnarReader;
use crate::error::Error;
use crate::format::VectorFormat;
use crate::jsonl::JsonlReader;
use crate::npy::NpyReader;
use crate::options::ReadOptions;
use crate::tensors::TensorsReader;
use inkveil_files::{ByteStream, Input};

/// Reads vectors, one batch at a time, in memory that does not grow with the file.
///
/// ```
/// use inkveil_files::Input;
/// use inkveil_vectors_io::{ReadOptions, VectorFormat, VectorReader};
///
/// let lines = b"{\"id\": 1, \"vector\": [1, 2]}\n{\"id\": 2, \"vector\": [3, 4]}\n";
/// let input = Input::from_bytes(lines.to_vec());
/// let mut reader = VectorReader::open(input, VectorFormat::Jsonl, &ReadOptions::default())?;
/// assert_eq!((reader.dim(), reader.column()), (2, Some("vector")));
/// let mut sum = 0.0;
/// while let Some(batch) = reader.next_batch()? {
///     sum += batch.values().iter().sum::<f64>();
/// }
/// assert_eq!(sum, 10.0);
/// # Ok::<(), inkveil_vectors_io::Error>(())
/// ```
pub struct VectorReader {
    name: String,
    path: Option<PathBuf>,
    pub(crate) kind: FormatReader,
    /// The first error. It is returned by all later calls.
    failed: Option<Error>,
}

pub(crate) enum FormatReader {
    Jsonl(JsonlReader),
    Npy(NpyReader),
    Tensors(TensorsReader),
    Columnar(Box<ColumnarReader>),
}

impl VectorReader {
    /// Opens an input and reads up to its first vector.
    pub fn open(input: Input, format: VectorFormat, options: &ReadOptions) -> Result<Self, Error> {
        Self::open_with(input, format, options, false)
    }

    /// With `one_row`, an npy array with one axis is one vector.
    pub(crate) fn open_with(
        input: Input,
        format: VectorFormat,
        options: &ReadOptions,
        one_row: bool,
    ) -> Result<Self, Error> {
        let (name, path) = (input.name(), input.canonical());
        let open = || {
            Ok(match format {
                VectorFormat::Jsonl => {
                    FormatReader::Jsonl(JsonlReader::open(ByteStream::open(input)?, options)?)
                }
                VectorFormat::Npy => {
                    FormatReader::Npy(NpyReader::open(ByteStream::open(input)?, options, one_row)?)
                }
                VectorFormat::Safetensors => {
                    FormatReader::Tensors(TensorsReader::open(ByteStream::open(input)?, options)?)
                }
                VectorFormat::Parquet => {
                    FormatReader::Columnar(Box::new(ColumnarReader::open(input, options)?))
                }
            })
        };
        let kind = open().map_err(|e: Error| e.in_file(&name))?;
        Ok(VectorReader { name, path, kind, failed: None })
    }

    /// Returns the length of each vector.
    pub fn dim(&self) -> usize {
        match &self.kind {
            FormatReader::Jsonl(reader) => reader.dim(),
            FormatReader::Npy(reader) => reader.dense().dim,
            FormatReader::Tensors(reader) => reader.header().dense.dim,
            FormatReader::Columnar(reader) => reader.dim(),
        }
    }

    /// Returns the number of vectors, if the file stores it.
    pub fn rows(&self) -> Option<u64> {
        match &self.kind {
            FormatReader::Jsonl(_) => None,
            FormatReader::Npy(reader) => Some(reader.dense().rows),
            FormatReader::Tensors(reader) => Some(reader.header().dense.rows),
            FormatReader::Columnar(reader) => Some(reader.rows()),
        }
    }

    /// Returns the format.
    pub fn format(&self) -> VectorFormat {
        match &self.kind {
            FormatReader::Jsonl(_) => VectorFormat::Jsonl,
            FormatReader::Npy(_) => VectorFormat::Npy,
            FormatReader::Tensors(_) => VectorFormat::Safetensors,
            FormatReader::Columnar(_) => VectorFormat::Parquet,
        }
    }

    /// Returns the field, column or tensor of the vectors. Bare arrays and npy files have none.
    pub fn column(&self) -> Option<&str> {
        match &self.kind {
            FormatReader::Jsonl(reader) => reader.column(),
            FormatReader::Npy(_) => None,
            FormatReader::Tensors(reader) => Some(&reader.header().name),
            FormatReader::Columnar(reader) => Some(reader.column()),
        }
    }

    /// Returns the size of the input, if it is known. That of a pipe is not.
    pub fn bytes_total(&self) -> Option<u64> {
        match &self.kind {
            FormatReader::Jsonl(reader) => reader.stream().total(),
            FormatReader::Npy(reader) => reader.stream().total(),
            FormatReader::Tensors(reader) => reader.stream().total(),
            FormatReader::Columnar(reader) => Some(reader.bytes_total()),
        }
    }

    /// Returns the number of bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        match &self.kind {
            FormatReader::Jsonl(reader) => reader.stream().bytes_read(),
            FormatReader::Npy(reader) => reader.stream().bytes_read(),
            FormatReader::Tensors(reader) => reader.stream().bytes_read(),
            FormatReader::Columnar(reader) => reader.bytes_read(),
        }
    }

    /// Returns the next rows, or nothing at the end. After an error, all later calls return it again.
    pub fn next_batch(&mut self) -> Result<Option<VectorBatch>, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let next = match &mut self.kind {
            FormatReader::Jsonl(reader) => reader.next_batch(),
            FormatReader::Npy(reader) => reader.next_batch(),
            FormatReader::Tensors(reader) => reader.next_batch(),
            FormatReader::Columnar(reader) => reader.next_batch(),
        };
        let column = self.column().map(str::to_owned);
        next.map_err(|error| {
            let is_about_a_row = error.row().is_some();
            let error = error.in_field(column.as_deref().filter(|_| is_about_a_row)).in_file(&self.name);
            self.failed = Some(error.clone());
            error
        })
    }

    /// Returns the path of the input file, with symbolic links resolved.
    pub(crate) fn path(&self) -> Option<&PathBuf> {
        self.path.as_ref()
    }
}

impl fmt::Debug for VectorReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorReader")
            .field("name", &self.name)
            .field("format", &self.format())
            .field("column", &self.column())
            .field("dim", &self.dim())
            .field("rows", &self.rows())
            .finish_non_exhaustive()
    }
}
