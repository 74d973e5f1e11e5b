//! Reads the matrix of an npy file.

use super::header::NpyHeader;
use crate::batch::VectorBatch;
use crate::carry::Carry;
use crate::dense::{Dense, DenseReader};
use crate::error::{Error, ErrorKind};
use crate::options::ReadOptions;
use inkveil_files::ByteStream;

/// Reads an npy file.
pub(crate) struct NpyReader {
    stream: ByteStream,
    header: NpyHeader,
    rows: DenseReader,
}

impl NpyReader {
    /// With `one_row`, an array with one axis is one vector.
    pub(crate) fn open(mut stream: ByteStream, options: &ReadOptions, one_row: bool) -> Result<Self, Error> {
        if let Some(column) = &options.column {
            let error = Error::unsupported("a column of an npy file", "do not choose a column");
            return Err(error.in_field(Some(column)));
        }
        let header = NpyHeader::read(&mut stream)?;
        let rows = DenseReader::new(header.dense(one_row)?, options.batch_rows);
        Ok(NpyReader { stream, header, rows })
    }

    pub(crate) fn dense(&self) -> Dense {
        self.rows.dense
    }

    pub(crate) fn header(&self) -> &[u8] {
        &self.header.bytes
    }

    pub(crate) fn stream(&self) -> &ByteStream {
        &self.stream
    }

    pub(crate) fn next_batch(&mut self) -> Result<Option<VectorBatch>, Error> {
        let Some((first_row, values)) = self.rows.next(&mut self.stream)? else { return Ok(None) };
        if self.rows.is_done() && !self.stream.is_at_end()? {
            return Err(ErrorKind::TrailingBytes.into());
        }
        VectorBatch::new(first_row, self.rows.dense.dim, values, Carry::Npy).map(Some)
    }
}
