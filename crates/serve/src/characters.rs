//! Places in a text, counted in characters instead of bytes.

/// Between two marks of a text there are this many characters.
const STEP: usize = 64;

/// Counts characters instead of bytes. Marks in the text make this quick for many places of a long text.
pub(crate) struct Places<'t> {
    text: &'t str,
    /// The bytes of the first character, of the one 64 characters later, and so on. The end of the text counts as one.
    marks: Vec<usize>,
}

impl<'t> Places<'t> {
    /// The places of a text.
    pub(crate) fn new(text: &'t str) -> Self {
        let bytes = text.char_indices().map(|(byte, _)| byte).chain([text.len()]);
        Self { text, marks: bytes.step_by(STEP).collect() }
    }

    /// The number of characters before a byte, or 0 if no character begins there.
    pub(crate) fn of(&self, byte: usize) -> usize {
        let mark = self.marks.partition_point(|mark| *mark <= byte).saturating_sub(1);
        let since = self.marks.get(mark).and_then(|begin| self.text.get(*begin..byte));
        since.map_or(0, |since| mark * STEP + since.chars().count())
    }

    /// The byte of a character.
    pub(crate) fn byte(&self, character: usize) -> Option<usize> {
        let begin = *self.marks.get(character / STEP)?;
        let rest = self.text.get(begin..)?;
        let mut bytes = rest.char_indices().map(|(byte, _)| byte).chain([rest.len()]);
        Some(begin + bytes.nth(character % STEP)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_and_bytes_are_told_from_each_other() {
        for text in ["", "a", "é", &"x".repeat(64), &"é𝄞a".repeat(50), &"é".repeat(128), &"aé".repeat(63)]
        {
            let places = Places::new(text);
            let bytes: Vec<usize> = text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect();
            for (character, byte) in bytes.iter().enumerate() {
                assert_eq!((places.byte(character), places.of(*byte)), (Some(*byte), character));
            }
            assert_eq!((places.byte(bytes.len()), places.byte(usize::MAX)), (None, None));
            assert_eq!(places.of(text.len() + 1), 0);
        }
        assert_eq!(Places::new("é").of(1), 0, "no character begins there");
    }
}
