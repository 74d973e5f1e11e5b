//! Arrow IPC files and streams, read message by message.
//!
//! A file is a stream between a magic number and a footer, so the same code reads both. A length that a message claims is
//! checked before memory is allocated for it, because the library trusts it.

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::{Message, MessageHeader, root_as_message};
use arrow_schema::SchemaRef;

use super::guard::{arrow_error, corrupt, guarded};
use crate::error::{Error, ErrorKind};
use inkveil_files::{ByteStream, Input};

/// The magic number of a file. A stream has none.
const MAGIC: [u8; 8] = *b"ARROW1\0\0";
/// The most zeros after the magic number.
const FILLED: usize = 4096;
/// The mark before the length of a message. Streams written before 2019 do not have it.
const CONTINUES: [u8; 4] = [0xff; 4];
/// The end of a stream, as a message.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
/// The largest header of a message. A schema of 100,000 columns takes a tenth of it.
const LONGEST_HEADER: u64 = 64 << 20;
/// The size that a compressed message may claim, plus a thousand for each of its bytes, which only long runs of one value
/// reach.
const UNPACKED: u64 = 64 << 20;
const UNPACKED_PER_BYTE: u64 = 1024;

/// The batches of an Arrow file or stream, in order.
pub(crate) struct IpcSource {
    bytes: ByteStream,
    decoder: StreamDecoder,
    schema: SchemaRef,
    /// Bytes that the decoder has not consumed yet.
    left: Buffer,
    /// The first batch, which was decoded to learn the schema.
    ahead: Option<RecordBatch>,
    is_file: bool,
    ended: bool,
}

impl IpcSource {
    pub(crate) fn open(input: Input) -> Result<Self, Error> {
        let mut bytes = ByteStream::open(input)?;
        let mut start = Vec::new();
        bytes.read_up_to(MAGIC.len() as u64, &mut start)?;
        let is_file = start == MAGIC;
        let mut source = Self {
            bytes,
            decoder: StreamDecoder::new(),
            schema: SchemaRef::new(arrow_schema::Schema::empty()),
            left: Buffer::from_vec(Vec::<u8>::new()),
            ahead: None,
            is_file,
            ended: false,
        };
        if is_file {
            start = source.after_magic()?;
        }
        let first = source.message(start)?;
        source.push(first);
        source.ahead = source.next()?;
        source.schema = source.decoder.schema().ok_or_else(|| invalid("it has no schema"))?;
        Ok(source)
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }

    pub(crate) fn bytes_total(&self) -> Option<u64> {
        self.bytes.total()
    }

    pub(crate) fn bytes_read(&self) -> u64 {
        self.bytes.bytes_read()
    }

    pub(crate) fn next(&mut self) -> Result<Option<RecordBatch>, Error> {
        if let Some(batch) = self.ahead.take() {
            return Ok(Some(batch));
        }
        loop {
            let (decoder, left) = (&mut self.decoder, &mut self.left);
            let batch = guarded(|| decoder.decode(left).map_err(arrow_error)).map_err(as_arrow)?;
            if batch.is_some() || self.ended {
                return Ok(batch);
            }
            let message = self.message(Vec::new())?;
            self.push(message);
        }
    }

    /// Returns the first bytes after the magic number and the padding.
    fn after_magic(&mut self) -> Result<Vec<u8>, Error> {
        for _ in 0..FILLED / 4 {
            let mut word = Vec::new();
            self.fill(&mut word, 4)?;
            if word != [0; 4] {
                return Ok(word);
            }
        }
        Err(invalid("it has no schema"))
    }

    fn push(&mut self, message: Option<Vec<u8>>) {
        self.ended = message.is_none();
        self.left = Buffer::from_vec(message.unwrap_or_else(|| END.to_vec()));
    }

