//! Bytes of text formats as UTF-8.

use std::borrow::Cow;

use crate::error::Error;

/// Decodes bytes: by their byte order mark, else as UTF-8, else with the encoding they name, else as Windows-1252.
pub(crate) fn decode<'b>(bytes: &'b [u8], named: Option<&str>) -> Result<Cow<'b, str>, Error> {
    if let Some((encoding, skip)) = encoding_rs::Encoding::for_bom(bytes) {
        return Ok(encoding.decode_without_bom_handling(&bytes[skip..]).0);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(Cow::Borrowed(text));
    }
    let named = named.and_then(|name| encoding_rs::Encoding::for_label(name.as_bytes()));
    Ok(named.unwrap_or(encoding_rs::WINDOWS_1252).decode_without_bom_handling(bytes).0)
}
