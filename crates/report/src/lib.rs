//! Every drawing and every page of inkveil.
//!
//! The input is plain data: series, cells, rows, marked texts. This crate knows nothing about
//! veils, so its callers convert. It has one escaper ([`Escaped`]), one palette ([`Colour`],
//! [`LineStyle`]), one set of axis ticks and one frame for pages.
//!
//! | type | result |
//! |---|---|
//! | [`Plot`] | lines or points on axes, in one or more panels (SVG) |
//! | [`BarChart`] | numbers as bars (SVG) |
//! | [`HeatMap`] | shares in a table of shaded cells (SVG) |
//! | [`DotMap`] | dots in a plane (SVG) |
//! | [`ResultsPage`] | tables and plots of experiments (HTML) |
//! | [`AnnotatedPage`] | texts with marked words and the reason of each mark (HTML, written piece by piece) |
//! | [`ScorePage`] | one score with its details (HTML) |
//!
//! Pages and drawings are self-contained: no scripts and no requests. Pages forbid both with a
//! content security policy. Text from the data is escaped everywhere.
//!
//! ```
//! use inkveil_report::{Axis, LineStyle, Panel, Plot, Point, Series};
//!
//! let points = vec![Point::at(1.0, 0.5), Point::at(2.0, 0.75)];
//! let plot = Plot {
//!     title: "<Training>".into(),
//!     x: Axis::titled("steps"),
//!     y: Axis::titled("loss"),
//!     panels: vec![Panel { series: vec![Series { name: "held out".into(), style: LineStyle(0), points }], ..Panel::default() }],
//!     ..Plot::default()
//! };
//! assert!(plot.svg().contains("&lt;Training&gt;"));
//! ```
//!
//! # Files
//!
//! - `plot/`: lines and points on axes. `bars.rs`: bars. `heat.rs`: shaded cells. `dots.rs`: dots in a plane.
//!   `svg.rs`: what they share.
//! - `page/` and `templates/`: the HTML pages.
//! - `escape.rs`: text that is safe in SVG and HTML. `palette.rs`, `lettering.rs`, `number.rs`:
//!   colours, sizes, numbers.
#![forbid(unsafe_code)]

mod bars;
mod dots;
mod escape;
mod heat;
mod lettering;
mod number;
mod page;
mod palette;
mod plot;
mod svg;

pub use bars::{Bar, BarChart};
pub use dots::{Dot, DotMap};
pub use escape::{Escaped, stand_in};
pub use heat::HeatMap;
pub use number::{scientific, superscript};
pub use page::{
    AnnotatedHead, AnnotatedPage, DataTable, Fact, FactValue, LegendEntry, Mark, ResultsPage, ResultsPart,
    ScorePage, ScoreTrait, Table, TableCell, TableHead, TableRow, Underline,
};
pub use palette::{Colour, LineStyle};
pub use plot::{Axis, Baseline, Marks, Panel, Plot, Point, Series};
