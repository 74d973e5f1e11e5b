//! Lines and points on axes.

mod layout;
mod panel;
mod scale;

use crate::palette::LineStyle;

/// A plot: one or more panels with lines or points on the same horizontal axis.
///
/// ```
/// use inkveil_report::{Axis, LineStyle, Marks, Panel, Plot, Point, Series};
///
/// let points = vec![Point::at(5.0, 0.2), Point::at(20.0, 0.6)];
/// let plot = Plot {
///     title: "What the attacker learns".into(),
///     x: Axis { log: true, ..Axis::titled("ε") },
///     y: Axis { percent: true, ..Axis::titled("Author found") },
///     panels: vec![Panel {
///         series: vec![Series { name: "polar".into(), style: LineStyle(0), points }],
///         ..Panel::default()
///     }],
///     marks: Marks::PointsAndLines,
///     ..Plot::default()
/// };
/// let drawing = plot.svg();
/// assert!(drawing.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
/// assert!(drawing.contains("<title id=\"plot-title\">What the attacker learns</title>"));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plot {
    /// The title.
    pub title: String,
    /// What the plot shows, in a sentence.
    pub about: String,
    /// The horizontal axis of all panels.
    pub x: Axis,
    /// The vertical axis of all panels that have no axis of their own.
    pub y: Axis,
    /// The panels. All have the same size.
    pub panels: Vec<Panel>,
    /// Whether points, lines or both are drawn.
    pub marks: Marks,
    /// A dashed horizontal line to compare with.
    pub baseline: Option<Baseline>,
    /// Sentences below the plot.
    pub remarks: Vec<String>,
}

/// One panel of a plot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panel {
    /// The title of the panel.
    pub title: String,
    /// Its own vertical axis; by default the one of the plot.
    pub y: Option<Axis>,
    /// Its lines. Lines with the same name have one entry in the legend; a line without a name has
    /// none.
    pub series: Vec<Series>,
}

/// A line of points.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its colour and marker.
    pub style: LineStyle,
    /// Its points, in the order in which a line connects them.
    pub points: Vec<Point>,
}

/// A point, with error bars where they are known. Points that are not finite, or not positive on a
/// logarithmic axis, are not drawn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Point {
    /// Where it is on the horizontal axis.
    pub x: f64,
    /// Where it is on the vertical axis.
    pub y: f64,
    /// The ends of a horizontal error bar.
    pub x_bar: Option<(f64, f64)>,
    /// The ends of a vertical error bar.
    pub y_bar: Option<(f64, f64)>,
    /// Text that appears when the mouse is over the marker.
    pub label: String,
}

impl Point {
    /// A point without bars and label.
    pub fn at(x: f64, y: f64) -> Self {
        Self { x, y, ..Self::default() }
    }
}

/// An axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// The text beside the axis.
    pub title: String,
    /// Whether shares are shown in percent.
    pub percent: bool,
    /// Whether the axis is logarithmic.
    pub log: bool,
    /// Numbers that the axis shows in any case.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis with this title.
    pub fn titled(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Whether a number has a place on the axis.
    pub fn holds(&self, x: f64) -> bool {
        x.is_finite() && (!self.log || x > 0.0)
    }
}

/// What is drawn of a series.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Marks {
    /// A marker at each point.
    #[default]
    Points,
    /// Markers, and a line through them.
    PointsAndLines,
    /// A line, for series of many points. A short series also has markers.
    Lines,
}

/// A dashed horizontal line with a name in the legend.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Baseline {
    /// Where it is on the vertical axis.
    pub value: f64,
    /// Its name in the legend.
    pub name: String,
}

impl Plot {
    /// Draws the plot as a file: no scripts, no requests. It follows a dark screen and prints in
    /// light colours.
    pub fn svg(&self) -> String {
        layout::file(self)
    }

    /// Draws the plot as a part of a page: one drawing for each panel, so that they wrap, and a
    /// legend above them.
    pub(crate) fn figure(&self, id: &str) -> String {
        layout::figure(self, id)
    }

    /// The vertical axis of a panel.
    fn y_of<'a>(&'a self, panel: &'a Panel) -> &'a Axis {
        panel.y.as_ref().unwrap_or(&self.y)
    }

    /// The points of a series that have a place in its panel.
    fn drawn<'a>(&'a self, panel: &'a Panel, series: &'a Series) -> impl Iterator<Item = &'a Point> + Clone {
        let y = self.y_of(panel);
        series.points.iter().filter(move |point| self.x.holds(point.x) && y.holds(point.y))
    }

    /// The names and styles of all series, each once.
    fn legend(&self) -> Vec<(&str, LineStyle)> {
        let mut legend: Vec<(&str, LineStyle)> = Vec::new();
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            let entry = (series.name.as_str(), series.style);
            if !series.name.is_empty() && !legend.contains(&entry) {
                legend.push(entry);
            }
        }
        legend
    }
}
