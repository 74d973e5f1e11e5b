//! Upper, lower and Title case.

/// A case form that a text can be quoted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Upper,
    Lower,
    Title,
}

impl Form {
    pub(crate) const ALL: [Form; 3] = [Form::Upper, Form::Lower, Form::Title];

    /// The text in this form.
    pub(crate) fn of(self, text: &str) -> String {
        match self {
            Form::Upper => text.to_uppercase(),
            Form::Lower => text.to_lowercase(),
            Form::Title => title(text),
        }
    }
}

/// Every word with a capital at its start and small letters after it.
fn title(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_word = false;
    for c in text.chars() {
        match in_word {
            true => out.extend(c.to_lowercase()),
            false => out.extend(c.to_uppercase()),
        }
        // An apostrophe does not begin a word: "Ana's".
        in_word = c.is_alphanumeric() || in_word && matches!(c, '\'' | '’');
    }
    out
}

/// What two texts have in common that differ in case alone.
pub(crate) fn folded(text: &str) -> String {
    text.to_lowercase()
}

/// Runs of white space as one space each: a line break in a quoted name changes nothing.
pub(crate) fn spaced(text: &str) -> String {
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

/// The white space that runs consist of.
pub(crate) fn is_space(c: u32) -> bool {
    matches!(c, 0x20 | 0x09 | 0x0a | 0x0d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        assert_eq!(
            Form::ALL.map(|form| form.of("mary-Ann o'neil")),
            ["MARY-ANN O'NEIL", "mary-ann o'neil", "Mary-Ann O'neil"]
        );
        assert_eq!(Form::Title.of("ÉVA STRAßE 5a"), "Éva Straße 5a");
        assert_eq!(spaced("a \t\r\n b  c "), "a b c ");
    }
}
