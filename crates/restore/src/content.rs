//! The plain content of a map: pairs of three texts each, every text after its length (32-bit,
//! little-endian).

use std::io::Write;

use zeroize::Zeroizing;

use crate::pair::{LONGEST_KIND, LONGEST_ORIGINAL, LONGEST_REPLACEMENT, ReplacementPair};
use crate::{Error, ErrorKind};

pub(crate) fn write(pairs: &[ReplacementPair], writer: &mut impl Write) -> Result<(), Error> {
    for pair in pairs {
        for text in [pair.replacement(), pair.original(), pair.kind()] {
            // The builder limits all texts to far less.
            let length =
                u32::try_from(text.len()).map_err(|_| ErrorKind::TooMany { what: "bytes in a text" })?;
            writer
                .write_all(&length.to_le_bytes())
                .and_then(|()| writer.write_all(text.as_bytes()))
                .map_err(|e| Error::io("write it", &e))?;
        }
    }
    Ok(())
}

/// Reads each pair. The bytes are authenticated, but they are still validated.
pub(crate) fn read(
    plain: &Zeroizing<Vec<u8>>,
    mut pair: impl FnMut(&str, &str, &str) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut rest = plain.as_slice();
    while !rest.is_empty() {
        let replacement = take(&mut rest, LONGEST_REPLACEMENT)?;
        let original = take(&mut rest, LONGEST_ORIGINAL)?;
        let kind = take(&mut rest, LONGEST_KIND)?;
        pair(replacement, original, kind)?;
    }
    Ok(())
}

fn take<'p>(rest: &mut &'p [u8], longest: usize) -> Result<&'p str, Error> {
    let (length, after) = rest.split_first_chunk::<4>().ok_or(ErrorKind::Content)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (bytes, after) = after.split_at_checked(length).ok_or(ErrorKind::Content)?;
    *rest = after;
    match std::str::from_utf8(bytes) {
        Ok(text) if length <= longest => Ok(text),
        _ => Err(ErrorKind::Content.into()),
    }
}
