//! Words in a drawing: how wide they are about, and where lines break.
//!
//! A drawing does not know the font that it is shown in, so widths are those of a wide one.

/// How much wider bold letters are.
pub(super) const BOLD: f64 = 1.1;

/// About how wide a text is, at a size of letters.
pub(super) fn width(text: &str, size: f64) -> f64 {
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

/// A text in lines of a width, at most so many. The last ends with … where it is cut.
pub(super) fn wrapped(text: &str, size: f64, wide: f64, most: usize) -> Vec<String> {
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

/// A text on one line of at most a width, cut with … where it is longer.
pub(super) fn cut(text: &str, size: f64, wide: f64) -> String {
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
