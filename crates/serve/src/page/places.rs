//! Places in a text as browsers count them: in units of UTF-16.

use std::ops::Range;

/// Converts places between bytes and units of UTF-16.
pub(super) struct Utf16 {
    /// For each byte, the units before its character.
    units: Vec<u32>,
}

impl Utf16 {
    /// The places of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut units = Vec::with_capacity(text.len() + 1);
        let mut at = 0;
        for c in text.chars() {
            units.extend(std::iter::repeat_n(at, c.len_utf8()));
            at += c.len_utf16() as u32;
        }
        units.push(at);
        Self { units }
    }

    /// The units before a byte.
    pub(super) fn unit(&self, byte: usize) -> u32 {
        self.units.get(byte).or(self.units.last()).copied().unwrap_or(0)
    }

    /// A range of bytes in units.
    pub(super) fn range(&self, bytes: &Range<usize>) -> [u32; 2] {
        [self.unit(bytes.start), self.unit(bytes.end)]
    }

    /// The bytes of a range of units, if it lies in the text.
    pub(super) fn bytes(&self, start: u64, end: u64) -> Option<Range<usize>> {
        let byte = |unit: u64| {
            let at = self.units.partition_point(|known| u64::from(*known) < unit);
            (self.units.get(at).copied().map(u64::from) == Some(unit)).then_some(at)
        };
        Some(byte(start)?..byte(end)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_there_and_back() {
        let text = "aé😀b";
        let places = Utf16::of(text);
        assert_eq!(places.range(&(0..text.len())), [0, 5]);
        for (byte, c) in text.char_indices() {
            let unit = u64::from(places.unit(byte));
            let end = unit + c.len_utf16() as u64;
            assert_eq!(places.bytes(unit, end), Some(byte..byte + c.len_utf8()));
        }
        assert_eq!(places.bytes(3, 4), None, "half of a character");
        assert_eq!(places.bytes(0, 6), None);
    }
}
