//! Which words are hidden where they stand.

use std::collections::HashMap;

use super::Unigrams;

/// So many words are tried for a gap.
const MOST: usize = 64;

/// No word is always hidden, or never: what was not seen is not impossible.
const LEAST: f64 = 1e-4;

/// What it tells of a word that it went through a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tells {
    /// Nothing: all words go through it.
    #[default]
    Nothing,
    /// It is one of those that are to be hidden.
    Hidden,
    /// It is none of those.
    Shown,
}

/// Which words are hidden where they stand, as an attacker knows it from other texts: what stood in a gap is one of them, and so is what went
/// through a channel that is for them.
///
/// ```
/// use inkveil_eval::attack::{Hidden, Tells};
///
/// // Word 0 is always hidden, word 1 once in four times.
/// let hidden = Hidden::count([(0, true), (0, true), (1, false), (1, false), (1, false), (1, true)].into_iter());
/// assert!(hidden.log_probability(0, Tells::Hidden) > hidden.log_probability(1, Tells::Hidden));
/// assert!(hidden.log_probability(0, Tells::Shown) < hidden.log_probability(1, Tells::Shown));
/// assert_eq!(hidden.log_probability(0, Tells::Nothing), 0.0);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hidden {
    /// How often each word was hidden, and how often it was there.
    counts: HashMap<u32, (u32, u32)>,
    /// How often words are hidden that are there only once: nothing better is known of those that were never seen.
    rare: f64,
    /// Words that are tried in a gap, with the logarithm of how often they are hidden, the most frequent in gaps first.
    in_gaps: Vec<(u32, f32)>,
}

impl Hidden {
    /// Counts words by their numbers, each with whether it was hidden.
    pub fn count(words: impl Iterator<Item = (usize, bool)>) -> Self {
        let mut counts: HashMap<u32, (u32, u32)> = HashMap::new();
        for (word, hidden) in words {
            let Ok(word) = u32::try_from(word) else { continue };
            let (times, all) = counts.entry(word).or_default();
            (*times, *all) = (*times + u32::from(hidden), *all + 1);
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
        let mut hidden = Self { counts, rare, in_gaps: Vec::new() };
        let log = |(word, _): (u32, u32)| (word, hidden.log_probability(word as usize, Tells::Hidden));
        hidden.in_gaps = found.into_iter().map(log).collect();
        hidden
    }

    /// The logarithm of how probable it is that a word goes where it tells this of it.
    pub fn log_probability(&self, word: usize, tells: Tells) -> f32 {
        let counted = u32::try_from(word).ok().and_then(|word| self.counts.get(&word));
        let (times, all) = counted.copied().unwrap_or_default();
        let share = ((f64::from(times) + self.rare) / (f64::from(all) + 1.0)).clamp(LEAST, 1.0 - LEAST);
        match tells {
            Tells::Nothing => 0.0,
            Tells::Hidden => share.ln() as f32,
            Tells::Shown => (1.0 - share).ln() as f32,
        }
    }

    /// The words that are tried in a gap.
    pub(super) fn in_gaps(&self) -> &[(u32, f32)] {
        &self.in_gaps
    }

    /// The word that is most probable in a gap of which nothing else is known.
    pub(super) fn likeliest(&self, unigrams: &Unigrams) -> Option<usize> {
        let value = |(word, log): &(u32, f32)| unigrams.log_probability(*word as usize) + log;
        self.in_gaps.iter().max_by(|a, b| value(a).total_cmp(&value(b))).map(|(word, _)| *word as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_never_seen_are_like_rare_ones() {
        // Of nine words that are there once, eight are hidden; word 100 is never.
        let seen = (0..9).map(|word| (word, word > 0)).chain([(100, false); 20]);
        let hidden = Hidden::count(seen);
        let share = |word| hidden.log_probability(word, Tells::Hidden).exp();
        assert!(share(500) > 0.7 && share(100) < 0.1, "{} {}", share(500), share(100));
        assert!((share(100) + hidden.log_probability(100, Tells::Shown).exp() - 1.0).abs() < 1e-5);
        assert!(hidden.in_gaps().iter().all(|(word, _)| (1..9).contains(word)));
        assert!(Hidden::default().log_probability(0, Tells::Shown).is_finite());
    }
}
