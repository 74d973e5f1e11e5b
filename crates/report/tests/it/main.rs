//! Any text and any numbers: nothing from the data becomes markup, and nothing is drawn outside of
//! a drawing.
#![allow(clippy::unwrap_used)] // a failed step is a failed test

mod markup;

use inkveil_report::{
    AnnotatedHead, AnnotatedPage, Axis, Baseline, Colour, DataTable, Dot, DotMap, Fact, FactValue, HeatMap,
    LegendEntry, LineStyle, Mark, Marks, Panel, Plot, Point, ResultsPage, ResultsPart, ScorePage, ScoreTrait,
    Series, Table, TableCell, TableHead, TableRow, Underline,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Texts that try to become markup, and any others.
fn text() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(vec![
        "</title><script>alert(1)</script>",
        "\" onload=\"x",
        "' & <b> |",
        "]]> --> <!--",
        "{{ x }} {% if %}",
        "",
        "\u{202e}\0\u{1b}\u{ffff}",
        "ε 中 ß",
    ]);
    prop_oneof![2 => hostile.prop_map(str::to_owned), 1 => any::<String>()]
}

fn number() -> impl Strategy<Value = f64> {
    let edge =
        vec![0.0, -0.0, 1.0, f64::MAX, f64::MIN, 5e-324, 1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    prop_oneof![1 => prop::sample::select(edge), 1 => any::<f64>(), 2 => -2.0..2.0]
}

fn axis() -> impl Strategy<Value = Axis> {
    let parts = (text(), any::<[bool; 2]>(), prop::option::of((number(), number())));
    parts.prop_map(|(title, [percent, log], range)| Axis { title, percent, log, range })
}

fn plot() -> impl Strategy<Value = Plot> {
    let point = (number(), number(), text()).prop_map(|(x, y, label)| Point {
        x_bar: Some((x, y)),
        y_bar: Some((y, x)),
        label,
        ..Point::at(x, y)
    });
    let series = (text(), 0..20_usize, vec(point, 0..5));
    let series = series.prop_map(|(name, style, points)| Series { name, style: LineStyle(style), points });
    let panel = (text(), prop::option::of(axis()), vec(series, 0..3));
    let panel = panel.prop_map(|(title, y, series)| Panel { title, y, series });
    let marks = prop::sample::select(vec![Marks::Points, Marks::PointsAndLines, Marks::Lines]);
    (vec(text(), 4), axis(), axis(), vec(panel, 0..4), marks, number()).prop_map(
        |(texts, x, y, panels, marks, value)| Plot {
            title: texts[0].clone(),
            about: texts[1].clone(),
            x,
            y,
            panels,
            marks,
            baseline: Some(Baseline { value, name: texts[2].clone() }),
            remarks: vec![texts[3].clone()],
        },
    )
}

fn part(texts: &[String], plot: Plot) -> ResultsPart {
    let t = |at: usize| texts[at].clone();
    let cell =
        TableCell { value: t(0), bold: true, spread: Some(t(1)), footnote: Some(t(2)), beside: Some(t(3)) };
    let row = |group: usize| TableRow { group: Some(t(group)), name: t(4), cells: vec![cell.clone()] };
    let head = TableHead::Grouped(vec![(t(0), 1)], vec![t(1)]);
    let table =
        Table { title: t(5), about: t(6), corner: t(7), head, rows: vec![row(1), row(2)], notes: vec![t(3)] };
    let flat = Table { head: TableHead::Flat(vec![t(2)]), ..table.clone() };
    let data = FactValue::Data { name: t(0), about: t(1), files: vec![[t(2), t(3), t(4)]] };
    let facts = [FactValue::Text(t(5)), FactValue::Code(t(6)), data];
    ResultsPart {
        title: t(0),
        facts: facts.map(|value| Fact { name: t(7), value }).to_vec(),
        findings: vec![t(1)],
        notes: vec![t(2)],
        tables: vec![table, flat, Table::default()],
        plots: vec![plot.clone(), plot],
        settings: t(3),
        cells: Some(DataTable {
            title: t(4),
            columns: vec![(t(5), true), (t(6), false)],
            rows: vec![vec![t(0), t(1)]],
        }),
    }
}

fn annotated(texts: &[String]) -> String {
    let t = |at: usize| texts[at].clone();
    let entry = LegendEntry { name: t(0), text: t(1), colour: Colour::GREY, underline: Underline::Dotted };
    let head = AnnotatedHead { title: t(2), warning: t(3), text: t(4), legend: vec![entry], note: t(5) };
    let (page, mut out) = (AnnotatedPage::new(head), Vec::new());
    let out = &mut out;
    page.begin(out).unwrap();
    page.open_document(out).unwrap();
    page.heading(out, &texts[0]).unwrap();
    page.note(out, &texts[1]).unwrap();
    page.open_columns(out).unwrap();
    page.open_text(out, Some(&texts[2])).unwrap();
    page.plain(out, &texts[3]).unwrap();
    for kind in [0, 7] {
        let mark = Mark { text: &texts[4], kind, label: Some(&texts[5]), bold: true, reason: texts };
        page.mark(out, &mark).unwrap();
    }
    page.close_text(out).unwrap();
    page.close_columns(out).unwrap();
    page.close_document(out).unwrap();
    page.counts(out, &texts[6], &[(texts[7].as_str(), 3)]).unwrap();
    page.preformatted(out, &texts[0], &texts[1]).unwrap();
    page.end(out).unwrap();
    String::from_utf8(out.clone()).unwrap()
}

fn well_formed(text: &str) -> Result<(), TestCaseError> {
    markup::check(text).and_then(|()| markup::check_numbers(text)).map_err(TestCaseError::fail)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn drawings_are_well_formed(plot in plot(), texts in vec(text(), 4), numbers in vec(number(), 6)) {
        well_formed(&plot.svg())?;
        let rows = vec![(texts[0].clone(), numbers.clone())];
        let columns = texts.clone();
        well_formed(&HeatMap { title: texts[1].clone(), rows, columns, scale: texts[2].clone() }.svg())?;
    }

    #[test]
    fn maps_are_well_formed(text in text(), places in vec(-1e6..1e6_f64, 6)) {
        let dots = places.chunks(2).map(|at| Dot { at: [at[0], at[1]], weight: at[0], hollow: at[1] > 0.0 });
        let highlight = Some(([places[1], places[2]], text.clone()));
        let map = DotMap { title: text.clone(), dots: dots.collect(), highlight };
        well_formed(&map.svg())?;
        let page = ScorePage {
            title: text.clone(),
            warning: text.clone(),
            text: text.clone(),
            score: Some((text.clone(), places[0])),
            facts: vec![(text.clone(), text.clone())],
            traits_title: text.clone() + "x",
            no_traits: text.clone(),
            traits: vec![ScoreTrait { text: text.clone(), quote: Some(text.clone()) }],
            map: Some((text.clone(), map, text.clone())),
            note: text,
        };
        well_formed(&page.html())?;
    }

    #[test]
    fn pages_are_well_formed(texts in vec(text(), 8), plot in plot()) {
        let part = part(&texts, plot);
        let page = ResultsPage { title: texts[0].clone(), parts: vec![part.clone(), part] };
        well_formed(&page.html())?;
        well_formed(&annotated(&texts))?;
    }
}

#[test]
fn pages_allow_no_requests() {
    let texts: Vec<String> = (0..8).map(|at| format!("text {at}")).collect();
    let score = ScorePage { title: "t".into(), ..ScorePage::default() }.html();
    for page in [ResultsPage::default().html(), annotated(&texts), score] {
        assert!(page.starts_with("<!doctype html>\n<html lang=\"en\">"));
        assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'"));
        assert!(!page.contains("<script") && !page.contains("src=\"") && !page.contains("url("));
    }
}

#[test]
fn series_with_the_same_name_share_an_entry_of_the_legend() {
    let series = |points: usize| Series {
        name: "polar".into(),
        style: LineStyle(0),
        points: (0..points).map(|at| Point::at(at as f64, 1.0)).collect(),
    };
    let panel = |points| Panel { series: vec![series(points)], ..Panel::default() };
    let plot = |points, marks| Plot { panels: vec![panel(points), panel(points)], marks, ..Plot::default() };
    let drawn = plot(3, Marks::PointsAndLines).svg();
    assert_eq!(drawn.matches(">polar</text>").count(), 1);
    // A marker for each point and for the legend.
    assert_eq!(drawn.matches("fill=\"currentColor\" stroke=\"none\"").count(), 7);
    // Long series have no markers, short ones do.
    assert_eq!(plot(99, Marks::Lines).svg().matches("fill=\"currentColor\" stroke=\"none\"").count(), 1);
    assert_eq!(plot(1, Marks::Lines).svg().matches("fill=\"currentColor\" stroke=\"none\"").count(), 3);
}

#[test]
fn a_panel_can_have_its_own_axis() {
    let series =
        |y: f64| vec![Series { points: vec![Point::at(1.0, y), Point::at(2.0, 0.0)], ..Series::default() }];
    let own = Axis { percent: true, range: Some((0.0, 1.0)), ..Axis::titled("share") };
    let panels = vec![
        Panel { series: series(5000.0), ..Panel::default() },
        Panel { y: Some(own), series: series(0.5), ..Panel::default() },
    ];
    let drawn = Plot { y: Axis::titled("count"), panels, ..Plot::default() }.svg();
    for label in [">count<", ">share<", ">100 %<", ">4000<"] {
        assert!(drawn.contains(label), "{label}");
    }
    assert!(!drawn.contains("500000 %"));
}
