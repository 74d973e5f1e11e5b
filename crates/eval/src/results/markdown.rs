//! Results as Markdown for GitHub.

use std::fmt::Write as _;

use super::data::Results;
use super::escape::markdown as text;
use super::grid::{Entry, Grid, Spread};
use super::names::plot_file;
use super::number::count;
use super::select::or_dash;

/// Returns the results as Markdown: how they were made, findings, notes, tables, and links to the
/// drawings. The drawings are expected in the same folder under the names of [`plot_file()`].
///
/// ```
/// use inkveil_eval::results::{Results, markdown};
///
/// let results = Results { title: "Who wrote it".into(), ..Results::default() };
/// assert!(markdown(&results).starts_with("# Who wrote it\n"));
/// ```
///
/// [`plot_file()`]: super::plot_file()
pub fn markdown(results: &Results) -> String {
    let mut out = format!("# {}\n\n", text(&results.title));
    origin(&mut out, results);
    list(&mut out, "Findings", &results.findings);
    list(&mut out, "Notes", &results.notes);
    for spec in &results.tables {
        table(&mut out, &Grid::of(results, spec));
    }
    for (at, plot) in results.plots.iter().enumerate() {
        let (title, file) = (text(&plot.title), plot_file(results, at));
        let _ = writeln!(out, "## {title}\n\n![{title}]({file})\n");
        paragraph(&mut out, &plot.about);
    }
    let mut out = out.trim_end().to_owned();
    out.push('\n');
    out
}

/// Writing to a string cannot fail.
fn origin(out: &mut String, results: &Results) {
    if !results.command.is_empty() {
        let fence = "`".repeat(longest_run(&results.command, '`').max(2) + 1);
        let _ = writeln!(out, "{fence}sh\n{}\n{fence}\n", results.command.trim_end());
    }
    let mut facts = Vec::new();
    if !results.commit.is_empty() {
        facts.push(format!("Commit {}.", text(&results.commit)));
    }
    facts.extend(results.made.as_ref().map(|made| format!("Made {}.", text(made))));
    if !results.seeds.is_empty() {
        let seeds: Vec<String> = results.seeds.iter().map(u64::to_string).collect();
        facts.push(format!("Seeds: {}.", seeds.join(", ")));
    }
    if !facts.is_empty() {
        let _ = writeln!(out, "{}\n", facts.join(" "));
    }
    if results.data.is_empty() {
        return;
    }
    out.push_str("| Data | Rows | Files (SHA-256) | |\n|:--|--:|:--|:--|\n");
    for (name, note) in &results.data {
        let files: Vec<String> =
            note.files.iter().map(|(name, hash)| format!("{} {}", text(name), text(&short(hash)))).collect();
        let (rows, about) = (count(note.rows), text(&note.about));
        let _ = writeln!(out, "| {} | {rows} | {} | {about} |", text(name), files.join("<br>"));
    }
    out.push('\n');
}

/// The beginning of a checksum, enough to distinguish files.
pub(super) fn short(hash: &str) -> String {
    hash.chars().take(12).collect()
}

fn longest_run(text: &str, of: char) -> usize {
    let runs = text.split(|c| c != of).map(str::len);
    runs.max().unwrap_or(0)
}

fn list(out: &mut String, title: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "## {title}\n");
    for item in items {
        let _ = writeln!(out, "- {}", text(item));
    }
    out.push('\n');
}

fn paragraph(out: &mut String, content: &str) {
    if !content.is_empty() {
        let _ = writeln!(out, "{}\n", text(content));
    }
}

fn table(out: &mut String, grid: &Grid<'_>) {
    let _ = writeln!(out, "## {}\n", text(&grid.spec.title));
    paragraph(out, &grid.spec.about);
    if grid.is_empty() {
        out.push_str("No result is in this table.\n\n");
        return;
    }
    let mut heads: Vec<String> = grid.spec.rows.iter().map(|name| text(name)).collect();
    let titles = grid.measure_titles();
    match (grid.spec.columns.as_slice(), titles.as_slice()) {
        ([], titles) => heads.extend(titles.iter().map(|title| text(title))),
        (names, [title]) => {
            let _ = writeln!(out, "{}, by {}:\n", text(title), text(&names.join(" and ")));
            heads.extend(grid.groups.iter().map(|group| text(group)));
        }
        (_, titles) => {
            for group in grid.group_titles() {
                heads.extend(titles.iter().map(|title| text(&format!("{group}: {title}"))));
            }
        }
    }
    let lines: String =
        (0..heads.len()).map(|at| if at < grid.spec.rows.len() { ":--|" } else { "--:|" }).collect();
    let _ = writeln!(out, "| {} |\n|{lines}", heads.join(" | "));
    for row in &grid.rows {
        let mut cells: Vec<String> = row.key.iter().map(|value| text(or_dash(value))).collect();
        cells.extend(row.entries.iter().map(|value| entry(grid, value)));
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out.push('\n');
    let legend = grid.legend();
    if !legend.is_empty() {
        let _ = writeln!(out, "{}\n", legend.join(" "));
    }
    for (at, note) in grid.footnotes.iter().enumerate() {
        let _ = writeln!(out, "{}: {}\n", grid.dagger(at), text(note));
    }
}

fn entry(grid: &Grid<'_>, entry: &Entry) -> String {
    let mut out = match &entry.mean {
        Some(mean) if entry.best => format!("**{}**", mean.plain()),
        Some(mean) => mean.plain(),
        None => "–".to_owned(),
    };
    let _ = match &entry.spread {
        _ if entry.mean.is_none() => Ok(()),
        Spread::Unknown => Ok(()),
        Spread::Deviation(sd) => write!(out, " ± {}", sd.plain()),
        Spread::Interval(low, high) => write!(out, " \\[{}, {}\\]", low.plain(), high.plain()),
    };
    if let Some(paper) = &entry.paper {
        let _ = write!(out, " ({})", paper.plain());
    }
    if let Some(footnote) = entry.footnote {
        let _ = write!(out, " {}", grid.dagger(footnote));
    }
    out
}
