//! The line of a file that has a problem, with a caret under it.

use std::fmt;
use std::ops::Range;

/// A position in a text and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The character in the line, from 1.
    pub(crate) column: usize,
    /// The line, or the part around the position.
    shown: String,
    /// The start and number of carets, in characters of `shown`.
    carets: (usize, usize),
}

/// The shown width of a long line.
const WIDTH: usize = 100;
/// The shown width before the position in a long line.
const BEFORE: usize = 30;

impl Excerpt {
    /// Creates the excerpt of `range`, in bytes of `text`. A range over several lines is shown up
    /// to the end of its first line.
    pub(crate) fn new(text: &str, range: Range<usize>) -> Self {
        let start = floor_boundary(text, range.start);
        let end = floor_boundary(text, range.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let line = 1 + text[..line_start].matches('\n').count();
        let before = text[line_start..start].chars().count();
        let marked = text[start..end.min(line_end)].trim_end().chars().count().max(1);

        let skipped = if before > WIDTH - BEFORE { before - BEFORE } else { 0 };
        let mut chars = text[line_start..line_end].trim_end().chars().skip(skipped);
        let mut shown: String = if skipped > 0 { "…".into() } else { String::new() };
        shown.extend(chars.by_ref().take(WIDTH).map(printable));
        if chars.next().is_some() {
            shown.push('…');
        }
        let first = before - skipped + usize::from(skipped > 0);
        let last = shown.chars().count().max(first + 1);
        Self { line, column: before + 1, shown, carets: (first, marked.min(last - first)) }
    }
}

/// Formats as three lines: a bar, the line, and carets.
impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let (first, count) = self.carets;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {}", self.shown)?;
        write!(f, "{margin} | {}{}", " ".repeat(first), "^".repeat(count))
    }
}

/// Returns the character boundary at or before `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// Replaces control characters, so that each character takes one column and a terminal interprets
/// none.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{FFFD}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str, part: &str) -> Excerpt {
        let start = text.find(part).unwrap();
        Excerpt::new(text, start..start + part.len())
    }

    #[test]
    fn shows_the_line_and_the_position() {
        let excerpt = of("a = 1\n\tkinds = [\"é\", \"persn\"]\n", "\"persn\"");
        assert_eq!((excerpt.line, excerpt.column), (2, 16));
        assert_eq!(excerpt.to_string(), "  |\n2 |  kinds = [\"é\", \"persn\"]\n  |                ^^^^^^^");
    }

    #[test]
    fn a_range_of_several_lines_is_marked_in_the_first() {
        let excerpt = of("a\nb = [\n  1,\n]\n", "[\n  1,\n]");
        assert_eq!(excerpt.to_string(), "  |\n2 | b = [\n  |     ^");
    }

    #[test]
    fn the_end_of_the_text_has_a_position() {
        let excerpt = Excerpt::new("a = ", 4..4);
        assert_eq!((excerpt.line, excerpt.column), (1, 5));
        assert_eq!(excerpt.to_string(), "  |\n1 | a =\n  |     ^");
        assert_eq!(Excerpt::new("", 0..9).to_string(), "  |\n1 | \n  | ^");
    }

    #[test]
    fn a_long_line_is_shortened_around_the_position() {
        let text = format!("x = \"{}\" # {} y", "a".repeat(300), "b".repeat(300));
        let shown = of(&text, "#").to_string();
        assert!(shown.lines().all(|line| line.chars().count() < 110), "{shown}");
        let lines: Vec<Vec<char>> = shown.lines().map(|line| line.chars().collect()).collect();
        let caret = lines[2].iter().position(|&c| c == '^').unwrap();
        assert_eq!(lines[1][caret], '#');
    }

    proptest! {
        #[test]
        fn arbitrary_ranges_of_arbitrary_texts_have_a_position(text in "[a-c\u{1b}\n\r\té𝄞]{0,300}", a in 0..400usize, b in 0..400usize) {
            let excerpt = Excerpt::new(&text, a..b);
            prop_assert!(excerpt.line <= 1 + text.matches('\n').count());
            let shown = excerpt.to_string();
            prop_assert_eq!(shown.lines().count(), 3);
            prop_assert!(shown.chars().all(|c| c == '\n' || !c.is_control()));
        }
    }
}
