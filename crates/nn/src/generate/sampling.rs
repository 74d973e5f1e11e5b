//! Choosing the next token.

use crate::params::random::SplitMix;
use crate::{Error, ErrorKind};

/// How the next token is chosen from the model's scores.
///
/// ```
/// use inkveil_nn::generate::Sampling;
///
/// let lively = Sampling { temperature: 0.8, top_p: Some(0.95), seed: 7, ..Sampling::default() };
/// assert_eq!(lively.top_k, None);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    /// 0 takes the best token always; 1 draws as the model says; more is wilder.
    pub temperature: f64,
    /// Draw from this many best tokens only.
    pub top_k: Option<usize>,
    /// Draw from the fewest tokens only that together have this probability.
    pub top_p: Option<f64>,
    /// Makes tokens that have occurred less likely, if above 1.
    pub repetition_penalty: Option<f32>,
    /// The same seed gives the same texts. Every prompt of a batch has a stream of its own.
    pub seed: u64,
}

impl Default for Sampling {
    /// Always the best token.
    fn default() -> Self {
        Sampling { temperature: 0.0, top_k: None, top_p: None, repetition_penalty: None, seed: 0 }
    }
}

impl Sampling {
    pub(super) fn check(&self) -> Result<(), Error> {
        let refuse = |what: &str| Err(Error::argument(what));
        if !(self.temperature.is_finite() && self.temperature >= 0.0) {
            return refuse("the temperature must be 0 or above");
        }
        if self.top_k == Some(0) {
            return refuse("top-k must be 1 or above");
        }
        if self.top_p.is_some_and(|p| !(p > 0.0 && p <= 1.0)) {
            return refuse("top-p must be above 0 and at most 1");
        }
        if self.repetition_penalty.is_some_and(|penalty| !(penalty.is_finite() && penalty > 0.0)) {
            return refuse("the repetition penalty must be above 0");
        }
        Ok(())
    }

    /// The random stream of a prompt.
    pub(super) fn stream(&self, prompt: usize) -> SplitMix {
        SplitMix::named(self.seed, "generate", &[prompt as u64])
    }

    /// The next token after `seen`.
    pub(super) fn choose(
        &self,
        logits: &mut [f32],
        seen: &[u32],
        random: &mut SplitMix,
    ) -> Result<u32, Error> {
        if let Some(penalty) = self.repetition_penalty {
            penalise(logits, seen, penalty);
        }
        let mut order: Vec<u32> =
            (0..logits.len() as u32).filter(|&id| !logits[id as usize].is_nan()).collect();
        // Equal scores: the smaller id first, so that the choice does not depend on the sort.
        let better = |a: &u32, b: &u32| logits[*b as usize].total_cmp(&logits[*a as usize]).then(a.cmp(b));
        if self.temperature == 0.0 {
            return order.into_iter().min_by(better).ok_or_else(no_numbers);
        }
        if let Some(k) = self.top_k.filter(|&k| k < order.len()) {
            order.select_nth_unstable_by(k, better);
            order.truncate(k);
        }
        order.sort_unstable_by(better);
        let best = f64::from(logits[*order.first().ok_or_else(no_numbers)? as usize]);
        let mut weights: Vec<f64> = order
            .iter()
            .map(|&id| ((f64::from(logits[id as usize]) - best) / self.temperature).exp())
            .collect();
        if let Some(p) = self.top_p {
            weights.truncate(nucleus(&weights, p));
        }
        let total: f64 = weights.iter().sum();
        if !(total.is_finite() && total > 0.0) {
            return Err(no_numbers());
        }
        let mut left = random.unit() * total;
        let drawn = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        // Rounding may leave a rest after the last.
        Ok(order[drawn.unwrap_or(weights.len() - 1)])
    }
}

/// How many of the weights, which fall, have together the share `p`.
fn nucleus(weights: &[f64], p: f64) -> usize {
    let mut left = p * weights.iter().sum::<f64>();
    let last = weights.iter().position(|weight| {
        left -= weight;
        left <= 0.0
    });
    last.map_or(weights.len(), |last| last + 1)
}

fn penalise(logits: &mut [f32], seen: &[u32], penalty: f32) {
    let mut seen = seen.to_vec();
    seen.sort_unstable();
    seen.dedup();
    for id in seen {
        if let Some(logit) = logits.get_mut(id as usize) {
            *logit = if *logit > 0.0 { *logit / penalty } else { *logit * penalty };
        }
    }
}

