//! The attention bias of MPNet and T5 for the distance of two tokens.

use crate::layers::Embedding;
use crate::{Error, Scope, Tensor};

/// One learned number for each head and each distance bucket.
pub(super) struct RelativeBias {
    table: Embedding,
    buckets: usize,
    max_distance: usize,
}

impl RelativeBias {
    /// Takes `weight`, of shape (buckets, heads).
    pub(super) fn new(
        scope: &Scope,
        buckets: usize,
        max_distance: usize,
        heads: usize,
    ) -> Result<Self, Error> {
        Ok(RelativeBias { table: Embedding::new(scope, buckets, heads)?, buckets, max_distance })
    }

    /// Returns the bias for texts of `length` tokens, of shape (1, heads, length, length).
    pub(super) fn forward(&self, length: usize) -> Result<Tensor, Error> {
        let last = length as i64;
        let ids: Vec<u32> = (0..last)
            .flat_map(|query| (0..last).map(move |key| key - query))
            .map(|distance| bucket(distance, self.buckets, self.max_distance))
            .collect();
        let ids = Tensor::from_vec(ids, (length, length), self.table.table().device())?;
        Ok(self.table.forward(&ids)?.permute((2, 0, 1))?.unsqueeze(0)?.contiguous()?)
    }
}

/// Returns the bucket of a distance. Each direction has half of the buckets. Of these, half are for
/// single distances, and the others for growing ranges up to `max_distance`.
pub(crate) fn bucket(distance: i64, buckets: usize, max_distance: usize) -> u32 {
    let half = (buckets / 2) as u32;
    let direction = if distance > 0 { half } else { 0 };
    let exact = half / 2;
    let distance = distance.unsigned_abs();
    if distance < u64::from(exact) {
        return direction + distance as u32;
    }
    // In f32 and in this order, because the models were trained this way: otherwise some distances
    // would change their bucket.
    let share = (distance as f32 / exact as f32).ln() / (max_distance as f64 / f64::from(exact)).ln() as f32;
    let far = exact + (share * (half - exact) as f32) as u32;
    direction + far.min(half - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_large_distances_share_buckets() {
        let found = [-200, -128, -9, -8, -7, -1, 0, 1, 7, 8, 127, 200].map(|d| bucket(d, 32, 128));
        assert_eq!(found, [15, 15, 8, 8, 7, 1, 0, 17, 23, 24, 31, 31]);
    }
}
