//! Samples of items.

use inkveil_nn::SplitMix;

/// Draws `wanted` of `count` items by the seed, in ascending order; all items if there are not
/// more.
///
/// ```
/// use inkveil_eval::data::sample;
///
/// assert_eq!(sample(3, 5, 1), [0, 1, 2]);
/// assert_eq!(sample(100, 5, 1), sample(100, 5, 1));
/// assert_ne!(sample(100, 5, 1), sample(100, 5, 2));
/// ```
pub fn sample(count: usize, wanted: usize, seed: u64) -> Vec<usize> {
    let mut items: Vec<usize> = (0..count).collect();
    if wanted < count {
        SplitMix::named(seed, "sample", &[]).shuffle(&mut items);
        items.truncate(wanted);
        items.sort_unstable();
    }
    items
}
