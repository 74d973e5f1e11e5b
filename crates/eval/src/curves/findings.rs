//! Measured curves as a drawing, JSON and comma-separated values.

use inkveil_lexicon::LexiconKind;
use inkveil_report::{Axis, LineStyle, Marks, Panel, Plot, Point, Series};
use inkveil_text::CurvePoint;
use serde_json::{Value, json};

use super::subject::CurveSubject;
use crate::results::MECHANISM_ORDER;

/// The curve of a mechanism.
#[derive(Debug, Clone)]
pub struct Curve {
    /// What was measured.
    pub subject: CurveSubject,
    /// Its points.
    pub points: Vec<CurvePoint>,
    /// Whether it comes from the pack.
    pub stored: bool,
}

/// Curves of one lexicon.
#[derive(Debug, Clone)]
pub struct CurveFindings<'a> {
    /// The name or the folder of the pack.
    pub pack: &'a str,
    /// The lexicon.
    pub lexicon: LexiconKind,
    /// The number of draws in which distinct words are counted.
    pub draws: u16,
    /// The curves.
    pub curves: Vec<Curve>,
}

impl CurveFindings<'_> {
    /// Draws the curves as four panels of one SVG file.
    pub fn svg(&self) -> String {
        let names: Vec<&str> = self.curves.iter().map(|curve| curve.subject.name).collect();
        let styles = LineStyle::for_names(&names, &MECHANISM_ORDER);
        let draws = f64::from(self.draws);
        let axis = |title: &str, most: f64| Axis { range: Some((0.0, most)), ..Axis::titled(title) };
        let share = |title: &str| Axis { percent: true, ..axis(title, 1.0) };
        let panel = |y: Axis, value: fn(&CurvePoint) -> f64| Panel {
            title: String::new(),
            y: Some(y),
            series: self
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
        Plot {
            title: "What replaces a sensitive word".to_owned(),
            about: format!(
                "{}, lexicon: {}. Each ε is in its mechanism's own metric.",
                pack_name(self.pack),
                self.lexicon
            ),
            x: Axis { log: true, ..Axis::titled("ε, logarithmic") },
            panels: vec![
                panel(share("The word survives unchanged"), |point| point.survival),
                panel(axis(&format!("Distinct outputs in {draws} draws"), draws), |point| point.distinct),
                panel(axis("Mean cosine of word and output", 1.0), |point| point.cosine),
                panel(share("An attacker who knows the mechanism guesses the word"), |point| point.attack),
            ],
            marks: Marks::PointsAndLines,
            ..Plot::default()
        }
        .svg()
    }

    /// The curves as JSON.
    pub fn to_json(&self) -> Value {
        let curve = |curve: &Curve| json!({ "mechanism": curve.subject.name, "stored": curve.stored, "points": curve.points });
        json!({
            "pack": self.pack,
            "lexicon": self.lexicon.name(),
            "distinct_of": self.draws,
            "curves": self.curves.iter().map(curve).collect::<Vec<Value>>(),
        })
    }

    /// The curves as comma-separated values. No field needs quotes.
    pub fn to_csv(&self) -> String {
        let mut text = "lexicon,mechanism,epsilon,survival,distinct,distinct_of,cosine,attack\n".to_owned();
        for curve in &self.curves {
            let (lexicon, name, draws) = (self.lexicon, curve.subject.name, self.draws);
            for CurvePoint { epsilon, survival, distinct, cosine, attack } in &curve.points {
                text +=
                    &format!("{lexicon},{name},{epsilon},{survival},{distinct},{draws},{cosine},{attack}\n");
            }
        }
        text
    }
}

/// The name of a pack: for a folder, the last part of its path.
fn pack_name(pack: &str) -> String {
    let name = std::path::Path::new(pack).file_name();
    name.map_or_else(|| pack.to_owned(), |name| name.to_string_lossy().into_owned())
}
