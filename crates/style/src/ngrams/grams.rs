//! The n-grams of a text.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use unicode_segmentation::UnicodeSegmentation as _;

/// The lengths of n-grams of characters.
const CHARACTERS: std::ops::RangeInclusive<usize> = 2..=5;

/// A kind of n-grams. Both have equal weight in a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Family {
    /// Two to five characters, with case, spaces and punctuation.
    Characters,
    /// Words and pairs of words, in lower case.
    Words,
}

impl Family {
    pub(super) const ALL: [Self; 2] = [Self::Characters, Self::Words];

    /// Counts the n-grams of a text, by their hash. Line breaks count as spaces.
    pub(super) fn counts(self, text: &str) -> HashMap<u64, u32> {
        let mut counts = HashMap::new();
        let mut found = |gram: u64| *counts.entry(gram).or_insert(0) += 1;
        match self {
            Self::Characters => {
                let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let characters: Vec<char> = line.chars().collect();
                for length in CHARACTERS {
                    characters.windows(length).for_each(|gram| found(self.hash(gram)));
                }
            }
            Self::Words => {
                let words: Vec<String> = text.unicode_words().map(str::to_lowercase).collect();
                for length in [1, 2] {
                    words.windows(length).for_each(|gram| found(self.hash(gram)));
                }
            }
        }
        counts
    }

    /// The hash of an n-gram. With 64 bits, collisions are too rare to matter.
    fn hash<T: Hash>(self, gram: &[T]) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self, gram).hash(&mut hasher);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(family: Family, text: &str) -> u32 {
        family.counts(text).values().sum()
    }

    #[test]
    fn n_grams_are_of_characters_and_of_words() {
        assert_eq!(total(Family::Characters, "é, x"), 3 + 2 + 1);
        assert_eq!(total(Family::Words, "We walked. We walked"), 4 + 3);
        assert_eq!(Family::Words.counts("We walked. We walked").len(), 2 + 2, "walked we, we walked");
        assert_eq!(total(Family::Characters, "") + total(Family::Words, "…"), 0);
    }

    #[test]
    fn line_breaks_are_spaces_and_case_counts_in_characters_only() {
        for family in Family::ALL {
            assert_eq!(family.counts("We go\nhome"), family.counts("We  go home"));
        }
        assert_ne!(Family::Characters.counts("We go"), Family::Characters.counts("we go"));
        assert_eq!(Family::Words.counts("We go"), Family::Words.counts("we go"));
    }
}
