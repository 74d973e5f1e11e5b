//! Checks that tables and plots fit the cells.

use std::collections::{BTreeMap, BTreeSet};

use super::data::{ResultCell, Results};
use super::error::ResultsError;
use super::select::{self, Values};
use super::spec::{AxisSpec, PaperCell, PlotSpec, TableSpec};

/// Checks that every table and plot finds what it asks for.
///
/// ```
/// use inkveil_eval::results::{self, AxisSpec, Measurement, PlotSpec, ResultCell, Results};
///
/// let cell = ResultCell::at([("budget", "10")], 500).with("accuracy", Measurement::of(&[0.5]));
/// let mut found = Results { cells: vec![cell], ..Results::default() };
/// found.plots = vec![PlotSpec {
///     x: AxisSpec::coordinate("budget", "ε"),
///     y: AxisSpec::measure("accuracy", "Accuracy"),
///     ..PlotSpec::default()
/// }];
/// assert!(results::check(&found).is_ok());
///
/// found.plots[0].y = AxisSpec::measure("acuracy", "Accuracy");
/// assert!(results::check(&found).is_err());
/// ```
///
/// # Errors
///
/// If a table or plot names a coordinate, a value or a measure that no cell has, if a table has
/// several cells at one position, if a figure of the paper does not fit its table, or if an axis
/// has no numbers.
pub fn check(results: &Results) -> Result<(), ResultsError> {
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

/// The cells, and the table or plot that is checked.
struct Known<'a> {
    place: String,
    cells: &'a [ResultCell],
}

impl<'a> Known<'a> {
    fn of(results: &'a Results, place: String) -> Self {
        Self { place, cells: &results.cells }
    }

    fn coordinates<'b>(&self, names: impl IntoIterator<Item = &'b String>) -> Result<(), ResultsError> {
        let known: BTreeSet<&String> = self.cells.iter().flat_map(|cell| cell.at.keys()).collect();
        match names.into_iter().find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(name) => Err(ResultsError::UnknownCoordinate {
                place: self.place.clone(),
                name: name.clone(),
                known: known.into_iter().cloned().collect(),
            }),
        }
    }

    fn value(&self, coordinate: &str, value: &str, cells: &[&ResultCell]) -> Result<(), ResultsError> {
        let known: BTreeSet<&String> = cells.iter().filter_map(|cell| cell.at.get(coordinate)).collect();
        if known.iter().any(|other| *other == value) {
            return Ok(());
        }
        Err(ResultsError::UnknownValue {
            place: self.place.clone(),
            coordinate: coordinate.to_owned(),
            value: value.to_owned(),
            known: known.into_iter().cloned().collect(),
        })
    }

    /// The cells that pass a filter, if the filter is valid.
    fn filtered(&self, only: &Values) -> Result<Vec<&'a ResultCell>, ResultsError> {
        self.coordinates(only.keys())?;
        let all: Vec<&ResultCell> = self.cells.iter().collect();
        for (coordinate, values) in only {
            values.iter().try_for_each(|value| self.value(coordinate, value, &all))?;
        }
        let cells: Vec<&'a ResultCell> =
            self.cells.iter().filter(|cell| select::passes(cell, only)).collect();
        if cells.is_empty() { Err(self.invalid("no cell passes the filter `only`")) } else { Ok(cells) }
    }

    fn measure(&self, name: &str, cells: &[&ResultCell]) -> Result<(), ResultsError> {
        if cells.iter().any(|cell| cell.measures.contains_key(name)) {
            return Ok(());
        }
        let known: BTreeSet<&String> = cells.iter().flat_map(|cell| cell.measures.keys()).collect();
        Err(ResultsError::UnknownMeasure {
            place: self.place.clone(),
            name: name.to_owned(),
            known: known.into_iter().cloned().collect(),
        })
    }

    fn invalid(&self, what: &str) -> ResultsError {
        ResultsError::Invalid { place: self.place.clone(), what: what.to_owned() }
    }
}

fn check_table(known: &Known<'_>, spec: &TableSpec) -> Result<(), ResultsError> {
    known.coordinates(spec.rows.iter().chain(&spec.columns).chain(spec.order.keys()))?;
    let cells = known.filtered(&spec.only)?;
    if spec.measures.is_empty() {
        return Err(known.invalid("it shows no measure; name at least one"));
    }
    spec.measures.iter().try_for_each(|shown| known.measure(&shown.measure, &cells))?;
    let shown =
        |cell: &&&ResultCell| spec.measures.iter().any(|shown| cell.measures.contains_key(&shown.measure));
    let cells: Vec<&ResultCell> = cells.iter().filter(shown).copied().collect();
    check_positions(known, spec, &cells)?;
    spec.paper.iter().try_for_each(|paper| check_paper(known, spec, paper, &cells))
}

fn check_positions(known: &Known<'_>, spec: &TableSpec, cells: &[&ResultCell]) -> Result<(), ResultsError> {
    let names: Vec<String> = spec.rows.iter().chain(&spec.columns).cloned().collect();
    let mut places = BTreeMap::new();
    for cell in cells {
        let key = select::key(cell, &names);
        let Some(other) = places.insert(key.clone(), cell) else { continue };
        let differ = |name: &&String| cell.at.get(*name) != other.at.get(*name);
        let every: BTreeSet<&String> = cell.at.keys().chain(other.at.keys()).collect();
        return Err(ResultsError::SamePosition {
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
    cells: &[&ResultCell],
) -> Result<(), ResultsError> {
    if paper.row.len() != spec.rows.len() || paper.column.len() != spec.columns.len() {
        return Err(
            known.invalid("a figure of the paper needs one value for each coordinate of rows and of columns")
        );
    }
    let names = spec.rows.iter().chain(&spec.columns);
    for (name, value) in names.zip(paper.row.iter().chain(&paper.column)) {
        known.value(name, value, cells)?;
    }
    let shown = spec.measures.iter().any(|shown| shown.measure == paper.measure);
    let what = || {
        known.invalid(&format!(
            "the figure of the paper has the measure {:?}, which the table does not show",
            paper.measure
        ))
    };
    if shown { Ok(()) } else { Err(what()) }
}

fn check_plot(known: &Known<'_>, spec: &PlotSpec) -> Result<(), ResultsError> {
    known.coordinates(spec.series.iter().chain(&spec.facets).chain(&spec.along))?;
    let cells = known.filtered(&spec.only)?;
    check_axis(known, &spec.x, "x", &cells)?;
    check_axis(known, &spec.y, "y", &cells)
}

fn check_axis(
    known: &Known<'_>,
    axis: &AxisSpec,
    name: &str,
    cells: &[&ResultCell],
) -> Result<(), ResultsError> {
    match (&axis.measure, &axis.coordinate) {
        (Some(measure), None) => known.measure(measure, cells),
        (None, Some(coordinate)) => {
            known.coordinates([coordinate])?;
            let number =
                |cell: &&ResultCell| cell.at.get(coordinate)?.parse::<f64>().ok().filter(|x| x.is_finite());
            let what = || {
                known.invalid(&format!("its axis {name} has no numbers: no value of {coordinate:?} is one"))
            };
            cells.iter().find_map(number).map(|_| ()).ok_or_else(what)
        }
        _ => Err(known.invalid(&format!("its axis {name} needs either a measure or a coordinate"))),
    }
}