fn no_numbers() -> Error {
    ErrorKind::Backend { doing: "choose a token", reason: "the model's scores are not numbers".to_owned() }
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(sampling: &Sampling, logits: &[f32], count: usize) -> Vec<usize> {
        let mut random = sampling.stream(0);
        let mut counts = vec![0; logits.len()];
        for _ in 0..count {
            counts[sampling.choose(&mut logits.to_vec(), &[], &mut random).unwrap() as usize] += 1;
        }
        counts
    }

    #[test]
    fn the_best_token_at_temperature_0() {
        let sampling = Sampling::default();
        let mut random = sampling.stream(0);
        let choose = |logits: &[f32], random: &mut SplitMix| {
            sampling.choose(&mut logits.to_vec(), &[], random).unwrap()
        };
        assert_eq!(choose(&[0.0, 3.0, -1.0], &mut random), 1);
        assert_eq!(choose(&[2.0, 2.0, 2.0], &mut random), 0);
        assert_eq!(choose(&[f32::NAN, f32::NEG_INFINITY, 2.0], &mut random), 2);
        assert!(sampling.choose(&mut [f32::NAN], &[], &mut random).is_err());
        assert!(sampling.choose(&mut [], &[], &mut random).is_err());
    }

    #[test]
    fn draws_follow_the_scores() {
        let sampling = Sampling { temperature: 0.5, ..Sampling::default() };
        let n = 20_000;
        // At temperature 1/2 the weights are exp(2·logit): 1, 4, 16.
        let counts = draw(&sampling, &[0.0, 2f32.ln(), 4f32.ln()], n);
        for (count, weight) in counts.iter().zip([1.0, 4.0, 16.0]) {
            let p: f64 = weight / 21.0;
            // 5.5 standard deviations on each of three counts: passed by chance with probability below 1e-6.
            let most = 5.5 * (n as f64 * p * (1.0 - p)).sqrt();
            assert!((*count as f64 - n as f64 * p).abs() < most, "{counts:?}");
        }
    }

    #[test]
    fn unlikely_tokens_are_cut() {
        let logits = [0.0, 1.0, 3.0, 2.0];
        let top_k = Sampling { temperature: 5.0, top_k: Some(2), ..Sampling::default() };
        let counts = draw(&top_k, &logits, 300);
        assert!(counts[0] == 0 && counts[1] == 0 && counts[2] > 0 && counts[3] > 0, "{counts:?}");
        // The best has .64, the next .24.
        let top_p = |p| Sampling { temperature: 1.0, top_p: Some(p), ..Sampling::default() };
        assert_eq!(draw(&top_p(0.6), &logits, 300)[2], 300);
        let counts = draw(&top_p(0.7), &logits, 300);
        assert!(counts[2] > 0 && counts[3] > 0 && counts[2] + counts[3] == 300, "{counts:?}");
        let all = draw(&top_p(1.0), &[0.0; 4], 400);
        assert!(all.iter().all(|&count| count > 0), "{all:?}");
    }

    #[test]
    fn repetition_is_penalised() {
        let sampling = Sampling { repetition_penalty: Some(2.0), ..Sampling::default() };
        let mut random = sampling.stream(0);
        assert_eq!(sampling.choose(&mut [3.0, 2.0, -1.0], &[0, 0], &mut random).unwrap(), 1);
        assert_eq!(sampling.choose(&mut [-1.0, -1.5], &[0], &mut random).unwrap(), 1);
    }

    #[test]
    fn seeds_and_prompts_have_their_own_streams() {
        let first = |seed, prompt| Sampling { seed, ..Sampling::default() }.stream(prompt).next();
        assert_eq!(first(1, 2), first(1, 2));
        assert!(first(1, 2) != first(1, 3) && first(1, 2) != first(2, 2));
    }

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        let base = Sampling::default;
        for sampling in [
            Sampling { temperature: -1.0, ..base() },
            Sampling { temperature: f64::NAN, ..base() },
            Sampling { top_k: Some(0), ..base() },
            Sampling { top_p: Some(0.0), ..base() },
            Sampling { top_p: Some(1.1), ..base() },
            Sampling { repetition_penalty: Some(0.0), ..base() },
        ] {
            assert!(sampling.check().is_err(), "{sampling:?}");
        }
        assert!(base().check().is_ok());
    }
}
