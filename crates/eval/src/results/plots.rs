//! The points of a plot: from cells to the data of a drawing.

use std::collections::BTreeSet;

use inkveil_report::{Axis, Baseline, LineStyle, Marks, Panel, Plot, Point, Series};

use super::data::{ResultCell, Results};
use super::number::{brief, count};
use super::select::{self, Key, Values};
use super::spec::{AxisSpec, PlotSpec};

/// Mechanisms in the order of their colours and markers, so that each looks the same in every
/// drawing.
pub const MECHANISM_ORDER: [&str; 9] = [
    "polar",
    "exponential",
    "laplace-l1",
    "purkayastha",
    "tem",
    "laplace-l2",
    "mahalanobis",
    "laplace-l1-euclidean",
    "randomized-response",
];

/// Returns a plot of the results. Its markers show their numbers when the mouse is over them.
///
/// ```
/// use inkveil_eval::results::{AxisSpec, Measurement, PlotSpec, ResultCell, Results, plot};
///
/// let cell =
///     |budget, found| ResultCell::at([("budget", budget)], 500).with("found", Measurement::of(&[found]));
/// let results = Results { cells: vec![cell("5", 0.2), cell("20", 0.6)], ..Results::default() };
/// let spec = PlotSpec {
///     title: "What the attacker learns".into(),
///     x: AxisSpec::coordinate("budget", "ε").log(),
///     y: AxisSpec::measure("found", "Author found").percent(),
///     joined: true,
///     ..PlotSpec::default()
/// };
/// let drawing = plot(&results, &spec).svg();
/// assert!(drawing.contains("<title id=\"plot-title\">What the attacker learns</title>"));
/// ```
pub fn plot(results: &Results, spec: &PlotSpec) -> Plot {
    let is_shown = |cell: &&ResultCell| select::passes(cell, &spec.only) && has(cell, &spec.y);
    let cells: Vec<&ResultCell> = results.cells.iter().filter(is_shown).collect();
    let placed: Vec<(&ResultCell, Placed)> =
        cells.iter().filter_map(|cell| Some((*cell, Placed::of(cell, spec)?))).collect();
    let bars: BTreeSet<BarKind> = placed
        .iter()
        .flat_map(|(cell, _)| [bar_kind(cell, &spec.x), bar_kind(cell, &spec.y)])
        .flatten()
        .collect();
    let remarks = remarks(&bars, cells.len() - placed.len());
    Plot {
        title: spec.title.clone(),
        about: spec.about.clone(),
        x: axis(&spec.x),
        y: axis(&spec.y),
        panels: panels(results, spec, placed),
        marks: if spec.joined { Marks::PointsAndLines } else { Marks::Points },
        baseline: spec.chance.map(|value| Baseline { value, name: "chance".to_owned() }),
        remarks,
    }
}

fn axis(spec: &AxisSpec) -> Axis {
    Axis { title: spec.title.clone(), percent: spec.percent, log: spec.log, range: None }
}

fn panels(results: &Results, spec: &PlotSpec, placed: Vec<(&ResultCell, Placed)>) -> Vec<Panel> {
    let every = || placed.iter().map(|(cell, _)| *cell);
    let (names, facets) = (distinct(every(), &spec.series), distinct(every(), &spec.facets));
    let styles = styles(results, spec, &names);
    let mut lines: Vec<Vec<Vec<Placed>>> =
        facets.iter().map(|_| names.iter().map(|_| Vec::new()).collect()).collect();
    for (cell, point) in placed {
        let facet = facets.iter().position(|key| *key == select::key(cell, &spec.facets));
        let name = names.iter().position(|key| *key == select::key(cell, &spec.series));
        if let (Some(facet), Some(name)) = (facet, name) {
            lines[facet][name].push(point);
        }
    }
    let series = |((name, style), mut points): ((&Key<'_>, &LineStyle), Vec<Placed>)| {
        // Points without a number along the line, and with equal ones, keep the order of the cells.
        points.sort_by(|a, b| a.along.total_cmp(&b.along));
        let name = if spec.series.is_empty() { String::new() } else { select::label(name) };
        Series { name, style: *style, points: points.into_iter().map(|placed| placed.point).collect() }
    };
    let panel = |(facet, lines): (&Key<'_>, Vec<Vec<Placed>>)| Panel {
        title: select::label(facet),
        y: None,
        series: names.iter().zip(&styles).zip(lines).map(series).collect(),
    };
    facets.iter().zip(lines).map(panel).collect()
}

/// Styles by the names in all cells if these are few, so that a line looks the same in every plot
/// of the results.
fn styles(results: &Results, spec: &PlotSpec, names: &[Key<'_>]) -> Vec<LineStyle> {
    let every = distinct(results.cells.iter(), &spec.series);
    let every = if every.len() <= 10 { &every } else { names };
    let texts: Vec<String> = every.iter().map(|key| select::label(key)).collect();
    let styles = LineStyle::for_names(&texts, &MECHANISM_ORDER);
    names.iter().map(|key| styles[every.iter().position(|other| other == key).unwrap_or(0)]).collect()
}

fn distinct<'a>(cells: impl Iterator<Item = &'a ResultCell>, names: &[String]) -> Vec<Key<'a>> {
    let keys: Vec<Key<'a>> = cells.map(|cell| select::key(cell, names)).collect();
    select::ordered(&keys, names, &Values::new())
}

