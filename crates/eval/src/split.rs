//! Splits into training items and held-out items.

use inkveil_nn::SplitMix;

use crate::Error;

/// A split into training items and held-out items.
///
/// ```
/// use inkveil_eval::Split;
///
/// let split = Split::new(10, 0.2, 7)?;
/// assert_eq!((split.train().len(), split.test().len()), (8, 2));
/// assert_eq!(split, Split::new(10, 0.2, 7)?);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    train: Vec<usize>,
    test: Vec<usize>,
}

impl Split {
    /// Holds out a share of `count` items. Both sides get at least one.
    ///
    /// # Errors
    /// If there are fewer than two items or the share is not between 0 and 1.
    pub fn new(count: usize, test_share: f64, seed: u64) -> Result<Self, Error> {
        if count < 2 || !(0.0..=1.0).contains(&test_share) {
            return Err(Error::argument(format!(
                "{count} items cannot be split with a held-out share of {test_share}; use two or more items and a share from 0 to 1"
            )));
        }
        let mut train: Vec<usize> = (0..count).collect();
        SplitMix::named(seed, "split", &[]).shuffle(&mut train);
        let held = ((count as f64 * test_share).round() as usize).clamp(1, count - 1);
        let mut test = train.split_off(count - held);
        train.sort_unstable();
        test.sort_unstable();
        Ok(Self { train, test })
    }

    /// Holds out whole groups, about a share of all items. `groups` has the group of each item. Both
    /// sides get at least one group.
    ///
    /// ```
    /// use inkveil_eval::Split;
    ///
    /// let split = Split::by_groups(&[0, 0, 1, 1, 2, 2, 3, 3], 0.25, 7)?;
    /// assert_eq!(split.test().len(), 2);
    /// assert_eq!(split.test()[0] / 2, split.test()[1] / 2);
    /// # Ok::<(), inkveil_eval::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are fewer than two groups or the share is not between 0 and 1.
    pub fn by_groups(groups: &[usize], test_share: f64, seed: u64) -> Result<Self, Error> {
        let mut order: Vec<usize> = groups.to_vec();
        order.sort_unstable();
        order.dedup();
        if order.len() < 2 || !(0.0..=1.0).contains(&test_share) {
            return Err(Error::argument(format!(
                "{} items in {} groups cannot be split with a held-out share of {test_share}; use two or more groups and a share from 0 to 1",
                groups.len(),
                order.len()
            )));
        }
        let mut sizes = std::collections::HashMap::new();
        groups.iter().for_each(|group| *sizes.entry(*group).or_insert(0_usize) += 1);
        SplitMix::named(seed, "split of groups", &[]).shuffle(&mut order);
        let wanted = ((groups.len() as f64 * test_share).round() as usize).max(1);
        let (mut held, mut count) = (std::collections::HashSet::new(), 0);
        for group in &order[1..] {
            // A group that would take the held-out part far over its share stays known.
            let size = sizes.get(group).copied().unwrap_or(0);
            if count < wanted && (held.is_empty() || count + size <= wanted + wanted / 4 + 1) {
                held.insert(*group);
                count += size;
            }
        }
        Ok(Self::by(groups.len(), |item| held.contains(&groups[item])))
    }

    /// Holds out the items for which `held_out` is true.
    pub(crate) fn by(count: usize, held_out: impl Fn(usize) -> bool) -> Self {
        let (test, train) = (0..count).partition(|&item| held_out(item));
        Self { train, test }
    }

    /// Takes a share of all items from the training items, whole groups if there are groups. Returns
    /// these items and the split without them.
    pub(crate) fn take(
        &self,
        share: f64,
        groups: Option<&[usize]>,
        seed: u64,
    ) -> Result<(Vec<usize>, Self), Error> {
        let of_train = share * (self.train.len() + self.test.len()) as f64 / self.train.len().max(1) as f64;
        let within = match groups {
            Some(groups) => Self::by_groups(&pick(&self.train, groups), of_train.min(1.0), seed)?,
            None => Self::new(self.train.len(), of_train.min(1.0), seed)?,
        };
        let items = |some: &[usize]| some.iter().map(|&at| self.train[at]).collect::<Vec<usize>>();
        Ok((items(&within.test), Self { train: items(&within.train), test: self.test.clone() }))
    }

