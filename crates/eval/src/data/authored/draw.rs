//! Draws the same number of texts of each author with each label, for training and to be attacked.

use std::collections::{BTreeMap, BTreeSet};

use inkveil_nn::SplitMix;

use super::passage::key;
use super::text::AuthoredText;

pub(super) struct Drawn {
    pub(super) train: Vec<AuthoredText>,
    pub(super) test: Vec<AuthoredText>,
}

/// Draws texts without duplicates. A label must not reveal an author, and an author must not reveal
/// a label. So each pair of author and label has the same number of texts on both sides; pairs with
/// fewer texts give all, and the others give more.
pub(super) fn draw(rows: Vec<AuthoredText>, train: usize, test: usize, seed: u64) -> Drawn {
    let mut seen = BTreeSet::new();
    let mut groups: BTreeMap<(String, Option<String>), Vec<AuthoredText>> = BTreeMap::new();
    for row in rows {
        if seen.insert(key(&row.text)) {
            groups.entry((row.author.clone(), row.label.clone())).or_default().push(row);
        }
    }
    let sizes: Vec<usize> = groups.values().map(Vec::len).collect();
    let taken = even(&sizes, train + test);
    let tested = proportional(&taken, test);
    let mut drawn = Drawn { train: Vec::new(), test: Vec::new() };
    for (number, (mut group, (taken, tested))) in
        (0..).zip(groups.into_values().zip(taken.iter().zip(&tested)))
    {
        SplitMix::named(seed, "draw", &[number]).shuffle(&mut group);
        group.truncate(*taken);
        drawn.train.extend(group.split_off((*tested).min(group.len())));
        drawn.test.append(&mut group);
    }
    SplitMix::named(seed, "order of training texts", &[]).shuffle(&mut drawn.train);
    SplitMix::named(seed, "order of test texts", &[]).shuffle(&mut drawn.test);
    drawn
}

/// How many to take from groups of these sizes, as evenly as possible, so that the sum is `total`
/// or everything.
fn even(sizes: &[usize], total: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    // The smallest groups first: the others share what these lack. The last of equal groups first,
    // so that the first groups get the remainder.
    order.sort_by_key(|&group| (sizes[group], std::cmp::Reverse(group)));
    let (mut left, mut taken) = (total, vec![0; sizes.len()]);
    for (place, &group) in order.iter().enumerate() {
        taken[group] = sizes[group].min(left / (order.len() - place));
        left -= taken[group];
    }
    taken
}

/// Splits `part` in proportion to the groups; the groups with the largest remainders get one more.
fn proportional(taken: &[usize], part: usize) -> Vec<usize> {
    let total = taken.iter().sum::<usize>().max(1);
    let part = part.min(total);
    let mut shares: Vec<usize> = taken.iter().map(|count| count * part / total).collect();
    let mut order: Vec<usize> = (0..taken.len()).collect();
    order.sort_by_key(|&group| (std::cmp::Reverse(taken[group] * part % total), group));
    let missing = part.saturating_sub(shares.iter().sum());
    order.into_iter().take(missing).for_each(|group| shares[group] += 1);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(sizes: &[(&str, &str, usize)]) -> Vec<AuthoredText> {
        let of = |&(author, label, count): &(&str, &str, usize)| {
            let row = move |index| AuthoredText {
                author: author.into(),
                label: Some(label.into()),
                text: format!("{author} {label} {index}"),
            };
            (0..count).map(row).collect::<Vec<_>>()
        };
        sizes.iter().flat_map(of).collect()
    }

    fn count(rows: &[AuthoredText], author: &str, label: &str) -> usize {
        rows.iter().filter(|row| row.author == author && row.label.as_deref() == Some(label)).count()
    }

    #[test]
    fn authors_and_labels_are_balanced() {
        let sizes = [("ann", "0", 50), ("ann", "1", 20), ("bob", "0", 31), ("bob", "1", 90)];
        let drawn = draw(rows(&sizes), 54, 18, 1);
        assert_eq!((drawn.train.len(), drawn.test.len()), (54, 18));
        for (author, label, _) in sizes {
            assert!((13..=14).contains(&count(&drawn.train, author, label)));
            assert!((4..=5).contains(&count(&drawn.test, author, label)));
        }
    }

    #[test]
    fn small_groups_give_everything() {
        assert_eq!(even(&[5, 100, 100], 45), [5, 20, 20]);
        assert_eq!(even(&[100, 100, 100], 10), [4, 3, 3]);
        assert_eq!(even(&[1, 2], 10), [1, 2]);
        assert_eq!(proportional(&[5, 20, 20], 9), [1, 4, 4]);
        assert_eq!(proportional(&[4, 3, 3], 5), [2, 2, 1]);
        assert_eq!(proportional(&[], 5), [0; 0]);
        let drawn = draw(rows(&[("ann", "0", 5), ("bob", "0", 100)]), 30, 10, 1);
        assert_eq!(count(&drawn.train, "ann", "0") + count(&drawn.test, "ann", "0"), 5);
        assert_eq!((drawn.train.len(), drawn.test.len()), (30, 10));
    }

    #[test]
    fn the_draw_depends_on_the_seed_and_has_no_duplicates() {
        let mut all = rows(&[("ann", "0", 40), ("bob", "0", 40)]);
        all.push(AuthoredText { text: "ANN  0 3 http://a.example".into(), ..all[3].clone() });
        let texts = |seed| {
            let drawn = draw(all.clone(), 60, 20, seed);
            drawn.train.iter().chain(&drawn.test).map(|row| row.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(texts(1), texts(1));
        assert_ne!(texts(1), texts(2));
        assert_eq!(texts(1).iter().collect::<BTreeSet<_>>().len(), 80);
    }
}
