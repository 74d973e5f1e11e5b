//! Texts inside the string literals of JSON, and values outside of them.

use std::ops::Range;

/// Writes a text as the content of a JSON string, without the quotes around it.
pub(crate) fn escape_into(out: &mut Vec<u8>, text: &str) {
    for c in text.chars() {
        match c {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            c if (c as u32) < 0x20 => out.extend_from_slice(format!("\\u{:04x}", c as u32).as_bytes()),
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// Returns the forms of a text in JSON strings that differ from the text itself: with the necessary escapes only,
/// and with escapes for every letter that is not ASCII.
pub(crate) fn json_forms(text: &str) -> Vec<String> {
    let needs_none = |byte: u8| matches!(byte, 0x20..0x80) && !matches!(byte, b'"' | b'\\');
    if text.bytes().all(needs_none) {
        return Vec::new();
    }
    let mut needed = Vec::new();
    escape_into(&mut needed, text);
    let needed = String::from_utf8(needed).unwrap_or_default();
    let ascii = |upper: bool| -> String {
        let mut out = String::new();
        for c in needed.chars() {
            match c.is_ascii() {
                true => out.push(c),
                false => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        out += &if upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
                    }
                }
            }
        }
        out
    };
    let mut forms = vec![needed.clone(), ascii(false), ascii(true)];
    forms.dedup();
    forms.retain(|form| form != text);
    forms
}

/// Returns the length and the meaning of an escape that ends a text: a letter, or a space for a control character.
pub(crate) fn escape_at_end(bytes: &[u8]) -> Option<(usize, char)> {
    let is_escape = |backslash: usize| {
        let before = bytes.get(..backslash)?;
        let further = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        (bytes.get(backslash) == Some(&b'\\') && further % 2 == 0).then_some(())
    };
    if let (Some(at), Some(last)) = (bytes.len().checked_sub(2), bytes.last())
        && b"nrtbf\"\\/".contains(last)
        && is_escape(at).is_some()
    {
        return Some((2, ' '));
    }
    let at = bytes.len().checked_sub(6)?;
    is_escape(at)?;
    let digits = std::str::from_utf8(bytes.get(at + 1..)?).ok()?.strip_prefix('u')?;
    let unit = u32::from_str_radix(digits, 16).ok()?;
    Some((6, char::from_u32(unit).unwrap_or(' ')))
}

/// Where a position of a JSON text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct JsonPlace {
    in_string: bool,
    /// The bytes of an escape that are still to come.
    escape: u8,
}

/// How an original is written in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InJson {
    /// With the escapes of a string.
    Escaped,
    /// As it is: a number, or `true`, `false` or `null`.
    Plain,
    /// Not at all: the text would no longer be JSON.
    Kept,
}

impl JsonPlace {
    /// Moves over bytes.
    pub(crate) fn pass(&mut self, bytes: &[u8]) {
        for byte in bytes {
            *self = match (self.in_string, self.escape, byte) {
                (true, 1, b'u') => Self { in_string: true, escape: 4 },
                (true, 1.., _) => Self { in_string: true, escape: self.escape - 1 },
                (true, 0, b'\\') => Self { in_string: true, escape: 1 },
                (_, _, b'"') => Self { in_string: !self.in_string, escape: 0 },
                _ => *self,
            };
        }
    }

    /// Returns how an original may take the place of a range that starts here, so that JSON stays JSON.
    pub(crate) fn written(self, bytes: &[u8], range: &Range<usize>, original: &str) -> InJson {
        let quoted = bytes.get(range.clone()).unwrap_or_default();
        if self.in_string {
            return match self.escape == 0 && is_content(quoted) {
                true => InJson::Escaped,
                false => InJson::Kept,
            };
        }
        let neighbour = |byte: Option<&u8>, also: &[u8]| {
            byte.is_none_or(|byte| b" \t\r\n,".contains(byte) || also.contains(byte))
        };
        let before = range.start.checked_sub(1).and_then(|at| bytes.get(at));
        let alone = neighbour(before, b"[:") && neighbour(bytes.get(range.end), b"]}");
        let literal = |text: &[u8]| matches!(text, b"true" | b"false" | b"null");
        let scalar = |text: &[u8]| literal(text) || is_number(text);
        match scalar(quoted) {
            true if alone && scalar(original.as_bytes()) => InJson::Plain,
            true => InJson::Kept,
            false if may_be_outside(quoted) => InJson::Kept,
            // JSON has no other words outside of strings, so this is not JSON.
            false => InJson::Escaped,
        }
    }
}

