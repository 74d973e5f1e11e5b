//! How often words are sensitive.

use std::collections::HashMap;

use super::unigram::Unigrams;

/// The most candidates for a gap.
const MOST: usize = 64;

/// The least probability, because an event that was not seen is not impossible.
const LEAST: f64 = 1e-4;

/// Which words use a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChannelUse {
    /// All words.
    #[default]
    AllWords,
    /// Sensitive words only.
    SensitiveWords,
    /// Other words only.
    OtherWords,
}

/// How often words are sensitive, as an attacker knows it from other texts. The original of a gap
/// is a sensitive word, and so is a word that used a channel of sensitive words.
///
/// ```
/// use inkveil_eval::attack::{SensitiveWordCounts, ChannelUse};
///
/// // Word 0 is always sensitive, word 1 once in four times.
/// let counts = SensitiveWordCounts::count([(0, true), (0, true), (1, false), (1, false), (1, false), (1, true)].into_iter());
/// assert!(counts.log_probability(0, ChannelUse::SensitiveWords) > counts.log_probability(1, ChannelUse::SensitiveWords));
/// assert!(counts.log_probability(0, ChannelUse::OtherWords) < counts.log_probability(1, ChannelUse::OtherWords));
/// assert_eq!(counts.log_probability(0, ChannelUse::AllWords), 0.0);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SensitiveWordCounts {
    /// How often each word was sensitive, and how often it occurred.
    counts: HashMap<u32, (u32, u32)>,
    /// How often words that occur once are sensitive, as an estimate for unseen words.
    rare: f64,
    /// The candidates for a gap with their log-probabilities of being sensitive, the most frequent
    /// first.
    in_gaps: Vec<(u32, f32)>,
}

impl SensitiveWordCounts {
    /// Counts words by number, each with whether it was sensitive.
    pub fn count(words: impl Iterator<Item = (usize, bool)>) -> Self {
        let mut counts: HashMap<u32, (u32, u32)> = HashMap::new();
        for (word, sensitive) in words {
            let Ok(word) = u32::try_from(word) else { continue };
            let (times, all) = counts.entry(word).or_default();
            (*times, *all) = (*times + u32::from(sensitive), *all + 1);
        }
        let once = || counts.values().filter(|(_, all)| *all == 1);
        let rare =
            (once().filter(|(times, _)| *times == 1).count() as f64 + 0.5) / (once().count() as f64 + 1.0);
        let mut found: Vec<(u32, u32)> = counts
            .iter()
            .filter(|(_, (times, _))| *times > 0)
            .map(|(word, (times, _))| (*word, *times))
            .collect();
        found.sort_by_key(|(word, times)| (std::cmp::Reverse(*times), *word));
        found.truncate(MOST);
        let mut counted = Self { counts, rare, in_gaps: Vec::new() };
        let log = |(word, _): (u32, u32)| {
            (word, counted.log_probability(word as usize, ChannelUse::SensitiveWords))
        };
        counted.in_gaps = found.into_iter().map(log).collect();
        counted
    }

    /// The log-probability that a word uses such a channel.
    pub fn log_probability(&self, word: usize, channel_use: ChannelUse) -> f32 {
        let counted = u32::try_from(word).ok().and_then(|word| self.counts.get(&word));
        let (times, all) = counted.copied().unwrap_or_default();
        let share = ((f64::from(times) + self.rare) / (f64::from(all) + 1.0)).clamp(LEAST, 1.0 - LEAST);
        match channel_use {
            ChannelUse::AllWords => 0.0,
            ChannelUse::SensitiveWords => share.ln() as f32,
            ChannelUse::OtherWords => (1.0 - share).ln() as f32,
        }
    }

    /// The candidates for a gap.
    pub(super) fn in_gaps(&self) -> &[(u32, f32)] {
        &self.in_gaps
    }

    /// The most probable word of a gap without context.
    pub(super) fn most_likely(&self, unigrams: &Unigrams) -> Option<usize> {
        let value = |(word, log): &(u32, f32)| unigrams.log_probability(*word as usize) + log;
        self.in_gaps.iter().max_by(|a, b| value(a).total_cmp(&value(b))).map(|(word, _)| *word as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unseen_words_are_like_rare_words() {
        // Of nine words that occur once, eight are sensitive; word 100 never is.
        let seen = (0..9).map(|word| (word, word > 0)).chain([(100, false); 20]);
        let counts = SensitiveWordCounts::count(seen);
        let share = |word| counts.log_probability(word, ChannelUse::SensitiveWords).exp();
        assert!(share(500) > 0.7 && share(100) < 0.1, "{} {}", share(500), share(100));
        assert!((share(100) + counts.log_probability(100, ChannelUse::OtherWords).exp() - 1.0).abs() < 1e-5);
        assert!(counts.in_gaps().iter().all(|(word, _)| (1..9).contains(word)));
        assert!(SensitiveWordCounts::default().log_probability(0, ChannelUse::OtherWords).is_finite());
    }
}
