//! Tables of results in LaTeX.

use std::fmt::Write as _;

use super::data::Results;
use super::escape::{latex as text, one_line};
use super::grid::{Entry, Grid, Spread};
use super::names::slug;
use super::select::or_dash;

/// Returns the tables as LaTeX floats, for `\input` in a paper. They need the package `booktabs`
/// and the encoding T1.
///
/// ```
/// use inkveil_eval::results::{Measurement, ResultCell, Results, TableMeasure, TableSpec, latex};
///
/// let table = TableSpec {
///     title: "Leakage & co".into(),
///     rows: vec!["mechanism".into()],
///     measures: vec![TableMeasure::plain("leakage", "Leakage", 2)],
///     ..TableSpec::default()
/// };
/// let cell = ResultCell::at([("mechanism", "polar")], 9).with("leakage", Measurement::of(&[0.5]));
/// let results = Results { cells: vec![cell], tables: vec![table], ..Results::default() };
/// assert!(latex(&results).contains("\\caption{Leakage \\& co.}"));
/// assert!(latex(&results).contains("polar & $0.50$ \\\\"));
/// ```
pub fn latex(results: &Results) -> String {
    let mut out = format!("% {}\n", comment(&results.title));
    for (name, value) in [("Made by", &results.command), ("Commit", &results.commit)] {
        if !value.is_empty() {
            let _ = writeln!(out, "% {name}: {}", comment(value));
        }
    }
    if !results.seeds.is_empty() {
        let seeds: Vec<String> = results.seeds.iter().map(u64::to_string).collect();
        let _ = writeln!(out, "% Seeds: {}", seeds.join(", "));
    }
    out.push_str("% Needs \\usepackage[T1]{fontenc} and \\usepackage{booktabs}.\n");
    for (at, spec) in results.tables.iter().enumerate() {
        out.push('\n');
        table(&mut out, &Grid::of(results, spec), &format!("{}-{}", slug(&results.name, "results"), at + 1));
    }
    out
}

/// A text in a comment: on one line, without letters that an engine might not read.
fn comment(words: &str) -> String {
    one_line(words).chars().map(|c| if c.is_ascii() { c } else { '?' }).collect()
}

/// Writing to a string cannot fail.
fn table(out: &mut String, grid: &Grid<'_>, label: &str) {
    let sentences = [&grid.spec.title, &grid.spec.about].map(|words| one_line(words));
    let sentences = sentences.iter().filter(|words| !words.is_empty()).map(|words| sentence(&text(words)));
    let caption = sentences.collect::<Vec<_>>().join(" ");
    let _ =
        writeln!(out, "\\begin{{table}}[htbp]\n\\centering\n\\caption{{{caption}}}\n\\label{{tab:{label}}}");
    if grid.is_empty() {
        out.push_str("No result is in this table.\n\\end{table}\n");
        return;
    }
    let heads = grid.spec.rows.len();
    let numbers = grid.groups.len() * grid.spec.measures.len();
    let _ = writeln!(out, "\\begin{{tabular}}{{{}{}}}\n\\toprule", "l".repeat(heads), "r".repeat(numbers));
    head(out, grid);
    let mut before: Option<&str> = None;
    for row in &grid.rows {
        let first = row.key.first().copied();
        let same = heads > 1 && before.is_some() && before == first;
        if heads > 1 && before.is_some() && !same {
            out.push_str("\\addlinespace\n");
        }
        before = first;
        let mut cells: Vec<String> = row.key.iter().map(|value| text(or_dash(value))).collect();
        if same && let Some(first) = cells.first_mut() {
            // A group of rows shows its common value once. Braces keep the cell from being empty.
            *first = "{}".to_owned();
        }
        cells.extend(row.entries.iter().map(|value| entry(grid, value)));
        let _ = writeln!(out, "{} \\\\", cells.join(" & "));
    }
    out.push_str("\\bottomrule\n\\end{tabular}\n");
    foot(out, grid);
    out.push_str("\\end{table}\n");
}

/// One row of headings, or two if groups have several measures.
fn head(out: &mut String, grid: &Grid<'_>) {
    let heads: Vec<String> = grid.spec.rows.iter().map(|name| text(name)).collect();
    let titles: Vec<String> = grid.measure_titles().iter().map(|title| text(title)).collect();
    let grouped = !grid.spec.columns.is_empty();
    if grouped && titles.len() == 1 {
        let groups = grid.groups.iter().map(|group| text(group));
        let above = format!("\\multicolumn{{{}}}{{c}}{{{}}}", grid.groups.len(), titles.concat());
        let _ = writeln!(out, "{} \\\\", with_blanks(heads.len(), above));
        rule(out, heads.len() + 1, heads.len() + grid.groups.len());
        let cells: Vec<String> = heads.iter().cloned().chain(groups).collect();
        let _ = writeln!(out, "{} \\\\\n\\midrule", cells.join(" & "));
        return;
    }
    if grouped {
        let group = |group: &String| format!("\\multicolumn{{{}}}{{c}}{{{}}}", titles.len(), text(group));
        let above: Vec<String> = grid.group_titles().iter().map(group).collect();
        let _ = writeln!(out, "{} \\\\", with_blanks(heads.len(), above.join(" & ")));
        for at in 0..grid.groups.len() {
            let first = heads.len() + at * titles.len() + 1;
            rule(out, first, first + titles.len() - 1);
        }
    }
    let below = grid.groups.iter().flat_map(|_| titles.iter().cloned());
    let cells: Vec<String> = heads.iter().cloned().chain(below).collect();
    let _ = writeln!(out, "{} \\\\\n\\midrule", cells.join(" & "));
}

fn with_blanks(blanks: usize, rest: String) -> String {
    format!("{}{rest}", "{} & ".repeat(blanks))
}

fn rule(out: &mut String, from: usize, to: usize) {
    let _ = writeln!(out, "\\cmidrule(lr){{{from}-{to}}}");
}

fn foot(out: &mut String, grid: &Grid<'_>) {
    let mut sentences: Vec<String> = grid.legend().iter().map(|words| text(words)).collect();
    for (at, note) in grid.footnotes.iter().enumerate() {
        sentences.push(sentence(&format!("{}: {}", dagger(grid, at), text(note))));
    }
    if !sentences.is_empty() {
        let _ = writeln!(out, "\\par\\smallskip\n{{\\footnotesize {}\\par}}", sentences.join(" "));
    }
}

fn dagger(grid: &Grid<'_>, footnote: usize) -> String {
    format!("\\ensuremath{{^{{{}}}}}", grid.dagger(footnote).replace('†', "\\dagger{}"))
}

/// A text with a full stop at its end.
fn sentence(words: &str) -> String {
    if words.ends_with(['.', '!', '?']) { words.to_owned() } else { format!("{words}.") }
}

fn entry(grid: &Grid<'_>, entry: &Entry) -> String {
    let mut out = match &entry.mean {
        Some(mean) if entry.best => format!("$\\mathbf{{{}}}", mean.latex()),
        Some(mean) => format!("${}", mean.latex()),
        None => "--".to_owned(),
    };
    if entry.mean.is_some() {
        let _ = match &entry.spread {
            Spread::Unknown => Ok(()),
            Spread::Deviation(sd) => write!(out, " \\pm {}", sd.latex()),
            Spread::Interval(low, high) => write!(out, "\\;[{}, {}]", low.latex(), high.latex()),
        };
        out.push('$');
    }
    if let Some(paper) = &entry.paper {
        let _ = write!(out, " (${}$)", paper.latex());
    }
    if let Some(footnote) = entry.footnote {
        out.push_str(&dagger(grid, footnote));
    }
    out
}
