//! Whether tables and plots fit the cells.

use std::collections::{BTreeMap, BTreeSet};

use super::error::ReportError;
use super::results::{Cell, Results};
use super::select::{self, Values};
use super::spec::{Axis, PaperCell, PlotSpec, TableSpec};

/// Says whether every table and plot finds what it asks for.
///
/// ```
/// use inkveil_eval::report::{self, Axis, Cell, Measure, PlotSpec, Results};
///
/// let cell = Cell::at([("budget", "10")], 500).with("accuracy", Measure::of(&[0.5]));
/// let mut results = Results { cells: vec![cell], ..Results::default() };
/// results.plots = vec![PlotSpec {
///     x: Axis::coordinate("budget", "ε"),
///     y: Axis::measure("accuracy", "Accuracy"),
///     ..PlotSpec::default()
/// }];
/// assert!(report::check(&results).is_ok());
///
/// results.plots[0].y = Axis::measure("acuracy", "Accuracy");
/// assert!(report::check(&results).is_err());
/// ```
///
/// # Errors
///
/// If a table or plot names a coordinate, a value or a measure that no cell has, if several cells fall into
/// one place of a table, if a figure of the paper does not fit its table, or if an axis has no numbers.
pub fn check(results: &Results) -> Result<(), ReportError> {
    for (at, spec) in results.tables.iter().enumerate() {
        let place = format!("table {}, {:?}", at + 1, spec.title);
        check_table(&Known::of(results, place), spec)?;
    }
    for (at, spec) in results.plots.iter().enumerate() {
        let place = format!("plot {}, {:?}", at + 1, spec.title);
        check_plot(&Known::of(results, place), spec)?;
    }
    Ok(())
}

/// What the cells have, and which table or plot is looked at.
struct Known<'a> {
    place: String,
    cells: &'a [Cell],
}

impl<'a> Known<'a> {
    fn of(results: &'a Results, place: String) -> Self {
        Self { place, cells: &results.cells }
    }

    fn coordinates<'b>(&self, names: impl IntoIterator<Item = &'b String>) -> Result<(), ReportError> {
        let known: BTreeSet<&String> = self.cells.iter().flat_map(|cell| cell.at.keys()).collect();
        match names.into_iter().find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(name) => Err(ReportError::UnknownCoordinate {
                place: self.place.clone(),
                name: name.clone(),
                known: known.into_iter().cloned().collect(),
            }),
        }
    }

    fn value(&self, coordinate: &str, value: &str, cells: &[&Cell]) -> Result<(), ReportError> {
        let known: BTreeSet<&String> = cells.iter().filter_map(|cell| cell.at.get(coordinate)).collect();
        if known.iter().any(|other| *other == value) {
            return Ok(());
        }
        Err(ReportError::UnknownValue {
            place: self.place.clone(),
            coordinate: coordinate.to_owned(),
            value: value.to_owned(),
            known: known.into_iter().cloned().collect(),
        })
    }

    /// The cells that pass a filter, if the filter makes sense.
    fn filtered(&self, only: &Values) -> Result<Vec<&'a Cell>, ReportError> {
        self.coordinates(only.keys())?;
        let all: Vec<&Cell> = self.cells.iter().collect();
        for (coordinate, values) in only {
            values.iter().try_for_each(|value| self.value(coordinate, value, &all))?;
        }
        let cells: Vec<&'a Cell> = self.cells.iter().filter(|cell| select::passes(cell, only)).collect();
        if cells.is_empty() { Err(self.unfit("no cell passes the filter `only`")) } else { Ok(cells) }
    }

    fn measure(&self, name: &str, cells: &[&Cell]) -> Result<(), ReportError> {
        if cells.iter().any(|cell| cell.measures.contains_key(name)) {
            return Ok(());
        }
        let known: BTreeSet<&String> = cells.iter().flat_map(|cell| cell.measures.keys()).collect();
        Err(ReportError::UnknownMeasure {
            place: self.place.clone(),
            name: name.to_owned(),
            known: known.into_iter().cloned().collect(),
        })
    }

    fn unfit(&self, what: &str) -> ReportError {
        ReportError::Unfit { place: self.place.clone(), what: what.to_owned() }
    }
}

