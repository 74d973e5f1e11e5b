//! Safe display of texts: characters that a terminal or browser would act on are replaced.

use std::fmt;

/// Returns the replacement of a character that must not be shown.
pub(crate) fn stand_in(c: char) -> Option<char> {
    match c {
        '\n' | '\t' => None,
        '\0'..='\u{1F}' => char::from_u32(0x2400 + u32::from(c)),
        '\u{7F}' => Some('\u{2421}'),
        // Other control characters, and marks of the writing direction, which can disguise a text.
        '\u{80}'..='\u{9F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Some('\u{FFFD}'),
        _ => None,
    }
}

/// A text with HTML escapes. Line breaks are kept.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut written = 0;
        for (at, c) in self.0.char_indices() {
            let mut shown = [0; 4];
            let replacement = match c {
                '&' => "&amp;",
                '<' => "&lt;",
                '>' => "&gt;",
                '"' => "&quot;",
                '\'' => "&#39;",
                // Browsers ignore it, and `\n` follows it in a line break.
                '\r' => "",
                c => match stand_in(c) {
                    Some(c) => c.encode_utf8(&mut shown),
                    None => continue,
                },
            };
            f.write_str(&self.0[written..at])?;
            f.write_str(replacement)?;
            written = at + c.len_utf8();
        }
        f.write_str(&self.0[written..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced() {
        for (c, shown) in
            [('\u{1b}', '␛'), ('\0', '␀'), ('\r', '␍'), ('\u{7f}', '␡'), ('\u{9b}', '�'), ('\u{202e}', '�')]
        {
            assert_eq!(stand_in(c), Some(shown));
        }
        for c in ['\n', '\t', ' ', 'a', 'é', '𝄞', '\u{a0}'] {
            assert_eq!(stand_in(c), None);
        }
    }

    #[test]
    fn texts_contain_no_markup() {
        let text = "<script>alert('\"&\u{1b}[31m\0\u{202e}')</script>\r\n";
        let escaped = "&lt;script&gt;alert(&#39;&quot;&amp;␛[31m␀�&#39;)&lt;/script&gt;\n";
        assert_eq!(Escaped(text).to_string(), escaped);
    }
}
