//! Masks side by side: which dimensions concepts share.

use inkveil::vectors::Mask;
use inkveil_report::HeatMap;

use super::inspect::strongest;

/// Draws the union of the strongest `top` dimensions of each mask (columns) across all masks
/// (rows).
pub(super) fn svg(masks: &[Mask], top: usize) -> String {
    let mut dimensions: Vec<usize> = Vec::new();
    for mask in masks {
        // In the order of the masks, so that dimensions of one mask only are side by side.
        let new: Vec<usize> = strongest(mask, top).into_iter().filter(|d| !dimensions.contains(d)).collect();
        dimensions.extend(new);
    }
    let row = |mask: &Mask| {
        let gates = dimensions.iter().map(|&dimension| f64::from(mask.gates[dimension])).collect();
        (mask.note.concept.clone(), gates)
    };
    HeatMap {
        title: "Which dimensions carry which concept".to_owned(),
        rows: masks.iter().map(row).collect(),
        columns: dimensions.iter().map(usize::to_string).collect(),
        scale: "pale: 0, does not matter; strong: 1, carries the concept".to_owned(),
    }
    .svg()
}
