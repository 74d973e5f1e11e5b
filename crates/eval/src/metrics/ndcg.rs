//! Normalised discounted cumulative gain.

/// Returns the normalised discounted cumulative gain of the first `k` results (Järvelin and
/// Kekäläinen, 2002).
///
/// `ranked` has the relevance of each result in order (0 if it was not judged), `judged` the
/// relevance of every judged document of the query. A result counts its relevance divided by log₂(1
/// + rank): the linear gain of `trec_eval`. None if no document is relevant.
///
/// ```
/// use inkveil_eval::metrics::ndcg;
///
/// assert_eq!(ndcg(&[2.0, 1.0, 0.0], &[1.0, 2.0], 10), Some(1.0));
/// assert!(ndcg(&[0.0, 1.0, 2.0], &[1.0, 2.0], 10).is_some_and(|score| score < 0.7));
/// ```
pub fn ndcg(ranked: &[f64], judged: &[f64], k: usize) -> Option<f64> {
    let mut ideal: Vec<f64> = judged.to_vec();
    ideal.sort_by(|a, b| b.total_cmp(a));
    let best = gain(&ideal, k);
    (best > 0.0).then(|| gain(ranked, k) / best)
}

fn gain(relevances: &[f64], k: usize) -> f64 {
    let discounted = |(index, relevance): (usize, &f64)| relevance.max(0.0) / (index as f64 + 2.0).log2();
    relevances.iter().take(k).enumerate().map(discounted).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_computed_value() {
        // 0/1 + 3/log₂3 + 2/2 of the ideal 3/1 + 2/log₂3 + 1/2.
        let score = ndcg(&[0.0, 3.0, 2.0], &[1.0, 2.0, 3.0, 0.0], 3).unwrap();
        let log3 = 3.0_f64.log2();
        assert!((score - (3.0 / log3 + 1.0) / (3.0 + 2.0 / log3 + 0.5)).abs() < 1e-15);
    }

    #[test]
    fn only_the_first_results_count() {
        assert_eq!(ndcg(&[0.0, 0.0, 1.0], &[1.0], 2), Some(0.0));
        assert_eq!(ndcg(&[0.0, 1.0], &[1.0], 2), Some(1.0 / 3.0_f64.log2()));
    }

    #[test]
    fn without_relevant_documents_there_is_no_gain() {
        assert_eq!(ndcg(&[0.0], &[0.0, -1.0], 10), None);
        assert_eq!(ndcg(&[], &[], 10), None);
    }
}
