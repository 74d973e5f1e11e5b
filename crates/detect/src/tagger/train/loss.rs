//! The loss with several allowed labels per word.

use inkveil_nn::{DType, Tensor};

use crate::tagger::labels::LABELS;

/// The loss of a batch, and the share of words that were right.
pub(super) struct Loss {
    pub(super) loss: Tensor,
    right: Tensor,
}

impl Loss {
    /// Computes −log of the total probability of the allowed labels, averaged over words with their weights.
    /// `scores` has the shape (words, labels).
    pub(super) fn of(scores: &Tensor, allowed: &[u64], weights: &[f32]) -> Result<Self, inkveil_nn::Error> {
        let bits = allowed.iter().flat_map(|set| (0..LABELS).map(move |label| (set >> label & 1) as f32));
        let mask = Tensor::from_vec(bits.collect(), (allowed.len(), LABELS), scores.device())?;
        let possible = (scores + ((mask - 1.0)? * 1e4)?)?;
        let weights = Tensor::from_slice(weights, (weights.len(), 1), scores.device())?;
        let loss = ((log_sum(scores)? - log_sum(&possible)?)? * weights)?.mean_all()?;
        let best = |x: &Tensor| x.detach().max_keepdim(1);
        let right = best(&possible)?.ge(&best(scores)?)?.to_dtype(DType::F32)?.mean_all()?;
        Ok(Loss { loss, right })
    }

    pub(super) fn numbers(&self) -> Result<(f32, f32), inkveil_nn::Error> {
        Ok((self.loss.to_scalar()?, self.right.to_scalar()?))
    }
}

fn log_sum(x: &Tensor) -> Result<Tensor, inkveil_nn::Error> {
    let most = x.max_keepdim(1)?.detach();
    Ok((x.broadcast_sub(&most)?.exp()?.sum_keepdim(1)?.log()? + most)?)
}

#[cfg(test)]
mod tests {
    use inkveil_nn::Device;

    use super::*;

    #[test]
    fn every_allowed_label_is_right() {
        let mut row = [0.0_f32; LABELS];
        row[3] = 50.0;
        let scores = Tensor::from_slice(&row, (1, LABELS), &Device::Cpu).unwrap();
        let of = |set| Loss::of(&scores, &[set], &[1.0]).unwrap().numbers().unwrap();
        assert!(of(1 << 3).0 < 1e-3 && of(1 << 3 | 1).0 < 1e-3);
        assert!((of(1).0 - 50.0).abs() < 1e-3);
        assert_eq!((of(1 << 3).1, of(1).1), (1.0, 0.0));
        let heavy = Loss::of(&scores, &[1], &[2.0]).unwrap().numbers().unwrap().0;
        assert!((heavy - 100.0).abs() < 1e-3);
    }
}
