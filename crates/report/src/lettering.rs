//! Text in a drawing: about how wide it is, where lines break, and how it is written.
//!
//! A drawing does not know the font that shows it, so widths are those of a wide font.

use std::fmt::Write as _;

use crate::escape::Escaped;

/// How much wider bold letters are.
pub(crate) const BOLD: f64 = 1.1;

/// About how wide a text is at a font size.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(letter).sum::<f64>() * size
}

fn letter(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.34,
        't' | 'f' | 'r' | '-' | ' ' | '(' | ')' | '[' | ']' | '/' | '·' => 0.43,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '—' => 0.98,
        'A'..='Z' => 0.76,
        c if u32::from(c) >= 0x1100 => 1.05,
        _ => 0.64,
    }
}

/// Breaks a text into at most `most` lines of a width. The last line ends with … if the text is
/// cut.
pub(crate) fn wrapped(text: &str, size: f64, wide: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + letter(' ') * size <= wide => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    let more = lines.len() > most;
    lines.truncate(most);
    if more && let Some(last) = lines.last_mut() {
        last.push('…');
    }
    lines.iter().map(|line| cut(line, size, wide)).collect()
}

/// Returns a text on one line of at most a width, with … at the end if it is cut.
pub(crate) fn cut(text: &str, size: f64, wide: f64) -> String {
    if width(text, size) <= wide {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = letter('…') * size;
    for c in text.chars() {
        used += letter(c) * size;
        if used > wide {
            break;
        }
        shown.push(c);
    }
    format!("{}…", shown.trim_end().trim_end_matches('…'))
}

/// One line of text in a drawing.
#[derive(Clone, Copy)]
pub(crate) struct Label {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) size: f64,
    pub(crate) anchor: &'static str,
    pub(crate) faint: bool,
    pub(crate) bold: bool,
    /// Written upwards instead of to the right.
    pub(crate) upright: bool,
}

impl Label {
    pub(crate) fn at(x: f64, y: f64, size: f64) -> Self {
        Self { x, y, size, anchor: "start", faint: false, bold: false, upright: false }
    }

    /// Writes the label. Writing to a string cannot fail.
    pub(crate) fn write(&self, out: &mut String, text: &str) {
        if text.is_empty() {
            return;
        }
        let Self { x, y, size, anchor, .. } = self;
        let class = if self.faint { " class=\"faint\"" } else { "" };
        let weight = if self.bold { " font-weight=\"bold\"" } else { "" };
        let anchor = if *anchor == "start" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
        let turn =
            if self.upright { format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"") } else { String::new() };
        let text = Escaped(text);
        let _ = writeln!(
            out,
            "<text{class} x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size:.1}\"{weight}{anchor}{turn}>{text}</text>"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_are_cut() {
        assert_eq!(wrapped("one two three", 10.0, 55.0, 3), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 10.0, 55.0, 1), ["one two…"]);
        assert_eq!(wrapped("", 10.0, 50.0, 2), Vec::<String>::new());
        assert!(width(&cut(&"long".repeat(30), 10.0, 80.0), 10.0) <= 80.0);
    }
}
