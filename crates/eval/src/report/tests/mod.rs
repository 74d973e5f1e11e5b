//! Results that were made up, in every form, beside files that a person has looked at; and hostile ones.

mod balance;
mod broken;
mod hostile;
mod sample;

use super::{Results, check, latex, markdown, page, plot_file, svg};
use sample::sample;

/// Compares with a file. `REPORT_GOLDEN=write cargo test` writes it anew: look at it before you keep it.
fn golden(name: &str, found: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/golden").join(name);
    if std::env::var_os("REPORT_GOLDEN").is_some_and(|what| what == "write") {
        std::fs::write(&path, found).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let first = kept.lines().zip(found.lines()).find(|(kept, found)| kept != found);
    assert!(kept == found, "{name} is not what it was, first in: {first:?}");
}

#[test]
fn the_sample_is_well_made() {
    assert_eq!(check(&sample()), Ok(()));
}

#[test]
fn the_sample_survives_a_file() {
    let text = serde_json::to_string_pretty(&sample()).unwrap();
    assert_eq!(serde_json::from_str::<Results>(&text).unwrap(), sample());
}

#[test]
fn markdown_is_as_it_was() {
    golden("sample.md", &markdown(&sample()));
}

#[test]
fn latex_is_as_it_was() {
    let found = latex(&sample());
    golden("sample.tex", &found);
    balance::latex(&found).unwrap();
}

#[test]
fn drawings_are_as_they_were() {
    let sample = sample();
    for (at, plot) in sample.plots.iter().enumerate() {
        let drawing = svg(&sample, plot);
        balance::markup(&drawing).unwrap();
        golden(&plot_file(&sample, at), &drawing);
    }
}

#[test]
fn the_page_is_as_it_was() {
    let second = Results { title: "The same again".into(), ..sample() };
    let found = page(&[sample(), second]);
    balance::markup(&found).unwrap();
    golden("sample.html", &found);
    // The first picture is the first plot, before any finding.
    let place = |what: &str| found.find(what).unwrap();
    assert!(place("id=\"r1-plot-1\"") < place("Findings"));
    assert!(place("Findings") < place("Contents"));
    assert_eq!(found.matches("id=\"r1-plot-1\"").count(), 1);
    assert!(!found.contains("<script") && !found.contains("src="));
}
