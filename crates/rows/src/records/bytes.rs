//! The bytes of a file as UTF-8, decompressed and converted from other encodings.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Cursor, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use encoding_rs::{CoderResult, Decoder, Encoding};

use super::format::Packing;
use crate::error::{Error, ErrorKind};
use inkveil_files::Input;

/// Bytes in order, and the number of bytes read.
pub(crate) struct Bytes {
    inner: Box<dyn Read + Send>,
    /// Bytes of the file before decompression.
    taken: Arc<AtomicU64>,
    total: Option<u64>,
    /// Whether the bytes are neither compressed nor converted.
    plain: bool,
}

/// Large enough that the cost of a system call does not matter.
const BUFFER: usize = 256 << 10;

impl Bytes {
    /// `encoding` is a name such as `windows-1252`. The default is UTF-8, or UTF-16 if the file begins with its byte order mark.
    pub(crate) fn open(input: Input, packing: Packing, encoding: Option<&str>) -> Result<Self, Error> {
        let encoding = match encoding {
            Some(name) => Some(
                Encoding::for_label(name.as_bytes())
                    .ok_or_else(|| Error::from(ErrorKind::UnknownEncoding { given: name.to_owned() }))?,
            ),
            None => None,
        };
        let (source, total) = input.open()?;
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Counted { inner: source, taken: Arc::clone(&taken) };
        let unpacked: Box<dyn Read + Send> = match packing {
            Packing::None => Box::new(counted),
            // A gzip file may consist of several members.
            Packing::Gzip => {
                Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::with_capacity(BUFFER, counted)))
            }
            Packing::Zstd => {
                Box::new(zstd::stream::read::Decoder::new(counted).map_err(|e| Error::io("unpack it", &e))?)
            }
        };
        let (inner, same) = decoded(unpacked, encoding)?;
        Ok(Self { inner, taken, total, plain: same && packing == Packing::None })
    }

    /// Returns the size of the file, if it is known.
    pub(crate) fn total(&self) -> Option<u64> {
        self.total
    }

    /// Returns the number of bytes of the file read so far.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Whether the bytes are neither compressed nor converted.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// Appends some bytes. Returns 0 at the end.
    pub(crate) fn more(&mut self, into: &mut Vec<u8>) -> Result<usize, Error> {
        let kept = into.len();
        into.resize(kept + BUFFER, 0);
        let count = loop {
            match self.inner.read(&mut into[kept..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        into.truncate(kept + *count.as_ref().unwrap_or(&0));
        count.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => ErrorKind::NotEncoded.into(),
            io::ErrorKind::UnexpectedEof => ErrorKind::Truncated.into(),
            // Decompressors use these kinds for damaged data.
            io::ErrorKind::Other if error.raw_os_error().is_none() => ErrorKind::NotEncoded.into(),
            _ => Error::io("read it", &error),
        })
    }
}

/// Converts other encodings to UTF-8. Invalid bytes are an error here, except in UTF-8, where the reader of rows names the
/// row.
fn decoded(
    mut inner: Box<dyn Read + Send>,
    encoding: Option<&'static Encoding>,
) -> Result<(Box<dyn Read + Send>, bool), Error> {
    let mut head = [0; 3];
    let mut filled = 0;
    while filled < head.len() {
        match inner.read(&mut head[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.raw_os_error().is_some() => return Err(Error::io("read it", &error)),
            Err(_) => return Err(ErrorKind::NotEncoded.into()),
        }
    }
    let marked = Encoding::for_bom(&head[..filled]).map(|(encoding, _)| encoding);
    let whole = Cursor::new(head[..filled].to_vec()).chain(inner);
    let encoding = encoding.or(marked).unwrap_or(encoding_rs::UTF_8);
    if encoding == encoding_rs::UTF_8 {
        return Ok((Box::new(whole), true));
    }
    let decoder = encoding.new_decoder_with_bom_removal();
    let decoding = Decoding {
        inner: whole,
        decoder,
        read: vec![0; BUFFER],
        from: 0,
        to: 0,
        ended: false,
        finished: false,
    };
    Ok((Box::new(decoding), false))
}

struct Decoding<R> {
    inner: R,
    decoder: Decoder,
    read: Vec<u8>,
    from: usize,
    to: usize,
    /// The input has ended.
    ended: bool,
    /// The decoder has given everything, and may not be used again.
    finished: bool,
}

impl<R: Read> Read for Decoding<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.finished {
            if self.from == self.to && !self.ended {
                (self.from, self.to) = (0, self.inner.read(&mut self.read)?);
                self.ended = self.to == 0;
            }
            let waiting = &self.read[self.from..self.to];
            let (result, taken, written, bad) = self.decoder.decode_to_utf8(waiting, into, self.ended);
            self.from += taken;
            self.finished = bad || (self.ended && result == CoderResult::InputEmpty);
            if bad {
                return Err(io::ErrorKind::InvalidData.into());
            }
            if written > 0 || into.is_empty() {
                return Ok(written);
            }
            if written == 0 && result == CoderResult::OutputFull {
                // Less room than a character needs: the caller reads into buffers far larger.
                return Err(io::ErrorKind::InvalidInput.into());
            }
        }
        Ok(0)
    }
}

