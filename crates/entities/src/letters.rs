//! Letters without case and marks, so that spellings can be compared.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Returns a text in lower case, without marks on letters, with plain apostrophes. Two spellings of one
/// name are equal then.
pub fn plain(text: &str) -> String {
    text.nfd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .map(|c| if c == '’' { '\'' } else { c })
        .collect()
}

/// Returns the ASCII letters and digits of a text in lower case, as addresses spell names.
pub(crate) fn ascii(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            'ø' => spelled.push('o'),
            'ł' => spelled.push('l'),
            'đ' | 'ð' => spelled.push('d'),
            'ı' => spelled.push('i'),
            'æ' => spelled.push_str("ae"),
            'œ' => spelled.push_str("oe"),
            'ß' => spelled.push_str("ss"),
            'þ' => spelled.push_str("th"),
            _ if c.is_ascii_alphanumeric() => spelled.push(c),
            _ => {}
        }
    }
    spelled
}

/// Returns whether a place begins a sentence, where every word has a capital.
pub fn begins_sentence(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let before = before.trim_end_matches([' ', '"', '“', '(', '‘', '\t']);
    before.is_empty() || before.ends_with(['.', '!', '?', ':', '\n', '\r'])
}

/// The case of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Lower,
    /// As names are written: mostly a capital and lower-case letters.
    Name,
    Upper,
}

impl Case {
    pub(crate) fn of(word: &str) -> Self {
        let letters = || word.chars().filter(|c| c.is_alphabetic());
        match (letters().any(char::is_uppercase), letters().any(char::is_lowercase)) {
            (true, false) if letters().count() > 1 => Case::Upper,
            (false, true) => Case::Lower,
            _ => Case::Name,
        }
    }

    pub(crate) fn apply(self, word: &str) -> String {
        match self {
            Case::Lower => word.to_lowercase(),
            Case::Upper => word.to_uppercase(),
            Case::Name => word.to_owned(),
        }
    }
}

/// Splits the ending of a possessive from a text: "Ana's" has the ending "'s", and "James'" has "'".
pub(crate) fn split_possessive(text: &str) -> (&str, &str) {
    for ending in ["'s", "’s", "'S", "’S"] {
        if let Some(rest) = text.strip_suffix(ending) {
            return (rest, ending);
        }
    }
    for ending in ["'", "’"] {
        if let Some(rest) = text.strip_suffix(ending).filter(|rest| rest.ends_with(['s', 'S', 'z', 'x'])) {
            return (rest, ending);
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_compared_without_case_and_marks() {
        assert_eq!(plain("Ána O’NEIL"), "ana o'neil");
        assert_eq!(ascii("Ana-Mária Øst Bæk"), "anamariaostbaek");
        assert_eq!(
            [Case::of("ANA"), Case::of("ana"), Case::of("McA"), Case::of("A")].map(|c| c.apply("Eva")),
            ["EVA", "eva", "Eva", "Eva"]
        );
    }

    #[test]
    fn possessives_are_split() {
        assert_eq!(split_possessive("Ana's"), ("Ana", "'s"));
        assert_eq!(split_possessive("Novak’s"), ("Novak", "’s"));
        assert_eq!(split_possessive("James'"), ("James", "'"));
        assert_eq!(split_possessive("'Ana'"), ("'Ana'", ""));
    }
}
