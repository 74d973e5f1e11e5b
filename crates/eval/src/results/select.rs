//! Which cells are shown, and the order of their coordinates.

use std::collections::BTreeMap;

use super::data::ResultCell;

/// Values of coordinates, by the names of the coordinates.
pub(super) type Values = BTreeMap<String, Vec<String>>;

/// The values of some coordinates of a cell. A coordinate that it lacks is empty.
pub(super) type Key<'a> = Vec<&'a str>;

/// Whether a cell passes a filter.
pub(super) fn passes(cell: &ResultCell, only: &Values) -> bool {
    only.iter().all(|(name, values)| cell.at.get(name).is_some_and(|value| values.contains(value)))
}

/// The values of these coordinates of a cell.
pub(super) fn key<'a>(cell: &'a ResultCell, names: &[String]) -> Key<'a> {
    names.iter().map(|name| cell.at.get(name).map_or("", String::as_str)).collect()
}

/// A key as text.
pub(super) fn label(key: &[&str]) -> String {
    key.iter().map(|value| or_dash(value)).collect::<Vec<_>>().join(" · ")
}

/// A value as text: a dash if it is empty.
pub(super) fn or_dash(value: &str) -> &str {
    if value.is_empty() { "–" } else { value }
}

/// The distinct keys, ordered coordinate by coordinate: first by `order`, then by first appearance.
pub(super) fn ordered<'a>(keys: &[Key<'a>], names: &[String], order: &Values) -> Vec<Key<'a>> {
    let mut ranks: Vec<BTreeMap<&str, usize>> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let explicit = order.get(name).into_iter().flatten().map(String::as_str);
        let mut rank = BTreeMap::new();
        for value in explicit.chain(keys.iter().filter_map(|key| key.get(at).copied())) {
            let next = rank.len();
            rank.entry(value).or_insert(next);
        }
        ranks.push(rank);
    }
    let place = |key: &Key<'a>| -> Vec<usize> {
        key.iter().zip(&ranks).map(|(value, rank)| rank.get(value).copied().unwrap_or(usize::MAX)).collect()
    };
    let mut keys = keys.to_vec();
    keys.sort_by_key(place);
    keys.dedup();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_by_the_given_order_and_then_by_first_appearance() {
        let names = ["set".to_owned(), "way".to_owned()];
        let order = [("way".to_owned(), vec!["none".to_owned()])].into();
        let keys = vec![vec!["b", "polar"], vec!["a", "none"], vec!["b", "none"], vec!["a", "none"]];
        let found = ordered(&keys, &names, &order);
        assert_eq!(found, [vec!["b", "none"], vec!["b", "polar"], vec!["a", "none"]]);
    }

    #[test]
    fn a_filter_leaves_out_cells_without_the_coordinate() {
        let only = [("way".to_owned(), vec!["polar".to_owned()])].into();
        assert!(passes(&ResultCell::at([("way", "polar")], 1), &only));
        assert!(!passes(&ResultCell::at([("way", "none")], 1), &only));
        assert!(!passes(&ResultCell::at([], 1), &only));
        assert_eq!(
            label(&key(&ResultCell::at([("way", "polar")], 1), &["way".into(), "set".into()])),
            "polar · –"
        );
    }
}
