//! Places counted in bytes, in characters and in UTF-16 units.

use std::ops::Range;

use crate::Span;

/// A place in a text, counted the three ways that programs count: Rust and Go in bytes of UTF-8, Python in characters, and
/// JavaScript, Java and C# in units of UTF-16.
///
/// ```
/// use inkveil_detect::Offsets;
///
/// // A treble clef is four bytes, one character and two units of UTF-16.
/// let end = Offsets::START.after("é𝄞");
/// assert_eq!((end.byte, end.char, end.utf16), (6, 2, 3));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Offsets {
    /// Bytes of UTF-8 before the place.
    pub byte: u64,
    /// Characters (Unicode scalar values) before the place.
    pub char: u64,
    /// Units of UTF-16 before the place.
    pub utf16: u64,
}

impl Offsets {
    /// The beginning of a text.
    pub const START: Offsets = Offsets { byte: 0, char: 0, utf16: 0 };

    /// The place at the end of `text`, if it begins at this place. So a text can be counted piece by piece.
    pub fn after(self, text: &str) -> Self {
        self.after_bytes(text.as_bytes())
    }

    /// The places of spans in `text`, if it begins at this place.
    ///
    /// Spans in order cost one pass over the text; others are found too, but later ones start over.
    ///
    /// ```
    /// use inkveil_detect::{Kind, Offsets, Source, Span, Why};
    ///
    /// let why = Why { source: Source::User, name: "music".into(), context: None, validator: None, also: vec![] };
    /// let span = Span { start: 5, end: 8, kind: Kind::named("note"), score: 1.0, why };
    /// let places: Vec<_> = Offsets::START.of_spans("𝄞 fis", &[span]).collect();
    /// assert_eq!((places[0].start.char, places[0].start.utf16), (2, 3));
    /// ```
    pub fn of_spans(self, text: &str, spans: &[Span]) -> impl Iterator<Item = Range<Offsets>> {
        let mut counted = (0, self);
        let mut place = move |at: usize| {
            let (from, offsets) = if counted.0 <= at { counted } else { (0, self) };
            // A span that is not of this text must not end the program.
            let bytes = text.as_bytes().get(from..at.min(text.len())).unwrap_or_default();
            counted = (at, offsets.after_bytes(bytes));
            counted.1
        };
        spans.iter().map(move |span| place(span.start)..place(span.end))
    }

    fn after_bytes(self, bytes: &[u8]) -> Self {
        // Every character has one byte that does not continue another; those of four bytes are two units of UTF-16.
        let chars = bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64;
        let pairs = bytes.iter().filter(|&&byte| byte >= 0xF0).count() as u64;
        Self {
            byte: self.byte + bytes.len() as u64,
            char: self.char + chars,
            utf16: self.utf16 + chars + pairs,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Kind, Source, Why};

    fn span(start: usize, end: usize) -> Span {
        let why =
            Why { source: Source::Rule, name: "test".into(), context: None, validator: None, also: vec![] };
        Span { start, end, kind: Kind::Id, score: 1.0, why }
    }

    /// What the offsets should be, by the standard library.
    fn counted(text: &str) -> Offsets {
        Offsets {
            byte: text.len() as u64,
            char: text.chars().count() as u64,
            utf16: text.encode_utf16().count() as u64,
        }
    }

    /// Texts with characters of every width.
    fn text() -> impl Strategy<Value = String> {
        proptest::collection::vec(proptest::char::any(), 0..60).prop_map(String::from_iter)
    }

    /// The boundary at or after `at`.
    fn boundary(text: &str, at: usize) -> usize {
        (at..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
    }

    proptest! {
        #[test]
        fn places_are_what_the_standard_library_counts(text in text(), mut at in proptest::collection::vec(0..260usize, 0..12)) {
            // In order or not: the answer is the same.
            at.iter_mut().for_each(|at| *at = boundary(&text, *at % (text.len() + 1)));
            for ordered in [false, true] {
                if ordered {
                    at.sort_unstable();
                }
                let spans: Vec<Span> = at.chunks(2).filter(|pair| pair.len() == 2).map(|pair| span(pair[0], pair[1])).collect();
                let places: Vec<_> = Offsets::START.of_spans(&text, &spans).collect();
                prop_assert_eq!(places.len(), spans.len());
                for (place, span) in places.iter().zip(&spans) {
                    prop_assert_eq!(place.start, counted(&text[..span.start]));
                    prop_assert_eq!(place.end, counted(&text[..span.end]));
                }
            }
        }

        #[test]
        fn pieces_count_like_the_whole(text in text(), cut in 0..260usize, start in 0..260usize, end in 0..260usize) {
            let cut = boundary(&text, cut % (text.len() + 1));
            let (first, second) = text.split_at(cut);
            prop_assert_eq!(Offsets::START.after(first).after(second), counted(&text));
            let start = boundary(second, start % (second.len() + 1));
            let end = boundary(second, end % (second.len() + 1)).max(start);
            let place = Offsets::START.after(first).of_spans(second, &[span(start, end)]).next().unwrap();
            prop_assert_eq!(place, counted(&text[..cut + start])..counted(&text[..cut + end]));
        }

        #[test]
        fn spans_of_another_text_do_no_harm(text in text(), at in proptest::collection::vec(0..usize::MAX, 2)) {
            let places: Vec<_> = Offsets::START.of_spans(&text, &[span(at[0], at[1])]).collect();
            prop_assert!(places[0].start <= counted(&text) && places[0].end <= counted(&text));
        }
    }
}
