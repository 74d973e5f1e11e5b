//! Draws the next tokens of many texts on the model's device.

use candle_core::D;
use rayon::prelude::*;

use crate::{DType, Error, SplitMix, Tensor};

/// The vocabulary is split into blocks of this many tokens. First a block is drawn, then a token in
/// it, so few random numbers are needed.
const BLOCK: usize = 128;

/// Draws tokens in proportion to the model's probabilities. Every text has its own stream of random
/// numbers, so its tokens do not depend on its neighbours.
pub(super) struct TokenDraws {
    temperature: f64,
    top_p: Option<f64>,
    streams: Vec<SplitMix>,
}

/// The weights of all tokens for some texts, in blocks.
struct TokenWeights {
    /// Of shape (texts, blocks, [`BLOCK`]). The largest of each text is 1.
    tokens: Tensor,
    /// The sums of the blocks, of shape (texts, blocks).
    blocks: Tensor,
}

impl TokenDraws {
    /// Prepares draws for `texts` texts. A temperature of 0 always takes the best token.
    pub(super) fn new(temperature: f64, top_p: Option<f64>, seed: u64, texts: usize) -> Self {
        let stream = |text: usize| SplitMix::named(seed, "rollout", &[text as u64]);
        let streams = (0..texts).map(stream).collect();
        TokenDraws { temperature, top_p: top_p.filter(|p| *p < 1.0), streams }
    }

    /// Returns the next token of each of `texts`, given their scores of shape (texts, vocabulary).
    pub(super) fn draw(&mut self, logits: &Tensor, texts: &[usize]) -> Result<Vec<u32>, Error> {
        if self.temperature == 0.0 {
            return Ok(logits.argmax(D::Minus1)?.to_vec1()?);
        }
        let mut weights = TokenWeights::new(logits, self.temperature)?;
        let Some(p) = self.top_p else { return Ok(self.ids(&weights, texts)?.to_vec1()?) };
        // Draws outside the nucleus are repeated, which gives its distribution exactly and needs no
        // sorting. A draw is inside with probability p or more.
        let mut chosen = vec![0; texts.len()];
        let mut open: Vec<usize> = (0..texts.len()).collect();
        loop {
            let named: Vec<usize> = open.iter().map(|&at| texts[at]).collect();
            let ids = self.ids(&weights, &named)?;
            let outside = weights.outside(&ids, p)?;
            open.iter().zip(ids.to_vec1::<u32>()?).for_each(|(&at, id)| chosen[at] = id);
            let again: Vec<usize> = (0..open.len()).filter(|&at| outside[at]).collect();
            if again.is_empty() {
                return Ok(chosen);
            }
            open = again.iter().map(|&at| open[at]).collect();
            weights = weights.select(&again)?;
        }
    }

    /// Draws a token of each text by weight.
    fn ids(&mut self, weights: &TokenWeights, texts: &[usize]) -> Result<Tensor, Error> {
        let (count, blocks, block) = weights.tokens.dims3()?;
        let first = self.race(&weights.blocks, texts)?;
        let rows = Tensor::arange(0u32, count as u32, first.device())?;
        let rows = ((rows * blocks as f64)? + &first)?;
        let inside = weights.tokens.reshape((count * blocks, block))?.index_select(&rows, 0)?;
        let second = self.race(&inside, texts)?;
        Ok(((first * block as f64)? + second)?)
    }

    /// Draws a column of each row by weight, as an exponential race: the argmax of weight /
    /// exponential. A weight of 0 never wins.
    fn race(&mut self, weights: &Tensor, texts: &[usize]) -> Result<Tensor, Error> {
        let (rows, columns) = weights.dims2()?;
        let mut arrivals = vec![0f32; rows * columns];
        let mut streams: Vec<SplitMix> = texts.iter().map(|&text| self.streams[text].clone()).collect();
        arrivals.par_chunks_mut(columns).zip(&mut streams).for_each(|(row, stream)| {
            // The smallest number keeps the quotients finite.
            row.iter_mut().for_each(|arrival| *arrival = (-(-stream.unit()).ln_1p()).max(1e-30) as f32);
        });
        texts.iter().zip(streams).for_each(|(&text, stream)| self.streams[text] = stream);
        let arrivals = Tensor::from_vec(arrivals, (rows, columns), weights.device())?;
        Ok((weights / arrivals)?.argmax(D::Minus1)?)
    }
}

