//! A small matrix in memory, for example a covariance.

use std::fmt;
use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::format::VectorFormat;
use crate::options::ReadOptions;
use crate::reader::VectorReader;
use inkveil_files::Input;

/// The most numbers in a matrix: 512 MiB, or 8192 by 8192.
const MAX_NUMBERS: usize = 1 << 26;

/// A matrix in memory, row after row.
pub struct Matrix {
    /// The number of rows.
    pub rows: usize,
    /// The length of each row.
    pub dim: usize,
    /// The numbers, row after row.
    pub values: Vec<f64>,
}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matrix").field("rows", &self.rows).field("dim", &self.dim).finish_non_exhaustive()
    }
}

/// Reads a small file whole. Its format follows from its name. An npy array with one axis is one row.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("covariance.jsonl");
/// std::fs::write(&path, "[2, 0]\n[0, 3]\n")?;
/// let matrix = inkveil_vectors_io::read_matrix(&path)?;
/// assert_eq!((matrix.rows, matrix.dim, &matrix.values[..]), (2, 2, &[2.0, 0.0, 0.0, 3.0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_matrix(path: &Path) -> Result<Matrix, Error> {
    let name = path.display().to_string();
    let format = VectorFormat::from_path(path)
        .ok_or_else(|| Error::from(ErrorKind::UnknownExtension).in_file(&name))?;
    let mut reader = VectorReader::open_with(Input::path(path), format, &ReadOptions::default(), true)?;
    let dim = reader.dim();
    let mut values = Vec::new();
    while let Some(batch) = reader.next_batch()? {
        if values.len() + batch.values().len() > MAX_NUMBERS {
            let error = Error::unsupported(
                format!("a matrix of more than {MAX_NUMBERS} numbers"),
                "a file that is read whole must be small",
            );
            return Err(error.in_file(&name));
        }
        values.extend_from_slice(batch.values());
    }
    Ok(Matrix { rows: values.len() / dim.max(1), dim, values })
}
