//! Every number of the results, folded up.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::report::escape::html as text;
use crate::report::number::{brief, count};
use crate::report::results::{Cell, Results};
use crate::report::select::shown;

/// Writes a row for each measure of each cell. Writing to a string cannot fail.
pub(super) fn write(out: &mut String, results: &Results) {
    if results.cells.is_empty() {
        return;
    }
    let names: BTreeSet<&String> = results.cells.iter().flat_map(|cell| cell.at.keys()).collect();
    let cells = count(results.cells.len() as u64);
    let reached = "role=\"region\" tabindex=\"0\" aria-label=\"Every cell\"";
    let _ =
        writeln!(out, "<details>\n<summary>Every cell ({cells})</summary>\n<div class=\"scroll\" {reached}>");
    out.push_str("<table>\n<thead>\n<tr>");
    for name in names.iter().map(|name| name.as_str()).chain(["measure"]) {
        let _ = write!(out, "<th class=\"words\" scope=\"col\">{}</th>", text(name));
    }
    for name in ["n", "mean", "sd", "low", "high", "values", "note"] {
        let class = if ["values", "note"].contains(&name) { " class=\"words\"" } else { "" };
        let _ = write!(out, "<th{class} scope=\"col\">{name}</th>");
    }
    out.push_str("</tr>\n</thead>\n<tbody>\n");
    for cell in &results.cells {
        write_cell(out, cell, &names);
    }
    out.push_str("</tbody>\n</table>\n</div>\n</details>\n");
}

fn write_cell(out: &mut String, cell: &Cell, names: &BTreeSet<&String>) {
    for (name, measure) in &cell.measures {
        out.push_str("<tr>");
        let at = names.iter().map(|name| cell.at.get(*name).map_or("", String::as_str));
        for (column, value) in at.chain([name.as_str()]).enumerate() {
            let tag =
                if column == 0 { ("<th scope=\"row\">", "</th>") } else { ("<td class=\"words\">", "</td>") };
            let _ = write!(out, "{}{}{}", tag.0, text(shown(value)), tag.1);
        }
        let number = |value: Option<f64>| value.map_or("–".to_owned(), brief);
        let numbers = [Some(measure.mean), measure.sd, measure.low, measure.high].map(number);
        let _ = write!(out, "<td>{}</td><td>{}</td>", count(cell.n), numbers.join("</td><td>"));
        let values: Vec<String> = measure.values.iter().map(|value| brief(*value)).collect();
        let note = text(cell.note.as_deref().unwrap_or(""));
        let _ = writeln!(
            out,
            "<td class=\"words\">{}</td><td class=\"words\">{note}</td></tr>",
            values.join(", ")
        );
    }
}