/// Whether JSON may have these bytes outside of strings, or where a string begins.
fn may_be_outside(bytes: &[u8]) -> bool {
    let mark = |byte: &u8| b"[]{},: \t\r\n+-.".contains(byte) || byte.is_ascii_digit();
    let mut words = bytes.split(mark).filter(|word| !word.is_empty());
    bytes.contains(&b'"') || words.all(|word| matches!(word, b"true" | b"false" | b"null" | b"e" | b"E"))
}

/// Whether bytes are the whole content of a JSON string.
fn is_content(bytes: &[u8]) -> bool {
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += match (byte, bytes.get(at + 1)) {
            (b'"' | 0..0x20, _) => return false,
            (b'\\', Some(b'u')) => match unit(at + 2) {
                // Two halves of one character belong together.
                Some(0xd800..0xdc00) => match (bytes.get(at + 6..at + 8), unit(at + 8)) {
                    (Some(b"\\u"), Some(0xdc00..0xe000)) => 12,
                    _ => return false,
                },
                Some(0xdc00..0xe000) | None => return false,
                Some(_) => 6,
            },
            (b'\\', Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => 2,
            (b'\\', _) => return false,
            _ => 1,
        };
    }
    true
}

/// Whether bytes are a number of JSON that a program can read.
fn is_number(bytes: &[u8]) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let whole = digits(rest);
    if whole == 0 || whole > 1 && rest.first() == Some(&b'0') {
        return false;
    }
    let mut rest = rest.get(whole..).unwrap_or_default();
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = fraction.get(count..).unwrap_or_default();
    }
    if let Some(exponent) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        let exponent =
            exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
        let count = digits(exponent);
        if count == 0 {
            return false;
        }
        rest = exponent.get(count..).unwrap_or_default();
    }
    let finite = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
    rest.is_empty() && std::str::from_utf8(bytes).is_ok_and(finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_contents_are_those_of_json() {
        for number in ["0", "-7", "42", "0.5", "1e5", "1.25E-3", "-0"] {
            assert!(is_number(number.as_bytes()), "{number}");
        }
        for other in ["", "-", "007", "+1", "1.", ".5", "1e", "0x1", "1e999", "NaN", "1 2", "Ana"] {
            assert!(!is_number(other.as_bytes()), "{other}");
        }
        for content in ["", "Ana", "a\\n", "\\u00e9", "\\ud83d\\ude00", "\\\\", "é"] {
            assert!(is_content(content.as_bytes()), "{content}");
        }
        for other in ["\"", "a\\", "\\x", "\\u00e", "\\ud83d", "\\ude00", "\\ud83d\\u0041"] {
            assert!(!is_content(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_place_is_in_a_string_or_not() {
        let after = |text: &str| {
            let mut place = JsonPlace::default();
            place.pass(text.as_bytes());
            (place.in_string, place.escape)
        };
        assert_eq!(after("{\"a\""), (false, 0));
        assert_eq!(after("{\"a"), (true, 0));
        assert_eq!(after("{\"a\\\""), (true, 0));
        assert_eq!(after("{\"a\\"), (true, 1));
        assert_eq!(after("{\"a\\u00"), (true, 2));
        assert_eq!(after("{\"a\\\\\""), (false, 0));
    }

    #[test]
    fn forms_and_escapes() {
        assert_eq!(json_forms("Ana"), Vec::<String>::new());
        assert_eq!(json_forms("É\"x"), ["É\\\"x", "\\u00c9\\\"x", "\\u00C9\\\"x"]);
        assert_eq!(escape_at_end(b"a\\n"), Some((2, ' ')));
        assert_eq!(escape_at_end(b"a\\\\n"), None, "a backslash and the letter n");
        assert_eq!(escape_at_end(b"\\u00e9"), Some((6, 'é')));
        assert_eq!(escape_at_end(b"an"), None);
    }
}
