//! Draws a column of a table on a page of results as bars, so that the picture and the table agree.

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use clap::Args;
use inkveil_report::{Bar, BarChart};

/// Draw a column of a table in a Markdown page as bars
#[derive(Debug, Args)]
pub(crate) struct PictureArgs {
    /// The page
    page: PathBuf,

    /// The table: the beginning of its first header cell
    #[arg(long)]
    table: String,

    /// The column: its header cell. The default is the second column
    #[arg(long)]
    column: Option<String>,

    /// Highlight the rows whose name contains this
    #[arg(long)]
    highlight: Option<String>,

    /// The title of the picture
    #[arg(long)]
    title: String,

    /// The line below the bars
    #[arg(long, default_value = "")]
    note: String,

    /// Use a logarithmic scale
    #[arg(long)]
    log: bool,

    /// The picture to write
    #[arg(short, long)]
    output: PathBuf,
}

pub(crate) fn run(args: &PictureArgs) -> anyhow::Result<()> {
    let page = std::fs::read_to_string(&args.page).with_context(|| args.page.display().to_string())?;
    let rows = table(&page, &args.table).context("no table begins with this header cell")?;
    let (head, rows) = rows.split_first().context("the table is empty")?;
    let column = match &args.column {
        Some(name) => head.iter().position(|cell| cell == name).context("the table has no such column")?,
        None => 1,
    };
    let bar = |row: &Vec<String>| {
        let (name, label) = (row.first()?, row.get(column)?);
        let highlighted = args.highlight.as_ref().is_some_and(|part| name.contains(part.as_str()));
        Some(Bar { name: name.clone(), value: number(label)?, label: label.clone(), highlighted })
    };
    let bars: Vec<Bar> = rows.iter().filter_map(bar).collect();
    ensure!(!bars.is_empty(), "the column has no numbers");
    let chart = BarChart { title: args.title.clone(), bars, logarithmic: args.log, note: args.note.clone() };
    std::fs::write(&args.output, chart.svg()).with_context(|| args.output.display().to_string())?;
    println!("{}", args.output.display());
    Ok(())
}

/// Returns the cells of the table whose first header cell begins with `start`, without markup. The
/// first row is the header.
fn table(page: &str, start: &str) -> Option<Vec<Vec<String>>> {
    let cells = |line: &str| -> Vec<String> {
        let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
        inner.split('|').map(|cell| cell.replace(['*', '`'], "").trim().to_owned()).collect()
    };
    let lines = page.lines().skip_while(|line| {
        !(line.starts_with('|') && cells(line).first().is_some_and(|cell| cell.starts_with(start)))
    });
    let rows = lines.take_while(|line| line.starts_with('|')).map(cells);
    let is_rule = |row: &Vec<String>| row.iter().all(|cell| cell.chars().all(|c| "-: ".contains(c)));
    let rows: Vec<_> =
        rows.enumerate().filter(|(at, row)| *at != 1 || !is_rule(row)).map(|(_, row)| row).collect();
    (!rows.is_empty()).then_some(rows)
}

/// Returns the first number of a cell: `7,613`, `.929`, `12.5 %`.
fn number(cell: &str) -> Option<f64> {
    let start = cell.find(|c: char| c.is_ascii_digit() || c == '.')?;
    let digits = cell[start..].chars().take_while(|c| c.is_ascii_digit() || *c == '.' || *c == ',');
    digits.filter(|c| *c != ',').collect::<String>().trim_end_matches('.').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "# Title\n\n| tool | speed |\n|---|---:|\n| **ours** | 1,250 |\n| other | .5 s |\n\n| x |\n|---|\n";

    #[test]
    fn a_table_is_found_by_its_first_cell() {
        let rows = table(PAGE, "tool").unwrap();
        assert_eq!(rows, [["tool", "speed"], ["ours", "1,250"], ["other", ".5 s"]]);
        assert!(table(PAGE, "nothing").is_none());
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let read = ["1,250", ".5 s", "about 12.5 %", "3.", "–"].map(number);
        assert_eq!(read, [Some(1250.0), Some(0.5), Some(12.5), Some(3.0), None]);
    }
}
