//! Texts inside the string literals of JSON.

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

#[cfg(test)]
mod tests {
    use super::*;

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
