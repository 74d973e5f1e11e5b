//! Chunked encryption: the STREAM construction over XChaCha20-Poly1305.
//!
//! ```text
//! nonce = 19 random bytes of the header ‖ number of the chunk (32-bit, big-endian) ‖ 1 if it is the last, else 0
//! chunk = XChaCha20-Poly1305(key, nonce, associated data = header, 64 KiB of plain bytes; the last has at most as many)
//! ```
//!
//! No two chunks of a file share a nonce, and two files share one with a probability of 2⁻⁷⁶ per
//! pair. A moved chunk has another number, a truncated file ends with a chunk that is not marked as
//! the last, and additional bytes make the last chunk a middle one. None of these can be decrypted.

use std::io::{self, Read, Write};

use chacha20poly1305::{AeadInOut as _, KeyInit as _, XChaCha20Poly1305, XNonce};
use inkveil_privacy::Secret;
use zeroize::{Zeroize as _, Zeroizing};

use crate::header::{Header, LENGTH, NONCE_START};
use crate::{Error, ErrorKind};

/// The number of plain bytes in a chunk.
pub(crate) const CHUNK: usize = 64 << 10;
/// The length of a chunk's authentication tag.
pub(crate) const TAG: usize = 16;

/// The state that encrypting and decrypting share.
struct Chunks {
    cipher: XChaCha20Poly1305,
    header: [u8; LENGTH],
    nonce_start: [u8; NONCE_START],
    number: u32,
}

impl Chunks {
    fn new(header: &Header, key: &Secret<[u8; 32]>) -> Self {
        Self {
            cipher: XChaCha20Poly1305::new(key.expose().into()),
            header: header.to_bytes(),
            nonce_start: header.nonce_start,
            number: 0,
        }
    }

    /// Returns the nonce of the next chunk.
    fn nonce(&mut self, last: bool) -> Result<XNonce, Error> {
        let mut nonce = XNonce::default();
        nonce[..NONCE_START].copy_from_slice(&self.nonce_start);
        nonce[NONCE_START..NONCE_START + 4].copy_from_slice(&self.number.to_be_bytes());
        nonce[NONCE_START + 4] = u8::from(last);
        self.number = self.number.checked_add(1).ok_or(ErrorKind::TooMany { what: "bytes in a map" })?;
        Ok(nonce)
    }
}

/// Encrypts everything that is written to it.
pub(crate) struct Sealer<W> {
    chunks: Chunks,
    plain: Zeroizing<Vec<u8>>,
    writer: W,
}

impl<W: Write> Sealer<W> {
    pub(crate) fn begin(header: &Header, key: &Secret<[u8; 32]>, mut writer: W) -> Result<Self, Error> {
        let chunks = Chunks::new(header, key);
        writer.write_all(&chunks.header).map_err(|e| Error::io("write it", &e))?;
        Ok(Self { chunks, plain: Zeroizing::new(Vec::with_capacity(CHUNK + TAG)), writer })
    }

    fn chunk(&mut self, last: bool) -> Result<(), Error> {
        let nonce = self.chunks.nonce(last)?;
        self.chunks
            .cipher
            .encrypt_in_place(&nonce, &self.chunks.header, &mut *self.plain)
            .map_err(|_| ErrorKind::TooMany { what: "bytes in a chunk" })?;
        self.writer.write_all(&self.plain).map_err(|e| Error::io("write it", &e))?;
        self.plain.clear();
        Ok(())
    }

    /// Writes the last chunk. Without it the file cannot be decrypted.
    pub(crate) fn end(mut self) -> Result<(), Error> {
        self.chunk(true)?;
        self.writer.flush().map_err(|e| Error::io("write it", &e))
    }
}

impl<W: Write> Write for Sealer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A full chunk waits for the next byte, since it may be the last chunk.
        if self.plain.len() == CHUNK && !bytes.is_empty() {
            self.chunk(false).map_err(io::Error::other)?;
        }
        let taken = bytes.len().min(CHUNK - self.plain.len());
        self.plain.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Decrypts all chunks after a header. Returns nothing before the last one is authenticated.
pub(crate) fn unseal(
    header: &Header,
    key: &Secret<[u8; 32]>,
    mut reader: impl Read,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut chunks = Chunks::new(header, key);
    let mut plain = Zeroizing::new(Vec::new());
    let mut next = Zeroizing::new(Vec::new());
    let mut chunk = Zeroizing::new(Vec::new());
    fill(&mut reader, &mut chunk)?;
    loop {
        fill(&mut reader, &mut next)?;
        let last = next.is_empty();
        let nonce = chunks.nonce(last)?;
        chunks
            .cipher
            .decrypt_in_place(&nonce, &chunks.header, &mut *chunk)
            .map_err(|_| ErrorKind::WrongKey)?;
        append(&mut plain, &chunk);
        if last {
            return Ok(plain);
        }
        std::mem::swap(&mut chunk, &mut next);
    }
}

