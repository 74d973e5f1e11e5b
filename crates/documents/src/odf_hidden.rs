//! Hidden sheets and columns of OpenDocument spreadsheets.
//!
//! A sheet is hidden by its style, and a column by its definition before the rows, so the cells themselves say nothing.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::removed::Removed;
use crate::xml::{Element, Node, Space};

/// Removes hidden sheets, and the texts of cells in hidden columns.
pub(crate) fn remove(root: &mut Element, removed: &mut Removed) {
    let mut styles = BTreeSet::new();
    hiding_styles(root, &mut styles);
    walk(root, &styles, removed);
}

/// The names of styles that hide a sheet.
fn hiding_styles(element: &Element, names: &mut BTreeSet<String>) {
    let hides = |child: &Element| {
        child.is(Space::Style, "table-properties") && child.get(Space::Table, "display") == Some("false")
    };
    if element.is(Space::Style, "style")
        && element.elements().any(hides)
        && let Some(name) = element.get(Space::Style, "name")
    {
        names.insert(name.to_owned());
    }
    element.elements().for_each(|child| hiding_styles(child, names));
}

fn walk(element: &mut Element, styles: &BTreeSet<String>, removed: &mut Removed) {
    if element.is(Space::Office, "spreadsheet") {
        let is_hidden = |table: &Element| {
            table.is(Space::Table, "table")
                && table.get(Space::Table, "style-name").is_some_and(|name| styles.contains(name))
        };
        // A file needs a sheet. If all are hidden, they are shown.
        if element.elements().any(|child| child.is(Space::Table, "table") && !is_hidden(child)) {
            let before = element.children.len();
            element.children.retain(|node| !matches!(node, Node::Element(child) if is_hidden(child)));
            removed.add_many("hidden sheets", (before - element.children.len()) as u64);
        }
    }
    if element.is(Space::Table, "table") {
        let mut hidden = Vec::new();
        hidden_columns(element, &mut 0, &mut hidden);
        if !hidden.is_empty() {
            removed.add_many("hidden columns", hidden.len() as u64);
            clear(element, &hidden);
        }
    }
    for child in &mut element.children {
        if let Node::Element(child) = child {
            walk(child, styles, removed);
        }
    }
}

/// How many columns or cells an element stands for.
fn repeated(element: &Element) -> u64 {
    element.get(Space::Table, "number-columns-repeated").and_then(|count| count.parse().ok()).unwrap_or(1)
}

/// The hidden columns of a table, in order.
fn hidden_columns(element: &Element, at: &mut u64, hidden: &mut Vec<Range<u64>>) {
    for child in element.elements().filter(|child| child.space == Some(Space::Table)) {
        match child.name() {
            "table-column" => {
                let end = at.saturating_add(repeated(child));
                if child.get(Space::Table, "visibility").is_some_and(|value| value != "visible") {
                    match hidden.last_mut().filter(|last| last.end == *at) {
                        Some(last) => last.end = end,
                        None => hidden.push(*at..end),
                    }
                }
                *at = end;
            }
            "table-columns" | "table-header-columns" | "table-column-group" => {
                hidden_columns(child, at, hidden);
            }
            _ => {}
        }
    }
}

/// Removes what cells in hidden columns show.
fn clear(element: &mut Element, hidden: &[Range<u64>]) {
    for child in &mut element.children {
        let Node::Element(child) = child else { continue };
        match (child.space, child.name()) {
            (Some(Space::Table), "table-row") => {
                let mut at = 0_u64;
                for cell in &mut child.children {
                    let Node::Element(cell) = cell else { continue };
                    let end = at.saturating_add(repeated(cell));
                    let next = hidden.get(hidden.partition_point(|columns| columns.end <= at));
                    // A cell that also stands for a column that is shown is shown there.
                    if next.is_some_and(|columns| columns.start <= at && end <= columns.end) {
                        cell.children.clear();
                    }
                    at = end;
                }
            }
            (Some(Space::Table), "table-rows" | "table-header-rows" | "table-row-group") => {
                clear(child, hidden);
            }
            _ => {}
        }
    }
}