    /// Returns the next complete message, or nothing at the end. `bytes` are the bytes of it that were read already.
    fn message(&mut self, mut bytes: Vec<u8>) -> Result<Option<Vec<u8>>, Error> {
        self.fill(&mut bytes, 4)?;
        match bytes.len() {
            // A stream may end without a mark, a file may not.
            0 if !self.is_file => return Ok(None),
            0..4 => return Err(ErrorKind::Truncated.into()),
            _ => {}
        }
        let prefix = if bytes[..4] == CONTINUES { 8 } else { 4 };
        self.need(&mut bytes, prefix)?;
        let length = bytes[prefix as usize - 4..prefix as usize].try_into().map(u32::from_le_bytes);
        let length = u64::from(length.unwrap_or(0));
        if length == 0 {
            self.check_end()?;
            return Ok(None);
        }
        if length > LONGEST_HEADER || self.bytes.total().is_some_and(|total| length > total) {
            return Err(invalid("it claims a message longer than it can hold"));
        }
        self.need(&mut bytes, prefix + length)?;
        let header = root_as_message(&bytes[prefix as usize..(prefix + length) as usize])
            .map_err(|_| invalid("its bytes do not decode"))?;
        let body = u64::try_from(header.bodyLength())
            .ok()
            .filter(|&body| self.bytes.total().is_none_or(|total| body <= total));
        let body = body.ok_or_else(|| invalid("it claims a message longer than it can hold"))?;
        self.need(&mut bytes, prefix + length + body)?;
        let (header, body) = bytes.split_at((prefix + length) as usize);
        let header =
            root_as_message(&header[prefix as usize..]).map_err(|_| invalid("its bytes do not decode"))?;
        check(&header, body)?;
        Ok(Some(bytes))
    }

    /// A file ends with a footer and the magic number. Without them it was cut off, even if no row is missing.
    fn check_end(&mut self) -> Result<(), Error> {
        if !self.is_file {
            return Ok(());
        }
        let mut footer = Vec::new();
        self.fill(&mut footer, LONGEST_HEADER)?;
        if footer.ends_with(&MAGIC[..6]) { Ok(()) } else { Err(ErrorKind::Truncated.into()) }
    }

    /// Reads until there are `count` bytes or the input ends.
    fn fill(&mut self, bytes: &mut Vec<u8>, count: u64) -> Result<(), Error> {
        let more = count.saturating_sub(bytes.len() as u64);
        self.bytes.read_up_to(more, bytes)?;
        Ok(())
    }

    fn need(&mut self, bytes: &mut Vec<u8>, count: u64) -> Result<(), Error> {
        self.fill(bytes, count)?;
        if (bytes.len() as u64) < count { Err(ErrorKind::Truncated.into()) } else { Ok(()) }
    }
}

/// Refuses messages for which the decoder would allocate too much memory.
fn check(message: &Message<'_>, body: &[u8]) -> Result<(), Error> {
    let batch = match message.header_type() {
        MessageHeader::Schema => {
            let schema = message.header_as_schema();
            return match schema.is_none_or(|schema| schema.endianness().equals_to_target_endianness()) {
                true => Ok(()),
                false => Err(Error::unsupported(
                    "an Arrow file with its bytes in the other order",
                    "write it again on a machine such as this one",
                )),
            };
        }
        MessageHeader::RecordBatch => message.header_as_record_batch(),
        MessageHeader::DictionaryBatch => message.header_as_dictionary_batch().and_then(|batch| batch.data()),
        _ => None,
    };
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else { return Ok(()) };
    // Each compressed buffer begins with its uncompressed length; -1 means that it is not compressed.
    let claim = |buffer: &arrow_ipc::Buffer| {
        let start = usize::try_from(buffer.offset()).ok()?;
        let length = body.get(start..start.checked_add(8)?)?.try_into().ok()?;
        u64::try_from(i64::from_le_bytes(length)).ok()
    };
    let claimed = batch.buffers().into_iter().flatten().filter_map(claim).fold(0, u64::saturating_add);
    if claimed > UNPACKED.saturating_add(UNPACKED_PER_BYTE.saturating_mul(body.len() as u64)) {
        return Err(invalid("a packed column claims to be longer than it can be"));
    }
    Ok(())
}

