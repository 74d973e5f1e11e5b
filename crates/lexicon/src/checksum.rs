//! A fast checksum that detects mixed-up files. It guards against accidents, not against forgery:
//! the SHA-256 hashes in a pack's manifest do that.

/// A running checksum of bytes: FNV-1a over words of eight bytes, for speed.
#[derive(Clone, Copy)]
pub(crate) struct Checksum(u64);

const PRIME: u64 = 0x0000_0100_0000_01b3;

impl Checksum {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add_number(u64::from_le_bytes(*word));
        }
        for &byte in rest {
            self.add_number(byte.into());
        }
        // The length separates the inputs: "ab", "c" and "a", "bc" differ.
        self.add_number(bytes.len() as u64);
    }

    pub(crate) fn add_number(&mut self, number: u64) {
        // The rotation moves the high bits of a word to where the multiplication mixes them.
        self.0 = (self.0 ^ number).wrapping_mul(PRIME).rotate_left(29);
    }

    pub(crate) fn finish(self) -> u64 {
        // Mixes the last words as thoroughly as the first.
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 29)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(bytes: &[u8]) -> u64 {
        let mut sum = Checksum::new();
        sum.add(bytes);
        sum.finish()
    }

    proptest! {
        #[test]
        fn one_changed_bit_changes_the_checksum(mut bytes in proptest::collection::vec(any::<u8>(), 1..100), place: usize, bit in 0..8_u32) {
            let before = of(&bytes);
            let place = place % bytes.len();
            bytes[place] ^= 1_u8 << bit;
            prop_assert_ne!(before, of(&bytes));
        }
    }

    #[test]
    fn order_and_boundaries_matter() {
        assert_ne!(of(b"abcdefgh12345678"), of(b"12345678abcdefgh"));
        let mut split = Checksum::new();
        split.add(b"a");
        split.add(b"b");
        assert_ne!(split.finish(), of(b"ab"));
    }
}
