//! Pages, and the frame that all of them share.

mod annotated;
mod results;
mod score;

pub use annotated::{AnnotatedHead, AnnotatedPage, LegendEntry, Mark, Underline};
pub use results::{
    DataTable, Fact, FactValue, ResultsPage, ResultsPart, Table, TableCell, TableHead, TableRow,
};
pub use score::{ScorePage, ScoreTrait};

use askama::Template;

/// What every page begins with. `styles` is our own, so it is not escaped.
#[derive(Template)]
#[template(path = "shell.html")]
struct Shell<'a> {
    title: &'a str,
    styles: &'a str,
}

const BASE: &str = include_str!("../../styles/base.css");

const END: &str = "</main>\n</body>\n</html>\n";

/// The beginning of a page, up to its heading.
fn begin(title: &str, styles: &str) -> String {
    rendered(&Shell { title, styles: &format!("{BASE}{styles}") })
}

/// A whole page.
fn whole(title: &str, styles: &str, body: &str) -> String {
    format!("{}{body}{END}", begin(title, styles))
}

/// Renders a template. Templates write to a string and call nothing that fails, so an error is
/// impossible.
fn rendered(template: &impl Template) -> String {
    template.render().unwrap_or_default()
}