fn check_table(known: &Known<'_>, spec: &TableSpec) -> Result<(), ReportError> {
    known.coordinates(spec.rows.iter().chain(&spec.columns).chain(spec.order.keys()))?;
    let cells = known.filtered(&spec.only)?;
    if spec.measures.is_empty() {
        return Err(known.unfit("it shows no measure: name at least one"));
    }
    spec.measures.iter().try_for_each(|shown| known.measure(&shown.measure, &cells))?;
    let shown = |cell: &&&Cell| spec.measures.iter().any(|shown| cell.measures.contains_key(&shown.measure));
    let cells: Vec<&Cell> = cells.iter().filter(shown).copied().collect();
    crowded(known, spec, &cells)?;
    spec.paper.iter().try_for_each(|paper| check_paper(known, spec, paper, &cells))
}

fn crowded(known: &Known<'_>, spec: &TableSpec, cells: &[&Cell]) -> Result<(), ReportError> {
    let names: Vec<String> = spec.rows.iter().chain(&spec.columns).cloned().collect();
    let mut places = BTreeMap::new();
    for cell in cells {
        let key = select::key(cell, &names);
        let Some(other) = places.insert(key.clone(), cell) else { continue };
        let differ = |name: &&String| cell.at.get(*name) != other.at.get(*name);
        let every: BTreeSet<&String> = cell.at.keys().chain(other.at.keys()).collect();
        return Err(ReportError::Crowded {
            place: known.place.clone(),
            at: format!("{:?}", select::label(&key)),
            differ: every.into_iter().filter(differ).cloned().collect(),
        });
    }
    Ok(())
}

fn check_paper(
    known: &Known<'_>,
    spec: &TableSpec,
    paper: &PaperCell,
    cells: &[&Cell],
) -> Result<(), ReportError> {
    if paper.row.len() != spec.rows.len() || paper.column.len() != spec.columns.len() {
        return Err(
            known.unfit("a figure of the paper needs one value for each coordinate of rows and of columns")
        );
    }
    let names = spec.rows.iter().chain(&spec.columns);
    for (name, value) in names.zip(paper.row.iter().chain(&paper.column)) {
        known.value(name, value, cells)?;
    }
    let shown = spec.measures.iter().any(|shown| shown.measure == paper.measure);
    let what = || known.unfit(&format!("the paper's measure {:?} is not one that it shows", paper.measure));
    if shown { Ok(()) } else { Err(what()) }
}

fn check_plot(known: &Known<'_>, spec: &PlotSpec) -> Result<(), ReportError> {
    known.coordinates(spec.series.iter().chain(&spec.facets).chain(&spec.along))?;
    let cells = known.filtered(&spec.only)?;
    check_axis(known, &spec.x, "x", &cells)?;
    check_axis(known, &spec.y, "y", &cells)
}

fn check_axis(known: &Known<'_>, axis: &Axis, name: &str, cells: &[&Cell]) -> Result<(), ReportError> {
    match (&axis.measure, &axis.coordinate) {
        (Some(measure), None) => known.measure(measure, cells),
        (None, Some(coordinate)) => {
            known.coordinates([coordinate])?;
            let number =
                |cell: &&Cell| cell.at.get(coordinate)?.parse::<f64>().ok().filter(|x| x.is_finite());
            let what = || known.unfit(&format!("no value of {coordinate:?} on its axis {name} is a number"));
            cells.iter().find_map(number).map(|_| ()).ok_or_else(what)
        }
        _ => Err(known.unfit(&format!("its axis {name} needs either a measure or a coordinate"))),
    }
}
