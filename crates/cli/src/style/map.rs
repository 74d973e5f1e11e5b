//! A memory from above, as a drawing: a dot for each prototype, and the text among them.

use std::fmt::Write as _;

use inkveil_style::{Memory, StyleMap};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 460.0;
const MARGIN: f64 = 24.0;

/// The drawing. Dots grow with how many texts came to a prototype; prototypes that are outliers are drawn hollow.
pub(super) fn svg(memory: &Memory, map: &StyleMap, text: Option<&[f32]>) -> String {
    let places = map.prototypes(memory);
    let own = text.map(|vector| map.place(vector));
    let scale = Scale::of(places.iter().chain(&own));
    let means = memory.geometry().map(|geometry| (geometry.prototype_means().to_vec(), geometry.tau()));
    let largest = memory.weights().iter().copied().max().unwrap_or(1).max(2) as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" role=\"img\" \
         aria-label=\"Map of writing styles\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n"
    );
    let mut order: Vec<usize> = (0..places.len()).collect();
    // Large dots first, so that none hides a small one.
    order.sort_by_key(|&index| std::cmp::Reverse(memory.weights()[index]));
    for index in order {
        let [x, y] = scale.apply(places[index]);
        let radius = 1.6 + 8.0 * (memory.weights()[index] as f64).ln() / largest.ln();
        let outlier = means.as_ref().is_ok_and(|(means, tau)| means[index] > *tau);
        let look = match outlier {
            true => "fill=\"none\" stroke=\"#b7791f\" stroke-width=\"1\"",
            false => "fill=\"#2b6cb0\" fill-opacity=\"0.28\"",
        };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" {look}/>");
    }
    if let Some(place) = own {
        let [x, y] = scale.apply(place);
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" fill=\"#c53030\" stroke=\"#fff\" stroke-width=\"1.5\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#c53030\" font-weight=\"600\"{}>this text</text>",
            if x > WIDTH - 90.0 { x - 10.0 } else { x + 10.0 },
            (y + 4.0).clamp(14.0, HEIGHT - 6.0),
            if x > WIDTH - 90.0 { " text-anchor=\"end\"" } else { "" },
        );
    }
    out.push_str("</svg>\n");
    out
}

/// From the plane to the drawing, with the same unit both ways.
struct Scale {
    middle: [f64; 2],
    factor: f64,
}

impl Scale {
    fn of<'a>(places: impl Iterator<Item = &'a [f64; 2]>) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for place in places {
            for axis in 0..2 {
                low[axis] = low[axis].min(place[axis]);
                high[axis] = high[axis].max(place[axis]);
            }
        }
        let wide = |axis: usize| (high[axis] - low[axis]).max(1e-9);
        let factor = ((WIDTH - 2.0 * MARGIN) / wide(0)).min((HEIGHT - 2.0 * MARGIN) / wide(1));
        Self { middle: [(low[0] + high[0]) / 2.0, (low[1] + high[1]) / 2.0], factor }
    }

    fn apply(&self, place: [f64; 2]) -> [f64; 2] {
        [
            WIDTH / 2.0 + (place[0] - self.middle[0]) * self.factor,
            HEIGHT / 2.0 - (place[1] - self.middle[1]) * self.factor,
        ]
    }
}
