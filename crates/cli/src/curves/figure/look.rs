//! How the curve of a mechanism looks, the same in every drawing: a colour and a marker.
//!
//! The colours are those of Okabe and Ito without yellow, which is faint on white, and two of Tol's that stay apart from them for
//! colour-blind eyes. Markers tell the curves apart without any colour. Some mechanisms nearly coincide: curves with filled markers are
//! wide and lie below, those with markers of strokes are narrow and lie above, so that both are seen.

use plotters::prelude::*;

use super::{Canvas, Drawn};

/// The colour and the marker of a curve.
pub(super) struct Look {
    colour: RGBColor,
    marker: Marker,
}

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Marker {
    Disc,
    Square,
    Diamond,
    Triangle,
    Ring,
    Frame,
    Wedge,
    Cross,
    Plus,
    OpenDiamond,
}

impl Look {
    /// The look of a curve, by its name.
    pub(super) fn of(name: &str) -> Self {
        let (colour, marker) = match name {
            "polar" => (0x0072b2, Marker::Disc),
            "laplace-l1" => (0x009e73, Marker::Triangle),
            "laplace-l1-euclidean" => (0x999933, Marker::Wedge),
            "laplace-l2" => (0x56b4e9, Marker::Diamond),
            "purkayastha" => (0xcc79a7, Marker::Cross),
            "mahalanobis" => (0x882255, Marker::Plus),
            "exponential" => (0xd55e00, Marker::Square),
            "tem" => (0xe69f00, Marker::Frame),
            "randomized-response" => (0x222222, Marker::Ring),
            _ => (0x777777, Marker::OpenDiamond),
        };
        let [_, red, green, blue] = u32::to_be_bytes(colour);
        Self { colour: RGBColor(red, green, blue), marker }
    }

    /// Whether its marker is filled, so that it belongs below the others.
    pub(super) fn is_filled(&self) -> bool {
        self.marker < Marker::Ring
    }

    /// Draws the line of a curve; `pixel` is how many units a pixel has.
    pub(super) fn line(&self, canvas: &Canvas<'_>, places: Vec<(i32, i32)>, pixel: i32) -> Drawn {
        let halves = if self.is_filled() { 6 } else { 3 };
        canvas.draw(&PathElement::new(places, self.colour.stroke_width((halves * pixel / 2) as u32)))
    }

    /// Draws the marker at a place. All are of about the same size for the eye.
    pub(super) fn mark(&self, canvas: &Canvas<'_>, (x, y): (i32, i32), pixel: i32) -> Drawn {
        // In tenths of a pixel.
        let part = |tenths: i32| tenths * pixel / 10;
        let corners = |offsets: &[(i32, i32)]| -> Vec<(i32, i32)> {
            offsets.iter().map(|(dx, dy)| (x + part(*dx), y + part(*dy))).collect()
        };
        let pen = self.colour.stroke_width(part(17) as u32);
        let fill = |offsets: &[(i32, i32)]| canvas.draw(&Polygon::new(corners(offsets), self.colour));
        let stroke = |offsets: &[(i32, i32)]| canvas.draw(&PathElement::new(corners(offsets), pen));
        match self.marker {
            Marker::Disc => canvas.draw(&Circle::new((x, y), part(38), self.colour.filled())),
            Marker::Square => fill(&[(-34, -34), (34, -34), (34, 34), (-34, 34)]),
            Marker::Diamond => fill(&[(0, -48), (48, 0), (0, 48), (-48, 0)]),
            Marker::Triangle => fill(&[(0, -46), (44, 31), (-44, 31)]),
            Marker::Ring => canvas.draw(&Circle::new((x, y), part(36), pen)),
            Marker::Frame => stroke(&[(-33, -33), (33, -33), (33, 33), (-33, 33), (-33, -33)]),
            Marker::Wedge => stroke(&[(0, 42), (40, -28), (-40, -28), (0, 42)]),
            Marker::OpenDiamond => stroke(&[(0, -44), (44, 0), (0, 44), (-44, 0), (0, -44)]),
            Marker::Cross => {
                stroke(&[(-31, -31), (31, 31)])?;
                stroke(&[(-31, 31), (31, -31)])
            }
            Marker::Plus => {
                stroke(&[(-40, 0), (40, 0)])?;
                stroke(&[(0, -40), (0, 40)])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curves::Subject;

    #[test]
    fn no_two_curves_look_alike() {
        let looks: Vec<Look> = Subject::all().iter().map(|subject| Look::of(subject.name)).collect();
        for (at, look) in looks.iter().enumerate() {
            assert_ne!(look.marker, Marker::OpenDiamond, "a mechanism has no look of its own");
            let alike = |other: &Look| other.colour == look.colour || other.marker == look.marker;
            assert!(!looks[..at].iter().any(alike), "{:?}", look.marker);
        }
    }
}
