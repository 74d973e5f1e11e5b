//! The order of items in training.

use std::ops::Range;

use inkveil_nn::SplitMix;

/// Returns the items at these positions of an endless sequence of rounds over `count` items. Every
/// round has its own order, which depends only on the seed and the name.
pub(super) fn order(count: usize, places: Range<u64>, seed: u64, name: &str) -> impl Iterator<Item = usize> {
    let mut shuffled: Option<(u64, Vec<usize>)> = None;
    places.map(move |place| {
        let (round, at) = (place / count as u64, (place % count as u64) as usize);
        if shuffled.as_ref().is_none_or(|(of, _)| *of != round) {
            let mut order: Vec<usize> = (0..count).collect();
            SplitMix::named(seed, name, &[round]).shuffle(&mut order);
            shuffled = Some((round, order));
        }
        shuffled.as_ref().map_or(0, |(_, order)| order[at])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_has_every_item_once() {
        let mut rounds: Vec<Vec<usize>> =
            (0..3).map(|round| order(8, 8 * round..8 * round + 8, 1, "test").collect()).collect();
        assert!(rounds[0] != rounds[1] && rounds[1] != rounds[2]);
        // The sequence does not depend on where it is entered.
        assert_eq!(
            order(8, 5..11, 1, "test").collect::<Vec<_>>(),
            [&rounds[0][5..], &rounds[1][..3]].concat()
        );
        rounds.iter_mut().for_each(|round| round.sort_unstable());
        assert!(rounds.iter().all(|round| *round == [0, 1, 2, 3, 4, 5, 6, 7]));
    }
}
