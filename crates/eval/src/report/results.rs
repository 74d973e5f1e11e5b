//! What an experiment found, as one file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::measure::Measure;
use super::spec::{PlotSpec, TableSpec};

/// What an experiment found, what made it, and what to show of it.
///
/// ```
/// use inkveil_eval::report::Results;
///
/// let results = Results { name: "authors".into(), seeds: vec![1, 2], ..Results::default() };
/// let text = serde_json::to_string(&results)?;
/// assert_eq!(serde_json::from_str::<Results>(&text)?, results);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Results {
    /// A short name, which also names files.
    pub name: String,
    /// What people read above it.
    pub title: String,
    /// The command that made it.
    pub command: String,
    /// The commit that made it.
    pub commit: String,
    /// When it was made (RFC 3339), if that is to be told.
    pub made: Option<String>,
    /// The seeds, in the order of the values of a [`Measure`].
    pub seeds: Vec<u64>,
    /// The data sets, by name.
    pub data: BTreeMap<String, DataNote>,
    /// The settings of the experiment, as the text of a TOML file.
    pub settings: String,
    /// What was replaced by something else, and what the numbers do not say.
    pub notes: Vec<String>,
    /// The numbers.
    pub cells: Vec<Cell>,
    /// The tables to show.
    pub tables: Vec<TableSpec>,
    /// The plots to show.
    pub plots: Vec<PlotSpec>,
    /// What the numbers say, in sentences.
    pub findings: Vec<String>,
}

impl Results {
    /// Takes out of tables and plots what no cell has measured, and figures of the paper that nothing stands beside; where nothing is left, the whole
    /// of it. A quick version has fewer sets and budgets, and too few texts for some measures.
    ///
    /// ```
    /// use inkveil_eval::report::{Cell, Measure, Results, Shown, TableSpec};
    ///
    /// let shown = |measure| Shown::percent(measure, measure, 1);
    /// let table = TableSpec { measures: vec![shown("accuracy"), shown("rho")], ..TableSpec::default() };
    /// let letters = TableSpec { only: [("data".into(), vec!["letters".into()])].into(), ..table.clone() };
    /// let mut results = Results {
    ///     cells: vec![Cell::at([("data", "mails")], 5).with("accuracy", Measure::of(&[0.5]))],
    ///     tables: vec![table, letters],
    ///     ..Results::default()
    /// };
    /// results.leave_out_unmeasured();
    /// assert_eq!(results.tables.len(), 1);
    /// assert_eq!(results.tables[0].measures.len(), 1);
    /// ```
    pub fn leave_out_unmeasured(&mut self) {
        let cells = &self.cells;
        let measured = |name: &str| cells.iter().any(|cell| cell.measures.contains_key(name));
        let is_somewhere = |only: &mut BTreeMap<String, Vec<String>>| {
            only.iter_mut().all(|(name, values)| {
                values.retain(|value| cells.iter().any(|cell| cell.at.get(name) == Some(value)));
                !values.is_empty()
            })
        };
        self.tables.retain_mut(|table| {
            table.measures.retain(|shown| measured(&shown.measure));
            let names: Vec<&String> = table.rows.iter().chain(&table.columns).collect();
            table.paper.retain(|figure| {
                let place = || names.iter().zip(figure.row.iter().chain(&figure.column));
                cells.iter().any(|cell| {
                    cell.measures.contains_key(&figure.measure)
                        && place().all(|(name, value)| cell.at.get(*name) == Some(value))
                })
            });
            is_somewhere(&mut table.only) && !table.measures.is_empty()
        });
        self.plots.retain_mut(|plot| {
            let mut measures = [&plot.x, &plot.y].into_iter().filter_map(|axis| axis.measure.as_deref());
            measures.all(measured) && is_somewhere(&mut plot.only)
        });
    }
}

/// Which data was used.
///
/// ```
/// use inkveil_eval::report::DataNote;
///
/// let files = [("test.csv".to_owned(), "9f86d081884c7d65".to_owned())].into();
/// let note = DataNote { files, rows: 1379, about: "Pairs of sentences.".into() };
/// assert_eq!(note.rows, 1379);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DataNote {
    /// The SHA-256 of each file, by its name.
    pub files: BTreeMap<String, String>,
    /// How many rows were used.
    pub rows: u64,
    /// What it is, in a sentence.
    pub about: String,
}

/// What was measured at one place of the experiment.
///
/// ```
/// use inkveil_eval::report::{Cell, Measure};
///
/// let cell = Cell::at([("mechanism", "polar"), ("budget", "10")], 500)
///     .with("accuracy", Measure::of(&[0.31, 0.29]))
///     .noted("One seed did not converge.");
/// assert_eq!(cell.at["budget"], "10");
/// assert!(cell.note.is_some());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cell {
    /// The coordinates of the place, such as the data set, the mechanism and the budget.
    pub at: BTreeMap<String, String>,
    /// How many examples were measured.
    pub n: u64,
    /// What was measured, by name.
    pub measures: BTreeMap<String, Measure>,
    /// What a reader of these numbers has to know.
    pub note: Option<String>,
}

impl Cell {
    /// A cell at these coordinates, with so many examples and nothing measured yet.
    ///
    /// ```
    /// use inkveil_eval::report::Cell;
    ///
    /// assert_eq!(Cell::at([("budget", "10")], 500).n, 500);
    /// ```
    pub fn at<const N: usize>(coordinates: [(&str, &str); N], n: u64) -> Self {
        let at = coordinates.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Self { at, n, ..Self::default() }
    }

    /// The same with a measure.
    ///
    /// ```
    /// use inkveil_eval::report::{Cell, Measure};
    ///
    /// let cell = Cell::at([], 500).with("accuracy", Measure::of(&[0.5]));
    /// assert_eq!(cell.measures["accuracy"].mean, 0.5);
    /// ```
    pub fn with(mut self, name: &str, measure: Measure) -> Self {
        self.measures.insert(name.to_owned(), measure);
        self
    }

    /// The same with a note.
    ///
    /// ```
    /// use inkveil_eval::report::Cell;
    ///
    /// assert_eq!(Cell::at([], 9).noted("Few examples.").note.as_deref(), Some("Few examples."));
    /// ```
    pub fn noted(mut self, note: &str) -> Self {
        self.note = Some(note.to_owned());
        self
    }
}
