//! Writes vectors in the format of their input.

use std::fmt;
use std::io::{BufWriter, Write as _};

use crate::batch::VectorBatch;
use crate::carry::Carry;
use crate::columnar::ColumnarWriter;
use crate::dense::{Dense, encode_rows};
use crate::error::{Error, ErrorKind};
use crate::jsonl;
use crate::reader::{FormatReader, VectorReader};
use inkveil_files::{Finished, Output, Sink};

/// Writes a file like the input: the same format, types and names, and everything beside the vectors.
///
/// ```
/// use inkveil_files::{Input, Output};
/// use inkveil_privacy::GridRows;
/// use inkveil_vectors_io::{ReadOptions, VectorFormat, VectorReader, VectorWriter};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("out.jsonl");
/// let input = Input::from_bytes(b"{\"text\": \"hi\", \"vector\": [1.0, 2.0]}".to_vec());
/// let mut reader = VectorReader::open(input, VectorFormat::Jsonl, &ReadOptions::default())?;
/// let mut writer = VectorWriter::like(&reader, Output::file(&path, false)?)?;
/// while let Some(mut batch) = reader.next_batch()? {
///     batch.release(|values| Ok::<_, Box<dyn std::error::Error>>(GridRows::without_noise(values, 2)?))?;
///     writer.write(batch)?;
/// }
/// writer.finish()?.commit()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "{\"text\": \"hi\", \"vector\": [1.0, 2.0]}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct VectorWriter {
    name: String,
    dim: usize,
    rows: u64,
    /// The number of rows of the input, if it is stored there. The header of the output stores the same number.
    rows_expected: Option<u64>,
    column: Option<String>,
    form: Form,
}

enum Form {
    Jsonl(BufWriter<Sink>),
    Dense { to: BufWriter<Sink>, dense: Dense, buffer: Vec<u8> },
    Columnar(Box<ColumnarWriter>),
}

impl VectorWriter {
    /// Returns a writer for the vectors of `reader`.
    ///
    /// # Errors
    /// If the output would replace the input, or cannot be written.
    pub fn like(reader: &VectorReader, output: Output) -> Result<Self, Error> {
        let name = output.name();
        let open = || {
            if reader.path().is_some_and(|path| output.replaces(path)) {
                return Err(ErrorKind::SameFile.into());
            }
            let sink = output.stream();
            Ok(match &reader.kind {
                FormatReader::Jsonl(_) => Form::Jsonl(buffered(sink)),
                FormatReader::Npy(reader) => dense_form(sink, reader.header(), reader.dense())?,
                FormatReader::Tensors(reader) => {
                    dense_form(sink, &reader.header().bytes, reader.header().dense)?
                }
                FormatReader::Columnar(reader) => {
                    Form::Columnar(Box::new(ColumnarWriter::new(reader, sink)?))
                }
            })
        };
        let form = open().map_err(|e: Error| e.in_file(&name))?;
        Ok(VectorWriter {
            name,
            dim: reader.dim(),
            rows: 0,
            rows_expected: reader.rows(),
            column: reader.column().map(str::to_owned),
            form,
        })
    }

    /// Writes the next batch of the reader.
    pub fn write(&mut self, batch: VectorBatch) -> Result<(), Error> {
        self.write_batch(batch).map_err(|error| {
            let is_about_a_row = error.row().is_some();
            error.in_field(self.column.as_deref().filter(|_| is_about_a_row)).in_file(&self.name)
        })
    }

    fn write_batch(&mut self, batch: VectorBatch) -> Result<(), Error> {
        if batch.first_row() != self.rows || batch.dim() != self.dim {
            return Err(ErrorKind::OutOfOrder.into());
        }
        let rows = batch.rows() as u64;
        let (first_row, values, carry) = batch.into_parts();
        match (&mut self.form, carry) {
            (Form::Jsonl(to), Carry::Jsonl(carry)) => {
                jsonl::write_rows(first_row, self.dim, &values, &carry, to)?;
            }
            (Form::Dense { to, dense, buffer }, Carry::Npy | Carry::Tensor) => {
                buffer.clear();
                encode_rows(dense, first_row, &values, buffer)?;
                to.write_all(buffer).map_err(|e| Error::io("write it", &e))?;
            }
            (Form::Dense { to, .. }, Carry::Verbatim(piece)) => {
                to.write_all(&piece).map_err(|e| Error::io("write it", &e))?;
            }
            (Form::Columnar(writer), Carry::Columnar(carry)) => writer.write(first_row, &values, carry)?,
            _ => return Err(ErrorKind::OutOfOrder.into()),
        }
        self.rows += rows;
        Ok(())
    }

    /// Finishes the output. A file gets its name with [`Finished::commit`].
    pub fn finish(self) -> Result<Finished, Error> {
        let VectorWriter { name, rows, rows_expected, form, .. } = self;
        let finish = || {
            if rows_expected.is_some_and(|expected| expected != rows) {
                return Err(ErrorKind::OutOfOrder.into());
            }
            match form {
                Form::Jsonl(to) | Form::Dense { to, .. } => {
                    let mut sink = to.into_inner().map_err(|e| Error::io("write it", e.error()))?;
                    sink.flush().map_err(|e| Error::io("write it", &e))?;
                    Ok(sink)
                }
                Form::Columnar(writer) => writer.finish(),
            }
        };
        let sink = finish().map_err(|e: Error| e.in_file(&name))?;
        Ok(sink.finish(rows))
    }
}

fn buffered(sink: Sink) -> BufWriter<Sink> {
    BufWriter::with_capacity(256 * 1024, sink)
}

fn dense_form(sink: Sink, header: &[u8], dense: Dense) -> Result<Form, Error> {
    let mut to = buffered(sink);
    to.write_all(header).map_err(|e| Error::io("write it", &e))?;
    Ok(Form::Dense { to, dense, buffer: Vec::new() })
}

impl fmt::Debug for VectorWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorWriter")
            .field("name", &self.name)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}
