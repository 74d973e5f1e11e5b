//! Dots in a plane, such as a map of styles.

use std::fmt::Write as _;

use crate::lettering::Label;
use crate::palette::Colour;
use crate::svg::Drawing;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 460.0;
const MARGIN: f64 = 24.0;

/// A map of dots: larger dots have more weight, and one place can be highlighted.
///
/// ```
/// use inkveil_report::{Dot, DotMap};
///
/// let map = DotMap {
///     title: "Map of writing styles".into(),
///     dots: vec![Dot { at: [0.0, 0.0], weight: 12.0, hollow: false }, Dot { at: [1.0, 0.5], weight: 1.0, hollow: true }],
///     highlight: Some(([0.5, 0.5], "this text".into())),
/// };
/// assert_eq!(map.svg().matches("<circle").count(), 3);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DotMap {
    /// The title, for screen readers.
    pub title: String,
    /// The dots.
    pub dots: Vec<Dot>,
    /// A place that is marked, and its label.
    pub highlight: Option<([f64; 2], String)>,
}

/// A dot.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Dot {
    /// Where it is in the plane.
    pub at: [f64; 2],
    /// Its weight, 1 or more.
    pub weight: f64,
    /// Whether only its outline is drawn.
    pub hollow: bool,
}

impl DotMap {
    /// Draws the map as a file: no scripts, no requests.
    pub fn svg(&self) -> String {
        let body = self.body();
        Drawing { width: WIDTH, height: HEIGHT, title: &self.title, about: &self.title, body: &body }.file()
    }

    /// Draws the map as a part of a page.
    pub(crate) fn part(&self, id: &str) -> String {
        let body = self.body();
        Drawing { width: WIDTH, height: HEIGHT, title: &self.title, about: "", body: &body }.part(id)
    }

    /// Writing to a string cannot fail.
    fn body(&self) -> String {
        let dots = || self.dots.iter().filter(|dot| dot.at.iter().all(|x| x.is_finite()));
        let scale = Scale::of(dots().map(|dot| dot.at).chain(self.highlight.iter().map(|(at, _)| *at)));
        let largest = dots().map(|dot| dot.weight).fold(2.0, f64::max);
        let mut order: Vec<&Dot> = dots().collect();
        // Large dots first, so that none hides a small one.
        order.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let mut out = String::new();
        for dot in order {
            let [x, y] = scale.apply(dot.at);
            let radius = 1.6 + 8.0 * dot.weight.max(1.0).ln() / largest.ln();
            let (colour, look) = match dot.hollow {
                true => (Colour::AMBER, "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1\""),
                false => (Colour::BLUE, "fill=\"currentColor\" fill-opacity=\"0.28\""),
            };
            let class = colour.class();
            let _ = writeln!(
                out,
                "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" {look}/>"
            );
        }
        if let Some((place, label)) = &self.highlight {
            let [x, y] = scale.apply(*place);
            let class = Colour::RED.class();
            let _ = writeln!(
                out,
                "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" fill=\"currentColor\" stroke=\"#fff\" \
                 stroke-width=\"1.5\"/>"
            );
            let near_right = x > WIDTH - 90.0;
            let at = if near_right { x - 10.0 } else { x + 10.0 };
            let anchor = if near_right { "end" } else { "start" };
            let place = Label::at(at, (y + 4.0).clamp(14.0, HEIGHT - 6.0), 13.0);
            Label { bold: true, anchor, ..place }.write(&mut out, label);
        }
        out
    }
}

/// From the plane to the drawing, with the same unit in both directions.
struct Scale {
    middle: [f64; 2],
    factor: f64,
}

impl Scale {
    fn of(places: impl Iterator<Item = [f64; 2]>) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dot_is_inside_the_drawing() {
        let dots =
            [[-3.0, 8.0], [40.0, 8.5], [f64::NAN, 0.0]].map(|at| Dot { at, weight: 3.0, hollow: false });
        let drawn = DotMap { dots: dots.to_vec(), ..DotMap::default() }.svg();
        assert_eq!(drawn.matches("<circle").count(), 2);
        for part in drawn.split(" cx=\"").skip(1) {
            let x: f64 = part.split('"').next().unwrap().parse().unwrap();
            assert!((MARGIN..=WIDTH - MARGIN).contains(&x), "{x}");
        }
    }
}
