//! Places in texts, in bytes, characters, UTF-16 units, lines and columns.

use std::ops::Range;

use crate::span::Span;

/// A place in a text, in the three units that programs use: bytes of UTF-8 in Rust and Go, characters in
/// Python, and UTF-16 units in JavaScript, Java and C#.
///
/// ```
/// use inkveil_detect::Offsets;
///
/// // A treble clef has four bytes, one character and two UTF-16 units.
/// let end = Offsets::START.after("é𝄞");
/// assert_eq!((end.byte, end.char, end.utf16), (6, 2, 3));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Offsets {
    /// The number of bytes of UTF-8 before the place.
    pub byte: u64,
    /// The number of characters (Unicode scalar values) before the place.
    pub char: u64,
    /// The number of UTF-16 units before the place.
    pub utf16: u64,
}

impl Offsets {
    /// The start of a text.
    pub const START: Offsets = Offsets { byte: 0, char: 0, utf16: 0 };

    /// Returns the end of `text` if it starts at this place. A text can be counted piece by piece this way.
    pub fn after(self, text: &str) -> Self {
        self.after_bytes(text.as_bytes())
    }

    /// Returns the places of spans in `text` if it starts at this place.
    ///
    /// Sorted spans need one pass over the text. A span before the last one restarts the count.
    ///
    /// ```
    /// use inkveil_detect::{Detector, Offsets, Settings, Tier};
    ///
    /// let detector = Detector::open(None, Settings::of(Tier::Rules))?;
    /// let spans = detector.detect(&["𝄞 a@b.de"])?.remove(0);
    /// let places: Vec<_> = Offsets::START.of_spans("𝄞 a@b.de", &spans).collect();
    /// assert_eq!((places[0].start.char, places[0].start.utf16), (2, 3));
    /// # Ok::<(), inkveil_detect::Error>(())
    /// ```
    pub fn of_spans(self, text: &str, spans: &[Span]) -> impl Iterator<Item = Range<Offsets>> {
        let mut counted = (0, self);
        let mut place = move |at: usize| {
            let (from, offsets) = if counted.0 <= at { counted } else { (0, self) };
            // A span of another text must not panic.
            let bytes = text.as_bytes().get(from..at.min(text.len())).unwrap_or_default();
            counted = (at, offsets.after_bytes(bytes));
            counted.1
        };
        spans.iter().map(move |span| place(span.start)..place(span.end))
    }

    fn after_bytes(self, bytes: &[u8]) -> Self {
        // Every character has one leading byte. Characters of four bytes have two UTF-16 units.
        let chars = bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64;
        let pairs = bytes.iter().filter(|&&byte| byte >= 0xF0).count() as u64;
        Self {
            byte: self.byte + bytes.len() as u64,
            char: self.char + chars,
            utf16: self.utf16 + chars + pairs,
        }
    }
}

/// A line and a column in characters, both from 1.
///
/// ```
/// use inkveil_detect::LineColumn;
///
/// assert_eq!(LineColumn::START.after("a\nbé"), LineColumn { line: 2, column: 3 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u64,
}

impl LineColumn {
    /// The start of a text.
    pub const START: LineColumn = LineColumn { line: 1, column: 1 };

    /// Returns the end of `text` if it starts at this place.
    pub fn after(self, text: &str) -> Self {
        match text.rfind('\n') {
            Some(last) => Self {
                line: self.line + text.matches('\n').count() as u64,
                column: 1 + text[last + 1..].chars().count() as u64,
            },
            None => Self { line: self.line, column: self.column + text.chars().count() as u64 },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kind::Kind;
    use crate::span::{FoundBy, Reason};

    fn span(start: usize, end: usize) -> Span {
        Span { start, end, kind: Kind::Id, score: 1.0, reason: Reason::new(FoundBy::Rule, "test") }
    }

    /// Counts with the standard library.
    fn counted(text: &str) -> Offsets {
        Offsets {
            byte: text.len() as u64,
            char: text.chars().count() as u64,
            utf16: text.encode_utf16().count() as u64,
        }
    }

    /// Draws texts with characters of all widths.
    fn text() -> impl Strategy<Value = String> {
        proptest::collection::vec(proptest::char::any(), 0..60).prop_map(String::from_iter)
    }

    /// Returns the character boundary at or after `at`.
    fn boundary(text: &str, at: usize) -> usize {
        (at..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
    }

    #[test]
    fn lines_and_columns_are_counted_in_characters() {
        let start = LineColumn::START;
        assert_eq!(start.after("é𝄞"), LineColumn { line: 1, column: 3 });
        assert_eq!(start.after("a\nb\r\n"), LineColumn { line: 3, column: 1 });
        assert_eq!(start.after("a\nbé").after("c"), LineColumn { line: 2, column: 4 });
    }

    proptest! {
        #[test]
        fn places_agree_with_the_standard_library(text in text(), mut at in proptest::collection::vec(0..260usize, 0..12)) {
            // The order of spans does not matter.
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
        fn counting_by_pieces_gives_the_same_places(text in text(), cut in 0..260usize, start in 0..260usize, end in 0..260usize) {
            let cut = boundary(&text, cut % (text.len() + 1));
            let (first, second) = text.split_at(cut);
            prop_assert_eq!(Offsets::START.after(first).after(second), counted(&text));
            let start = boundary(second, start % (second.len() + 1));
            let end = boundary(second, end % (second.len() + 1)).max(start);
            let place = Offsets::START.after(first).of_spans(second, &[span(start, end)]).next().unwrap();
            prop_assert_eq!(place, counted(&text[..cut + start])..counted(&text[..cut + end]));
        }

        #[test]
        fn spans_of_another_text_do_not_panic(text in text(), at in proptest::collection::vec(0..usize::MAX, 2)) {
            let places: Vec<_> = Offsets::START.of_spans(&text, &[span(at[0], at[1])]).collect();
            prop_assert!(places[0].start <= counted(&text) && places[0].end <= counted(&text));
        }
    }
}
