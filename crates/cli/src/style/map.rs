//! A memory as a map: a dot for each prototype, and the text among them.

use inkveil_report::{Dot, DotMap};
use inkveil_style::{Map, Memory};

/// The map. Dots grow with the number of texts of a prototype; prototypes that are outliers are
/// hollow.
pub(super) fn of(memory: &Memory, map: &Map, text: Option<&[f32]>) -> DotMap {
    let means = memory.geometry().map(|geometry| (geometry.prototype_means().to_vec(), geometry.tau()));
    let dot = |(index, at): (usize, [f64; 2])| Dot {
        at,
        weight: memory.weights()[index] as f64,
        hollow: means.as_ref().is_ok_and(|(means, tau)| means[index] > *tau),
    };
    DotMap {
        title: "Map of writing styles".to_owned(),
        dots: map.prototypes(memory).into_iter().enumerate().map(dot).collect(),
        highlight: text.map(|vector| (map.place(vector), "this text".to_owned())),
    }
}
