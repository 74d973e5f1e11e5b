//! The curves as four panels of one drawing.

use inkveil::CurvePoint;
use inkveil_eval::results::MECHANISM_ORDER;
use inkveil_report::{Axis, LineStyle, Marks, Panel, Plot, Point, Series};

use super::Findings;

/// Draws the curves as an SVG file.
pub(super) fn svg(findings: &Findings<'_>) -> String {
    let names: Vec<&str> = findings.curves.iter().map(|curve| curve.subject.name).collect();
    let styles = LineStyle::for_names(&names, &MECHANISM_ORDER);
    let draws = f64::from(findings.draws);
    let share = |title: &str| Axis { percent: true, range: Some((0.0, 1.0)), ..Axis::titled(title) };
    let panel = |y: Axis, value: fn(&CurvePoint) -> f64| Panel {
        title: String::new(),
        y: Some(y),
        series: findings
            .curves
            .iter()
            .zip(&styles)
            .map(|(curve, style)| Series {
                name: curve.subject.name.to_owned(),
                style: *style,
                points: curve.points.iter().map(|point| Point::at(point.epsilon, value(point))).collect(),
            })
            .collect(),
    };
    let distinct = format!("Distinct outputs in {draws} draws");
    Plot {
        title: "What replaces a sensitive word".to_owned(),
        about: format!(
            "{}, lexicon: {}. Each ε is in its mechanism's own metric.",
            pack_name(findings.pack),
            findings.lexicon
        ),
        x: Axis { log: true, ..Axis::titled("ε, logarithmic") },
        panels: vec![
            panel(share("The word survives unchanged"), |point| point.survival),
            panel(Axis { range: Some((0.0, draws)), ..Axis::titled(distinct) }, |point| point.distinct),
            panel(
                Axis { range: Some((0.0, 1.0)), ..Axis::titled("Mean cosine of word and output") },
                |point| point.cosine,
            ),
            panel(share("An attacker who knows the mechanism guesses the word"), |point| point.attack),
        ],
        marks: Marks::PointsAndLines,
        ..Plot::default()
    }
    .svg()
}

/// The name of a pack: for a folder, the last part of its path.
fn pack_name(pack: &str) -> String {
    let name = std::path::Path::new(pack).file_name();
    name.map_or_else(|| pack.to_owned(), |name| name.to_string_lossy().into_owned())
}
