//! Groups of near duplicates, so that an attacker who knows one of a group is not tested on another.

use inkveil_nn::product::f32_product;

use crate::Error;
use crate::metrics::unit_rows;

/// Cosines from which two vectors are near duplicates, lowest first. A lower one is stricter.
const COSINES: [f32; 5] = [0.8, 0.85, 0.9, 0.95, 0.99];
/// The largest group, as a share of all rows. Chains of similar rows could otherwise join nearly all.
const LARGEST: f64 = 0.2;
/// The number of rows that are compared at once.
const BLOCK: usize = 256;

/// Groups by pairs: items that a chain of pairs connects are in one group.
pub(crate) struct Groups {
    parents: Vec<usize>,
}

impl Groups {
    /// Every item is a group.
    pub(crate) fn new(count: usize) -> Self {
        Self { parents: (0..count).collect() }
    }

    /// Joins the groups of two items.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parents[high] = low;
    }

    fn find(&mut self, mut item: usize) -> usize {
        while self.parents[item] != item {
            self.parents[item] = self.parents[self.parents[item]];
            item = self.parents[item];
        }
        item
    }

    /// The number of the group of each item.
    pub(crate) fn numbers(mut self) -> Vec<usize> {
        (0..self.parents.len()).map(|item| self.find(item)).collect()
    }
}

/// Groups rows of `dim` numbers whose cosine is high. Returns the group of each row, and the cosine
/// that was used: the lowest at which no group has more than a fifth of all rows.
pub(crate) fn near_duplicates(rows: &[f32], dim: usize) -> Result<(Vec<usize>, f32), Error> {
    let rows = unit_rows(rows, dim);
    let count = rows.len() / dim;
    let mut levels: Vec<Groups> = COSINES.iter().map(|_| Groups::new(count)).collect();
    let mut cosines = Vec::new();
    for first in (0..count).step_by(BLOCK) {
        let block = first..(first + BLOCK).min(count);
        let earlier = block.end;
        cosines.clear();
        cosines.resize(block.len() * earlier, 0.0);
        f32_product(&rows[block.start * dim..block.end * dim], &rows[..earlier * dim], dim, &mut cosines)?;
        for (row, cosines) in block.zip(cosines.chunks_exact(earlier)) {
            for (other, cosine) in cosines[..row].iter().enumerate() {
                for (groups, _) in levels.iter_mut().zip(COSINES).filter(|(_, least)| cosine >= least) {
                    groups.join(row, other);
                }
            }
        }
    }
    let largest = |numbers: &[usize]| {
        let mut sizes = vec![0_usize; count];
        numbers.iter().for_each(|&group| sizes[group] += 1);
        sizes.into_iter().max().unwrap_or(0)
    };
    let mut last = ((0..count).collect(), 1.0);
    for (groups, cosine) in levels.into_iter().zip(COSINES) {
        last = (groups.numbers(), cosine);
        if largest(&last.0) as f64 <= (count as f64 * LARGEST).max(2.0) {
            break;
        }
    }
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_rows_share_a_group_and_chains_do_not_join_everything() {
        let mut rows = Vec::new();
        for i in 0..40_usize {
            let angle = i as f32 * 2.0;
            rows.extend([angle.cos(), angle.sin(), 0.3 * i as f32]);
            rows.extend([angle.cos() + 0.001, angle.sin(), 0.3 * i as f32]);
        }
        let (groups, cosine) = near_duplicates(&rows, 3).unwrap();
        assert!(groups.chunks(2).all(|pair| pair[0] == pair[1]));
        assert!(cosine > 0.8, "a row of one curve is near the next, so the level rises: {cosine}");
    }

    #[test]
    fn pairs_connect_in_chains() {
        let mut groups = Groups::new(5);
        groups.join(0, 3);
        groups.join(4, 3);
        assert_eq!(groups.numbers(), [0, 1, 2, 0, 0]);
    }
}
