//! What attackers find behind an eraser at several budgets, as a mask file keeps it.

use inkveil_privacy::Epsilon;
use serde::{Deserialize, Serialize};

use crate::Error;

/// The most budgets in a file.
const MOST_BUDGETS: usize = 64;
/// The most attackers in a file, and the most letters in the name of one.
const MOST_ATTACKERS: usize = 32;
const LONGEST_NAME: usize = 32;

/// What attackers find in vectors behind an eraser, measured at several budgets on texts that neither the
/// eraser nor the attackers learnt from. It holds numbers and names of attackers, and no word of the concept.
///
/// It is a measurement of texts of the corpus, and no guarantee for other texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredErasure {
    /// The seed of the parts, the noise and the attackers.
    pub seed: u64,
    /// The number of principal axes that were kept; 0 keeps all.
    pub axes: usize,
    /// The attackers that were tried.
    pub attackers: Vec<String>,
    /// The number of texts that the eraser learnt from.
    pub fitted: usize,
    /// The number of other texts whose words the attackers knew.
    pub known: usize,
    /// The number of further texts, which were attacked.
    pub attacked: usize,
    /// The number of attacked texts with a word that attackers looked for.
    pub with_words: usize,
    /// The number of words that attackers looked for.
    pub words: usize,
    /// The least number of known and attacked texts with such a word.
    pub least_texts: usize,
    /// The cosine from which two texts are near duplicates. No two parts share a group of them.
    pub near_duplicates_from: f32,
    /// The share of words that guessing the most frequent ones finds.
    pub guessing: f64,
    /// What is found in vectors without erasure and noise.
    pub clear: FoundShare,
    /// What is found at each budget, in ascending order of ε.
    pub budgets: Vec<MeasuredBudget>,
}

/// The share of words that attackers find.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundShare {
    /// The share that the strongest attacker finds.
    pub found: f64,
    /// The largest upper end of the attackers' 95 % intervals over texts. It is above 0 if nothing was found in
    /// a few texts.
    pub upper: f64,
    /// The strongest attacker.
    pub strongest: String,
}

/// What was measured at one budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredBudget {
    /// The budget of each vector, per unit of erased distance.
    pub epsilon: Epsilon,
    /// What attackers find.
    pub words: FoundShare,
    /// Pearson's correlation of the cosines of pairs of texts with those of clear vectors.
    pub similarity: f64,
}

impl FoundShare {
    /// Rounds to four digits, the upper end upwards.
    pub fn new(found: f64, upper: f64, strongest: impl Into<String>) -> Self {
        let found = four_digits(found);
        // Less than a rounding error of the product is no reason for one more.
        let upper = ((upper * 1e4 - 1e-6).ceil() / 1e4).max(found).min(1.0) + 0.0;
        Self { found, upper, strongest: strongest.into() }
    }
}

impl MeasuredBudget {
    /// Rounds the similarity to four digits.
    pub fn new(epsilon: Epsilon, words: FoundShare, similarity: f64) -> Self {
        Self { epsilon, words, similarity: four_digits(similarity) }
    }
}

