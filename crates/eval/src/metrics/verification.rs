//! How well a score separates positive pairs from negative ones with a threshold.

use inkveil_nn::SplitMix;

/// Returns the equal error rate, at which the share of accepted negatives equals the share of
/// refused positives. 0 is perfect, ½ is guessing. Rates are interpolated between thresholds. None
/// if one side is empty or a score is NaN.
///
/// ```
/// use inkveil_eval::metrics::equal_error_rate;
///
/// assert_eq!(equal_error_rate(&[0.9, 0.8], &[0.1, 0.2]), Some(0.0));
/// assert_eq!(equal_error_rate(&[0.9, 0.1], &[0.9, 0.1]), Some(0.5));
/// ```
pub fn equal_error_rate(positives: &[f64], negatives: &[f64]) -> Option<f64> {
    let mut last = (0.0, 1.0);
    for (_, refused, accepted) in error_rates(positives, negatives)? {
        // As the threshold rises, refusals grow from 0 to 1 and acceptances fall from 1 to 0, so
        // they meet.
        if refused >= accepted {
            let (before, after) = (last.1 - last.0, refused - accepted);
            return Some(last.0 + (refused - last.0) * before / (before + after));
        }
        last = (refused, accepted);
    }
    None
}

/// Returns the accuracy of a threshold on pairs that were not used to choose it.
///
/// The seed splits the pairs into halves. The best threshold of each half is tested on the other
/// half, and the result is the mean. Positives and negatives have equal weight. None if one side
/// has fewer than two scores, or a score is NaN.
///
/// ```
/// use inkveil_eval::metrics::threshold_accuracy;
///
/// assert_eq!(threshold_accuracy(&[0.9, 0.8, 0.7], &[0.1, 0.2, 0.3], 1), Some(1.0));
/// ```
pub fn threshold_accuracy(positives: &[f64], negatives: &[f64], seed: u64) -> Option<f64> {
    let halves = |scores: &[f64], side: u64| {
        let mut scores = scores.to_vec();
        SplitMix::named(seed, "threshold", &[side]).shuffle(&mut scores);
        let second = scores.split_off(scores.len() / 2);
        [scores, second]
    };
    let (positives, negatives) = (halves(positives, 0), halves(negatives, 1));
    let [first, second] = [(0, 1), (1, 0)].map(|(chosen, tried)| {
        let threshold = best_threshold(&positives[chosen], &negatives[chosen])?;
        accuracy_at(threshold, &positives[tried], &negatives[tried])
    });
    Some((first? + second?) / 2.0)
}

/// The threshold with the least mean error; the lowest of equal ones.
fn best_threshold(positives: &[f64], negatives: &[f64]) -> Option<f64> {
    let rates = error_rates(positives, negatives)?;
    rates.into_iter().min_by(|a, b| (a.1 + a.2).total_cmp(&(b.1 + b.2))).map(|(threshold, ..)| threshold)
}

fn accuracy_at(threshold: f64, positives: &[f64], negatives: &[f64]) -> Option<f64> {
    if positives.is_empty() || negatives.is_empty() {
        return None;
    }
    let share = |scores: &[f64]| {
        scores.iter().filter(|&&score| score >= threshold).count() as f64 / scores.len() as f64
    };
    Some((share(positives) + 1.0 - share(negatives)) / 2.0)
}

/// All distinct thresholds in ascending order, each with the share of positives below it and of
/// negatives not below it. Thresholds are halfway between scores; the first refuses nothing, the
/// last everything.
fn error_rates(positives: &[f64], negatives: &[f64]) -> Option<Vec<(f64, f64, f64)>> {
    let mut scores: Vec<(f64, bool)> = positives.iter().map(|&score| (score, true)).collect();
    scores.extend(negatives.iter().map(|&score| (score, false)));
    if positives.is_empty() || negatives.is_empty() || scores.iter().any(|(score, _)| score.is_nan()) {
        return None;
    }
    scores.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut rates = vec![(f64::NEG_INFINITY, 0.0, 1.0)];
    let (mut refused, mut accepted) = (0, negatives.len());
    let mut groups = scores.chunk_by(|a, b| a.0 == b.0).peekable();
    while let Some(equal) = groups.next() {
        let of_positives = equal.iter().filter(|(_, positive)| *positive).count();
        refused += of_positives;
        accepted -= equal.len() - of_positives;
        // Halves first, because the sum of two large scores can overflow.
        let line = groups.peek().map_or(f64::INFINITY, |next| equal[0].0 / 2.0 + next[0].0 / 2.0);
        rates.push((line, refused as f64 / positives.len() as f64, accepted as f64 / negatives.len() as f64));
    }
    Some(rates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_error_rates_by_hand() {
        // Above 0: nothing refused, half accepted. Above 1: half refused, half accepted.
        assert_eq!(equal_error_rate(&[1.0, 3.0], &[0.0, 2.0]), Some(0.5));
        // Above 1 it is 0 and 1/3, above 2 it is 1/2 and 1/3: two thirds of the way from 0 to 1/2.
        let rate = equal_error_rate(&[2.0, 4.0], &[0.0, 1.0, 3.0]).unwrap();
        assert!((rate - 1.0 / 3.0).abs() < 1e-15, "{rate}");
        assert_eq!(equal_error_rate(&[0.0], &[1.0]), Some(1.0));
        assert_eq!(equal_error_rate(&[], &[1.0]), None);
        assert_eq!(equal_error_rate(&[f64::NAN], &[1.0]), None);
    }

    #[test]
    fn the_best_threshold_is_between_scores() {
        assert_eq!(best_threshold(&[3.0, 5.0], &[0.0, 1.0]), Some(2.0));
        assert_eq!(best_threshold(&[f64::MAX], &[-f64::MAX]), Some(0.0));
        assert_eq!(accuracy_at(2.0, &[3.0, 1.0], &[0.0, 1.0, 5.0, 6.0]), Some(0.5));
    }

    #[test]
    fn the_threshold_is_tested_on_other_pairs() {
        // Both sides have the same distribution. On its own half the best threshold would still
        // seem better than guessing.
        let mut random = SplitMix::named(3, "noise", &[]);
        let mut draw = || (0..40).map(|_| random.unit()).collect::<Vec<f64>>();
        let trials: Vec<(f64, f64)> = (0..200)
            .map(|seed| {
                let (positives, negatives) = (draw(), draw());
                let threshold = best_threshold(&positives, &negatives).unwrap();
                let own = accuracy_at(threshold, &positives, &negatives).unwrap();
                (own, threshold_accuracy(&positives, &negatives, seed).unwrap())
            })
            .collect();
        let mean = |of: fn(&(f64, f64)) -> f64| trials.iter().map(of).sum::<f64>() / 200.0;
        assert!(mean(|t| t.0) > 0.55, "{}", mean(|t| t.0));
        assert!((mean(|t| t.1) - 0.5).abs() < 0.03, "{}", mean(|t| t.1));
    }

    #[test]
    fn too_few_pairs_have_no_accuracy() {
        assert_eq!(threshold_accuracy(&[1.0], &[0.0, 0.0], 1), None);
        assert_eq!(threshold_accuracy(&[1.0, f64::NAN], &[0.0, 0.0], 1), None);
        assert_eq!(threshold_accuracy(&[1.0, 1.0], &[0.0, 0.0], 1), Some(1.0));
    }
}