    /// The training items, in ascending order.
    pub fn train(&self) -> &[usize] {
        &self.train
    }

    /// The held-out items, in ascending order.
    pub fn test(&self) -> &[usize] {
        &self.test
    }

    /// The values of the training items.
    pub fn train_of<T: Clone>(&self, all: &[T]) -> Vec<T> {
        pick(&self.train, all)
    }

    /// The values of the held-out items.
    pub fn test_of<T: Clone>(&self, all: &[T]) -> Vec<T> {
        pick(&self.test, all)
    }

    /// The rows of the training items, `dim` numbers each.
    pub fn train_rows(&self, rows: &[f32], dim: usize) -> Vec<f32> {
        pick_rows(&self.train, rows, dim)
    }

    /// The rows of the held-out items, `dim` numbers each.
    pub fn test_rows(&self, rows: &[f32], dim: usize) -> Vec<f32> {
        pick_rows(&self.test, rows, dim)
    }
}

/// Items without a value are left out; the callee checks the number of rows.
fn pick<T: Clone>(items: &[usize], all: &[T]) -> Vec<T> {
    items.iter().filter_map(|&item| all.get(item).cloned()).collect()
}

fn pick_rows(items: &[usize], rows: &[f32], dim: usize) -> Vec<f32> {
    let row = |&item: &usize| rows.get(item.checked_mul(dim)?..)?.get(..dim);
    items.iter().filter_map(row).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_on_one_side() {
        let split = Split::new(101, 0.2, 3).unwrap();
        let mut all = [split.train(), split.test()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..101).collect::<Vec<_>>());
        assert_eq!(split.test().len(), 20);
        assert_ne!(split, Split::new(101, 0.2, 4).unwrap());
    }

    #[test]
    fn rows_stay_with_their_items() {
        let split = Split::new(3, 0.4, 5).unwrap();
        let rows = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5];
        let held = split.test()[0];
        assert_eq!(split.test_rows(&rows, 2), rows[2 * held..2 * held + 2]);
        assert_eq!(split.train_rows(&rows, 2).len(), 4);
        assert_eq!(split.test_of(&["a", "b", "c"]), [["a", "b", "c"][held]]);
    }

    #[test]
    fn a_part_of_the_known_items_can_be_taken_away() {
        let groups: Vec<usize> = (0..200).map(|item| item / 2).collect();
        for by in [None, Some(groups.as_slice())] {
            let split = Split::by_groups(&groups, 0.2, 3).unwrap();
            let (taken, rest) = split.take(0.4, by, 5).unwrap();
            let mut all = [taken.as_slice(), rest.train(), rest.test()].concat();
            all.sort_unstable();
            assert_eq!(all, (0..200).collect::<Vec<_>>());
            assert!((75..=90).contains(&taken.len()), "{}", taken.len());
            if by.is_some() {
                assert!(taken.iter().all(|a| rest.train().iter().all(|b| groups[*a] != groups[*b])));
            }
        }
    }

    #[test]
    fn groups_are_not_cut() {
        let groups: Vec<usize> = (0..300).map(|item| item * item % 41).collect();
        for seed in 1..20 {
            let split = Split::by_groups(&groups, 0.2, seed).unwrap();
            assert!(split.test().iter().all(|a| split.train().iter().all(|b| groups[*a] != groups[*b])));
            assert!((45..=80).contains(&split.test().len()), "{}", split.test().len());
        }
        assert!(Split::by_groups(&[1, 1, 1], 0.2, 1).is_err());
    }

    #[test]
    fn invalid_splits_are_refused() {
        assert!(Split::new(1, 0.5, 1).is_err() && Split::new(9, f64::NAN, 1).is_err());
        assert_eq!(Split::new(9, 0.0, 1).unwrap().test().len(), 1);
        assert_eq!(Split::new(9, 1.0, 1).unwrap().train().len(), 1);
    }
}
