//! Words of a text, which the taggers label.

/// A word, a number or a single other character, with its place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The space before it.
    pub(crate) gap: Gap,
}

/// The space between two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Nothing.
    None,
    /// Spaces.
    Space,
    /// At least one line break, or the start of the text.
    Line,
}

/// Longer runs of letters are cut, so that features stay cheap.
const LONGEST: usize = 64;

impl Word {
    /// Returns the text of the word.
    pub(crate) fn of<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// Splits a text into runs of letters and digits, and single other characters.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::with_capacity(text.len() / 5 + 1);
    let mut gap = Gap::Line;
    let mut open: Option<Word> = None;
    for (at, c) in text.char_indices() {
        if is_part(c) {
            match &mut open {
                Some(word) if at - word.start < LONGEST => continue,
                Some(word) => {
                    words.push(Word { end: at, ..*word });
                    open = Some(Word { start: at, end: at, gap: Gap::None });
                }
                None => {
                    open = Some(Word { start: at, end: at, gap });
                    gap = Gap::None;
                }
            }
            continue;
        }
        if let Some(word) = open.take() {
            words.push(Word { end: at, ..word });
            gap = Gap::None;
        }
        match c {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => gap = Gap::Line,
            c if c.is_whitespace() => gap = if gap == Gap::Line { gap } else { Gap::Space },
            c => {
                words.push(Word { start: at, end: at + c.len_utf8(), gap });
                gap = Gap::None;
            }
        }
    }
    if let Some(word) = open {
        words.push(Word { end: text.len(), ..word });
    }
    words
}

/// Returns whether a character is a letter, a digit or a combining mark.
pub(crate) fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || (!c.is_ascii() && (c.is_alphanumeric() || is_mark(c)))
}

/// Returns whether a character is a combining mark of the common blocks.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}' | '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{65f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<&str> {
        words(text).iter().map(|word| word.of(text)).collect()
    }

    #[test]
    fn texts_are_split_into_words_numbers_and_signs() {
        assert_eq!(split("Dr. O'Neil, 12b"), ["Dr", ".", "O", "'", "Neil", ",", "12b"]);
        assert_eq!(split("a\u{301}b  é\n@x_1"), ["a\u{301}b", "é", "@", "x", "_", "1"]);
        let gaps: Vec<Gap> = words("a b\n c.").iter().map(|word| word.gap).collect();
        assert_eq!(gaps, [Gap::Line, Gap::Space, Gap::Line, Gap::None]);
        assert_eq!(split(&"x".repeat(130)).len(), 3);
    }

    proptest! {
        #[test]
        fn words_cover_everything_except_space(text in any::<String>()) {
            let mut at = 0;
            for word in words(&text) {
                prop_assert!(word.start >= at && word.end > word.start);
                prop_assert!(text[at..word.start].chars().all(char::is_whitespace));
                at = word.end;
            }
            prop_assert!(text[at..].chars().all(char::is_whitespace));
        }
    }
}