fn invalid(what: &str) -> Error {
    as_arrow(corrupt(what))
}

/// Errors of calls that are shared with Parquet name that format.
fn as_arrow(error: Error) -> Error {
    error.in_format("arrow")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, DictionaryArray, Int64Array, StringArray, types::Int32Type};
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};

    use super::*;

    fn batches() -> Vec<RecordBatch> {
        let batch = |texts: Vec<&str>| {
            // A file may have one dictionary only.
            let keys = arrow_array::Int32Array::from(vec![0; texts.len()]);
            let kinds = DictionaryArray::<Int32Type>::new(keys, Arc::new(StringArray::from(vec!["letter"])));
            let columns: [(&str, ArrayRef); 3] = [
                ("id", Arc::new(Int64Array::from_iter_values(0..texts.len() as i64))),
                ("text", Arc::new(StringArray::from(texts))),
                ("kind", Arc::new(kinds)),
            ];
            RecordBatch::try_from_iter(columns).unwrap()
        };
        vec![batch(vec!["one", "two"]), batch(vec![]), batch(vec!["three"; 5_000])]
    }

    fn written(file: bool, packed: Option<CompressionType>) -> Vec<u8> {
        let batches = batches();
        let options = IpcWriteOptions::default().try_with_compression(packed).unwrap();
        let mut bytes = Vec::new();
        let schema = batches[0].schema();
        if file {
            let mut writer = FileWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
            batches.iter().for_each(|batch| writer.write(batch).unwrap());
            writer.finish().unwrap();
        } else {
            let mut writer = StreamWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
            batches.iter().for_each(|batch| writer.write(batch).unwrap());
            writer.finish().unwrap();
        }
        bytes
    }

    fn read(bytes: Vec<u8>) -> Result<Vec<RecordBatch>, Error> {
        let mut source = IpcSource::open(Input::from_bytes(bytes))?;
        let mut batches = Vec::new();
        while let Some(batch) = source.next()? {
            batches.push(batch);
        }
        Ok(batches)
    }

    #[test]
    fn files_and_streams_come_back_packed_or_not() {
        for file in [false, true] {
            for packed in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
                assert_eq!(read(written(file, packed)).unwrap(), batches(), "file {file}, {packed:?}");
            }
        }
    }

    #[test]
    fn a_stream_may_stop_without_a_word_and_a_file_may_not() {
        let mut stream = written(false, None);
        stream.truncate(stream.len() - END.len());
        assert_eq!(read(stream).unwrap(), batches());
        let file = written(true, None);
        for length in [0, 1, 7, 8, 11, 100, file.len() / 2] {
            let error = read(file[..length].to_vec()).unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Truncated | ErrorKind::Corrupt { .. }),
                "{length}: {error}"
            );
        }
    }

    #[test]
    fn claims_are_held_against_what_is_there() {
        // The length of a first message, of 1.9 GB in 174 bytes, with and without the mark before it.
        for start in [&[0x28, 0, 0x22, 0x74][..], &[0xff, 0xff, 0xff, 0xff, 0x28, 0, 0x22, 0x74]] {
            let mut bytes = start.to_vec();
            bytes.resize(174, 7);
            let error = read(bytes).unwrap_err();
            assert_eq!(error.to_string(), "not valid arrow: it claims a message longer than it can hold");
        }
        // A compressed column that claims to hold a terabyte.
        let mut packed = written(false, Some(CompressionType::ZSTD));
        let length = (5_000 * 8_i64).to_le_bytes();
        let at = packed.windows(8).rposition(|bytes| bytes == length).unwrap();
        packed[at..at + 8].copy_from_slice(&(1_i64 << 40).to_le_bytes());
        let error = read(packed).unwrap_err();
        assert_eq!(error.to_string(), "not valid arrow: a packed column claims to be longer than it can be");
    }

    #[test]
    fn no_damage_panics() {
        let whole = written(true, Some(CompressionType::LZ4_FRAME));
        for at in 0..whole.len().min(2_500) {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                let _ = read(bytes);
            }
        }
    }
}
