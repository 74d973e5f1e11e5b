//! Texts as they can be shown: nothing that a terminal or browser would act on.

use std::fmt;

/// No cell of a table is longer, in characters.
const LONGEST: usize = 32;

/// What to show for a character that is not to be shown as it is.
fn stand_in(c: char) -> Option<char> {
    match c {
        '\n' | '\r' | '\t' => Some(' '),
        // What turns the direction of writing can make a text read as another.
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Some('\u{FFFD}'),
        c if c.is_control() => Some('\u{FFFD}'),
        _ => None,
    }
}

/// A text on one line of a table.
pub(super) fn in_cell(text: &str) -> String {
    let mut shown: String = text.chars().map(|c| stand_in(c).unwrap_or(c)).take(LONGEST + 1).collect();
    if shown.chars().count() > LONGEST {
        shown = shown.chars().take(LONGEST - 1).chain(['…']).collect();
    }
    shown
}

/// A text that is only a text to a browser. Lines stay lines.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\n' | '\t' => write!(f, "{c}")?,
                // Half of a line break, where it is one; a browser shows nothing for it elsewhere.
                '\r' => {}
                c => write!(f, "{}", stand_in(c).unwrap_or(c))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup() {
        let text = "<script>alert('\"&\u{1b}[31m\0\u{202e}')</script>\r\n";
        let escaped =
            "&lt;script&gt;alert(&#39;&quot;&amp;\u{fffd}[31m\u{fffd}\u{fffd}&#39;)&lt;/script&gt;\n";
        assert_eq!(Escaped(text).to_string(), escaped);
    }

    #[test]
    fn a_cell_is_one_short_line() {
        assert_eq!(in_cell("two\r\nlines\u{1b}[2J"), "two  lines\u{fffd}[2J");
        assert_eq!(in_cell(&"é".repeat(LONGEST)), "é".repeat(LONGEST));
        let cut = in_cell(&"é".repeat(500));
        assert_eq!((cut.chars().count(), cut.ends_with('…')), (LONGEST, true));
    }
}
