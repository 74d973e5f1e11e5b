//! Results as one page.

use std::collections::BTreeSet;

use inkveil_report::{
    DataTable, Fact, FactValue, ResultsPage, ResultsPart, Table, TableCell, TableHead, TableRow,
};

use super::data::Results;
use super::grid::{Entry, Grid, Spread};
use super::markdown::short;
use super::number::{brief, count};
use super::plots::plot;
use super::select::{self, or_dash};

/// Returns the results as one page: the first plot, the findings, then the tables and plots of each
/// experiment. All numbers are at the end of each part, folded up. The page has no scripts and
/// makes no requests.
///
/// ```
/// use inkveil_eval::results::{Results, page};
///
/// let findings = vec!["No difference.".into()];
/// let results = Results { title: "Who wrote it".into(), findings, ..Results::default() };
/// let page = page(&[results]);
/// assert!(page.starts_with("<!doctype html>"));
/// assert!(page.contains("<li>No difference.</li>"));
/// ```
pub fn page(all: &[Results]) -> String {
    let title = all.first().map(|results| results.title.as_str()).filter(|title| !title.is_empty());
    ResultsPage { title: title.unwrap_or("Results").to_owned(), parts: all.iter().map(part).collect() }.html()
}

fn part(results: &Results) -> ResultsPart {
    ResultsPart {
        title: results.title.clone(),
        facts: facts(results),
        findings: results.findings.clone(),
        notes: results.notes.clone(),
        tables: results.tables.iter().map(|spec| table(&Grid::of(results, spec))).collect(),
        plots: results.plots.iter().map(|spec| plot(results, spec)).collect(),
        settings: results.settings.clone(),
        cells: cells(results),
    }
}

/// How the results were made.
fn facts(results: &Results) -> Vec<Fact> {
    let seeds: Vec<String> = results.seeds.iter().map(u64::to_string).collect();
    let values = [
        ("Command", FactValue::Code(results.command.clone())),
        ("Commit", FactValue::Code(results.commit.clone())),
        ("Made", FactValue::Text(results.made.clone().unwrap_or_default())),
        ("Seeds", FactValue::Text(seeds.join(", "))),
    ];
    let has_value = |(_, value): &(&str, FactValue)| match value {
        FactValue::Text(text) | FactValue::Code(text) => !text.is_empty(),
        FactValue::Data { .. } => true,
    };
    let data = results.data.iter().map(|(name, note)| {
        let about = format!("{} rows. {}", count(note.rows), note.about);
        let files =
            note.files.iter().map(|(file, checksum)| [file.clone(), short(checksum), checksum.clone()]);
        ("Data", FactValue::Data { name: name.clone(), about, files: files.collect() })
    });
    let facts = values.into_iter().filter(has_value).chain(data);
    facts.map(|(name, value)| Fact { name: name.to_owned(), value }).collect()
}

/// Rows with the same first coordinate are grouped under it, so that one narrow column of names
/// stays visible.
fn table(grid: &Grid<'_>) -> Table {
    let grouped = grid.spec.rows.len() > 1;
    let names = if grouped { &grid.spec.rows[1..] } else { &grid.spec.rows[..] };
    let row = |row: &super::grid::Row<'_>| TableRow {
        group: grouped.then(|| or_dash(row.key.first().copied().unwrap_or("")).to_owned()),
        name: select::label(if grouped { &row.key[1..] } else { &row.key[..] }),
        cells: row.entries.iter().map(|entry| cell(grid, entry)).collect(),
    };
    let mut notes: Vec<String> = grid.legend().into_iter().map(str::to_owned).collect();
    notes.extend(grid.footnotes.iter().enumerate().map(|(at, note)| format!("{}: {note}", grid.dagger(at))));
    Table {
        title: grid.spec.title.clone(),
        about: grid.spec.about.clone(),
        corner: names.join(" · "),
        head: head(grid),
        rows: if grid.is_empty() { Vec::new() } else { grid.rows.iter().map(row).collect() },
        notes,
    }
}

/// One row of headings, or two if coordinates make columns.
fn head(grid: &Grid<'_>) -> TableHead {
    let titles = grid.measure_titles();
    match (grid.spec.columns.as_slice(), titles.as_slice()) {
        ([], _) => TableHead::Flat(titles),
        (names, [title]) => {
            let over = format!("{title}, by {}", names.join(" and "));
            TableHead::Grouped(vec![(over, grid.groups.len())], grid.groups.clone())
        }
        (_, titles) => {
            let groups = grid.group_titles().into_iter().map(|title| (title, titles.len())).collect();
            TableHead::Grouped(groups, grid.groups.iter().flat_map(|_| titles.iter().cloned()).collect())
        }
    }
}

fn cell(grid: &Grid<'_>, entry: &Entry) -> TableCell {
    let spread = match &entry.spread {
        Spread::Unknown => None,
        Spread::Deviation(sd) => Some(format!("± {}", sd.plain())),
        Spread::Interval(low, high) => Some(format!("[{}, {}]", low.plain(), high.plain())),
    };
    TableCell {
        value: entry.mean.as_ref().map_or("–".to_owned(), |mean| mean.plain()),
        bold: entry.best && entry.mean.is_some(),
        spread: spread.filter(|_| entry.mean.is_some()),
        footnote: entry.footnote.map(|footnote| grid.dagger(footnote)),
        beside: entry.paper.as_ref().map(|paper| paper.plain()),
    }
}

/// A row for each measurement of each cell.
fn cells(results: &Results) -> Option<DataTable> {
    if results.cells.is_empty() {
        return None;
    }
    let names: BTreeSet<&String> = results.cells.iter().flat_map(|cell| cell.at.keys()).collect();
    let coordinates = names.iter().map(|name| name.as_str()).chain(["measure"]).map(|name| (name, true));
    let numbers = ["n", "mean", "sd", "low", "high"].map(|name| (name, false));
    let texts = [("values", true), ("note", true)];
    let columns = coordinates.chain(numbers).chain(texts).map(|(name, is_text)| (name.to_owned(), is_text));
    let mut rows = Vec::new();
    for cell in &results.cells {
        for (name, measure) in &cell.measures {
            let at = names.iter().map(|name| cell.at.get(*name).map_or("", String::as_str));
            let mut row: Vec<String> =
                at.chain([name.as_str()]).map(|value| or_dash(value).to_owned()).collect();
            row.push(count(cell.n));
            let numbers = [Some(measure.mean), measure.sd, measure.low, measure.high];
            row.extend(numbers.map(|value| value.map_or("–".to_owned(), brief)));
            row.push(measure.values.iter().map(|value| brief(*value)).collect::<Vec<_>>().join(", "));
            row.push(cell.note.clone().unwrap_or_default());
            rows.push(row);
        }
    }
    let title = format!("All results ({})", count(results.cells.len() as u64));
    Some(DataTable { title, columns: columns.collect(), rows })
}
