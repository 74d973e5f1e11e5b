//! Accuracy and F1 of classes.

use std::collections::BTreeMap;

/// Returns the share of pairs (truth, guess) that are equal; none if there are no pairs.
///
/// ```
/// use inkveil_eval::metrics::accuracy;
///
/// assert_eq!(accuracy(&[("a", "a"), ("b", "a")]), Some(0.5));
/// ```
pub fn accuracy<T: PartialEq>(pairs: &[(T, T)]) -> Option<f64> {
    let right = pairs.iter().filter(|(truth, guess)| truth == guess).count();
    (!pairs.is_empty()).then(|| right as f64 / pairs.len() as f64)
}

/// Returns the mean F1 of all classes in pairs (truth, guess), on either side; none if there are no
/// pairs.
///
/// The F1 of a class is 2·hits / (times true + times guessed). Small classes have the same weight
/// as large ones, so always guessing the largest class gives a low value.
///
/// ```
/// use inkveil_eval::metrics::macro_f1;
///
/// // "a": one of two is found, with no false guess: 2/3. "b": found, with one false guess: 2/3.
/// assert_eq!(macro_f1(&[("a", "a"), ("a", "b"), ("b", "b")]), Some(2.0 / 3.0));
/// ```
pub fn macro_f1<T: Ord>(pairs: &[(T, T)]) -> Option<f64> {
    // Hits, and how often the class is true or guessed.
    let mut classes: BTreeMap<&T, (usize, usize)> = BTreeMap::new();
    for (truth, guess) in pairs {
        classes.entry(truth).or_default().1 += 1;
        classes.entry(guess).or_default().1 += 1;
        if truth == guess {
            classes.entry(truth).or_default().0 += 1;
        }
    }
    let sum: f64 = classes.values().map(|&(hits, named)| 2.0 * hits as f64 / named as f64).sum();
    (!classes.is_empty()).then(|| sum / classes.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_computed_values() {
        let pairs = [(0, 0), (0, 0), (0, 0), (1, 0), (2, 1)];
        assert_eq!(accuracy(&pairs), Some(0.6));
        // Class 0: 6 / (3 + 4); classes 1 and 2 are never found.
        assert_eq!(macro_f1(&pairs), Some(6.0 / 7.0 / 3.0));
        // A class that is only guessed counts too.
        assert_eq!(macro_f1(&[(0, 0), (0, 0), (0, 9)]), Some(0.4));
    }

    #[test]
    fn guessing_the_largest_class_has_a_low_f1() {
        let pairs: Vec<(usize, usize)> = (0..10).map(|i| (usize::from(i == 0), 0)).collect();
        assert_eq!(accuracy(&pairs), Some(0.9));
        assert!(macro_f1(&pairs).unwrap() < 0.5);
    }

    #[test]
    fn without_pairs_there_is_no_accuracy() {
        assert_eq!(accuracy::<u8>(&[]), None);
        assert_eq!(macro_f1::<u8>(&[]), None);
    }
}
