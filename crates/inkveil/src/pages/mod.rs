//! Pages and drawings about texts, styles and masks. [`report`](crate::report) draws them.
//!
//! A page that quotes a text is **private**, like the text.

mod explanation;
mod findings;
mod style;
mod training;

pub use explanation::ExplanationPage;
pub use findings::FindingsPage;
pub use style::{style_map, style_page};
pub use training::{encoder_training, reward_training, teacher_training};

use inkveil_report::HeatMap;
use inkveil_vector::Mask;

/// Draws masks side by side: the strongest `top` dimensions of each (columns) across all masks (rows), as SVG. All masks
/// have gates and the same dimension.
pub fn mask_map(masks: &[Mask], top: usize) -> String {
    let mut dimensions: Vec<usize> = Vec::new();
    for mask in masks {
        // In the order of the masks, so that dimensions of one mask only are side by side.
        let new: Vec<usize> = mask.strongest(top).into_iter().filter(|d| !dimensions.contains(d)).collect();
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
