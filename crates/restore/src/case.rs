//! Upper case, lower case, title case and white space.

/// A case form of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Upper,
    Lower,
    Title,
}

impl Form {
    pub(crate) const ALL: [Form; 3] = [Form::Upper, Form::Lower, Form::Title];

    /// Converts a text to this form.
    pub(crate) fn of(self, text: &str) -> String {
        match self {
            Form::Upper => text.to_uppercase(),
            Form::Lower => text.to_lowercase(),
            Form::Title => title(text),
        }
    }
}

/// Converts each word to a capital letter followed by lower-case letters.
fn title(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_word = false;
    for c in text.chars() {
        match in_word {
            true => out.extend(c.to_lowercase()),
            false => out.extend(c.to_uppercase()),
        }
        // An apostrophe does not start a word: "Ana's".
        in_word = c.is_alphanumeric() || in_word && matches!(c, '\'' | '’');
    }
    out
}

/// Folds case: texts that differ only in case give the same result.
pub(crate) fn folded(text: &str) -> String {
    text.to_lowercase()
}

/// Replaces each run of white space by one space, so that a line break in a name does not matter.
pub(crate) fn collapse_spaces(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut after_space = false;
    for c in text.chars() {
        let space = is_space(c as u32);
        match (space, after_space) {
            (true, true) => {}
            (true, false) => out.push(' '),
            (false, _) => out.push(c),
        }
        after_space = space;
    }
    out
}

/// Whether a character is white space that can be part of a run.
pub(crate) fn is_space(c: u32) -> bool {
    matches!(c, 0x20 | 0x09 | 0x0a | 0x0d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_forms_and_collapsed_spaces() {
        assert_eq!(
            Form::ALL.map(|form| form.of("mary-Ann o'neil")),
            ["MARY-ANN O'NEIL", "mary-ann o'neil", "Mary-Ann O'neil"]
        );
        assert_eq!(Form::Title.of("ÉVA STRAßE 5a"), "Éva Straße 5a");
        assert_eq!(collapse_spaces("a \t\r\n b  c "), "a b c ");
    }
}
