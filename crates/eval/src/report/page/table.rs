//! A table of a page.

use std::fmt::Write as _;

use crate::report::escape::html as text;
use crate::report::select;
use crate::report::table::{Entry, Grid, Spread};

/// Writes a table in a box of its own, which scrolls where the page is narrow. Rows with the same first
/// coordinate stand together under it, so that one narrow column of names stays in sight. Writing to a string
/// cannot fail.
pub(super) fn write(out: &mut String, grid: &Grid<'_>, id: &str) {
    let _ = writeln!(out, "<h3 id=\"{id}\">{}</h3>", text(&grid.spec.title));
    if !grid.spec.about.is_empty() {
        let _ = writeln!(out, "<p>{}</p>", text(&grid.spec.about));
    }
    if grid.is_empty() {
        out.push_str("<p class=\"note\">No cell is in this table.</p>\n");
        return;
    }
    // A table that fits on a sheet is not torn apart in print.
    let short = if grid.rows.len() <= 30 { " short" } else { "" };
    // A box that scrolls can be reached and moved with the keyboard.
    let reached = format!("role=\"region\" tabindex=\"0\" aria-labelledby=\"{id}\"");
    let _ = writeln!(out, "<div class=\"scroll{short}\" {reached}>\n<table>");
    head(out, grid);
    let grouped = grid.spec.rows.len() > 1;
    let wide = 1 + grid.groups.len() * grid.spec.measures.len();
    let mut before = None;
    out.push_str("<tbody>\n");
    for row in &grid.rows {
        let first = row.key.first().copied();
        if grouped && before != Some(first) {
            let name = text(select::shown(first.unwrap_or("")));
            let between = if before.is_some() { "</tbody>\n<tbody>\n" } else { "" };
            let _ = write!(out, "{between}<tr class=\"rows\"><th colspan=\"{wide}\" scope=\"rowgroup\">");
            let _ = writeln!(out, "<span>{name}</span></th></tr>");
            before = Some(first);
        }
        let own = if grouped { &row.key[1..] } else { &row.key[..] };
        let name = select::label(own);
        let long = if name.chars().count() > 20 { " class=\"long\"" } else { "" };
        let _ = write!(out, "<tr><th scope=\"row\"{long}>{}</th>", text(&name));
        for value in &row.entries {
            entry(out, grid, value);
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    let mut words: Vec<String> = grid.legend().iter().map(|words| text(words)).collect();
    for (at, note) in grid.footnotes.iter().enumerate() {
        words.push(format!("{}: {}", grid.dagger(at), text(note)));
    }
    if !words.is_empty() {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", words.join(" "));
    }
}

/// One row of heads, or two where coordinates make columns.
fn head(out: &mut String, grid: &Grid<'_>) {
    let names = if grid.spec.rows.len() > 1 { &grid.spec.rows[1..] } else { &grid.spec.rows[..] };
    let corner = text(&names.join(" · "));
    let titles = grid.measure_titles();
    out.push_str("<thead>\n");
    let heads = |out: &mut String, words: &mut dyn Iterator<Item = &String>| {
        for word in words {
            let _ = write!(out, "<th scope=\"col\">{}</th>", text(word));
        }
    };
    let write_row = |out: &mut String, rows: usize| {
        let _ = write!(out, "<tr><th class=\"corner\" scope=\"col\" rowspan=\"{rows}\">{corner}</th>");
    };
    match (grid.spec.columns.as_slice(), titles.as_slice()) {
        ([], titles) => {
            write_row(out, 1);
            heads(out, &mut titles.iter());
        }
        (names, [title]) => {
            write_row(out, 2);
            let over = format!("{title}, by {}", names.join(" and "));
            let groups = grid.groups.len();
            let _ = writeln!(
                out,
                "<th class=\"group\" colspan=\"{groups}\" scope=\"colgroup\">{}</th></tr>\n<tr>",
                text(&over)
            );
            heads(out, &mut grid.groups.iter());
        }
        (_, titles) => {
            write_row(out, 2);
            let wide = titles.len();
            for over in grid.group_titles() {
                let over = text(&over);
                let _ = write!(out, "<th class=\"group\" colspan=\"{wide}\" scope=\"colgroup\">{over}</th>");
            }
            out.push_str("</tr>\n<tr>");
            heads(out, &mut grid.groups.iter().flat_map(|_| titles));
        }
    }
    out.push_str("</tr>\n</thead>\n");
}

fn entry(out: &mut String, grid: &Grid<'_>, entry: &Entry) {
    let _ = match &entry.mean {
        Some(mean) if entry.best => write!(out, "<td><strong>{}</strong>", mean.plain()),
        Some(mean) => write!(out, "<td>{}", mean.plain()),
        None => write!(out, "<td>–"),
    };
    let _ = match &entry.spread {
        _ if entry.mean.is_none() => Ok(()),
        Spread::Unknown => Ok(()),
        Spread::Deviation(sd) => write!(out, " <span>± {}</span>", sd.plain()),
        Spread::Interval(low, high) => write!(out, " <span>[{}, {}]</span>", low.plain(), high.plain()),
    };
    if let Some(footnote) = entry.footnote {
        let _ = write!(out, "<sup>{}</sup>", grid.dagger(footnote));
    }
    if let Some(paper) = &entry.paper {
        let _ = write!(out, " <small>({})</small>", paper.plain());
    }
    out.push_str("</td>");
}
