//! Escapes of JSON inside texts, and numbers with a fraction of zero. Detection reads letters and digits, so `Jos\u00e9` is no
//! name for it, in `\nAna` the word is `nAna`, and `4155551234.0` is no phone number. A model reads them as JSON does.

use crate::json::Json;

/// Returns the document that a text is, if it is JSON with escapes.
pub(super) fn escaped_document(text: &str) -> Option<Json> {
    let begins = text.trim_start().starts_with(['{', '[', '"']);
    if begins && text.contains('\\') { Json::parse(text.as_bytes()).ok() } else { None }
}

/// Returns a text with letters in the place of their escapes, if it has any. Escapes that keep JSON apart from its strings
/// stay: quotes, backslashes and control characters.
pub(super) fn readable(text: &str) -> Option<String> {
    let mut out = String::new();
    let (mut rest, mut is_changed) = (text, false);
    while let Some((before, after)) = rest.split_once("\\u") {
        match character(after) {
            Some((c, length)) if !c.is_control() && !matches!(c, '"' | '\\') => {
                // JSON inside a string of JSON has several backslashes.
                out.push_str(before.trim_end_matches('\\'));
                out.push(c);
                rest = after.get(length..).unwrap_or_default();
                is_changed = true;
            }
            _ => {
                out.push_str(before);
                out.push_str("\\u");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    is_changed.then_some(out)
}

/// The digits of a whole number that is written with a fraction or an exponent, as tables with gaps write them.
pub(super) fn whole_number(number: &str) -> Option<String> {
    /// Whole numbers above are not exact.
    const MOST: f64 = 9_007_199_254_740_992.0;
    let value = number.parse::<f64>().ok().filter(|value| value.fract() == 0.0 && value.abs() <= MOST)?;
    number.contains(['.', 'e', 'E']).then(|| format!("{value:.0}"))
}

/// The character of an escape, after its `\u`, and the length of what is read.
fn character(after: &str) -> Option<(char, usize)> {
    let unit = |digits: &str| {
        let digits = digits.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        u16::from_str_radix(digits, 16).ok()
    };
    let first = unit(after)?;
    match char::from_u32(u32::from(first)) {
        Some(c) => Some((c, 4)),
        None => {
            let second = unit(after.get(4..)?.strip_prefix("\\u")?)?;
            char::decode_utf16([first, second]).next()?.ok().map(|c| (c, 10))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_read_and_marks_of_json_stay() {
        for (text, read) in [
            (r#"{"to":"Jos\u00e9 \u0041na"}"#, r#"{"to":"José Ana"}"#),
            (r"ana\u0040example.org", "ana@example.org"),
            (r#"{\"to\":\"Jos\\u00E9\"}"#, r#"{\"to\":\"José\"}"#),
            (r"\ud83d\ude00 \u00e9", "😀 é"),
            (r"\u0022\u00e9", r"\u0022é"),
        ] {
            assert_eq!(readable(text).as_deref(), Some(read), "{text}");
        }
        for text in
            ["", "é", r"\u", r"\u00e", r"\ud83d", r"\u+0e9", r"C:\users\ana", r"\u0022\u005c\u000a", r"\uÀé"]
        {
            assert_eq!(readable(text), None, "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_read_without_their_fraction() {
        for (number, read) in [
            ("4155551234.0", "4155551234"),
            ("4.155551234e9", "4155551234"),
            ("-1.5E3", "-1500"),
            ("4111111111111111.0", "4111111111111111"),
        ] {
            assert_eq!(whole_number(number).as_deref(), Some(read));
        }
        for number in ["4155551234", "0.5", "1e400", "123456789012345678.0", "3.14159265"] {
            assert_eq!(whole_number(number), None, "{number}");
        }
    }

    #[test]
    fn only_json_with_escapes_is_a_document() {
        for text in [r#"{"a":"b\nc"}"#, r#" ["\u0041"]"#, r#""\"""#] {
            assert!(escaped_document(text).is_some(), "{text}");
        }
        for text in [r#"{"a":"b"}"#, r#"{"a":"\n"} and more"#, r"a\nb", r"12\n"] {
            assert!(escaped_document(text).is_none(), "{text}");
        }
    }
}
