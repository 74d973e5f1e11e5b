//! Random choices, made from a stream of random words that the caller passes in.

/// A stream that is stuck must not hang: after so many rejections, each less likely than `end / 2⁶⁴`, a word is used as
/// it is.
const MOST_REJECTIONS: usize = 64;

/// Turns 64-bit random words into choices.
pub(super) struct Dice {
    words: Box<dyn FnMut() -> u64 + Send>,
}

impl Dice {
    pub(super) fn new(words: impl FnMut() -> u64 + Send + 'static) -> Self {
        Dice { words: Box::new(words) }
    }

    /// A number below `end`, all equally likely; 0 when `end` is 0.
    ///
    /// The upper half of `word × end` takes each value for 2⁶⁴ / `end` words, rounded up or down; rejecting the lowest
    /// 2⁶⁴ mod `end` lower halves leaves the same number of words for each.
    pub(super) fn below(&mut self, end: usize) -> usize {
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

    /// A number from `first` to `last`, both included.
    pub(super) fn between(&mut self, first: u32, last: u32) -> u32 {
        first + self.below(last.saturating_sub(first) as usize + 1) as u32
    }

    /// True in `percent` of 100 cases.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a few texts, all equally likely.
    pub(super) fn one_of<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        let at = self.below(texts.len());
        texts.get(at).copied().unwrap_or_default()
    }

    /// One of a few values, all equally likely. `None` only for an empty slice.
    pub(super) fn pick<'a, T>(&mut self, values: &'a [T]) -> Option<&'a T> {
        let at = self.below(values.len());
        values.get(at)
    }

    /// As [`Dice::pick`], but the front of the slice comes up more often: for lists that begin with the common.
    pub(super) fn pick_common<'a, T>(&mut self, values: &'a [T]) -> Option<&'a T> {
        let reach = self.below(values.len()) + 1;
        let at = self.below(reach);
        values.get(at)
    }

    /// One of a few values with weights, all of the weights being positive. `None` only for an empty slice.
    pub(super) fn pick_weighted<'a, T>(&mut self, values: &'a [(usize, T)]) -> Option<&'a T> {
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

    /// Fills in a shape: `#` is a digit, `%` a digit from 1, `^` a digit from 2, `@` a capital, `&` a small letter,
    /// `*` a capital or digit, `~` a small hexadecimal digit; all else stands for itself.
    pub(super) fn fill(&mut self, shape: &str) -> String {
        shape
            .chars()
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

    /// One of the shapes, filled in.
    pub(super) fn fill_one(&mut self, shapes: &[&str]) -> String {
        let shape = self.one_of(shapes);
        self.fill(shape)
    }

    /// `length` characters of an alphabet of ASCII.
    pub(super) fn string_of(&mut self, alphabet: &[u8], length: usize) -> String {
        (0..length).map(|_| self.char_of(alphabet)).collect()
    }

    /// Random bytes.
    pub(super) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.below(256) as u8)
    }

    /// One character of an alphabet of ASCII.
    pub(super) fn char_of(&mut self, alphabet: &[u8]) -> char {
        self.pick(alphabet).map_or('0', |byte| char::from(*byte))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// SplitMix64: enough for tests and for training data.
    pub(crate) fn words(seed: u64) -> impl FnMut() -> u64 + Send + 'static {
        let mut state = seed;
        move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = state;
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^ (word >> 31)
        }
    }

    #[test]
    fn shapes_are_filled_and_the_rest_stays() {
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
        assert_eq!(Dice::new(|| 0).below(3), 0, "a stream that is stuck");
        let heavy = (0..1000).filter(|_| dice.pick_weighted(&[(9, 'a'), (1, 'b')]) == Some(&'a')).count();
        assert!((850..950).contains(&heavy), "{heavy}");
    }

    #[test]
    fn words_that_would_favour_a_number_are_rejected() {
        // 2⁶⁴ mod 3 is 1: of all words, 0 alone makes one number more likely than the others.
        let mut words = [0, 0, u64::MAX].into_iter();
        assert_eq!(Dice::new(move || words.next().unwrap_or(0)).below(3), 2);
        let mut words = [1].into_iter();
        assert_eq!(Dice::new(move || words.next().unwrap_or(u64::MAX)).below(3), 0);
    }

    #[test]
    fn the_front_of_a_list_is_more_common() {
        let mut dice = Dice::new(words(3));
        let list: Vec<usize> = (0..100).collect();
        let front = (0..1000).filter(|_| dice.pick_common(&list).unwrap() < &25).count();
        assert!(front > 500, "{front}");
    }
}
