//! The results of experiments as data, and how they are shown.
//!
//! An experiment fills [`Results`]: [`Cell`]s with coordinates and [`Measure`]s, and what to show of them as
//! [`TableSpec`]s and [`PlotSpec`]s. Numbers are kept apart from their look, so one file of results gives a
//! page to read, a page to print, tables for a paper and drawings.
//!
//! - [`check()`] says whether tables and plots fit the cells.
//! - [`markdown()`], [`latex()`], [`svg()`] and [`page()`] show them. They never fail: what a table or plot
//!   asks
//!   for and nobody measured is left out. So call [`check()`] first.
//!
//! What comes from the data is escaped everywhere. What is no finite number is shown as `–` and not plotted.
//!
//! ```
//! use inkveil_eval::report::{self, Cell, Measure, Results, Shown, TableSpec};
//!
//! let cell = |mechanism: &str, accuracy: &[f64]| {
//!     Cell::at([("mechanism", mechanism)], 500).with("accuracy", Measure::of(accuracy))
//! };
//! let results = Results {
//!     name: "authors".into(),
//!     title: "Who wrote it".into(),
//!     seeds: vec![1, 2],
//!     cells: vec![cell("none", &[0.91, 0.93]), cell("polar", &[0.31, 0.29])],
//!     tables: vec![TableSpec {
//!         title: "How often the author is found".into(),
//!         rows: vec!["mechanism".into()],
//!         measures: vec![Shown::percent("accuracy", "Accuracy", 1)],
//!         ..TableSpec::default()
//!     }],
//!     ..Results::default()
//! };
//! report::check(&results)?;
//! assert!(report::markdown(&results).contains("| polar | 30.0 ± 1.4 |"));
//! # Ok::<(), inkveil_eval::report::ReportError>(())
//! ```

mod check;
mod error;
mod escape;
mod latex;
mod markdown;
mod measure;
mod names;
mod number;
mod page;
mod plot;
mod results;
mod select;
mod spec;
mod table;
#[cfg(test)]
mod tests;

pub use check::check;
pub use error::ReportError;
pub use latex::latex;
pub use markdown::markdown;
pub use measure::Measure;
pub use names::plot_file;
pub use page::page;
pub use plot::svg;
pub use results::{Cell, DataNote, Results};
pub use spec::{Axis, Better, PaperCell, PlotSpec, Shown, TableSpec};
