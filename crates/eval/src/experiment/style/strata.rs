//! Outliers and inliers measured separately.

use crate::attack::AuthorGuesses;
use crate::metrics::{Bootstrap, Estimate, StyleShift};

/// Measures of the outliers, or of the other texts.
pub(super) struct Stratum {
    pub(super) texts: usize,
    pub(super) author_f1: Option<Estimate>,
    /// How far their style moved, and how much closer to the prototypes it came.
    pub(super) displacement: Option<f64>,
    pub(super) approach: Option<f64>,
    /// The share that is still an outlier.
    pub(super) still_outliers: Option<f64>,
}

/// Measures the texts that were outliers before rewriting, or the other texts.
pub(super) fn stratum(
    shifts: &[StyleShift],
    guesses: &AuthorGuesses,
    outliers: bool,
    bootstrap: &Bootstrap,
) -> Stratum {
    let texts: Vec<usize> = (0..shifts.len()).filter(|&text| shifts[text].was_outlier == outliers).collect();
    let mean = |of: fn(&StyleShift) -> f64| {
        let sum: f64 = texts.iter().map(|&text| of(&shifts[text])).sum();
        (!texts.is_empty()).then(|| sum / texts.len() as f64)
    };
    Stratum {
        texts: texts.len(),
        author_f1: guesses.chosen(&texts).macro_f1_within(bootstrap),
        displacement: mean(|shift| shift.displacement),
        approach: mean(StyleShift::approach),
        still_outliers: mean(|shift| f64::from(u8::from(shift.is_outlier))),
    }
}

#[cfg(test)]
mod tests {
    use crate::attack::AuthorGuess;

    use super::*;

    #[test]
    fn strata_depend_on_the_original_style() {
        let shift = |before, after| StyleShift {
            displacement: 0.5,
            before,
            after,
            was_outlier: before > 0.7,
            is_outlier: after > 0.7,
        };
        let shifts = [shift(0.8, 0.6), shift(0.5, 0.75), shift(0.9, 0.8)];
        let guess = |author, guessed| AuthorGuess { author, guessed, rank: 1, probability: None };
        let guesses: AuthorGuesses = [guess(0, 0), guess(0, 1), guess(1, 1)].into_iter().collect();
        let of = |outliers| stratum(&shifts, &guesses, outliers, &Bootstrap::default());
        assert_eq!((of(true).texts, of(false).texts), (2, 1));
        assert_eq!((of(true).still_outliers, of(false).still_outliers), (Some(0.5), Some(1.0)));
        assert!((of(true).approach.unwrap() - 0.15).abs() < 1e-12);
        assert_eq!(of(true).author_f1.map(|f1| f1.mean), Some(1.0));
        assert_eq!(of(false).author_f1.map(|f1| f1.mean), Some(0.0));
    }
}