/// A point, and what orders the points of a line.
struct Placed {
    point: Point,
    along: f64,
}

impl Placed {
    /// None if the cell has no position on the axes.
    fn of(cell: &ResultCell, spec: &PlotSpec) -> Option<Self> {
        let (x, y) = (value(cell, &spec.x)?, value(cell, &spec.y)?);
        let (x_bar, y_bar) = (bar(cell, &spec.x, x), bar(cell, &spec.y, y));
        let along = spec.along.as_ref().map_or(x, |along| number_at(cell, along).unwrap_or(f64::NAN));
        Some(Self { point: Point { x, y, x_bar, y_bar, label: label(cell, spec, x, y) }, along })
    }
}

/// What an error bar shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BarKind {
    Interval,
    Deviation,
}

/// What a reader has to know about the points, one sentence each.
fn remarks(bars: &BTreeSet<BarKind>, left_out: usize) -> Vec<String> {
    let bars = match (bars.contains(&BarKind::Interval), bars.contains(&BarKind::Deviation)) {
        (true, false) => Some("Bars: 95 % interval over examples."),
        (false, true) => Some("Bars: standard deviation over seeds."),
        (true, true) => {
            Some("Bars: 95 % interval over examples, or standard deviation over seeds if it is not known.")
        }
        (false, false) => None,
    };
    let left_out = match left_out {
        0 => None,
        1 => Some("1 result has no position on these axes and is not shown.".to_owned()),
        many => Some(format!("{many} results have no position on these axes and are not shown.")),
    };
    bars.map(str::to_owned).into_iter().chain(left_out).collect()
}

fn has(cell: &ResultCell, axis: &AxisSpec) -> bool {
    let measured = axis.measure.as_ref().is_some_and(|name| cell.measures.contains_key(name));
    measured || axis.coordinate.as_ref().is_some_and(|name| cell.at.contains_key(name))
}

fn value(cell: &ResultCell, axis: &AxisSpec) -> Option<f64> {
    let measured = axis.measure.as_ref().map(|name| cell.measures.get(name).map(|measure| measure.mean));
    let value = match (measured, &axis.coordinate) {
        (Some(mean), _) => mean,
        (None, Some(name)) => number_at(cell, name),
        (None, None) => None,
    };
    value.filter(|x| holds(axis, *x))
}

fn holds(axis: &AxisSpec, x: f64) -> bool {
    x.is_finite() && (!axis.log || x > 0.0)
}

fn number_at(cell: &ResultCell, coordinate: &str) -> Option<f64> {
    cell.at.get(coordinate)?.trim().parse().ok()
}

fn bar_kind(cell: &ResultCell, axis: &AxisSpec) -> Option<BarKind> {
    let measure = cell.measures.get(axis.measure.as_ref()?)?;
    let deviation = || measure.spread().map(|_| BarKind::Deviation);
    measure.interval().map(|_| BarKind::Interval).or_else(deviation)
}

/// The ends of the error bar at a point. An end that has no position on the axis is at the point.
fn bar(cell: &ResultCell, axis: &AxisSpec, x: f64) -> Option<(f64, f64)> {
    let measure = cell.measures.get(axis.measure.as_ref()?)?;
    let deviation = || measure.spread().map(|sd| (x - sd, x + sd));
    let (low, high) = measure.interval().or_else(deviation)?;
    let inside = |end: f64| if holds(axis, end) { end } else { x };
    let (low, high) = (inside(low), inside(high));
    Some((low.min(high), low.max(high)))
}

fn label(cell: &ResultCell, spec: &PlotSpec, x: f64, y: f64) -> String {
    let at: Vec<String> = cell.at.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let mut lines = vec![at.join(", ")];
    for (axis, value) in [(&spec.x, x), (&spec.y, y)] {
        let unit = |x: f64| if axis.percent { format!("{} %", brief(x * 100.0)) } else { brief(x) };
        let bar = bar(cell, axis, value).map(|(low, high)| format!(" ({} to {})", unit(low), unit(high)));
        lines.push(format!("{}: {}{}", axis.title, unit(value), bar.unwrap_or_default()));
    }
    lines.push(format!("n = {}", count(cell.n)));
    lines.extend(cell.note.clone());
    lines.join("\n")
}