struct Counted {
    inner: Box<dyn Read + Send>,
    taken: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Compresses bytes as a piece that can follow other pieces in one file.
pub(crate) enum Packer {
    None(BufWriter<File>),
    Gzip(flate2::write::GzEncoder<BufWriter<File>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
}

impl Packer {
    pub(crate) fn new(file: File, packing: Packing) -> io::Result<Self> {
        let file = BufWriter::with_capacity(BUFFER, file);
        Ok(match packing {
            Packing::None => Self::None(file),
            Packing::Gzip => Self::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::default())),
            Packing::Zstd => Self::Zstd(zstd::stream::write::Encoder::new(file, 3)?),
        })
    }

    /// Finishes the piece.
    pub(crate) fn finish(self) -> io::Result<File> {
        let file = match self {
            Self::None(file) => file,
            Self::Gzip(encoder) => encoder.finish()?,
            Self::Zstd(encoder) => encoder.finish()?,
        };
        file.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

impl Write for Packer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::None(file) => file.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::None(file) => file.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], packing: Packing, encoding: Option<&str>) -> Result<Vec<u8>, Error> {
        let mut opened = Bytes::open(Input::from_bytes(bytes.to_vec()), packing, encoding)?;
        let mut read = Vec::new();
        while opened.more(&mut read)? > 0 {}
        Ok(read)
    }

    #[test]
    fn packed_pieces_are_one_file() {
        for packing in [Packing::None, Packing::Gzip, Packing::Zstd] {
            let mut file = tempfile::tempfile().unwrap();
            for piece in ["one\n", "", "two\n"] {
                let mut packer = Packer::new(file.try_clone().unwrap(), packing).unwrap();
                packer.write_all(piece.as_bytes()).unwrap();
                packer.finish().unwrap();
            }
            let mut bytes = Vec::new();
            io::Seek::rewind(&mut file).unwrap();
            file.read_to_end(&mut bytes).unwrap();
            assert_eq!(all(&bytes, packing, None).unwrap(), b"one\ntwo\n", "{packing:?}");
            if packing != Packing::None {
                assert!(all(&bytes[..bytes.len() - 3], packing, None).is_err(), "{packing:?}");
                assert!(all(b"plain text, not packed", packing, None).is_err(), "{packing:?}");
            }
        }
    }

    #[test]
    fn encodings_become_utf_8() {
        assert_eq!(all(b"caf\xe9", Packing::None, Some("windows-1252")).unwrap(), "café".as_bytes());
        let utf16: Vec<u8> = "\u{feff}a,é\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(all(&utf16, Packing::None, None).unwrap(), "a,é\n".as_bytes());
        assert!(all(b"x", Packing::None, Some("klingon")).is_err());
        // The byte order mark of UTF-8 is part of the file and stays.
        assert_eq!(all(b"\xef\xbb\xbfa", Packing::None, None).unwrap(), b"\xef\xbb\xbfa");
    }

    #[test]
    fn after_its_end_a_decoder_gives_nothing() {
        // Half of a character at the end is an error once. Nobody may ask the decoder again.
        for (tail, is_whole) in [(&b""[..], true), (b"a", false)] {
            let bytes = [b"\xff\xfea\0", tail].concat();
            let (mut reader, _) = decoded(Box::new(Cursor::new(bytes)), None).unwrap();
            let mut read = Vec::new();
            assert_eq!(reader.read_to_end(&mut read).is_ok(), is_whole);
            assert_eq!(reader.read(&mut [0; 16]).unwrap(), 0);
        }
    }
}
