//! Which tables and plots are shown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A table: which coordinates make rows and columns, and which measures it shows.
///
/// A cell is shown if it passes `only` and has one of the measures. `check` reports two cells at
/// the same position.
///
/// ```
/// use inkveil_eval::results::{TableMeasure, TableSpec};
///
/// let table = TableSpec {
///     title: "How often the author is found".into(),
///     rows: vec!["dataset".into(), "mechanism".into()],
///     columns: vec!["budget".into()],
///     measures: vec![TableMeasure::percent("accuracy", "Accuracy", 1)],
///     only: [("allocation".into(), vec!["uniform".into()])].into(),
///     ..TableSpec::default()
/// };
/// assert!(table.order.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TableSpec {
    /// The title.
    pub title: String,
    /// What it shows, in a sentence.
    pub about: String,
    /// The coordinates that make a row.
    pub rows: Vec<String>,
    /// The coordinates that make a group of columns. By default there is one group.
    pub columns: Vec<String>,
    /// The measures of each group.
    pub measures: Vec<TableMeasure>,
    /// For a coordinate, the values that are shown. A coordinate that is not named is shown with
    /// all its values.
    pub only: BTreeMap<String, Vec<String>>,
    /// For a coordinate, its values in order. Other values follow in the order of the cells.
    pub order: BTreeMap<String, Vec<String>>,
    /// Figures of the paper, shown beside ours.
    pub paper: Vec<PaperCell>,
}

/// How a table shows a measure.
///
/// ```
/// use inkveil_eval::results::{Better, TableMeasure};
///
/// let shown = TableMeasure::plain("cosine", "Cosine", 3).better(Better::Higher);
/// assert!(!shown.percent);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TableMeasure {
    /// The name of the measure in the cells.
    pub measure: String,
    /// The heading of its column.
    pub title: String,
    /// The number of digits after the point.
    pub digits: u8,
    /// Whether a share is shown in percent.
    pub percent: bool,
    /// Which value of a column is the best one.
    pub better: Better,
}

impl TableMeasure {
    /// Shows a measure unchanged.
    ///
    /// ```
    /// assert_eq!(inkveil_eval::results::TableMeasure::plain("cosine", "Cosine", 3).digits, 3);
    /// ```
    pub fn plain(measure: &str, title: &str, digits: u8) -> Self {
        Self { measure: measure.to_owned(), title: title.to_owned(), digits, ..Self::default() }
    }

    /// Shows a share in percent.
    ///
    /// ```
    /// assert!(inkveil_eval::results::TableMeasure::percent("accuracy", "Accuracy", 1).percent);
    /// ```
    pub fn percent(measure: &str, title: &str, digits: u8) -> Self {
        Self { percent: true, ..Self::plain(measure, title, digits) }
    }

    /// Sets which value is the best one.
    ///
    /// ```
    /// use inkveil_eval::results::{Better, TableMeasure};
    ///
    /// let shown = TableMeasure::percent("leakage", "Leakage", 1).better(Better::Lower);
    /// assert_eq!(shown.better, Better::Lower);
    /// ```
    pub fn better(mut self, better: Better) -> Self {
        self.better = better;
        self
    }
}

/// Which of two values is the better one.
///
/// ```
/// use inkveil_eval::results::Better;
///
/// assert_eq!(Better::default(), Better::Neither);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// The higher one.
    Higher,
    /// The lower one.
    Lower,
    /// Neither: no value is printed in bold.
    #[default]
    Neither,
}

/// A figure of the paper, in the unit of the measure. What is shown in percent is given as a share.
///
/// ```
/// use inkveil_eval::results::PaperCell;
///
/// let figure = PaperCell {
///     row: vec!["reviews".into(), "polar".into()],
///     column: vec!["10".into()],
///     measure: "accuracy".into(),
///     value: 0.312,
/// };
/// assert_eq!(figure.row.len(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PaperCell {
    /// The values of the coordinates that make the row.
    pub row: Vec<String>,
    /// The values of the coordinates that make the column.
    pub column: Vec<String>,
    /// The measure.
    pub measure: String,
    /// The figure.
    pub value: f64,
}

/// A plot: its axes, and which coordinates make a line or a panel.
///
/// ```
/// use inkveil_eval::results::{AxisSpec, PlotSpec};
///
/// let plot = PlotSpec {
///     title: "Leakage against utility".into(),
///     x: AxisSpec::coordinate("budget", "ε").log(),
///     y: AxisSpec::measure("accuracy", "Author found").percent(),
///     series: vec!["mechanism".into()],
///     facets: vec!["dataset".into()],
///     joined: true,
///     chance: Some(0.1),
///     ..PlotSpec::default()
/// };
/// assert!(plot.x.log);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlotSpec {
    /// The title.
    pub title: String,
    /// What it shows, in a sentence.
    pub about: String,
    /// The horizontal axis.
    pub x: AxisSpec,
    /// The vertical axis.
    pub y: AxisSpec,
    /// The coordinates that make a line.
    pub series: Vec<String>,
    /// The coordinates that make a panel. All panels have the same axes.
    pub facets: Vec<String>,
    /// For a coordinate, the values that are shown. A coordinate that is not named is shown with
    /// all its values.
    pub only: BTreeMap<String, Vec<String>>,
    /// Whether a line connects the points, in the order of `along` or, by default, of x.
    pub joined: bool,
    /// The coordinate that orders the points of a line.
    pub along: Option<String>,
    /// The value of y that guessing reaches.
    pub chance: Option<f64>,
}

/// What an axis shows: the mean of a measure, or the number in a coordinate.
///
/// ```
/// use inkveil_eval::results::AxisSpec;
///
/// let axis = AxisSpec::measure("accuracy", "Author found").percent();
/// assert_eq!(axis.measure.as_deref(), Some("accuracy"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AxisSpec {
    /// The measure.
    pub measure: Option<String>,
    /// The coordinate, if the axis has no measure.
    pub coordinate: Option<String>,
    /// The text beside the axis.
    pub title: String,
    /// Whether shares are shown in percent.
    pub percent: bool,
    /// Whether the axis is logarithmic.
    pub log: bool,
}

impl AxisSpec {
    /// An axis of the means of a measure.
    ///
    /// ```
    /// assert_eq!(inkveil_eval::results::AxisSpec::measure("cosine", "Cosine").coordinate, None);
    /// ```
    pub fn measure(name: &str, title: &str) -> Self {
        Self { measure: Some(name.to_owned()), title: title.to_owned(), ..Self::default() }
    }

    /// An axis of the numbers of a coordinate.
    ///
    /// ```
    /// assert_eq!(inkveil_eval::results::AxisSpec::coordinate("budget", "ε").measure, None);
    /// ```
    pub fn coordinate(name: &str, title: &str) -> Self {
        Self { coordinate: Some(name.to_owned()), title: title.to_owned(), ..Self::default() }
    }

    /// Shows shares in percent.
    ///
    /// ```
    /// assert!(inkveil_eval::results::AxisSpec::measure("accuracy", "Accuracy").percent().percent);
    /// ```
    pub fn percent(mut self) -> Self {
        self.percent = true;
        self
    }

    /// Makes the axis logarithmic.
    ///
    /// ```
    /// assert!(inkveil_eval::results::AxisSpec::coordinate("budget", "ε").log().log);
    /// ```
    pub fn log(mut self) -> Self {
        self.log = true;
        self
    }
}
