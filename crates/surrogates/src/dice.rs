//! Random choices from a stream of random words.

/// The number of rejected words after which a word is used without the check, so that a constant stream
/// does not hang. A rejection is less likely than `end / 2⁶⁴`.
const MOST_REJECTIONS: usize = 64;

/// Turns 64-bit random words into choices.
pub(crate) struct Dice {
    words: Box<dyn FnMut() -> u64 + Send>,
}

impl Dice {
    pub(crate) fn new(words: impl FnMut() -> u64 + Send + 'static) -> Self {
        Dice { words: Box::new(words) }
    }

    /// Returns a number below `end`, all equally likely, or 0 if `end` is 0.
    ///
    /// The upper half of `word × end` takes each value for 2⁶⁴ / `end` words, rounded up or down. Rejecting
    /// the lowest 2⁶⁴ mod `end` lower halves leaves the same number of words for each value.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = end as u64;
        let mut wide = u128::from((self.words)()) * u128::from(end);
        let excess = end.wrapping_neg().checked_rem(end).unwrap_or(0);
        for _ in 0..MOST_REJECTIONS {
            if wide as u64 >= excess {
                break;
            }
            wide = u128::from((self.words)()) * u128::from(end);
        }
        (wide >> 64) as usize
    }

    /// Returns a number from `first` to `last`, both included.
    pub(crate) fn between(&mut self, first: u32, last: u32) -> u32 {
        first + self.below(last.saturating_sub(first) as usize + 1) as u32
    }

    /// Returns true in `percent` of 100 cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of the texts, all equally likely.
    pub(crate) fn one_of<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        let at = self.below(texts.len());
        texts.get(at).copied().unwrap_or_default()
    }

    /// Returns one of the values, all equally likely; `None` for an empty slice.
    pub(crate) fn pick<'a, T>(&mut self, values: &'a [T]) -> Option<&'a T> {
        let at = self.below(values.len());
        values.get(at)
    }

    /// Returns one of the values, more often one near the front: for lists that start with common entries.
    pub(crate) fn pick_common<'a, T>(&mut self, values: &'a [T]) -> Option<&'a T> {
        let reach = self.below(values.len()) + 1;
        let at = self.below(reach);
        values.get(at)
    }

    /// Returns one of the values by weight. Weights must be positive. Returns `None` for an empty slice.
    pub(crate) fn pick_weighted<'a, T>(&mut self, values: &'a [(usize, T)]) -> Option<&'a T> {
        let total: usize = values.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(total);
        for (weight, value) in values {
            if left < *weight {
                return Some(value);
            }
            left -= weight;
        }
        None
    }

    /// Fills a mask: `#` is a digit, `%` a digit from 1, `^` a digit from 2, `@` an upper-case letter, `&` a
    /// lower-case letter, `*` an upper-case letter or digit, `~` a lower-case hexadecimal digit. Other
    /// characters stay.
    pub(crate) fn fill(&mut self, mask: &str) -> String {
        mask.chars()
            .map(|c| match c {
                '#' => self.char_of(b"0123456789"),
                '%' => self.char_of(b"123456789"),
                '^' => self.char_of(b"23456789"),
                '@' => self.char_of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
                '&' => self.char_of(b"abcdefghijklmnopqrstuvwxyz"),
                '*' => self.char_of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
                '~' => self.char_of(b"0123456789abcdef"),
                other => other,
            })
            .collect()
    }

    /// Fills one of the masks.
    pub(crate) fn fill_one(&mut self, masks: &[&str]) -> String {
        let mask = self.one_of(masks);
        self.fill(mask)
    }

    /// Returns `length` characters of an ASCII alphabet.
    pub(crate) fn string_of(&mut self, alphabet: &[u8], length: usize) -> String {
        (0..length).map(|_| self.char_of(alphabet)).collect()
    }

    /// Returns random bytes.
    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.below(256) as u8)
    }

    /// Returns one character of an ASCII alphabet.
    pub(crate) fn char_of(&mut self, alphabet: &[u8]) -> char {
        self.pick(alphabet).map_or('0', |byte| char::from(*byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::words;

    #[test]
    fn masks_are_filled_and_other_characters_stay() {
        let mut dice = Dice::new(words(1));
        for _ in 0..200 {
            let text = dice.fill("A-#%^@&*~");
            let chars: Vec<char> = text.chars().collect();
            assert_eq!(chars.len(), 9);
            assert_eq!((chars[0], chars[1]), ('A', '-'));
            assert!(chars[2].is_ascii_digit() && chars[3] > '0' && chars[4] > '1');
            assert!(chars[5].is_ascii_uppercase() && chars[6].is_ascii_lowercase());
            assert!(chars[7].is_ascii_uppercase() || chars[7].is_ascii_digit());
            assert!(chars[8].is_ascii_hexdigit() && !chars[8].is_ascii_uppercase());
        }
    }

    #[test]
    fn choices_stay_in_range_and_reach_its_ends() {
        let mut dice = Dice::new(words(2));
        let seen: std::collections::BTreeSet<u32> = (0..500).map(|_| dice.between(3, 7)).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6, 7]);
        assert_eq!(dice.below(0), 0);
        assert_eq!(dice.pick::<u8>(&[]), None);
        assert_eq!(Dice::new(|| 0).below(3), 0, "a constant stream");
        let heavy = (0..1000).filter(|_| dice.pick_weighted(&[(9, 'a'), (1, 'b')]) == Some(&'a')).count();
        assert!((850..950).contains(&heavy), "{heavy}");
    }

    #[test]
    fn words_that_would_bias_a_number_are_rejected() {
        // 2⁶⁴ mod 3 is 1, so exactly one word, 0, must be rejected.
        let mut words = [0, 0, u64::MAX].into_iter();
        assert_eq!(Dice::new(move || words.next().unwrap_or(0)).below(3), 2);
        let mut words = [1].into_iter();
        assert_eq!(Dice::new(move || words.next().unwrap_or(u64::MAX)).below(3), 0);
    }

    #[test]
    fn entries_near_the_front_are_drawn_more_often() {
        let mut dice = Dice::new(words(3));
        let list: Vec<usize> = (0..100).collect();
        let front = (0..1000).filter(|_| dice.pick_common(&list).unwrap() < &25).count();
        assert!(front > 500, "{front}");
    }
}
