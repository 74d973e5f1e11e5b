//! Characters, word characters and digits.

/// Returns whether a character can be part of a word, so that a match must not touch it.
///
/// Characters of scripts without spaces (Han, kana, Hangul particles, Thai, Lao) do not count: a number may
/// directly follow them.
pub(super) fn is_word_char(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    !is_unspaced(c) && c.is_alphanumeric()
}

/// Returns whether a character is of a script without spaces between words.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

/// Returns the character that starts at `at`, if `at` is inside the text and on a boundary.
pub(super) fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// Returns the character that ends at `at`.
pub(super) fn char_before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}

/// Returns the character boundary at or before `at`.
pub(super) fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

/// Returns the digits of a text as numbers.
pub(super) fn digits(text: &str) -> impl DoubleEndedIterator<Item = u32> + Clone + '_ {
    text.bytes().filter(u8::is_ascii_digit).map(|digit| u32::from(digit - b'0'))
}

/// Returns the digits of a text with exactly `N` of them. A check may receive any text that a pattern of
/// the user matches, so it must not assume the length.
pub(super) fn exact_digits<const N: usize>(text: &str) -> Option<[u32; N]> {
    let mut rest = digits(text);
    let mut taken = [0; N];
    for digit in &mut taken {
        *digit = rest.next()?;
    }
    rest.next().is_none().then_some(taken)
}

/// Returns the ASCII letters and digits of a text in upper case.
pub(super) fn compact(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

/// Returns whether a word is in a list separated by spaces.
pub(super) fn is_listed(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|known| known == word)
}

/// Returns whether all digits are the same, as in made-up examples, which many checks accept.
pub(super) fn all_same(text: &str) -> bool {
    let mut digits = digits(text);
    let first = digits.next();
    digits.all(|digit| Some(digit) == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_characters_are_those_of_spaced_scripts() {
        for c in ['a', 'Z', '0', '_', 'é', 'ß', 'я', 'ω', '٣'] {
            assert!(is_word_char(c), "{c}");
        }
        for c in [' ', '-', '”', '—', '€', '电', 'の', '로', 'ท'] {
            assert!(!is_word_char(c), "{c}");
        }
    }

    #[test]
    fn digits_are_counted_exactly() {
        assert_eq!(exact_digits("1-2 é3"), Some([1, 2, 3]));
        assert_eq!(exact_digits::<2>("123"), None);
        assert_eq!(exact_digits::<4>("123"), None);
    }

    #[test]
    fn there_are_no_characters_beyond_the_ends() {
        assert_eq!(char_before("é", 0), None);
        assert_eq!(char_at("é", 1), None);
        assert_eq!(char_at("é", 2), None);
        assert_eq!(char_before("é", 2), Some('é'));
    }
}
