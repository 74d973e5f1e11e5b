//! Which points a plot has: panels, lines in them, and points on these.

use std::collections::BTreeSet;

use super::look::Look;
use crate::report::number::{brief, count};
use crate::report::results::{Cell, Results};
use crate::report::select::{self, Key, Values};
use crate::report::spec::{Axis, PlotSpec};

/// The points of a plot.
pub(super) struct Picture {
    pub(super) panels: Vec<Panel>,
    /// The names of all lines and how they look.
    pub(super) legend: Vec<(String, Look)>,
    /// How many cells have no place on the axes.
    pub(super) left_out: usize,
    /// What the bars at the points are.
    pub(super) bars: BTreeSet<Bar>,
}

/// The part of a picture with the same facet.
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) lines: Vec<Line>,
}

pub(super) struct Line {
    pub(super) look: Look,
    pub(super) points: Vec<Point>,
}

/// A point, with its bars where they are known.
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) x_bar: Option<(f64, f64)>,
    pub(super) y_bar: Option<(f64, f64)>,
    /// What orders the points of a line.
    along: f64,
    /// What a reader sees who points at it.
    pub(super) words: String,
}

/// What a bar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bar {
    Interval,
    Deviation,
}

impl Picture {
    pub(super) fn of(results: &Results, spec: &PlotSpec) -> Self {
        let part = |cell: &&Cell| select::passes(cell, &spec.only) && has(cell, &spec.y);
        let cells: Vec<&Cell> = results.cells.iter().filter(part).collect();
        let placed: Vec<(&Cell, Point)> =
            cells.iter().filter_map(|cell| Some((*cell, Point::of(cell, spec)?))).collect();
        let left_out = cells.len() - placed.len();
        let bars = placed.iter().flat_map(|(cell, _)| [kind(cell, &spec.x), kind(cell, &spec.y)]).flatten();
        let bars = bars.collect();

        let every = || placed.iter().map(|(cell, _)| *cell);
        let (names, facets) = (different(every(), &spec.series), different(every(), &spec.facets));
        let legend = looks(results, spec, &names);
        let empty = |key: &Key<'_>| {
            let lines = legend.iter().map(|(_, look)| Line { look: *look, points: Vec::new() });
            Panel { title: select::label(key), lines: lines.collect() }
        };
        let mut panels: Vec<Panel> = facets.iter().map(empty).collect();
        for (cell, point) in placed {
            let facet = facets.iter().position(|key| *key == select::key(cell, &spec.facets));
            let name = names.iter().position(|key| *key == select::key(cell, &spec.series));
            if let (Some(facet), Some(name)) = (facet, name) {
                panels[facet].lines[name].points.push(point);
            }
        }
        // Points without a number along the line, and with equal ones, stay in the order of the cells.
        for line in panels.iter_mut().flat_map(|panel| &mut panel.lines) {
            line.points.sort_by(|a, b| a.along.total_cmp(&b.along));
        }
        let legend = if spec.series.is_empty() { Vec::new() } else { legend };
        Self { panels, legend, left_out, bars }
    }

    /// What a reader has to know about the points, one sentence each.
    pub(super) fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        match (self.bars.contains(&Bar::Interval), self.bars.contains(&Bar::Deviation)) {
            (true, false) => remarks.push("Bars: 95 % interval over examples.".to_owned()),
            (false, true) => remarks.push("Bars: standard deviation over seeds.".to_owned()),
            (true, true) => remarks.push(
                "Bars: 95 % interval over examples, or standard deviation over seeds where that is not known."
                    .to_owned(),
            ),
            (false, false) => {}
        }
        match self.left_out {
            0 => {}
            1 => remarks.push("1 cell has no place on these axes and is not shown.".to_owned()),
            many => remarks.push(format!("{many} cells have no place on these axes and are not shown.")),
        }
        remarks
    }

    /// All points.
    pub(super) fn points(&self) -> impl Iterator<Item = &Point> {
        self.panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points)
    }
}

/// The value of chance, if it has a place on the axis.
pub(super) fn chance(spec: &PlotSpec) -> Option<f64> {
    spec.chance.filter(|chance| drawable(*chance, &spec.y))
}

/// Looks by the names in all cells where these are few, so that a line looks the same in every plot of them.
fn looks(results: &Results, spec: &PlotSpec, names: &[Key<'_>]) -> Vec<(String, Look)> {
    let every = different(results.cells.iter(), &spec.series);
    let every = if every.len() <= 10 { &every } else { names };
    let words: Vec<String> = every.iter().map(|key| select::label(key)).collect();
    let looks = Look::of(&words);
    let look = |key: &Key<'_>| {
        let at = every.iter().position(|other| other == key).unwrap_or(0);
        (select::label(key), looks[at])
    };
    names.iter().map(look).collect()
}

fn different<'a>(cells: impl Iterator<Item = &'a Cell>, names: &[String]) -> Vec<Key<'a>> {
    let keys: Vec<Key<'a>> = cells.map(|cell| select::key(cell, names)).collect();
    select::ordered(&keys, names, &Values::new())
}

impl Point {
    fn of(cell: &Cell, spec: &PlotSpec) -> Option<Self> {
        let (x, y) = (value(cell, &spec.x)?, value(cell, &spec.y)?);
        let (x_bar, y_bar) = (bar(cell, &spec.x, x), bar(cell, &spec.y, y));
        let along = spec.along.as_ref().map_or(x, |along| number_at(cell, along).unwrap_or(f64::NAN));
        Some(Self { x, y, x_bar, y_bar, along, words: words(cell, spec, x, y) })
    }
}

fn has(cell: &Cell, axis: &Axis) -> bool {
    let measured = axis.measure.as_ref().is_some_and(|name| cell.measures.contains_key(name));
    measured || axis.coordinate.as_ref().is_some_and(|name| cell.at.contains_key(name))
}

fn value(cell: &Cell, axis: &Axis) -> Option<f64> {
    let measured = axis.measure.as_ref().map(|name| cell.measures.get(name).map(|measure| measure.mean));
    let value = match (measured, &axis.coordinate) {
        (Some(mean), _) => mean,
        (None, Some(name)) => number_at(cell, name),
        (None, None) => None,
    };
    value.filter(|x| drawable(*x, axis))
}

fn drawable(x: f64, axis: &Axis) -> bool {
    x.is_finite() && (!axis.log || x > 0.0)
}

fn number_at(cell: &Cell, coordinate: &str) -> Option<f64> {
    cell.at.get(coordinate)?.trim().parse().ok()
}

fn kind(cell: &Cell, axis: &Axis) -> Option<Bar> {
    let measure = cell.measures.get(axis.measure.as_ref()?)?;
    let deviation = || measure.spread().map(|_| Bar::Deviation);
    measure.interval().map(|_| Bar::Interval).or_else(deviation)
}

/// The ends of the bar at a point. An end that has no place on the axis stays at the point.
fn bar(cell: &Cell, axis: &Axis, x: f64) -> Option<(f64, f64)> {
    let measure = cell.measures.get(axis.measure.as_ref()?)?;
    let deviation = || measure.spread().map(|sd| (x - sd, x + sd));
    let (low, high) = measure.interval().or_else(deviation)?;
    let inside = |end: f64| if drawable(end, axis) { end } else { x };
    let (low, high) = (inside(low), inside(high));
    Some((low.min(high), low.max(high)))
}

fn words(cell: &Cell, spec: &PlotSpec, x: f64, y: f64) -> String {
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
