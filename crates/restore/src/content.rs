//! The plain content of a map: pairs of three texts each, every text after its length (32-bit,
//! little-endian). A first entry with an empty replacement holds the noise key of a session.

use std::io::Write;

use inkveil_files::hex;
use inkveil_privacy::{NoiseKey, Secret};
use zeroize::Zeroizing;

use crate::pair::{LONGEST_KIND, LONGEST_ORIGINAL, LONGEST_REPLACEMENT, ReplacementPair};
use crate::{Error, ErrorKind};

/// The kind of the entry that holds the noise key.
const NOISE_KEY: &str = "noise key";

pub(crate) fn write(
    pairs: &[ReplacementPair],
    noise_key: Option<&NoiseKey>,
    writer: &mut impl Write,
) -> Result<(), Error> {
    if let Some(key) = noise_key {
        let digits = Zeroizing::new(hex::encode(key.keep().expose()));
        write_entry(["", &digits, NOISE_KEY], writer)?;
    }
    pairs.iter().try_for_each(|pair| write_entry([pair.replacement(), pair.original(), pair.kind()], writer))
}

fn write_entry(texts: [&str; 3], writer: &mut impl Write) -> Result<(), Error> {
    for text in texts {
        // The builder limits all texts to far less.
        let length = u32::try_from(text.len()).map_err(|_| ErrorKind::TooMany { what: "bytes in a text" })?;
        writer
            .write_all(&length.to_le_bytes())
            .and_then(|()| writer.write_all(text.as_bytes()))
            .map_err(|e| Error::io("write it", &e))?;
    }
    Ok(())
}

/// Reads each pair and returns the noise key. The bytes are authenticated, but they are still
/// validated.
pub(crate) fn read(
    plain: &Zeroizing<Vec<u8>>,
    mut pair: impl FnMut(&str, &str, &str) -> Result<(), Error>,
) -> Result<Option<NoiseKey>, Error> {
    let (mut rest, mut noise_key) = (plain.as_slice(), None);
    while !rest.is_empty() {
        let replacement = take(&mut rest, LONGEST_REPLACEMENT)?;
        let original = take(&mut rest, LONGEST_ORIGINAL)?;
        let kind = take(&mut rest, LONGEST_KIND)?;
        if replacement.is_empty() && kind == NOISE_KEY {
            let kept = hex::decode_array(original).map(Secret::new).ok_or(ErrorKind::Content)?;
            noise_key = Some(NoiseKey::from_kept(&kept).map_err(|_| ErrorKind::Content)?);
            continue;
        }
        pair(replacement, original, kind)?;
    }
    Ok(noise_key)
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