/// Reads a whole chunk, or the rest of the input.
fn fill(reader: &mut impl Read, chunk: &mut Vec<u8>) -> Result<(), Error> {
    chunk.clear();
    reader.take((CHUNK + TAG) as u64).read_to_end(chunk).map_err(|e| Error::io("read it", &e))?;
    Ok(())
}

/// Reallocates manually, since a growing vector leaves a copy of the plain text in memory.
fn append(plain: &mut Zeroizing<Vec<u8>>, bytes: &[u8]) {
    if plain.capacity() - plain.len() < bytes.len() {
        let mut larger = Vec::with_capacity((plain.len() + bytes.len()) * 2);
        larger.extend_from_slice(plain);
        plain.zeroize();
        **plain = larger;
    }
    plain.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::header::Origin;

    const HEADER: Header = Header { origin: Origin::KeyFile, nonce_start: [7; NONCE_START] };

    fn key(byte: u8) -> Secret<[u8; 32]> {
        Secret::new([byte; 32])
    }

    fn sealed(plain: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut sealer = Sealer::begin(&HEADER, &key(1), &mut out).unwrap();
        sealer.write_all(plain).unwrap();
        sealer.end().unwrap();
        out
    }

    fn open(bytes: &[u8]) -> Result<Vec<u8>, Error> {
        unseal(&HEADER, &key(1), &bytes[LENGTH..]).map(|plain| plain.to_vec())
    }

    fn bytes(length: usize) -> Vec<u8> {
        (0..length).map(|i| (i * 31 + i / 251) as u8).collect()
    }

    #[test]
    fn encrypted_bytes_can_be_decrypted() {
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 5] {
            let sealed = sealed(&bytes(length));
            let chunks = length.div_ceil(CHUNK).max(1);
            assert_eq!(sealed.len(), LENGTH + length + chunks * TAG);
            assert_eq!(open(&sealed).unwrap(), bytes(length), "{length}");
        }
    }

    #[test]
    fn changed_files_cannot_be_decrypted() {
        let whole = sealed(&bytes(3 * CHUNK));
        let chunk = |i: usize| &whole[LENGTH + i * (CHUNK + TAG)..LENGTH + (i + 1) * (CHUNK + TAG)];
        let head = &whole[..LENGTH];
        let changed = [
            [head, chunk(0), chunk(1)].concat(),
            [head, chunk(1), chunk(0), chunk(2)].concat(),
            [head, chunk(0), chunk(0), chunk(1), chunk(2)].concat(),
            [head, chunk(0), chunk(1), chunk(2), chunk(2)].concat(),
            [head, chunk(0), chunk(1), chunk(2), &[0]].concat(),
            [head, chunk(2)].concat(),
            head.to_vec(),
            whole[..whole.len() - 1].to_vec(),
            whole[..LENGTH + 3].to_vec(),
        ];
        for bytes in &changed {
            assert!(matches!(open(bytes).unwrap_err().kind(), ErrorKind::WrongKey));
        }
        assert_eq!(open(&whole).unwrap().len(), 3 * CHUNK);
        assert!(unseal(&HEADER, &key(2), &whole[LENGTH..]).is_err());
        let other = Header { nonce_start: [8; NONCE_START], ..HEADER };
        assert!(unseal(&other, &key(1), &whole[LENGTH..]).is_err());
    }

    /// The header is authenticated even where it does not affect the key or the nonce.
    #[test]
    fn the_header_is_authenticated() {
        let mut chunks = Chunks::new(&HEADER, &key(1));
        chunks.header[13] = 1;
        let mut chunk = sealed(b"text")[LENGTH..].to_vec();
        let nonce = chunks.nonce(true).unwrap();
        assert!(chunks.cipher.decrypt_in_place(&nonce, &chunks.header, &mut chunk).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
        #[test]
        fn a_flipped_bit_is_detected(length in 0_usize..300, at: proptest::sample::Index, bit in 0..8) {
            let mut sealed = sealed(&bytes(length));
            let at = LENGTH + at.index(sealed.len() - LENGTH);
            sealed[at] ^= 1u8 << bit;
            prop_assert!(open(&sealed).is_err());
        }
    }
}
