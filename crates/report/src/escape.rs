//! Text from outside, made harmless for a browser and for a terminal.

use std::fmt;

/// Returns the visible replacement of a character that must not be shown as it is.
///
/// These are control characters, characters that XML forbids, and characters that change the
/// direction of writing. The last can make one text look like another.
///
/// ```
/// use inkveil_report::stand_in;
///
/// assert_eq!(stand_in('\u{1b}'), Some('␛'));
/// assert_eq!(stand_in('é'), None);
/// ```
pub fn stand_in(c: char) -> Option<char> {
    match c {
        '\n' | '\t' => None,
        '\0'..='\u{1F}' => char::from_u32(0x2400 + u32::from(c)),
        '\u{7F}' => Some('\u{2421}'),
        '\u{80}'..='\u{9F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Some('\u{FFFD}'),
        '\u{FFFE}' | '\u{FFFF}' => Some('\u{FFFD}'),
        _ => None,
    }
}

/// A text that is only text to a browser, between tags or between double quotes. Line breaks stay.
///
/// ```
/// use inkveil_report::Escaped;
///
/// assert_eq!(Escaped("<b> & \"c\"").to_string(), "&lt;b&gt; &amp; &quot;c&quot;");
/// ```
#[derive(Clone, Copy)]
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_escaped(f, self.0)
    }
}

fn write_escaped(out: &mut impl fmt::Write, text: &str) -> fmt::Result {
    let mut written = 0;
    for (at, c) in text.char_indices() {
        let mut shown = [0; 4];
        let instead = match c {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            '\'' => "&#39;",
            // Half of a line break on some systems; a browser shows nothing for it elsewhere.
            '\r' => "",
            c => match stand_in(c) {
                Some(c) => c.encode_utf8(&mut shown),
                None => continue,
            },
        };
        out.write_str(&text[written..at])?;
        out.write_str(instead)?;
        written = at + c.len_utf8();
    }
    out.write_str(&text[written..])
}

/// The escaper of every template; see `askama.toml`.
#[derive(Clone, Copy)]
pub(crate) struct Html;

impl askama::filters::Escaper for Html {
    fn write_escaped_str<W: fmt::Write>(&self, mut out: W, text: &str) -> fmt::Result {
        write_escaped(&mut out, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_visible() {
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
    fn no_text_becomes_markup() {
        let text = "<script>alert('\"&\u{1b}[31m\0\u{202e}')</script>\r\n";
        let escaped = "&lt;script&gt;alert(&#39;&quot;&amp;␛[31m␀�&#39;)&lt;/script&gt;\n";
        assert_eq!(Escaped(text).to_string(), escaped);
    }
}
