//! Characters that a terminal or browser would act on, made visible.

/// What to show for a character that is not to be shown as it is.
pub(super) fn stand_in(c: char) -> Option<char> {
    match c {
        '\n' | '\t' => None,
        '\0'..='\u{1F}' => char::from_u32(0x2400 + u32::from(c)),
        '\u{7F}' => Some('\u{2421}'),
        // Further controls, and what turns the direction of writing: it can make a text read as another.
        '\u{80}'..='\u{9F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Some('\u{FFFD}'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_acted_on_has_a_stand_in() {
        for (c, shown) in
            [('\u{1b}', '␛'), ('\0', '␀'), ('\r', '␍'), ('\u{7f}', '␡'), ('\u{9b}', '�'), ('\u{202e}', '�')]
        {
            assert_eq!(stand_in(c), Some(shown));
        }
        for c in ['\n', '\t', ' ', 'a', 'é', '𝄞', '\u{a0}'] {
            assert_eq!(stand_in(c), None);
        }
    }
}
