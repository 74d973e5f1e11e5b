//! A made-up sample of results in every format, compared with files that a person has checked; and
//! hostile results.

mod balance;
mod broken;
mod hostile;
#[path = "../../../../report/tests/it/markup.rs"]
mod markup;
mod sample;

use super::{Results, check, latex, markdown, page, plot, plot_file};
use sample::sample;

/// Compares with a file. `REPORT_GOLDEN=write cargo test` replaces the file; check it before you
/// keep it.
fn golden(name: &str, found: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/results/golden").join(name);
    if std::env::var_os("REPORT_GOLDEN").is_some_and(|what| what == "write") {
        std::fs::write(&path, found).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let first = kept.lines().zip(found.lines()).find(|(kept, found)| kept != found);
    assert!(kept == found, "{name} has changed, first in: {first:?}");
}

#[test]
fn the_sample_is_valid() {
    assert_eq!(check(&sample()), Ok(()));
}

#[test]
fn the_sample_survives_a_file() {
    let text = serde_json::to_string_pretty(&sample()).unwrap();
    assert_eq!(serde_json::from_str::<Results>(&text).unwrap(), sample());
}

#[test]
fn markdown_has_not_changed() {
    golden("sample.md", &markdown(&sample()));
}

#[test]
fn latex_has_not_changed() {
    let found = latex(&sample());
    golden("sample.tex", &found);
    balance::latex(&found).unwrap();
}

#[test]
fn drawings_have_not_changed() {
    let sample = sample();
    for (at, spec) in sample.plots.iter().enumerate() {
        let drawing = plot(&sample, spec).svg();
        markup::check(&drawing).unwrap();
        golden(&plot_file(&sample, at), &drawing);
    }
}

#[test]
fn the_page_has_not_changed() {
    let second = Results { title: "The same again".into(), ..sample() };
    let found = page(&[sample(), second]);
    markup::check(&found).unwrap();
    golden("sample.html", &found);
    // The first plot comes before the findings.
    let place = |what: &str| found.find(what).unwrap();
    assert!(place("id=\"r1-plot-1\"") < place("Findings"));
    assert!(place("Findings") < place("Contents"));
    assert_eq!(found.matches("id=\"r1-plot-1\"").count(), 1);
    assert!(!found.contains("<script") && !found.contains("src="));
}
