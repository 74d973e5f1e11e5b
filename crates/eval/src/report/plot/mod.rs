//! Plots as SVG.

mod figure;
mod look;
mod panel;
mod points;
mod scale;
mod words;

use std::fmt::Write as _;

use super::escape::html as text;
use super::results::Results;
use super::spec::PlotSpec;
use panel::{Frame, Size};
use points::Picture;

/// Colours for light and dark screens. Everything is inside the class `plot`, as a page shares its styles.
pub(super) const STYLE: &str = include_str!("plot.css");

/// A plot as a drawing that stands by itself: no scripts, nothing to load. It follows a dark screen and
/// prints in light colours. Who points at a marker reads its numbers.
///
/// ```
/// use inkveil_eval::report::{Axis, Cell, Measure, PlotSpec, Results, svg};
///
/// let cell = |budget, found| Cell::at([("budget", budget)], 500).with("found", Measure::of(&[found]));
/// let results = Results { cells: vec![cell("5", 0.2), cell("20", 0.6)], ..Results::default() };
/// let plot = PlotSpec {
///     title: "What the attacker learns".into(),
///     x: Axis::coordinate("budget", "ε").log(),
///     y: Axis::measure("found", "Author found").percent(),
///     joined: true,
///     ..PlotSpec::default()
/// };
/// let drawing = svg(&results, &plot);
/// assert!(drawing.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
/// assert!(drawing.contains("<title id=\"plot-title\">What the attacker learns</title>"));
/// ```
pub fn svg(results: &Results, spec: &PlotSpec) -> String {
    figure::drawing(&Picture::of(results, spec), spec)
}

/// A plot as a part of a page: a drawing for each panel, so that they wrap, and a legend above.
pub(super) fn figure(results: &Results, spec: &PlotSpec, id: &str) -> String {
    let picture = Picture::of(results, spec);
    let mut out = format!("<figure id=\"{id}\">\n<figcaption><strong>{}</strong>", text(&spec.title));
    if !spec.about.is_empty() {
        let _ = write!(out, " {}", text(&spec.about));
    }
    out.push_str("</figcaption>\n");
    figure::write_legend_list(&mut out, &picture, spec);
    if picture.panels.is_empty() {
        out.push_str("<p>There is no point to show.</p>\n");
    }
    let many = picture.panels.len() > 1;
    let _ = writeln!(out, "<div class=\"panels{}\">", if many { " many" } else { "" });
    let size = match many {
        true => Size { width: 340.0, field: 200.0, letters: 12.5 },
        false => Size { width: 440.0, field: 250.0, letters: 13.0 },
    };
    let frame = Frame::of(&picture, spec, size);
    for (at, panel) in picture.panels.iter().enumerate() {
        let (wide, high) = (size.width, frame.height());
        let name = [&spec.title, &panel.title].map(|words| text(words)).join(", ");
        let _ = writeln!(
            out,
            "<svg class=\"plot\" viewBox=\"0 0 {wide:.0} {high:.0}\" role=\"img\" \
             aria-labelledby=\"{id}-{at}\">\n<title id=\"{id}-{at}\">{}</title>",
            name.trim_end_matches(", ")
        );
        frame.write(&mut out, panel, (0.0, 0.0));
        out.push_str("</svg>\n");
    }
    out.push_str("</div>\n");
    let remarks = picture.remarks();
    if !remarks.is_empty() {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", text(&remarks.join(" ")));
    }
    out.push_str("</figure>\n");
    out
}
