//! Tables and plots that do not fit.

use super::sample::sample;
use crate::report::{Axis, PaperCell, ReportError, Results, Shown, check, latex, markdown, page, svg};

/// What is said about the sample after a change. Nothing that shows it may fail.
fn refused(change: impl FnOnce(&mut Results)) -> String {
    let mut results = sample();
    change(&mut results);
    let _ = (markdown(&results), latex(&results), page(std::slice::from_ref(&results)));
    results.plots.iter().for_each(|plot| drop(svg(&results, plot)));
    check(&results).map_or_else(|error: ReportError| error.to_string(), |()| "fits".to_owned())
}

const KNOWN: &str = "there are: \"budget\", \"dataset\", \"mechanism\"";

#[test]
fn what_no_cell_has_is_named() {
    let table = "table 1, \"How often the author is found\"";
    assert_eq!(
        refused(|results| results.tables[0].rows[0] = "set".into()),
        format!("{table}: no cell has the coordinate \"set\"; {KNOWN}")
    );
    assert_eq!(
        refused(|results| results.tables[0].measures[0].measure = "f1".into()),
        format!("{table}: no cell in it has the measure \"f1\"; there are: \"cosine\", \"found\"")
    );
    assert_eq!(
        refused(|results| results.tables[1].only = [("dataset".into(), vec!["books".into()])].into()),
        "table 2, \"Found and kept, side by side\": no cell has \"books\" as its \"dataset\"; \
         there are: \"mails\", \"reviews\""
    );
    let plot = "plot 2, \"What is kept for what is given away\"";
    assert_eq!(
        refused(|results| results.plots[1].along = Some("time".into())),
        format!("{plot}: no cell has the coordinate \"time\"; {KNOWN}")
    );
    assert_eq!(
        refused(|results| results.plots[1].x = Axis::coordinate("mechanism", "")),
        format!("{plot}: no value of \"mechanism\" on its axis x is a number")
    );
    assert_eq!(
        refused(|results| results.plots[1].y = Axis::default()),
        format!("{plot}: its axis y needs either a measure or a coordinate")
    );
}

#[test]
fn what_falls_into_one_place_is_named() {
    assert_eq!(
        refused(|results| results.tables[1].only.clear()),
        "table 2, \"Found and kept, side by side\": several cells fall into one place, \"polar · 5\": \
         show or filter one of \"dataset\""
    );
    let twice = refused(|results| results.cells.push(results.cells[0].clone()));
    assert!(twice.ends_with("\"reviews · polar · 5\": keep one of them"), "{twice}");
}

#[test]
fn figures_of_the_paper_have_to_fit() {
    let paper = |row: &[&str], column: &[&str], measure: &str| {
        let all = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        let figure = PaperCell { row: all(row), column: all(column), measure: measure.into(), value: 0.5 };
        refused(|results| results.tables[0].paper.push(figure))
    };
    assert_eq!(paper(&["mails", "polar"], &["5"], "found"), "fits");
    assert!(paper(&["mails"], &["5"], "found").contains("one value for each coordinate"));
    assert!(paper(&["mails", "Polar"], &["5"], "found").contains("no cell has \"Polar\""));
    assert!(paper(&["mails", "polar"], &["5"], "cosine").contains("is not one that it shows"));
}

#[test]
fn nothing_at_all_can_be_shown() {
    let empty = refused(|results| results.cells.clear());
    assert!(empty.ends_with("there are: none"), "{empty}");
    assert!(refused(|results| results.tables[0].measures.clear()).contains("it shows no measure"));
    let unknown = Shown::plain("nothing", "", 200);
    assert!(refused(|results| results.tables[0].measures = vec![unknown]).contains("\"nothing\""));
    assert!(page(&[]).contains("<h1>Results</h1>"));
}
