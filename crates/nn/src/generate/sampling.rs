//! Chooses the next token.

use super::avoid::AvoidedTokens;
use crate::cpu::exponentials;
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
    /// 0 always takes the best token; 1 draws from the model's distribution; more is more random.
    pub temperature: f64,
    /// Draws only from this many best tokens.
    pub top_k: Option<usize>,
    /// Draws only from the fewest tokens with this total probability.
    pub top_p: Option<f64>,
    /// Makes tokens that have occurred less likely if above 1.
    pub repetition_penalty: Option<f32>,
    /// Makes these tokens less likely.
    pub avoid: AvoidedTokens,
    /// The same seed gives the same texts. Every prompt of a batch has its own stream.
    pub seed: u64,
}

impl Default for Sampling {
    /// Always takes the best token.
    fn default() -> Self {
        Sampling {
            temperature: 0.0,
            top_k: None,
            top_p: None,
            repetition_penalty: None,
            avoid: AvoidedTokens::default(),
            seed: 0,
        }
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
        if !(self.avoid.penalty.is_finite() && self.avoid.penalty >= 0.0) {
            return refuse("the penalty of avoided tokens must be 0 or above");
        }
        Ok(())
    }

    /// Returns the random stream of a prompt.
    pub(super) fn stream(&self, prompt: usize) -> SplitMix {
        SplitMix::named(self.seed, "generate", &[prompt as u64])
    }

    /// Chooses the next token after `seen`. `last` is the last generated token.
    pub(super) fn choose(
        &self,
        logits: &mut [f32],
        seen: &[u32],
        last: Option<u32>,
        random: &mut SplitMix,
    ) -> Result<u32, Error> {
        if let Some(penalty) = self.repetition_penalty {
            penalise(logits, seen, penalty);
        }
        self.avoid.penalise(logits, last);
        let (first, highest) = best(logits).ok_or_else(scores_are_not_numbers)?;
        if self.temperature == 0.0 {
            return Ok(first);
        }
        if !highest.is_finite() {
            return Err(scores_are_not_numbers());
        }
        if let Some(k) = self.top_k.filter(|&k| k < logits.len()) {
            let (mut ids, mut weights) = self.best_weights(logits, k, highest);
            if let Some(p) = self.top_p {
                let total = weights.iter().sum::<f64>();
                if let Some(count) = nucleus(&weights, p * total) {
                    ids.truncate(count);
                    weights.truncate(count);
                }
            }
            return Ok(ids[draw(weights.iter().copied(), random)]);
        }
        let mut weights = logits.to_vec();
        let total = exponentials(&mut weights, highest, self.temperature);
        if let Some(p) = self.top_p.filter(|&p| p < 1.0) {
            // A few of the best tokens nearly always suffice. If not, more are considered.
            for count in [64, 512, 4096] {
                let (ids, weights) = self.best_weights(logits, count, highest);
                if let Some(count) = nucleus(&weights, p * total) {
                    return Ok(ids[draw(weights[..count].iter().copied(), random)]);
                }
            }
            let (ids, weights) = self.best_weights(logits, logits.len(), highest);
            let count = nucleus(&weights, p * total).unwrap_or(weights.len());
            return Ok(ids[draw(weights[..count].iter().copied(), random)]);
        }
        Ok(draw(weights.iter().map(|&weight| f64::from(weight)), random) as u32)
    }

    /// Returns the ids of the best tokens, best first, and their probabilities up to a common
    /// factor.
    fn best_weights(&self, logits: &[f32], count: usize, highest: f32) -> (Vec<u32>, Vec<f64>) {
        let ids = best_of(logits, count);
        let weight = |&id: &u32| (f64::from(logits[id as usize] - highest) / self.temperature).exp();
        let weights = ids.iter().map(weight).collect();
        (ids, weights)
    }
}

/// Returns the best token and its score; of equal ones the first. Returns `None` if no score is a
/// number.
fn best(logits: &[f32]) -> Option<(u32, f32)> {
    let numbers = (0..).zip(logits).filter(|(_, score)| !score.is_nan());
    numbers.map(|(id, &score)| (id, score)).reduce(|best, other| if other.1 > best.1 { other } else { best })
}

/// Returns the best `count` tokens, best first; of equal ones the first. Impossible tokens are left
/// out.
///
/// It makes one pass with a rising threshold: when it has found twice as many as needed, it drops
/// the lower half.
fn best_of(logits: &[f32], count: usize) -> Vec<u32> {
    let better = |a: &u32, b: &u32| logits[*b as usize].total_cmp(&logits[*a as usize]).then(a.cmp(b));
    let mut found: Vec<u32> = Vec::new();
    let mut threshold = f32::NEG_INFINITY;
    for (id, &score) in (0..).zip(logits) {
        // A later token with the threshold's score is not better than those already found.
        if score > threshold {
            found.push(id);
            if found.len() >= count.saturating_mul(2) {
                let (_, &mut last, _) = found.select_nth_unstable_by(count - 1, better);
                threshold = logits[last as usize];
                found.truncate(count);
            }
        }
    }
    found.sort_unstable_by(better);
    found.truncate(count);
    found
}

