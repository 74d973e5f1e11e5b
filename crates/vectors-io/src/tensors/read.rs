//! Reads a safetensors file from front to back: other tensors as bytes, the chosen one as vectors.

use super::header::TensorsHeader;
use crate::batch::VectorBatch;
use crate::carry::Carry;
use crate::dense::DenseReader;
use crate::error::{Error, ErrorKind};
use crate::options::ReadOptions;
use inkveil_files::ByteStream;

/// Other tensors are copied in pieces of this size.
const PIECE: u64 = 1 << 20;

/// Reads a safetensors file.
pub(crate) struct TensorsReader {
    stream: ByteStream,
    header: TensorsHeader,
    before_left: u64,
    after_left: u64,
    rows: DenseReader,
    rows_read: u64,
    finished: bool,
}

impl TensorsReader {
    pub(crate) fn open(mut stream: ByteStream, options: &ReadOptions) -> Result<Self, Error> {
        let header = TensorsHeader::read(&mut stream, options.column.as_deref())?;
        Ok(TensorsReader {
            stream,
            before_left: header.before,
            after_left: header.after,
            rows: DenseReader::new(header.dense, options.batch_rows),
            rows_read: 0,
            finished: false,
            header,
        })
    }

    pub(crate) fn header(&self) -> &TensorsHeader {
        &self.header
    }

    pub(crate) fn stream(&self) -> &ByteStream {
        &self.stream
    }

    pub(crate) fn next_batch(&mut self) -> Result<Option<VectorBatch>, Error> {
        if self.before_left > 0 {
            let piece = self.piece(self.before_left)?;
            self.before_left -= piece.len() as u64;
            return self.verbatim(piece);
        }
        let name = Some(self.header.name.as_str());
        if let Some((first_row, values)) = self.rows.next(&mut self.stream).map_err(|e| e.in_field(name))? {
            let batch = VectorBatch::new(first_row, self.header.dense.dim, values, Carry::Tensor)
                .map_err(|e| e.in_field(name))?;
            self.rows_read += batch.rows() as u64;
            if self.after_left == 0 && self.rows.is_done() {
                self.finish()?;
            }
            return Ok(Some(batch));
        }
        if self.after_left > 0 {
            let piece = self.piece(self.after_left)?;
            self.after_left -= piece.len() as u64;
            if self.after_left == 0 {
                self.finish()?;
            }
            return self.verbatim(piece);
        }
        self.finish()?;
        Ok(None)
    }

    fn piece(&mut self, left: u64) -> Result<Vec<u8>, Error> {
        let wanted = left.min(PIECE);
        let mut piece = Vec::new();
        match self.stream.read_up_to(wanted, &mut piece)? {
            read if read == wanted => Ok(piece),
            _ => Err(ErrorKind::Truncated.into()),
        }
    }

    fn verbatim(&self, piece: Vec<u8>) -> Result<Option<VectorBatch>, Error> {
        VectorBatch::new(self.rows_read, self.header.dense.dim, Vec::new(), Carry::Verbatim(piece)).map(Some)
    }

    fn finish(&mut self) -> Result<(), Error> {
        if !self.finished {
            if !self.stream.is_at_end()? {
                return Err(ErrorKind::TrailingBytes.into());
            }
            self.finished = true;
        }
        Ok(())
    }
}
