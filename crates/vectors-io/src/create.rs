//! New files of vectors.

use std::fmt;
use std::io::Write as _;

use crate::columnar::NewColumns;
use crate::error::{Error, ErrorKind};
use crate::format::VectorFormat;
use inkveil_files::{Finished, Output, Sink};
use inkveil_privacy::GridRows;

/// Writes a new file of `f32` vectors: .npy (vectors alone) or Parquet (an `id` and an `embedding`).
///
/// ```
/// use inkveil_files::Output;
/// use inkveil_privacy::GridRows;
/// use inkveil_vectors_io::{NewVectors, VectorFormat, read_matrix};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("new.npy");
/// let mut writer = NewVectors::create(VectorFormat::Npy, 2, 3, Output::file(&path, false)?)?;
/// writer.write(&[], &GridRows::without_noise(&mut [0.5, 1.0, 1.5, 2.0], 2)?)?;
/// writer.write(&[], &GridRows::without_noise(&mut [2.5, 3.0], 2)?)?;
/// writer.finish()?.commit()?;
/// assert_eq!(read_matrix(&path)?.values, [0.5, 1.0, 1.5, 2.0, 2.5, 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NewVectors {
    name: String,
    dim: usize,
    /// The number of rows that are still missing.
    left: u64,
    rows: u64,
    form: Form,
}

enum Form {
    Npy(Box<Sink>),
    Parquet(Box<NewColumns>),
}

impl NewVectors {
    /// Starts a file of `rows` vectors of dimension `dim`.
    ///
    /// # Errors
    /// If the format is neither npy nor Parquet, there is nothing to write, or it cannot be written.
    pub fn create(format: VectorFormat, dim: usize, rows: u64, output: Output) -> Result<Self, Error> {
        let name = output.name();
        let create = || {
            if rows == 0 || dim == 0 {
                return Err(ErrorKind::Empty.into());
            }
            Ok(match format {
                VectorFormat::Npy => {
                    let mut sink = output.stream();
                    sink.write_all(&npy_header(rows, dim)).map_err(|e| Error::io("write it", &e))?;
                    Form::Npy(Box::new(sink))
                }
                VectorFormat::Parquet => Form::Parquet(Box::new(NewColumns::new(dim, output.stream())?)),
                VectorFormat::Jsonl | VectorFormat::Safetensors => {
                    return Err(Error::unsupported(format!("a new {format} file"), "write .npy or .parquet"));
                }
            })
        };
        let form = create().map_err(|e: Error| e.in_file(&name))?;
        Ok(Self { name, dim, left: rows, rows, form })
    }

    /// Writes the next vectors. Parquet needs an id for each.
    ///
    /// # Errors
    /// If the numbers are not whole vectors, there are more than announced, ids are missing, or the file cannot be written.
    pub fn write(&mut self, ids: &[&str], vectors: &GridRows<'_, f32>) -> Result<(), Error> {
        let values = vectors.values();
        let count = (values.len() / self.dim) as u64;
        let named = matches!(self.form, Form::Npy(_)) || ids.len() as u64 == count;
        let mut write = || {
            if !values.len().is_multiple_of(self.dim) || count > self.left || !named {
                return Err(ErrorKind::OutOfOrder.into());
            }
            match &mut self.form {
                Form::Npy(sink) => {
                    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
                    sink.write_all(&bytes).map_err(|e| Error::io("write it", &e))
                }
                Form::Parquet(columns) => columns.write(ids, values),
            }
        };
        write().map_err(|e: Error| e.in_file(&self.name))?;
        self.left -= count;
        Ok(())
    }

    /// Finishes the file. It gets its name when the result is committed.
    ///
    /// # Errors
    /// If there were fewer vectors than announced, or the file cannot be written.
    pub fn finish(self) -> Result<Finished, Error> {
        let Self { name, left, rows, form, .. } = self;
        let finish = || match form {
            _ if left > 0 => Err(ErrorKind::OutOfOrder.into()),
            Form::Npy(mut sink) => {
                sink.flush().map_err(|e| Error::io("write it", &e))?;
                Ok(*sink)
            }
            Form::Parquet(columns) => columns.finish(),
        };
        Ok(finish().map_err(|e: Error| e.in_file(&name))?.finish(rows))
    }
}

impl fmt::Debug for NewVectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewVectors").field("name", &self.name).field("dim", &self.dim).finish_non_exhaustive()
    }
}

/// A header of version 1 for little-endian `f32` in rows, padded so that the numbers begin at a multiple of 64 bytes.
fn npy_header(rows: u64, dim: usize) -> Vec<u8> {
    let mut dictionary = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {dim}), }}");
    let before = 10; // magic, version, length
    let padded = (before + dictionary.len() + 1).next_multiple_of(64) - before;
    dictionary.push_str(&" ".repeat(padded - 1 - dictionary.len()));
    dictionary.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    // The header is far shorter than 65,536 bytes.
    header.extend_from_slice(&(dictionary.len() as u16).to_le_bytes());
    header.extend_from_slice(dictionary.as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkveil_files::Input;

    use crate::{ReadOptions, VectorReader};

    fn rows(values: &mut [f32]) -> GridRows<'_, f32> {
        GridRows::without_noise(values, 2).unwrap()
    }

    #[test]
    fn new_files_are_read_again() {
        let folder = tempfile::tempdir().unwrap();
        for (format, name) in [(VectorFormat::Npy, "a.npy"), (VectorFormat::Parquet, "a.parquet")] {
            let path = folder.path().join(name);
            let mut writer = NewVectors::create(format, 2, 3, Output::file(&path, false).unwrap()).unwrap();
            writer.write(&["a", "b"], &rows(&mut [1.0, 2.0, 3.0, 4.0])).unwrap();
            writer.write(&["c"], &rows(&mut [5.0, 6.0])).unwrap();
            writer.finish().unwrap().commit().unwrap();
            let mut reader = VectorReader::open(Input::path(&path), format, &ReadOptions::default()).unwrap();
            assert_eq!((reader.dim(), reader.rows()), (2, Some(3)));
            assert_eq!(reader.next_batch().unwrap().unwrap().values(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        }
    }

    #[test]
    fn what_was_announced_must_come() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let create =
            |rows| NewVectors::create(VectorFormat::Parquet, 2, rows, Output::file(&path, false).unwrap());
        assert!(create(0).is_err());
        let mut writer = create(1).unwrap();
        assert!(writer.write(&[], &rows(&mut [1.0, 2.0])).is_err(), "no id");
        let half = &mut [1.0];
        assert!(writer.write(&["a"], &GridRows::without_noise(half, 1).unwrap()).is_err(), "half a vector");
        assert!(writer.write(&["a", "b"], &rows(&mut [1.0; 4])).is_err(), "one too many");
        assert!(writer.finish().is_err() && !path.exists());
        let output = Output::file(folder.path().join("a.jsonl"), false).unwrap();
        assert!(NewVectors::create(VectorFormat::Jsonl, 2, 1, output).is_err());
    }
}
