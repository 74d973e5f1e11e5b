//! Made-up results: two data sets, three mechanisms, three budgets, two seeds.

use crate::results::{
    AxisSpec, Better, DataNote, Measurement, PaperCell, PlotSpec, ResultCell, Results, TableMeasure,
    TableSpec,
};

/// The sample. One cell is missing, one has a note, and a paper has some of the figures.
pub(super) fn sample() -> Results {
    Results {
        name: "authors".into(),
        title: "Who wrote a veiled text".into(),
        command: "inkveil eval run authors --seeds 1,2".into(),
        commit: "4317f4c".into(),
        made: Some("2026-01-31T12:00:00Z".into()),
        seeds: vec![1, 2],
        data: data(),
        settings: "[experiment]\nname = \"authors\"\nbudgets = [5, 10, 20]\n".into(),
        notes: vec!["The paper's encoder is not public. MiniLM replaces it.".into()],
        cells: cells(),
        tables: tables(),
        plots: plots(),
        findings: vec![
            "The smaller the budget, the less often the author is found.".into(),
            "polar keeps more of the meaning than laplace-l2 at the same budget.".into(),
        ],
    }
}

fn data() -> std::collections::BTreeMap<String, DataNote> {
    let note = |file: &str, hash: &str, rows, about: &str| DataNote {
        files: [(file.to_owned(), hash.repeat(8))].into(),
        rows,
        about: about.to_owned(),
    };
    [
        (
            "reviews".to_owned(),
            note("reviews.parquet", "9f86d081", 12_500, "Reviews of films by 10 authors."),
        ),
        ("mails".to_owned(), note("mails.csv", "60303ae2", 840, "Mails of a closed company.")),
    ]
    .into()
}

fn cells() -> Vec<ResultCell> {
    let mut cells = Vec::new();
    for (set, base) in [("reviews", 0.10), ("mails", 0.14)] {
        for (mechanism, gain) in [("polar", 0.012), ("laplace-l2", 0.015), ("exponential", 0.019)] {
            for budget in [5.0, 10.0, 20.0] {
                if (set, mechanism, budget) == ("mails", "exponential", 20.0) {
                    continue;
                }
                let found = base + gain * budget;
                let kept = 0.95 - 3.0 * gain * 10.0 / budget;
                let name = budget.to_string();
                let mut cell =
                    ResultCell::at([("dataset", set), ("mechanism", mechanism), ("budget", &name)], 500)
                        .with("found", Measurement::of(&[found - 0.01, found + 0.012]))
                        .with("cosine", Measurement::of(&[kept]).within(kept - 0.02, kept + 0.015));
                if (set, mechanism, budget) == ("reviews", "laplace-l2", 5.0) {
                    cell = cell.noted("One of 500 texts was too long & was left out.");
                }
                cells.push(cell);
            }
        }
    }
    cells
}

fn tables() -> Vec<TableSpec> {
    let paper = |set: &str, mechanism: &str, budget: &str, value| PaperCell {
        row: vec![set.into(), mechanism.into()],
        column: vec![budget.into()],
        measure: "found".into(),
        value,
    };
    let found = || TableMeasure::percent("found", "Author found", 1).better(Better::Lower);
    let cosine = || TableMeasure::plain("cosine", "Cosine", 3).better(Better::Higher);
    vec![
        TableSpec {
            title: "How often the author is found".into(),
            about: "The attacker has seen 50 veiled texts of each author.".into(),
            rows: vec!["dataset".into(), "mechanism".into()],
            columns: vec!["budget".into()],
            measures: vec![found()],
            paper: vec![
                paper("reviews", "polar", "5", 0.158),
                paper("reviews", "laplace-l2", "10", 0.262),
                paper("mails", "exponential", "20", 0.5),
            ],
            ..TableSpec::default()
        },
        TableSpec {
            title: "Leakage and utility".into(),
            rows: vec!["mechanism".into()],
            columns: vec!["budget".into()],
            measures: vec![found(), cosine()],
            only: [("dataset".into(), vec!["reviews".into()])].into(),
            order: [("budget".into(), vec!["20".into(), "10".into()])].into(),
            ..TableSpec::default()
        },
        TableSpec {
            title: "At ε = 10".into(),
            rows: vec!["dataset".into(), "mechanism".into()],
            measures: vec![found(), cosine()],
            only: [("budget".into(), vec!["10".into()])].into(),
            ..TableSpec::default()
        },
    ]
}

fn plots() -> Vec<PlotSpec> {
    let found = || AxisSpec::measure("found", "Author found").percent();
    vec![
        PlotSpec {
            title: "The author is found more often as the budget grows".into(),
            about: "Veiled texts, attacked with a classifier that was trained on veiled texts.".into(),
            x: AxisSpec::coordinate("budget", "Budget ε").log(),
            y: found(),
            series: vec!["mechanism".into()],
            facets: vec!["dataset".into()],
            joined: true,
            chance: Some(0.1),
            ..PlotSpec::default()
        },
        PlotSpec {
            title: "Utility against leakage".into(),
            x: found(),
            y: AxisSpec::measure("cosine", "Cosine with the original"),
            series: vec!["mechanism".into()],
            only: [("dataset".into(), vec!["reviews".into()])].into(),
            joined: true,
            along: Some("budget".into()),
            ..PlotSpec::default()
        },
    ]
}
