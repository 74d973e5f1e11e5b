//! Features of words for the fast tagger: hashes of letters, the shape, and flags of the gazetteer.

use super::words::{Gap, Word};
use crate::gazetteer::Gazetteer;

/// The number of rows in the table of whole words.
pub(super) const WORD_ROWS: usize = 1 << 15;
/// The number of rows in the table of parts of words.
pub(super) const PART_ROWS: usize = 1 << 15;
/// The number of rows in the table of shapes.
pub(super) const SHAPE_ROWS: usize = 1 << 11;
/// The maximum number of parts of a word: three prefixes, three suffixes and six inner parts.
pub(super) const PARTS: usize = 12;
/// The number of gazetteer flags in use.
const FLAGS: usize = 16;
/// The number of dense features: flags of the word, flags of a longer name around it, and its form.
pub(super) const DENSE: usize = 2 * FLAGS + 8;

/// The input of the network, text after text.
#[derive(Default)]
pub(super) struct Features {
    pub(super) words: Vec<u32>,
    pub(super) parts: Vec<u32>,
    pub(super) shapes: Vec<u32>,
    pub(super) dense: Vec<f32>,
    /// 1 for words, 0 for rows between texts.
    pub(super) keep: Vec<f32>,
}

impl Features {
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Removes all words but keeps the memory.
    pub(super) fn clear(&mut self) {
        [&mut self.words, &mut self.parts, &mut self.shapes].into_iter().for_each(Vec::clear);
        [&mut self.dense, &mut self.keep].into_iter().for_each(Vec::clear);
    }

    /// Adds the words of a text; for `forget` see [`push_dense`].
    pub(super) fn push(
        &mut self,
        text: &str,
        words: &[Word],
        gazetteer: &Gazetteer,
        forget: impl FnMut() -> bool,
    ) {
        let mut lower = String::new();
        let mut borders = Vec::new();
        for word in words {
            let raw = word.of(text);
            lower.clear();
            borders.clear();
            for c in raw.chars().flat_map(char::to_lowercase) {
                borders.push(lower.len());
                lower.push(c);
            }
            borders.push(lower.len());
            self.words.push(word_row(&lower));
            self.push_parts(&lower, &borders);
            self.shapes.push(row(7, shape(raw), SHAPE_ROWS));
        }
        push_dense(&mut self.dense, text, words, gazetteer, forget);
        self.keep.resize(self.words.len(), 1.0);
    }

    /// Adds rows that separate texts.
    pub(super) fn push_gap(&mut self, rows: usize) {
        let length = self.len() + rows;
        self.words.resize(length, 0);
        self.parts.resize(length * PARTS, 0);
        self.shapes.resize(length, 0);
        self.dense.resize(length * DENSE, 0.0);
        self.keep.resize(length, 0.0);
    }

    fn push_parts(&mut self, lower: &str, borders: &[usize]) {
        let from = self.parts.len();
        let length = borders.len() - 1;
        let part = |salt: u8, start: usize, end: usize| {
            row(salt, lower.as_bytes()[borders[start]..borders[end]].iter().copied(), PART_ROWS)
        };
        for size in 2..=4.min(length) {
            self.parts.push(part(1, 0, size));
            self.parts.push(part(2, length - size, length));
        }
        for start in 1..length.saturating_sub(3).min(7) {
            self.parts.push(part(3, start, start + 3));
        }
        // A word with fewer parts is padded with row 0, which learns what short words have in common.
        self.parts.resize(from + PARTS, 0);
    }
}

/// Adds [`DENSE`] numbers for each word: its gazetteer flags and its form. If `forget` returns true for a
/// word, the gazetteer is not asked. Training uses this, so that the network learns to work without it.
pub(super) fn push_dense(
    dense: &mut Vec<f32>,
    text: &str,
    words: &[Word],
    gazetteer: &Gazetteer,
    mut forget: impl FnMut() -> bool,
) {
    // The end of a longer name around the word, and its flags.
    let mut name = (0, 0);
    for word in words {
        let forgotten = forget();
        if word.start >= name.0 {
            let longer = gazetteer.longest(text, word.start).filter(|&(end, _)| end > word.end && !forgotten);
            name = longer.map_or((0, 0), |(end, entry)| (end, entry.bits()));
        }
        let raw = word.of(text);
        let alone = if forgotten { 0 } else { gazetteer.flags(raw).bits() };
        let within = if word.start < name.0 { name.1 } else { 0 };
        for flags in [alone, within] {
            dense.extend((0..FLAGS).map(|bit| (flags >> bit & 1) as f32));
        }
        dense.extend(form(raw, word.gap));
    }
}

/// Returns eight numbers about the spelling of a word.
fn form(raw: &str, gap: Gap) -> [f32; 8] {
    let letters = raw.chars().filter(|c| c.is_alphabetic()).count();
    let upper = raw.chars().filter(|c| c.is_uppercase()).count();
    let digits = raw.bytes().filter(u8::is_ascii_digit).count();
    let is = |yes: bool| f32::from(u8::from(yes));
    [
        is(gap == Gap::Space),
        is(gap == Gap::Line),
        is(upper > 0 && raw.chars().next().is_some_and(char::is_uppercase)),
        is(upper > 1 && upper == letters),
        is(digits > 0),
        is(digits > 0 && letters > 0),
        digits.min(16) as f32 / 8.0,
        raw.len().min(32) as f32 / 16.0,
    ]
}

/// Returns the shape of a word: the classes of its characters, with each run shortened to two.
fn shape(raw: &str) -> impl Iterator<Item = u8> {
    let mut last = (0, 0);
    raw.chars().filter_map(move |c| {
        let class = match c {
            c if c.is_ascii_digit() => b'd',
            c if c.is_uppercase() => b'X',
            c if c.is_alphabetic() => b'x',
            c if c.is_ascii() => c as u8,
            _ => b'?',
        };
        last = if last.0 == class { (class, last.1 + 1) } else { (class, 1) };
        // Runs of digits keep their length, which separates years from telephone numbers.
        (last.1 <= if class == b'd' { 9 } else { 2 }).then_some(class)
    })
}

/// Returns the row of a word in lower case in the table of whole words.
pub(super) fn word_row(lower: &str) -> u32 {
    row(0, lower.bytes().map(|b| if b.is_ascii_digit() { b'0' } else { b }), WORD_ROWS)
}

/// Returns the row of some bytes in a table: a mixed FNV-1a hash, never row 0. Trained weights depend on
/// it.
fn row(salt: u8, bytes: impl Iterator<Item = u8>, rows: usize) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in std::iter::once(salt).chain(bytes) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    1 + ((hash >> 32) % (rows as u64 - 1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_stable() {
        // A change would silently break all trained weights.
        let rows: Vec<u32> = ["", "a", "doctor"].iter().map(|w| row(0, w.bytes(), WORD_ROWS)).collect();
        assert_eq!(rows, [14231, 2694, 29182]);
    }

    #[test]
    fn shapes_shorten_runs_of_letters() {
        let of = |word: &str| String::from_utf8(shape(word).collect()).unwrap();
        assert_eq!(of("McDonald"), "XxXxx");
        assert_eq!(of("1990"), "dddd");
        assert_eq!(of("AB12cdéF"), "XXddxxX");
    }
}
