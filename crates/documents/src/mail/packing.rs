//! How the body of a part of a mail is packed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// How a body is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packing {
    /// Readable, with other characters as `=C3`.
    QuotedPrintable,
    /// Base64, in lines.
    Base64,
}

/// The longest line of a mail.
const LINE: usize = 76;

/// Packs bytes.
pub(crate) fn pack(bytes: &[u8], packing: Packing, into: &mut Vec<u8>) {
    match packing {
        Packing::QuotedPrintable => quoted_printable(bytes, into),
        Packing::Base64 => {
            for line in bytes.chunks(LINE / 4 * 3) {
                into.extend_from_slice(STANDARD.encode(line).as_bytes());
                into.extend_from_slice(b"\r\n");
            }
        }
    }
}

fn quoted_printable(bytes: &[u8], into: &mut Vec<u8>) {
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let count = lines.len();
    for (index, line) in lines.into_iter().enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let mut length = 0;
        for (at, byte) in line.iter().enumerate() {
            let last = at + 1 == line.len();
            // A line that begins with "From " would end the mail in a mailbox, and one with a dot on its way.
            let begins = at == 0 && (*byte == b'.' || line.starts_with(b"From "));
            let plain = (matches!(byte, b'!'..=b'~') && *byte != b'=' && !begins)
                || (matches!(byte, b' ' | b'\t') && !last);
            let wide = if plain { 1 } else { 3 };
            if length + wide > LINE - 1 {
                into.extend_from_slice(b"=\r\n");
                length = 0;
            }
            match plain {
                true => into.push(*byte),
                false => into.extend_from_slice(format!("={byte:02X}").as_bytes()),
            }
            length += wide;
        }
        if index + 1 < count {
            into.extend_from_slice(b"\r\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_short_and_ascii() {
        let mut packed = Vec::new();
        pack("From é \n.\nlong ".repeat(20).as_bytes(), Packing::QuotedPrintable, &mut packed);
        let text = String::from_utf8(packed).unwrap();
        assert!(text.is_ascii() && text.lines().all(|line| line.len() <= 76));
        assert!(
            text.starts_with("=46rom =C3=A9=20\r\n=2E\r\nlong =46rom")
                || text.starts_with("=46rom =C3=A9=20\r\n=2E\r\nlong From")
        );
    }
}
