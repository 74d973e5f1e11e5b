//! Consecutive rows of numbers, as in npy files and tensors.

use crate::batch::{MAX_DIM, batch_rows};
use crate::error::{Error, ErrorKind};
use crate::float::FloatLayout;
use inkveil_files::ByteStream;

/// A matrix in row-major order inside a stream of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dense {
    pub(crate) layout: FloatLayout,
    pub(crate) rows: u64,
    pub(crate) dim: usize,
}

impl Dense {
    pub(crate) fn new(layout: FloatLayout, rows: u64, dim: u64) -> Result<Self, Error> {
        if rows == 0 || dim == 0 {
            return Err(ErrorKind::Empty.into());
        }
        if dim > MAX_DIM {
            return Err(Error::unsupported(
                format!("a vector of {dim} numbers"),
                "check that the rows are the vectors and not the other way round",
            ));
        }
        let size = rows.checked_mul(dim).and_then(|n| n.checked_mul(layout.size() as u64));
        match (size, usize::try_from(dim)) {
            (Some(_), Ok(dim)) => Ok(Dense { layout, rows, dim }),
            _ => Err(Error::unsupported(
                format!("a matrix of {rows} × {dim} numbers"),
                "it is larger than any file, so check its header",
            )),
        }
    }

    fn row_bytes(&self) -> u64 {
        (self.dim * self.layout.size()) as u64
    }
}

/// Reads a matrix a few rows at a time.
pub(crate) struct DenseReader {
    pub(crate) dense: Dense,
    batch_rows: usize,
    done: u64,
    buffer: Vec<u8>,
}

impl DenseReader {
    pub(crate) fn new(dense: Dense, asked_rows: usize) -> Self {
        DenseReader { dense, batch_rows: batch_rows(asked_rows, dense.dim), done: 0, buffer: Vec::new() }
    }

    /// Returns the next rows and the position of the first, or nothing at the end.
    pub(crate) fn next(&mut self, stream: &mut ByteStream) -> Result<Option<(u64, Vec<f64>)>, Error> {
        let first = self.done;
        let rows = (self.dense.rows - first).min(self.batch_rows as u64);
        if rows == 0 {
            return Ok(None);
        }
        self.buffer.clear();
        let wanted = rows * self.dense.row_bytes();
        let read = stream.read_up_to(wanted, &mut self.buffer)?;
        if read < wanted {
            return Err(Error::from(ErrorKind::Truncated).in_row(first + read / self.dense.row_bytes()));
        }
        self.done += rows;
        Ok(Some((first, self.dense.layout.decode(&self.buffer))))
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done == self.dense.rows
    }
}

/// Encodes rows that start at `first_row` into `bytes`.
pub(crate) fn encode_rows(
    dense: &Dense,
    first_row: u64,
    values: &[f64],
    bytes: &mut Vec<u8>,
) -> Result<(), Error> {
    dense.layout.encode(values, bytes).map_err(|position| {
        let value = values.get(position).copied().unwrap_or(f64::NAN);
        let kind = dense.layout.float.refuse(position % dense.dim, value);
        Error::from(kind).in_row(first_row + (position / dense.dim) as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float::{Endian, FloatType};
    use inkveil_files::Input;

    const F32: FloatLayout = FloatLayout { float: FloatType::F32, endian: Endian::Little };

    #[test]
    fn shapes_without_sense_are_refused() {
        assert_eq!(Dense::new(F32, 0, 3).unwrap_err().kind(), &ErrorKind::Empty);
        assert_eq!(Dense::new(F32, 3, 0).unwrap_err().kind(), &ErrorKind::Empty);
        assert!(matches!(Dense::new(F32, 1, u64::MAX).unwrap_err().kind(), ErrorKind::Unsupported { .. }));
        assert!(matches!(
            Dense::new(F32, u64::MAX / 8, 4).unwrap_err().kind(),
            ErrorKind::Unsupported { .. }
        ));
    }

    #[test]
    fn a_cut_is_named_by_its_row() {
        let mut bytes = Vec::new();
        let dense = Dense::new(F32, 5, 2).unwrap();
        encode_rows(&dense, 0, &[1.0; 10], &mut bytes).unwrap();
        bytes.truncate(8 * 3 + 5);
        let mut stream = ByteStream::open(Input::from_bytes(bytes)).unwrap();
        let mut reader = DenseReader::new(dense, 2);
        assert_eq!(reader.next(&mut stream).unwrap(), Some((0, vec![1.0; 4])));
        let error = reader.next(&mut stream).unwrap_err();
        assert_eq!((error.kind(), error.row()), (&ErrorKind::Truncated, Some(4)));
        assert!(!reader.is_done());
    }

    #[test]
    fn an_overflow_is_named_by_row_and_coordinate() {
        let dense = Dense::new(F32, 5, 2).unwrap();
        let error = encode_rows(&dense, 3, &[1.0, 1.0, 1.0, 1e300], &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Overflow { index: 1, dtype: "float32" });
        assert_eq!(error.row(), Some(5));
    }
}
