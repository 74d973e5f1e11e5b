//! Any names and any numbers: nothing from the data becomes markup.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{balance, markup};
use crate::results::{
    AxisSpec, Better, DataNote, Measurement, PaperCell, PlotSpec, ResultCell, Results, TableMeasure,
    TableSpec,
};
use crate::results::{latex, markdown, page, plot};

/// Texts that try to become markup, and any others.
fn text() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        "</title><script>alert(1)</script>",
        "\" onload=\"x",
        "' & <b> |",
        "a|b\n| c |",
        "```\n<i>",
        "]]> --> <!--",
        "\\end{tabular}% $#_^~{",
        "} } \\\\[1cm] & &",
        "[x](javascript:y) ![z](q)",
        "* x",
        "10",
        "",
        "\u{202e}\0\u{1b}\u{ffff}",
        "ε 中 ß",
    ]);
    prop_oneof![2 => nasty.prop_map(str::to_owned), 1 => any::<String>()]
}

fn number() -> impl Strategy<Value = f64> {
    let edge =
        vec![0.0, -0.0, 1.0, f64::MAX, f64::MIN, 5e-324, 1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    prop_oneof![1 => prop::sample::select(edge), 1 => any::<f64>(), 2 => -2.0..2.0]
}

fn measure() -> impl Strategy<Value = Measurement> {
    (vec(number(), 0..3), prop::option::of((number(), number()))).prop_map(|(values, interval)| {
        let measure = Measurement::of(&values);
        interval.map_or(measure.clone(), |(low, high)| measure.within(low, high))
    })
}

fn results() -> impl Strategy<Value = Results> {
    let names = vec(text(), 3);
    let values = vec((vec(text(), 3), number(), measure(), prop::option::of(text())), 0..6);
    let rest = (vec(text(), 9), any::<[bool; 5]>(), number(), any::<u8>());
    (names, values, rest).prop_map(|(names, values, (texts, flags, value, digits))| {
        let text = |at: usize| texts[at].clone();
        let cell = |(at, x, measure, note): (Vec<String>, f64, Measurement, Option<String>)| {
            let mut at: BTreeMap<String, String> = names.iter().cloned().zip(at).collect();
            at.insert("x".into(), x.to_string());
            ResultCell { at, n: 7, measures: [(text(0), measure)].into(), note }
        };
        let cells: Vec<ResultCell> = values.into_iter().map(cell).collect();
        let paper = PaperCell { row: vec![text(1), text(2)], column: vec![text(3)], measure: text(0), value };
        let columns = if flags[0] { vec![names[2].clone()] } else { Vec::new() };
        let better = if flags[1] { Better::Higher } else { Better::Lower };
        let shown = TableMeasure { measure: text(0), title: text(4), digits, percent: flags[2], better };
        let table = TableSpec {
            title: text(5),
            about: text(6),
            rows: names[..2].to_vec(),
            columns,
            measures: vec![shown.clone(), shown][usize::from(flags[3])..].to_vec(),
            paper: vec![paper],
            ..TableSpec::default()
        };
        let x = AxisSpec { log: flags[3], ..AxisSpec::coordinate("x", &texts[7]) };
        let y = AxisSpec { log: flags[4], percent: flags[2], ..AxisSpec::measure(&texts[0], &texts[8]) };
        let plot = PlotSpec {
            title: text(5),
            about: text(6),
            x,
            y: y.clone(),
            series: names[..1].to_vec(),
            facets: names[1..2].to_vec(),
            joined: true,
            chance: Some(value),
            ..PlotSpec::default()
        };
        let both =
            PlotSpec { x: y.clone(), y, along: Some(names[0].clone()), facets: Vec::new(), ..plot.clone() };
        let note = DataNote { files: [(text(1), text(2))].into(), rows: 9, about: text(3) };
        Results {
            name: text(1),
            title: text(2),
            command: text(3),
            commit: text(4),
            made: Some(text(5)),
            seeds: vec![1],
            data: [(text(6), note)].into(),
            settings: text(7),
            notes: vec![text(8)],
            cells,
            tables: vec![table],
            plots: vec![plot, both],
            findings: vec![text(0), text(1)],
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_becomes_markup(results in results()) {
        balance::markdown(&markdown(&results)).map_err(TestCaseError::fail)?;
        balance::latex(&latex(&results)).map_err(TestCaseError::fail)?;
        let page = page(&[results.clone(), results.clone()]);
        markup::check(&page).and_then(|()| markup::check_numbers(&page)).map_err(TestCaseError::fail)?;
        for spec in &results.plots {
            let drawing = plot(&results, spec).svg();
            markup::check(&drawing).and_then(|()| markup::check_numbers(&drawing)).map_err(TestCaseError::fail)?;
        }
    }
}

#[test]
fn a_number_that_is_not_finite_is_a_dash_and_not_a_point() {
    let cell = |x: &str, y: f64| {
        ResultCell::at([("x", x)], 1).with("y", Measurement { mean: y, ..Measurement::of(&[]) })
    };
    let table = TableSpec {
        rows: vec!["x".into()],
        measures: vec![TableMeasure::plain("y", "y", 1)],
        ..TableSpec::default()
    };
    let spec =
        PlotSpec { x: AxisSpec::coordinate("x", "x"), y: AxisSpec::measure("y", "y"), ..PlotSpec::default() };
    let cells = vec![cell("1", f64::NAN), cell("2", f64::INFINITY), cell("inf", 1.0), cell("3", 2.0)];
    let results = Results { cells, tables: vec![table], plots: vec![spec], ..Results::default() };
    let table = markdown(&results);
    assert!(table.contains("| 1 | – |\n| 2 | – |\n| inf | 1.0 |\n| 3 | 2.0 |"), "{table}");
    let drawing = plot(&results, &results.plots[0]).svg();
    assert_eq!(drawing.matches("fill=\"currentColor\"").count(), 1, "one marker");
    assert!(drawing.contains("3 results have no position on these axes and are not shown."));
}
