//! Tables and plots that do not fit.

use super::sample::sample;
use crate::results::{
    AxisSpec, PaperCell, Results, ResultsError, TableMeasure, check, latex, markdown, page, plot,
};

/// The error of the sample after a change. Showing it never fails.
fn refused(change: impl FnOnce(&mut Results)) -> String {
    let mut results = sample();
    change(&mut results);
    let _ = (markdown(&results), latex(&results), page(std::slice::from_ref(&results)));
    results.plots.iter().for_each(|spec| drop(plot(&results, spec).svg()));
    check(&results).map_or_else(|error: ResultsError| error.to_string(), |()| "fits".to_owned())
}

const KNOWN: &str = "known: \"budget\", \"dataset\", \"mechanism\"";

#[test]
fn the_error_names_what_no_cell_has() {
    let table = "table 1, \"How often the author is found\"";
    assert_eq!(
        refused(|results| results.tables[0].rows[0] = "set".into()),
        format!("{table}: no cell has the coordinate \"set\"; {KNOWN}")
    );
    assert_eq!(
        refused(|results| results.tables[0].measures[0].measure = "f1".into()),
        format!("{table}: no cell in it has the measure \"f1\"; known: \"cosine\", \"found\"")
    );
    assert_eq!(
        refused(|results| results.tables[1].only = [("dataset".into(), vec!["books".into()])].into()),
        "table 2, \"Leakage and utility\": no cell has the value \"books\" of \"dataset\"; \
         known: \"mails\", \"reviews\""
    );
    let plot = "plot 2, \"Utility against leakage\"";
    assert_eq!(
        refused(|results| results.plots[1].along = Some("time".into())),
        format!("{plot}: no cell has the coordinate \"time\"; {KNOWN}")
    );
    assert_eq!(
        refused(|results| results.plots[1].x = AxisSpec::coordinate("mechanism", "")),
        format!("{plot}: its axis x has no numbers: no value of \"mechanism\" is one")
    );
    assert_eq!(
        refused(|results| results.plots[1].y = AxisSpec::default()),
        format!("{plot}: its axis y needs either a measure or a coordinate")
    );
}

#[test]
fn the_error_names_cells_at_the_same_position() {
    assert_eq!(
        refused(|results| results.tables[1].only.clear()),
        "table 2, \"Leakage and utility\": several cells are at the position \"polar · 5\"; \
         show or filter one of \"dataset\""
    );
    let twice = refused(|results| results.cells.push(results.cells[0].clone()));
    assert!(twice.ends_with("\"reviews · polar · 5\"; keep one of them"), "{twice}");
}

#[test]
fn figures_of_the_paper_must_fit() {
    let paper = |row: &[&str], column: &[&str], measure: &str| {
        let all = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        let figure = PaperCell { row: all(row), column: all(column), measure: measure.into(), value: 0.5 };
        refused(|results| results.tables[0].paper.push(figure))
    };
    assert_eq!(paper(&["mails", "polar"], &["5"], "found"), "fits");
    assert!(paper(&["mails"], &["5"], "found").contains("one value for each coordinate"));
    assert!(paper(&["mails", "Polar"], &["5"], "found").contains("no cell has the value \"Polar\""));
    assert!(paper(&["mails", "polar"], &["5"], "cosine").contains("which the table does not show"));
}

#[test]
fn empty_results_can_be_shown() {
    let empty = refused(|results| results.cells.clear());
    assert!(empty.ends_with("known: none"), "{empty}");
    assert!(refused(|results| results.tables[0].measures.clear()).contains("it shows no measure"));
    let unknown = TableMeasure::plain("nothing", "", 200);
    assert!(refused(|results| results.tables[0].measures = vec![unknown]).contains("\"nothing\""));
    assert!(page(&[]).contains("<h1>Results</h1>"));
}
