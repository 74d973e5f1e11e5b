//! Errors of tables and plots.

use std::fmt;

/// A table or plot that does not fit the cells. The error names the table or plot, what is wrong,
/// and valid values.
///
/// ```
/// use inkveil_eval::results::{self, Measurement, ResultCell, Results, TableMeasure, TableSpec};
///
/// let table = TableSpec {
///     title: "Leakage".into(),
///     rows: vec!["mechanisms".into()],
///     measures: vec![TableMeasure::plain("leakage", "Leakage", 2)],
///     ..TableSpec::default()
/// };
/// let cell = ResultCell::at([("mechanism", "polar")], 9).with("leakage", Measurement::of(&[0.5]));
/// let found = Results { cells: vec![cell], tables: vec![table], ..Results::default() };
/// assert_eq!(
///     results::check(&found).unwrap_err().to_string(),
///     "table 1, \"Leakage\": no cell has the coordinate \"mechanisms\"; known: \"mechanism\""
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResultsError {
    /// No cell has a coordinate of this name.
    UnknownCoordinate {
        /// The table or plot.
        place: String,
        /// The name.
        name: String,
        /// The coordinates that cells have.
        known: Vec<String>,
    },
    /// No cell of the table or plot has a measure of this name.
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
    /// Several cells are at the same position.
    SamePosition {
        /// The table or plot.
        place: String,
        /// The coordinates of the position.
        at: String,
        /// Coordinates in which these cells differ.
        differ: Vec<String>,
    },
    /// Any other problem of a table or plot.
    Invalid {
        /// The table or plot.
        place: String,
        /// What is wrong and what to do.
        what: String,
    },
}

impl fmt::Display for ResultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownCoordinate { place, name, known } => {
                write!(f, "{place}: no cell has the coordinate {name:?}; known: {}", list(known))
            }
            Self::UnknownMeasure { place, name, known } => {
                write!(f, "{place}: no cell in it has the measure {name:?}; known: {}", list(known))
            }
            Self::UnknownValue { place, coordinate, value, known } => {
                let known = list(known);
                write!(f, "{place}: no cell has the value {value:?} of {coordinate:?}; known: {known}")
            }
            Self::SamePosition { place, at, differ } if differ.is_empty() => {
                write!(f, "{place}: several cells have the same coordinates {at}; keep one of them")
            }
            Self::SamePosition { place, at, differ } => {
                let differ = list(differ);
                write!(f, "{place}: several cells are at the position {at}; show or filter one of {differ}")
            }
            Self::Invalid { place, what } => write!(f, "{place}: {what}"),
        }
    }
}

impl std::error::Error for ResultsError {}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}