impl TokenWeights {
    /// Computes exp((score − best) / temperature).
    fn new(logits: &Tensor, temperature: f64) -> Result<Self, Error> {
        let mut scores = logits.to_dtype(DType::F32)?;
        if temperature != 1.0 {
            scores = (scores / temperature)?;
        }
        let mut tokens = scores.broadcast_sub(&scores.max_keepdim(D::Minus1)?)?.exp()?;
        let (texts, vocabulary) = tokens.dims2()?;
        let missing = vocabulary.next_multiple_of(BLOCK) - vocabulary;
        if missing > 0 {
            tokens = tokens.pad_with_zeros(1, 0, missing)?;
        }
        let tokens = tokens.reshape((texts, (), BLOCK))?;
        let blocks = tokens.sum(2)?;
        Ok(TokenWeights { tokens, blocks })
    }

    /// Returns which tokens are outside the nucleus: the likelier ones have the share `p` already.
    fn outside(&self, ids: &Tensor, p: f64) -> Result<Vec<bool>, Error> {
        let tokens = self.tokens.flatten_from(1)?;
        let own = tokens.gather(&ids.unsqueeze(1)?, 1)?;
        let likelier = (tokens.broadcast_gt(&own)?.to_dtype(DType::F32)? * &tokens)?.sum(1)?;
        let share: Vec<f32> = (likelier / self.blocks.sum(1)?)?.to_vec1()?;
        Ok(share.into_iter().map(|share| f64::from(share) >= p).collect())
    }