fn four_digits(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

impl MeasuredErasure {
    /// Returns the largest measured budget at which, as at all smaller ones, the upper end of what attackers find is at
    /// most this share. Nothing is interpolated.
    ///
    /// # Errors
    /// If the share is not from 0 to 1, or no measured budget reaches it.
    pub fn largest_within(&self, share: f64) -> Result<&MeasuredBudget, Error> {
        if !(0.0..=1.0).contains(&share) {
            return Err(Error::setting("the share of words that attackers may find must be from 0 to 1"));
        }
        // Less noise hides no more. So a budget that passes although a smaller one fails has passed by chance.
        let within = self.budgets.iter().take_while(|one| one.words.upper <= share);
        within.last().ok_or_else(|| self.out_of_reach(share))
    }

    fn out_of_reach(&self, share: f64) -> Error {
        let Some(smallest) = self.budgets.first() else {
            return Error::setting("nothing was measured for this mask");
        };
        Error::setting(format!(
            "no measured budget reaches the target of {share}: at the smallest, ε = {}, the upper bound of the words found \
             is {} (guessing finds {}); name a target of {} or more, fit the eraser on more texts with these words, or \
             replace the words before texts are embedded",
            smallest.epsilon, smallest.words.upper, self.guessing, smallest.words.upper
        ))
    }

    /// Whether all numbers are in range and names are plain.
    pub(crate) fn is_sound(&self) -> bool {
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let plain = |name: &str| {
            let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(letter)
        };
        let found = |one: &FoundShare| {
            share(one.found)
                && share(one.upper)
                && one.found <= one.upper
                && self.attackers.contains(&one.strongest)
        };
        (1..=MOST_ATTACKERS).contains(&self.attackers.len())
            && self.attackers.iter().all(|name| plain(name))
            && (1..=MOST_BUDGETS).contains(&self.budgets.len())
            && self.budgets.is_sorted_by(|a, b| a.epsilon < b.epsilon)
            && self.budgets.iter().all(|one| {
                !one.epsilon.is_zero() && found(&one.words) && (-1.0..=1.0).contains(&one.similarity)
            })
            && found(&self.clear)
            && share(self.guessing)
            && (-1.0..=1.0).contains(&self.near_duplicates_from)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A measurement at ε = 50, 100 and inf.
    pub(crate) fn measured() -> MeasuredErasure {
        let budget = |epsilon: f64, found, upper, similarity| {
            let words = FoundShare::new(found, upper, "bayes");
            MeasuredBudget::new(Epsilon::new(epsilon).unwrap(), words, similarity)
        };
        MeasuredErasure {
            seed: 1,
            axes: 100,
            attackers: vec!["bayes".into(), "mlc".into()],
            fitted: 400,
            known: 390,
            attacked: 210,
            with_words: 120,
            words: 8,
            least_texts: 10,
            near_duplicates_from: 0.9,
            guessing: 0.0625,
            clear: FoundShare::new(0.75, 0.8125, "mlc"),
            budgets: vec![
                budget(50.0, 0.125, 0.1875, 0.25),
                budget(100.0, 0.1562, 0.25, 0.5),
                budget(f64::INFINITY, 0.1406, 0.2187, 0.875),
            ],
        }
    }

    #[test]
    fn the_largest_budget_within_a_target_is_chosen() {
        let chosen = |share: f64| measured().largest_within(share).map(|one| one.epsilon.get());
        assert_eq!(chosen(0.1875).unwrap(), 50.0);
        assert_eq!(chosen(0.21).unwrap(), 50.0, "nothing is interpolated");
        assert_eq!(chosen(0.22).unwrap(), 50.0, "ε = inf is within the target and ε = 100 is not");
        assert_eq!(chosen(0.25).unwrap(), f64::INFINITY);
    }

    #[test]
    fn a_target_out_of_reach_is_refused_with_the_least_share() {
        let error = measured().largest_within(0.187).unwrap_err().to_string();
        for part in [
            "target of 0.187",
            "ε = 50, the upper",
            "is 0.1875",
            "guessing finds 0.0625",
            "of 0.1875 or more",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
        for share in [-0.1, 1.1, f64::NAN] {
            let error = measured().largest_within(share).unwrap_err().to_string();
            assert!(error.contains("from 0 to 1"), "{error}");
        }
    }

    #[test]
    fn upper_ends_are_rounded_upwards() {
        let words = FoundShare::new(0.123_449, 0.200_001, "mlc");
        assert_eq!((words.found, words.upper), (0.1234, 0.2001));
        assert_eq!(FoundShare::new(1.0, 1.0, "mlc").upper, 1.0);
        assert_eq!(FoundShare::new(0.1, 0.1 + 0.2, "mlc").upper, 0.3);
        // The upper end is not below a share that is rounded up.
        let words = FoundShare::new(0.999_96, 0.999_9, "mlc");
        assert_eq!((words.found, words.upper), (1.0, 1.0));
    }

    #[test]
    fn only_sound_measurements_count() {
        assert!(measured().is_sound());
        let broken = |change: fn(&mut MeasuredErasure)| {
            let mut one = measured();
            change(&mut one);
            !one.is_sound()
        };
        assert!(broken(|one| one.budgets.clear()));
        assert!(broken(|one| one.budgets.swap(0, 1)), "not in ascending order");
        assert!(broken(|one| one.budgets[0].epsilon = Epsilon::ZERO));
        assert!(broken(|one| one.budgets[0].words.upper = 0.1), "below the mean");
        assert!(broken(|one| one.budgets[0].similarity = f64::NAN));
        assert!(broken(|one| one.budgets[1].words.strongest = "another".into()));
        assert!(broken(|one| one.attackers[0] = "a\u{1b}[2J".into()), "not a plain name");
        assert!(broken(|one| one.guessing = 2.0));
        assert!(broken(|one| one.clear.found = -0.5));
    }
}
