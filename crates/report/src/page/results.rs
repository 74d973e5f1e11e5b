//! Tables and plots of experiments on one page.

use askama::Template;

use super::{rendered, whole};
use crate::plot::Plot;
use crate::svg;

/// A page of results: the first plot, all findings, the contents, then a part for each experiment.
///
/// ```
/// use inkveil_report::{ResultsPage, ResultsPart};
///
/// let part = ResultsPart { title: "Authors".into(), findings: vec!["No difference.".into()], ..ResultsPart::default() };
/// let page = ResultsPage { title: "Results".into(), parts: vec![part] }.html();
/// assert!(page.starts_with("<!doctype html>"));
/// assert!(page.contains("<li>No difference.</li>"));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResultsPage {
    /// The title.
    pub title: String,
    /// The experiments.
    pub parts: Vec<ResultsPart>,
}

/// The results of one experiment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResultsPart {
    /// The title.
    pub title: String,
    /// How the results were made.
    pub facts: Vec<Fact>,
    /// What the numbers show, in sentences.
    pub findings: Vec<String>,
    /// What a reader has to know about the numbers.
    pub notes: Vec<String>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The plots.
    pub plots: Vec<Plot>,
    /// The settings, folded up.
    pub settings: String,
    /// All numbers, folded up.
    pub cells: Option<DataTable>,
}

/// A fact with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: FactValue,
}

/// The value of a fact.
#[derive(Debug, Clone, PartialEq)]
pub enum FactValue {
    /// Plain text.
    Text(String),
    /// A command or an identifier.
    Code(String),
    /// A data set.
    Data {
        /// Its name.
        name: String,
        /// A sentence about it.
        about: String,
        /// Its files: the name, the beginning of the SHA-256, and all of it.
        files: Vec<[String; 3]>,
    },
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The title.
    pub title: String,
    /// What the table shows, in a sentence.
    pub about: String,
    /// The heading of the column of row names.
    pub corner: String,
    /// The headings of the other columns.
    pub head: TableHead,
    /// The rows. Rows without cells mean that nothing was measured.
    pub rows: Vec<TableRow>,
    /// Sentences below the table.
    pub notes: Vec<String>,
}

/// The headings of columns.
#[derive(Debug, Clone, PartialEq)]
pub enum TableHead {
    /// One row of headings.
    Flat(Vec<String>),
    /// Groups, each over this many columns, and the headings of all columns below them.
    Grouped(Vec<(String, usize)>, Vec<String>),
}

impl Default for TableHead {
    fn default() -> Self {
        Self::Flat(Vec::new())
    }
}

/// A row of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableRow {
    /// The group that the row belongs to. Rows of one group follow each other under its name.
    pub group: Option<String>,
    /// The name of the row.
    pub name: String,
    /// Its cells.
    pub cells: Vec<TableCell>,
}

/// A cell of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableCell {
    /// The value, or a dash.
    pub value: String,
    /// Whether it is printed in bold.
    pub bold: bool,
    /// How far the value can be trusted, such as `± 0.3`.
    pub spread: Option<String>,
    /// The mark of a footnote.
    pub footnote: Option<String>,
    /// Another value to compare with.
    pub beside: Option<String>,
}

/// A plain table of all numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DataTable {
    /// The title.
    pub title: String,
    /// The columns, each with whether it has text instead of numbers.
    pub columns: Vec<(String, bool)>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl ResultsPage {
    /// Draws the page.
    pub fn html(&self) -> String {
        let styles = format!("{}{}", include_str!("../../styles/results.css"), svg::style());
        let parts: Vec<PartView<'_>> = self.parts.iter().enumerate().map(PartView::new).collect();
        let lead = self.parts.first().and_then(|part| part.plots.first());
        let body = Body {
            // The first plot is on top of the page and not repeated in its part.
            lead: lead.map(|plot| plot.figure(&plot_id(0, 0))).unwrap_or_default(),
            has_findings: self.parts.iter().any(|part| !part.findings.is_empty()),
            parts,
        };
        whole(&self.title, &styles, &rendered(&body))
    }
}

#[derive(Template)]
#[template(path = "results.html")]
struct Body<'a> {
    lead: String,
    has_findings: bool,
    parts: Vec<PartView<'a>>,
}

/// A part with the identifiers of its places on the page. They are made of numbers, never of data.
struct PartView<'a> {
    id: String,
    part: &'a ResultsPart,
    tables: Vec<TableView<'a>>,
    plots: Vec<PlotView<'a>>,
}

struct TableView<'a> {
    id: String,
    table: &'a Table,
    rows: Vec<RowView<'a>>,
}

struct RowView<'a> {
    row: &'a TableRow,
    /// The name of the group that starts here.
    group: Option<&'a str>,
    first: bool,
}

struct PlotView<'a> {
    id: String,
    title: &'a str,
    figure: Option<String>,
}

fn plot_id(part: usize, plot: usize) -> String {
    format!("r{}-plot-{}", part + 1, plot + 1)
}

impl<'a> PartView<'a> {
    fn new((number, part): (usize, &'a ResultsPart)) -> Self {
        let table = |(at, table)| TableView::new(format!("r{}-table-{}", number + 1, at + 1), table);
        let plot = |(at, plot): (usize, &'a Plot)| {
            let id = plot_id(number, at);
            let figure = (number + at > 0).then(|| plot.figure(&id));
            PlotView { id, title: &plot.title, figure }
        };
        Self {
            id: format!("r{}", number + 1),
            part,
            tables: part.tables.iter().enumerate().map(table).collect(),
            plots: part.plots.iter().enumerate().map(plot).collect(),
        }
    }
}

impl<'a> TableView<'a> {
    fn new(id: String, table: &'a Table) -> Self {
        let mut before = None;
        let mut view = |(at, row): (usize, &'a TableRow)| {
            let group = row.group.as_deref();
            let starts = group.filter(|_| before != group);
            before = group;
            RowView { row, group: starts, first: at == 0 }
        };
        Self { id, table, rows: table.rows.iter().enumerate().map(&mut view).collect() }
    }

    /// Whether it fits on a sheet, so that it is not broken in print.
    fn is_short(&self) -> bool {
        self.rows.len() <= 30
    }

    fn columns(&self) -> usize {
        match &self.table.head {
            TableHead::Flat(columns) | TableHead::Grouped(_, columns) => 1 + columns.len(),
        }
    }

    fn notes(&self) -> String {
        self.table.notes.join(" ")
    }
}

impl RowView<'_> {
    fn has_long_name(&self) -> bool {
        self.row.name.chars().count() > 20
    }
}