    fn select(&self, texts: &[usize]) -> Result<Self, Error> {
        let index: Vec<u32> = texts.iter().map(|&text| text as u32).collect();
        let index = Tensor::from_vec(index, texts.len(), self.tokens.device())?;
        Ok(TokenWeights {
            tokens: self.tokens.index_select(&index, 0)?,
            blocks: self.blocks.index_select(&index, 0)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    /// Draws once for each of `count` texts.
    fn counts(temperature: f64, top_p: Option<f64>, logits: &[f32], count: usize) -> Vec<usize> {
        let row = Tensor::new(logits, &Device::Cpu).unwrap().unsqueeze(0).unwrap();
        let batch = row.repeat((count, 1)).unwrap();
        let mut draws = TokenDraws::new(temperature, top_p, 5, count);
        let mut counts = vec![0; logits.len()];
        let texts: Vec<usize> = (0..count).collect();
        draws.draw(&batch, &texts).unwrap().into_iter().for_each(|id| counts[id as usize] += 1);
        counts
    }

    /// Returns the chi-square statistic of counts over cells of at least five expected draws, and
    /// its degrees of freedom.
    fn chi_square(counts: &[usize], weights: &[f64]) -> (f64, f64) {
        let (draws, total) = (counts.iter().sum::<usize>() as f64, weights.iter().sum::<f64>());
        let (mut sum, mut cells) = (0.0, 0);
        let (mut found, mut expected) = (0.0, 0.0);
        for (&count, weight) in counts.iter().zip(weights) {
            (found, expected) = (found + count as f64, expected + draws * weight / total);
            if expected >= 5.0 {
                sum += (found - expected).powi(2) / expected;
                cells += 1;
                (found, expected) = (0.0, 0.0);
            }
        }
        (sum, f64::from(cells - 1))
    }

    /// An upper bound of the 1 − 10⁻⁶ quantile (Laurent and Massart, 2000, lemma 1).
    fn quantile(freedom: f64) -> f64 {
        let x = 1e6f64.ln();
        freedom + 2.0 * (freedom * x).sqrt() + 2.0 * x
    }

    #[test]
    fn tokens_are_drawn_in_proportion_to_their_probability() {
        // 300 tokens are two full blocks and a part of a third.
        let logits: Vec<f32> = (0..300).map(|i| ((i * 37) % 101) as f32 / 30.0).collect();
        for temperature in [0.7, 1.0, 1.6] {
            let weights: Vec<f64> = logits.iter().map(|&x| (f64::from(x) / temperature).exp()).collect();
            let (sum, freedom) = chi_square(&counts(temperature, None, &logits, 60_000), &weights);
            assert!(freedom > 200.0 && sum < quantile(freedom), "{temperature}: {sum} for {freedom}");
            // The test notices a temperature that is off by a quarter.
            let other: Vec<f64> = logits.iter().map(|&x| (f64::from(x) / temperature / 1.25).exp()).collect();
            let (sum, freedom) = chi_square(&counts(temperature, None, &logits, 60_000), &other);
            assert!(sum > quantile(freedom), "{temperature}: {sum} for {freedom}");
        }
    }

    #[test]
    fn top_p_draws_from_the_likeliest_tokens_exactly() {
        let logits: Vec<f32> = (0..300).map(|i| -((i * 37) % 300) as f32 / 40.0).collect();
        let weight = |rank: usize| (-(rank as f64) / 40.0).exp();
        let total: f64 = (0..300).map(weight).sum();
        for p in [0.2, 0.9] {
            let mut sum = 0.0;
            let kept = (0..300).take_while(|&rank| {
                let inside = sum < p * total;
                sum += weight(rank);
                inside
            });
            let kept = kept.count();
            let counts = counts(1.0, Some(p), &logits, 20_000);
            let rank = |id: usize| (id * 37) % 300;
            let weights: Vec<f64> =
                (0..300).map(|id| if rank(id) < kept { weight(rank(id)) } else { 0.0 }).collect();
            assert!(counts.iter().enumerate().all(|(id, &count)| count == 0 || rank(id) < kept), "p = {p}");
            let (sum, freedom) = chi_square(&counts, &weights);
            assert!(sum < quantile(freedom), "p = {p}: {sum} for {freedom}");
        }
        // The best token alone exceeds p.
        assert_eq!(counts(1.0, Some(0.5), &[0.0, 5.0, 1.0], 50), [0, 50, 0]);
    }

    #[test]
    fn a_temperature_of_0_takes_the_best_token() {
        assert_eq!(counts(0.0, None, &[0.1, 0.6, 0.3], 50), [0, 50, 0]);
    }

    #[test]
    fn impossible_tokens_are_never_drawn() {
        let mut logits = vec![f32::NEG_INFINITY; 500];
        (logits[3], logits[499]) = (0.0, 0.0);
        let counts = counts(1.0, None, &logits, 400);
        assert!(counts[3] > 0 && counts[499] > 0 && counts[3] + counts[499] == 400, "{counts:?}");
    }

    #[test]
    fn draws_do_not_depend_on_the_neighbours() {
        let logits: Vec<f32> = (0..4 * 200).map(|i| ((i * 31) % 17) as f32 / 5.0).collect();
        let all = Tensor::from_vec(logits, (4, 200), &Device::Cpu).unwrap();
        for top_p in [None, Some(0.5)] {
            let mut together = TokenDraws::new(1.0, top_p, 9, 4);
            let drawn: Vec<Vec<u32>> = (0..5).map(|_| together.draw(&all, &[0, 1, 2, 3]).unwrap()).collect();
            for text in [0, 2] {
                let mut alone = TokenDraws::new(1.0, top_p, 9, 4);
                let row = all.narrow(0, text, 1).unwrap();
                for drawn in &drawn {
                    assert_eq!(alone.draw(&row, &[text]).unwrap(), [drawn[text]]);
                }
            }
        }
    }
}
