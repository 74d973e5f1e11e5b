//! Results as one page that stands by itself: no scripts, nothing to load.

mod cells;
mod table;

use std::fmt::Write as _;

use super::escape::html as text;
use super::markdown::short;
use super::number::count;
use super::plot;
use super::results::Results;
use super::table::Grid;

const STYLE: &str = include_str!("page.css");

/// Results as one page: the first plot, the findings, then every table and plot with what made them. All
/// numbers are at the end of each part, folded up.
///
/// ```
/// use inkveil_eval::report::{Results, page};
///
/// let findings = vec!["Nobody knows.".into()];
/// let results = Results { title: "Who wrote it".into(), findings, ..Results::default() };
/// let page = page(&[results]);
/// assert!(page.starts_with("<!doctype html>"));
/// assert!(page.contains("<li>Nobody knows.</li>"));
/// ```
pub fn page(all: &[Results]) -> String {
    let title = all.first().map_or("", |results| &results.title);
    let title = text(if title.is_empty() { "Results" } else { title });
    let plot_style = plot::STYLE;
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{plot_style}</style>\n</head>\n\
         <body>\n<main>\n<h1>{title}</h1>\n"
    );
    if let Some((results, first)) = all.first().and_then(|results| Some((results, results.plots.first()?))) {
        out.push_str(&plot::figure(results, first, &plot_id(0, 0)));
    }
    findings(&mut out, all);
    contents(&mut out, all);
    for (at, results) in all.iter().enumerate() {
        part(&mut out, results, at);
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// Names of places on the page. They come from numbers, never from the data.
fn plot_id(results: usize, plot: usize) -> String {
    format!("r{}-plot-{}", results + 1, plot + 1)
}

fn table_id(results: usize, table: usize) -> String {
    format!("r{}-table-{}", results + 1, table + 1)
}

/// Writing to a string cannot fail.
fn findings(out: &mut String, all: &[Results]) {
    let found: Vec<&Results> = all.iter().filter(|results| !results.findings.is_empty()).collect();
    if found.is_empty() {
        return;
    }
    out.push_str("<section class=\"findings\">\n<h2 class=\"small\">Findings</h2>\n");
    for results in found {
        if all.len() > 1 {
            let _ = writeln!(out, "<p><strong>{}</strong></p>", text(&results.title));
        }
        list(out, &results.findings);
    }
    out.push_str("</section>\n");
}

fn list(out: &mut String, items: &[String]) {
    out.push_str("<ul>\n");
    for item in items {
        let _ = writeln!(out, "<li>{}</li>", text(item));
    }
    out.push_str("</ul>\n");
}

fn contents(out: &mut String, all: &[Results]) {
    if all.is_empty() {
        return;
    }
    out.push_str("<nav aria-label=\"Contents\">\n<h2 class=\"small\">Contents</h2>\n<ul>\n");
    for (at, results) in all.iter().enumerate() {
        let _ = write!(out, "<li><a href=\"#r{}\">{}</a>", at + 1, text(&results.title));
        let tables = results.tables.iter().enumerate().map(|(n, spec)| (table_id(at, n), &spec.title));
        let plots = results.plots.iter().enumerate().map(|(n, spec)| (plot_id(at, n), &spec.title));
        let links: Vec<String> = tables
            .chain(plots)
            .map(|(id, title)| format!("<li><a href=\"#{id}\">{}</a></li>", text(title)))
            .collect();
        if !links.is_empty() {
            let _ = write!(out, "\n<ul>\n{}\n</ul>\n", links.join("\n"));
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n</nav>\n");
}

fn part(out: &mut String, results: &Results, at: usize) {
    let _ = writeln!(out, "<section>\n<h2 id=\"r{}\">{}</h2>", at + 1, text(&results.title));
    origin(out, results);
    if !results.notes.is_empty() {
        out.push_str("<h3>Notes</h3>\n");
        list(out, &results.notes);
    }
    for (number, spec) in results.tables.iter().enumerate() {
        table::write(out, &Grid::of(results, spec), &table_id(at, number));
    }
    for (number, spec) in results.plots.iter().enumerate() {
        let id = plot_id(at, number);
        if (at, number) == (0, 0) {
            let title = text(&spec.title);
            let _ =
                writeln!(out, "<p class=\"note\">At the top of this page: <a href=\"#{id}\">{title}</a></p>");
        } else {
            out.push_str(&plot::figure(results, spec, &id));
        }
    }
    if !results.settings.is_empty() {
        let settings = text(&results.settings);
        let _ = writeln!(out, "<details>\n<summary>Settings</summary>\n<pre>{settings}</pre>\n</details>");
    }
    cells::write(out, results);
    out.push_str("</section>\n");
}

/// What made the results.
fn origin(out: &mut String, results: &Results) {
    out.push_str("<dl>\n");
    let mut fact = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "<dt>{name}</dt><dd>{value}</dd>");
        }
    };
    let code =
        |words: &str| if words.is_empty() { String::new() } else { format!("<code>{}</code>", text(words)) };
    fact("Command", &code(&results.command));
    fact("Commit", &code(&results.commit));
    fact("Made", &text(results.made.as_deref().unwrap_or("")));
    let seeds: Vec<String> = results.seeds.iter().map(u64::to_string).collect();
    fact("Seeds", &seeds.join(", "));
    for (name, note) in &results.data {
        let mut words =
            format!("<strong>{}</strong>, {} rows. {}", text(name), count(note.rows), text(&note.about));
        for (file, hash) in &note.files {
            let (file, whole, start) = (text(file), text(hash), text(&short(hash)));
            let _ = write!(words, "<br><small>{file} <code title=\"SHA-256 {whole}\">{start}</code></small>");
        }
        fact("Data", &words);
    }
    out.push_str("</dl>\n");
}
