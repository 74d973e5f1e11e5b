//! What to show of the results: tables and plots.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A table: which coordinates make rows and columns, and which measures stand in them.
///
/// A cell takes part if it passes `only` and has one of the measures. `check` says where two cells would fall
/// into one place.
///
/// ```
/// use inkveil_eval::report::{Shown, TableSpec};
///
/// let table = TableSpec {
///     title: "How often the author is found".into(),
///     rows: vec!["dataset".into(), "mechanism".into()],
///     columns: vec!["budget".into()],
///     measures: vec![Shown::percent("accuracy", "Accuracy", 1)],
///     only: [("allocation".into(), vec!["uniform".into()])].into(),
///     ..TableSpec::default()
/// };
/// assert!(table.order.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TableSpec {
    /// What people read above it.
    pub title: String,
    /// What it shows, in a sentence.
    pub about: String,
    /// The coordinates that make a row.
    pub rows: Vec<String>,
    /// The coordinates that make a group of columns. Without any, there is one group.
    pub columns: Vec<String>,
    /// The measures of each group.
    pub measures: Vec<Shown>,
    /// For a coordinate, the values that take part. A coordinate that is not named takes part with all.
    pub only: BTreeMap<String, Vec<String>>,
    /// For a coordinate, its values in order. Others follow in the order in which cells name them.
    pub order: BTreeMap<String, Vec<String>>,
    /// Figures of the paper, to stand beside ours.
    pub paper: Vec<PaperCell>,
}

/// How a measure is shown in a table.
///
/// ```
/// use inkveil_eval::report::{Better, Shown};
///
/// let shown = Shown::plain("cosine", "Cosine", 3).better(Better::Higher);
/// assert!(!shown.percent);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shown {
    /// The name of the measure in the cells.
    pub measure: String,
    /// What stands above its column.
    pub title: String,
    /// Digits after the point.
    pub digits: u8,
    /// Whether a share is shown in percent.
    pub percent: bool,
    /// Which value of a column is the best.
    pub better: Better,
}

impl Shown {
    /// A measure as it is.
    ///
    /// ```
    /// assert_eq!(inkveil_eval::report::Shown::plain("cosine", "Cosine", 3).digits, 3);
    /// ```
    pub fn plain(measure: &str, title: &str, digits: u8) -> Self {
        Self { measure: measure.to_owned(), title: title.to_owned(), digits, ..Self::default() }
    }

    /// A share, shown in percent.
    ///
    /// ```
    /// assert!(inkveil_eval::report::Shown::percent("accuracy", "Accuracy", 1).percent);
    /// ```
    pub fn percent(measure: &str, title: &str, digits: u8) -> Self {
        Self { percent: true, ..Self::plain(measure, title, digits) }
    }

    /// The same with a best value.
    ///
    /// ```
    /// use inkveil_eval::report::{Better, Shown};
    ///
    /// let shown = Shown::percent("leakage", "Leakage", 1).better(Better::Lower);
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
/// use inkveil_eval::report::Better;
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
    /// None: nothing is set in bold.
    #[default]
    Neither,
}

/// A figure of the paper, in the unit of the measure: a share for what is shown in percent.
///
/// ```
/// use inkveil_eval::report::PaperCell;
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
    /// What the paper says.
    pub value: f64,
}

/// A plot: what lies on the axes, which coordinates make a line and which a panel.
///
/// ```
/// use inkveil_eval::report::{Axis, PlotSpec};
///
/// let plot = PlotSpec {
///     title: "What the attacker learns for what the text is worth".into(),
///     x: Axis::coordinate("budget", "ε").log(),
///     y: Axis::measure("accuracy", "Author found").percent(),
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
    /// What people read above it.
    pub title: String,
    /// What it shows, in a sentence.
    pub about: String,
    /// What lies on the axis across.
    pub x: Axis,
    /// What lies on the axis upwards.
    pub y: Axis,
    /// The coordinates that make a line.
    pub series: Vec<String>,
    /// The coordinates that make a panel. All panels have the same axes.
    pub facets: Vec<String>,
    /// For a coordinate, the values that take part. A coordinate that is not named takes part with all.
    pub only: BTreeMap<String, Vec<String>>,
    /// Whether a line goes through the points, in the order of `along` or else of x.
    pub joined: bool,
    /// The coordinate that orders the points of a line.
    pub along: Option<String>,
    /// The value of y that a guess reaches.
    pub chance: Option<f64>,
}

/// What lies on an axis: the mean of a measure, or the number that a coordinate says.
///
/// ```
/// use inkveil_eval::report::Axis;
///
/// let axis = Axis::measure("accuracy", "Author found").percent();
/// assert_eq!(axis.measure.as_deref(), Some("accuracy"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Axis {
    /// The measure, or
    pub measure: Option<String>,
    /// the coordinate.
    pub coordinate: Option<String>,
    /// What stands beside the axis.
    pub title: String,
    /// Whether shares are shown in percent.
    pub percent: bool,
    /// Whether the axis is logarithmic.
    pub log: bool,
}

impl Axis {
    /// An axis of the means of a measure.
    ///
    /// ```
    /// assert_eq!(inkveil_eval::report::Axis::measure("cosine", "Cosine").coordinate, None);
    /// ```
    pub fn measure(name: &str, title: &str) -> Self {
        Self { measure: Some(name.to_owned()), title: title.to_owned(), ..Self::default() }
    }

    /// An axis of the numbers of a coordinate.
    ///
    /// ```
    /// assert_eq!(inkveil_eval::report::Axis::coordinate("budget", "ε").measure, None);
    /// ```
    pub fn coordinate(name: &str, title: &str) -> Self {
        Self { coordinate: Some(name.to_owned()), title: title.to_owned(), ..Self::default() }
    }

    /// The same in percent.
    ///
    /// ```
    /// assert!(inkveil_eval::report::Axis::measure("accuracy", "Accuracy").percent().percent);
    /// ```
    pub fn percent(mut self) -> Self {
        self.percent = true;
        self
    }

    /// The same on a logarithmic scale.
    ///
    /// ```
    /// assert!(inkveil_eval::report::Axis::coordinate("budget", "ε").log().log);
    /// ```
    pub fn log(mut self) -> Self {
        self.log = true;
        self
    }
}
