//! Numbers as horizontal bars.

use std::fmt::Write as _;

use crate::escape::Escaped;
use crate::lettering::{self, Label};
use crate::palette::Colour;
use crate::svg::Drawing;

const ROW: f64 = 26.0;
const LONGEST: f64 = 360.0;
const SHORTEST: f64 = 1.0;
const MARGIN: f64 = 20.0;
const WIDEST_NAME: f64 = 330.0;

/// A bar chart: a bar for each name.
///
/// ```
/// use inkveil_report::{Bar, BarChart};
///
/// let bar = |name: &str, value| Bar { name: name.into(), value, label: value.to_string(), highlighted: false };
/// let chart = BarChart {
///     title: "Milliseconds per query".into(),
///     bars: vec![bar("inkveil", 0.07), bar("another tool", 3.27)],
///     ..BarChart::default()
/// };
/// assert_eq!(chart.svg().matches("<rect class=\"bar").count(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BarChart {
    /// The title.
    pub title: String,
    /// The bars, from top to bottom.
    pub bars: Vec<Bar>,
    /// Whether lengths follow the logarithm of the values.
    pub logarithmic: bool,
    /// The line below the bars.
    pub note: String,
}

/// One bar.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bar {
    /// The name to the left of the bar.
    pub name: String,
    /// The value. Bars start at 0, and a negative value has no bar.
    pub value: f64,
    /// The value as it is written beside the bar.
    pub label: String,
    /// Whether the bar has the second colour.
    pub highlighted: bool,
}

impl BarChart {
    /// Draws the chart as a file: no scripts, no requests.
    pub fn svg(&self) -> String {
        let widest = |text: fn(&Bar) -> &str| {
            self.bars.iter().map(|bar| lettering::width(text(bar), 12.0)).fold(0.0, f64::max)
        };
        let left = MARGIN + widest(|bar| &bar.name).min(WIDEST_NAME) + 10.0;
        let width = (left + LONGEST + 8.0 + widest(|bar| &bar.label) + MARGIN)
            .max(2.0 * MARGIN + lettering::width(&self.title, 15.0 * lettering::BOLD))
            .max(2.0 * MARGIN + lettering::width(&self.note, 12.0));
        let top = 42.0;
        let bottom = top + ROW * self.bars.len() as f64;
        let mut body = String::new();
        Label { bold: true, ..Label::at(MARGIN, 24.0, 15.0) }.write(&mut body, &self.title);
        let lengths = self.lengths();
        for (row, (bar, length)) in self.bars.iter().zip(lengths).enumerate() {
            let y = top + ROW * row as f64;
            let middle = y + ROW / 2.0 + 4.0;
            let name = lettering::cut(&bar.name, 12.0, WIDEST_NAME);
            Label { anchor: "end", ..Label::at(left - 8.0, middle, 12.0) }.write(&mut body, &name);
            let colour = if bar.highlighted { Colour::RED } else { Colour::BLUE }.class();
            // Writing to a string cannot fail.
            let _ = writeln!(
                body,
                "<rect class=\"bar {colour}\" x=\"{left:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"{:.1}\" \
                 fill=\"currentColor\"><title>{}</title></rect>",
                y + 3.0,
                ROW - 6.0,
                Escaped(&format!("{}: {}", bar.name, bar.label))
            );
            Label::at(left + length + 8.0, middle, 12.0).write(&mut body, &bar.label);
        }
        Label { faint: true, ..Label::at(MARGIN, bottom + 22.0, 12.0) }.write(&mut body, &self.note);
        let about = format!("{} bars. {}", self.bars.len(), self.note);
        Drawing { width, height: bottom + 36.0, title: &self.title, about: &about, body: &body }.file()
    }

    fn lengths(&self) -> Vec<f64> {
        let values =
            || self.bars.iter().map(|bar| bar.value).filter(|value| *value > 0.0 && value.is_finite());
        let largest = values().fold(0.0, f64::max);
        let smallest = values().fold(largest, f64::min);
        let share = |value: f64| {
            if !self.logarithmic {
                return value / largest;
            }
            // The smallest bar has a tenth of the length of one power of ten.
            let start = smallest.log10() - 0.1;
            (value.log10() - start) / (largest.log10() - start)
        };
        let visible = |value: f64| value > 0.0 && value.is_finite();
        let length = |value| if visible(value) { (share(value) * LONGEST).max(SHORTEST) } else { 0.0 };
        self.bars.iter().map(|bar| length(bar.value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(values: &[f64], logarithmic: bool) -> BarChart {
        let bar = |value: &f64| Bar { value: *value, label: value.to_string(), ..Bar::default() };
        BarChart { bars: values.iter().map(bar).collect(), logarithmic, ..BarChart::default() }
    }

    #[test]
    fn lengths_follow_values() {
        assert_eq!(chart(&[1.0, 2.0, 4.0], false).lengths(), [LONGEST / 4.0, LONGEST / 2.0, LONGEST]);
    }

    #[test]
    fn logarithmic_lengths_have_equal_steps() {
        let lengths = chart(&[1.0, 10.0, 100.0], true).lengths();
        assert!((lengths[2] - lengths[1] - (lengths[1] - lengths[0])).abs() < 1e-9, "{lengths:?}");
    }

    #[test]
    fn values_without_a_length_have_no_bar() {
        assert_eq!(chart(&[0.0, -1.0, f64::NAN, f64::INFINITY, 2.0], true).lengths()[..4], [0.0; 4]);
        assert!(chart(&[], false).svg().contains("</svg>"));
    }
}
