//! The results of experiments as data, and how they are shown.
//!
//! An experiment fills [`Results`]: [`ResultCell`]s with coordinates and [`Measurement`]s, and the
//! tables and plots to show ([`TableSpec`], [`PlotSpec`]). Numbers are separate from their
//! presentation, so one file of results gives a page to read, a page to print, tables for a paper
//! and drawings.
//!
//! - [`check()`] checks whether tables and plots fit the cells.
//! - [`markdown()`], [`latex()`], [`plot()`] and [`page()`] show them. They never fail: they leave
//!   out what a table or plot asks for and no cell has. So call [`check()`] first.
//!
//! Text from the data is escaped everywhere. A number that is not finite is shown as `–` and not
//! plotted.
//!
//! ```
//! use inkveil_eval::results::{self, Measurement, ResultCell, Results, TableMeasure, TableSpec};
//!
//! let cell = |mechanism: &str, accuracy: &[f64]| {
//!     ResultCell::at([("mechanism", mechanism)], 500).with("accuracy", Measurement::of(accuracy))
//! };
//! let results = Results {
//!     name: "authors".into(),
//!     title: "Who wrote it".into(),
//!     seeds: vec![1, 2],
//!     cells: vec![cell("none", &[0.91, 0.93]), cell("polar", &[0.31, 0.29])],
//!     tables: vec![TableSpec {
//!         title: "How often the author is found".into(),
//!         rows: vec!["mechanism".into()],
//!         measures: vec![TableMeasure::percent("accuracy", "Accuracy", 1)],
//!         ..TableSpec::default()
//!     }],
//!     ..Results::default()
//! };
//! results::check(&results)?;
//! assert!(results::markdown(&results).contains("| polar | 30.0 ± 1.4 |"));
//! # Ok::<(), inkveil_eval::results::ResultsError>(())
//! ```

mod check;
mod data;
mod error;
mod escape;
mod files;
mod grid;
mod latex;
mod markdown;
mod measurement;
mod names;
mod number;
mod page;
mod plots;
mod select;
mod spec;
#[cfg(test)]
mod tests;

pub use check::check;
pub use data::{DataNote, ResultCell, Results};
pub use error::ResultsError;
pub use files::{PAGE, files, write_page};
pub use latex::latex;
pub use markdown::markdown;
pub use measurement::Measurement;
pub use names::plot_file;
pub use page::page;
pub use plots::{MECHANISM_ORDER, plot};
pub use spec::{AxisSpec, Better, PaperCell, PlotSpec, TableMeasure, TableSpec};
