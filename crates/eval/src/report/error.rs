//! What can be wrong with a table or plot.

use std::fmt;

/// A table or plot that does not fit the cells. It names the table or plot, what is wrong and what is known.
///
/// ```
/// use inkveil_eval::report::{self, Cell, Measure, Results, Shown, TableSpec};
///
/// let table = TableSpec {
///     title: "Leakage".into(),
///     rows: vec!["mechanisms".into()],
///     measures: vec![Shown::plain("leakage", "Leakage", 2)],
///     ..TableSpec::default()
/// };
/// let cell = Cell::at([("mechanism", "polar")], 9).with("leakage", Measure::of(&[0.5]));
/// let results = Results { cells: vec![cell], tables: vec![table], ..Results::default() };
/// assert_eq!(
///     report::check(&results).unwrap_err().to_string(),
///     "table 1, \"Leakage\": no cell has the coordinate \"mechanisms\"; there are: \"mechanism\""
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReportError {
    /// No cell has a coordinate of this name.
    UnknownCoordinate {
        /// The table or plot.
        place: String,
        /// The name.
        name: String,
        /// The coordinates that cells have.
        known: Vec<String>,
    },
    /// No cell that takes part has a measure of this name.
    UnknownMeasure {
        /// The table or plot.
        place: String,
        /// The name.
        name: String,
        /// The measures that cells have.
        known: Vec<String>,
    },
    /// No cell has this value of a coordinate.
    UnknownValue {
        /// The table or plot.
        place: String,
        /// The coordinate.
        coordinate: String,
        /// The value.
        value: String,
        /// The values that cells have.
        known: Vec<String>,
    },
    /// Several cells fall into one place.
    Crowded {
        /// The table or plot.
        place: String,
        /// The coordinates of the place.
        at: String,
        /// Coordinates in which those cells differ.
        differ: Vec<String>,
    },
    /// Something else about a table or plot.
    Unfit {
        /// The table or plot.
        place: String,
        /// What is wrong and what to do.
        what: String,
    },
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownCoordinate { place, name, known } => {
                write!(f, "{place}: no cell has the coordinate {name:?}; there are: {}", list(known))
            }
            Self::UnknownMeasure { place, name, known } => {
                write!(f, "{place}: no cell in it has the measure {name:?}; there are: {}", list(known))
            }
            Self::UnknownValue { place, coordinate, value, known } => {
                let known = list(known);
                write!(f, "{place}: no cell has {value:?} as its {coordinate:?}; there are: {known}")
            }
            Self::Crowded { place, at, differ } if differ.is_empty() => {
                write!(f, "{place}: several cells have the same coordinates, {at}: keep one of them")
            }
            Self::Crowded { place, at, differ } => {
                let differ = list(differ);
                write!(f, "{place}: several cells fall into one place, {at}: show or filter one of {differ}")
            }
            Self::Unfit { place, what } => write!(f, "{place}: {what}"),
        }
    }
}

impl std::error::Error for ReportError {}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}