/// Draws an index in proportion to the weights, whose sum must be positive.
fn draw(weights: impl Iterator<Item = f64> + Clone, random: &mut SplitMix) -> usize {
    let mut left = random.unit() * weights.clone().sum::<f64>();
    let mut last = 0;
    for (index, weight) in weights.enumerate() {
        left -= weight;
        if left < 0.0 {
            return index;
        }
        if weight > 0.0 {
            last = index;
        }
    }
    // Rounding may leave a remainder after the last.
    last
}

/// Returns how many of the descending weights reach this sum together, or `None` if all of them do
/// not.
fn nucleus(weights: &[f64], enough: f64) -> Option<usize> {
    let mut left = enough;
    let last = weights.iter().position(|weight| {
        left -= weight;
        left <= 0.0
    });
    last.map(|last| last + 1)
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

fn scores_are_not_numbers() -> Error {
    ErrorKind::Backend {
        doing: "choose a token",
        cause: inkveil_error::Cause::new("the model's scores are not numbers"),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(sampling: &Sampling, logits: &[f32], count: usize) -> Vec<usize> {
        let mut random = sampling.stream(0);
        let mut counts = vec![0; logits.len()];
        for _ in 0..count {
            counts[sampling.choose(&mut logits.to_vec(), &[], None, &mut random).unwrap() as usize] += 1;
        }
        counts
    }

    #[test]
    fn temperature_0_takes_the_best_token() {
        let sampling = Sampling::default();
        let mut random = sampling.stream(0);
        let choose = |logits: &[f32], random: &mut SplitMix| {
            sampling.choose(&mut logits.to_vec(), &[], None, random).unwrap()
        };
        assert_eq!(choose(&[0.0, 3.0, -1.0], &mut random), 1);
        assert_eq!(choose(&[2.0, 2.0, 2.0], &mut random), 0);
        assert_eq!(choose(&[f32::NAN, f32::NEG_INFINITY, 2.0], &mut random), 2);
        assert!(sampling.choose(&mut [f32::NAN], &[], None, &mut random).is_err());
        assert!(sampling.choose(&mut [], &[], None, &mut random).is_err());
    }

    #[test]
    fn draws_follow_the_scores() {
        let sampling = Sampling { temperature: 0.5, ..Sampling::default() };
        let n = 20_000;
        // At temperature 1/2 the weights are exp(2·logit): 1, 4, 16.
        let counts = draw(&sampling, &[0.0, 2f32.ln(), 4f32.ln()], n);
        for (count, weight) in counts.iter().zip([1.0, 4.0, 16.0]) {
            let p: f64 = weight / 21.0;
            // Chance exceeds 5.5 standard deviations on any of three counts with probability below
            // 1e-6.
            let most = 5.5 * (n as f64 * p * (1.0 - p)).sqrt();
            assert!((*count as f64 - n as f64 * p).abs() < most, "{counts:?}");
        }
    }

    #[test]
    fn top_k_and_top_p_exclude_unlikely_tokens() {
        let logits = [0.0, 1.0, 3.0, 2.0];
        let top_k = Sampling { temperature: 5.0, top_k: Some(2), ..Sampling::default() };
        let counts = draw(&top_k, &logits, 300);
        assert!(counts[0] == 0 && counts[1] == 0 && counts[2] > 0 && counts[3] > 0, "{counts:?}");
        // The best token has probability .64, the next .24.
        let top_p = |p| Sampling { temperature: 1.0, top_p: Some(p), ..Sampling::default() };
        assert_eq!(draw(&top_p(0.6), &logits, 300)[2], 300);
        let counts = draw(&top_p(0.7), &logits, 300);
        assert!(counts[2] > 0 && counts[3] > 0 && counts[2] + counts[3] == 300, "{counts:?}");
        let all = draw(&top_p(1.0), &[0.0; 4], 400);
        assert!(all.iter().all(|&count| count > 0), "{all:?}");
    }

    #[test]
    fn the_best_tokens_match_a_full_sort() {
        let logits: Vec<f32> = (0..5000).map(|i| ((i * 7919) % 997) as f32 / 100.0).collect();
        let mut sorted: Vec<u32> = (0..5000).collect();
        sorted.sort_by(|&a, &b| logits[b as usize].total_cmp(&logits[a as usize]).then(a.cmp(&b)));
        for count in [1, 2, 64, 512, 4096, 5000] {
            assert_eq!(best_of(&logits, count), sorted[..count], "{count}");
        }
        assert_eq!(best_of(&[f32::NAN, 1.0, f32::NEG_INFINITY, 2.0], 3), [3, 1]);
        assert_eq!(best(&[f32::NAN, 1.0, 3.0, 3.0]), Some((2, 3.0)));
    }

    /// Draws have the same probabilities as with sorting all tokens, whatever size the nucleus has.
    #[test]
    fn draws_from_large_vocabularies_are_exact() {
        let n = 20_000;
        for (p, temperature) in [(0.3, 0.2), (0.9, 1.0), (0.999, 4.0), (1.0, 1.0)] {
            // Logits fall by 1/100, so that the nucleus has between a few and thousands of the
            // 6,000 tokens.
            let logits: Vec<f32> = (0..6000).map(|i| -((i * 1237) % 6000) as f32 / 100.0).collect();
            let weight = |rank: usize| (-(rank as f64) / 100.0 / temperature).exp();
            let total: f64 = (0..6000).map(weight).sum();
            let mut sum = 0.0;
            let kept = (0..6000)
                .position(|rank| {
                    sum += weight(rank);
                    sum >= p * total
                })
                .map_or(6000, |last| last + 1);
            let inside: f64 = (0..kept).map(weight).sum();
            let sampling = Sampling { temperature, top_p: Some(p), ..Sampling::default() };
            let counts = draw(&sampling, &logits, n);
            let rank = |id: usize| (id * 1237) % 6000;
            assert!(
                counts.iter().enumerate().all(|(id, &count)| count == 0 || rank(id) < kept + 1),
                "p = {p}"
            );
            // The better half of the nucleus, by probability.
            let mut mass = 0.0;
            let half = (0..kept)
                .position(|rank| {
                    mass += weight(rank);
                    mass >= inside / 2.0
                })
                .unwrap_or(0);
            let wanted = mass / inside;
            let found = counts
                .iter()
                .enumerate()
                .filter(|(id, _)| rank(*id) <= half)
                .map(|(_, count)| count)
                .sum::<usize>();
            // 5.5 standard deviations.
            let most = 5.5 * (n as f64 * wanted * (1.0 - wanted)).sqrt() + 1e-9;
            assert!((found as f64 - n as f64 * wanted).abs() <= most, "p = {p}: {found}, {wanted}");
        }
    }

    #[test]
    fn repetition_is_penalised() {
        let sampling = Sampling { repetition_penalty: Some(2.0), ..Sampling::default() };
        let mut random = sampling.stream(0);
        assert_eq!(sampling.choose(&mut [3.0, 2.0, -1.0], &[0, 0], None, &mut random).unwrap(), 1);
        assert_eq!(sampling.choose(&mut [-1.0, -1.5], &[0], None, &mut random).unwrap(), 1);
    }

    #[test]
    fn avoided_tokens_are_penalised() {
        let avoid = AvoidedTokens { tokens: [0].into(), pairs: [(7, [1].into())].into(), penalty: 2.0 };
        let sampling = Sampling { avoid, ..Sampling::default() };
        let mut random = sampling.stream(0);
        let mut choose = |last| sampling.choose(&mut [3.0, 2.5, 2.0], &[], last, &mut random).unwrap();
        assert_eq!(choose(None), 1);
        assert_eq!(choose(Some(6)), 1);
        assert_eq!(choose(Some(7)), 2, "1 after 7 is avoided, too");
    }

    #[test]
    fn each_seed_and_prompt_has_its_own_stream() {
        let first = |seed, prompt| Sampling { seed, ..Sampling::default() }.stream(prompt).next();
        assert_eq!(first(1, 2), first(1, 2));
        assert!(first(1, 2) != first(1, 3) && first(1, 2) != first(2, 2));
    }

    #[test]
    fn invalid_settings_are_refused() {
        let base = Sampling::default;
        for sampling in [
            Sampling { temperature: -1.0, ..base() },
            Sampling { temperature: f64::NAN, ..base() },
            Sampling { top_k: Some(0), ..base() },
            Sampling { top_p: Some(0.0), ..base() },
            Sampling { top_p: Some(1.1), ..base() },
            Sampling { repetition_penalty: Some(0.0), ..base() },
            Sampling { avoid: AvoidedTokens { penalty: -1.0, ..AvoidedTokens::default() }, ..base() },
        ] {
            assert!(sampling.check().is_err(), "{sampling:?}");
        }
        assert!(base().check().is_ok());
    }
}
