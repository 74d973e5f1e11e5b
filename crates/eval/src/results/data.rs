//! The results of an experiment as one file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::measurement::Measurement;
use super::spec::{PlotSpec, TableSpec};

/// The results of an experiment, how they were made, and which tables and plots show them.
///
/// ```
/// use inkveil_eval::results::Results;
///
/// let results = Results { name: "authors".into(), seeds: vec![1, 2], ..Results::default() };
/// let text = serde_json::to_string(&results)?;
/// assert_eq!(serde_json::from_str::<Results>(&text)?, results);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Results {
    /// A short name, also used for file names.
    pub name: String,
    /// The title.
    pub title: String,
    /// The command that made the results.
    pub command: String,
    /// The commit that made the results.
    pub commit: String,
    /// When the results were made (RFC 3339), if that is to be shown.
    pub made: Option<String>,
    /// The seeds, in the order of the values of a [`Measurement`].
    pub seeds: Vec<u64>,
    /// The data sets, by name.
    pub data: BTreeMap<String, DataNote>,
    /// The settings of the experiment, as the text of a TOML file.
    pub settings: String,
    /// What differs from the paper, and what the numbers do not show.
    pub notes: Vec<String>,
    /// The numbers.
    pub cells: Vec<ResultCell>,
    /// The tables to show.
    pub tables: Vec<TableSpec>,
    /// The plots to show.
    pub plots: Vec<PlotSpec>,
    /// What the numbers show, in sentences.
    pub findings: Vec<String>,
}

impl Results {
    /// Removes from tables and plots what no cell has, and figures of the paper without a figure of
    /// ours. A table or plot with nothing left is removed. Quick runs need this: they have fewer
    /// sets and budgets, and too few texts for some measures.
    ///
    /// ```
    /// use inkveil_eval::results::{ResultCell, Measurement, Results, TableMeasure, TableSpec};
    ///
    /// let shown = |measure| TableMeasure::percent(measure, measure, 1);
    /// let table = TableSpec { measures: vec![shown("accuracy"), shown("rho")], ..TableSpec::default() };
    /// let letters = TableSpec { only: [("data".into(), vec!["letters".into()])].into(), ..table.clone() };
    /// let mut results = Results {
    ///     cells: vec![ResultCell::at([("data", "mails")], 5).with("accuracy", Measurement::of(&[0.5]))],
    ///     tables: vec![table, letters],
    ///     ..Results::default()
    /// };
    /// results.remove_unmeasured();
    /// assert_eq!(results.tables.len(), 1);
    /// assert_eq!(results.tables[0].measures.len(), 1);
    /// ```
    pub fn remove_unmeasured(&mut self) {
        let cells = &self.cells;
        let measured = |name: &str| cells.iter().any(|cell| cell.measures.contains_key(name));
        let occurs = |only: &mut BTreeMap<String, Vec<String>>| {
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
            occurs(&mut table.only) && !table.measures.is_empty()
        });
        self.plots.retain_mut(|plot| {
            let mut measures = [&plot.x, &plot.y].into_iter().filter_map(|axis| axis.measure.as_deref());
            measures.all(measured) && occurs(&mut plot.only)
        });
    }
}

/// The data that was used.
///
/// ```
/// use inkveil_eval::results::DataNote;
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
    /// The number of rows that were used.
    pub rows: u64,
    /// What the data is, in a sentence.
    pub about: String,
}

/// The measurements at one point of the experiment.
///
/// ```
/// use inkveil_eval::results::{ResultCell, Measurement};
///
/// let cell = ResultCell::at([("mechanism", "polar"), ("budget", "10")], 500)
///     .with("accuracy", Measurement::of(&[0.31, 0.29]))
///     .noted("One seed did not converge.");
/// assert_eq!(cell.at["budget"], "10");
/// assert!(cell.note.is_some());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResultCell {
    /// The coordinates, such as the data set, the mechanism and the budget.
    pub at: BTreeMap<String, String>,
    /// The number of examples.
    pub n: u64,
    /// The measurements, by name.
    pub measures: BTreeMap<String, Measurement>,
    /// What a reader has to know about these numbers.
    pub note: Option<String>,
}

impl ResultCell {
    /// A cell at these coordinates with `n` examples and no measurements yet.
    ///
    /// ```
    /// use inkveil_eval::results::ResultCell;
    ///
    /// assert_eq!(ResultCell::at([("budget", "10")], 500).n, 500);
    /// ```
    pub fn at<const N: usize>(coordinates: [(&str, &str); N], n: u64) -> Self {
        let at = coordinates.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Self { at, n, ..Self::default() }
    }

    /// Adds a measurement.
    ///
    /// ```
    /// use inkveil_eval::results::{ResultCell, Measurement};
    ///
    /// let cell = ResultCell::at([], 500).with("accuracy", Measurement::of(&[0.5]));
    /// assert_eq!(cell.measures["accuracy"].mean, 0.5);
    /// ```
    pub fn with(mut self, name: &str, measure: Measurement) -> Self {
        self.measures.insert(name.to_owned(), measure);
        self
    }

    /// Adds a note.
    ///
    /// ```
    /// use inkveil_eval::results::ResultCell;
    ///
    /// assert_eq!(ResultCell::at([], 9).noted("Few examples.").note.as_deref(), Some("Few examples."));
    /// ```
    pub fn noted(mut self, note: &str) -> Self {
        self.note = Some(note.to_owned());
        self
    }
}
