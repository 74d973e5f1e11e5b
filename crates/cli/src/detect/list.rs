//! `inkveil detect --list`: all kinds and rules.

use std::io::Write as _;

use anyhow::Context as _;
use comfy_table::ContentArrangement;
use inkveil::detect::rules::Rule;
use inkveil::detect::{Detector, Kind};

use crate::outcome::Outcome;
use crate::{printed, table};

const HEADER: [&str; 4] = ["kind", "rule", "finds", "score"];

/// Prints each kind and its rules: a table on a terminal, otherwise lines of fields separated by tabs.
pub(super) fn print(detector: &Detector) -> anyhow::Result<Outcome> {
    let mut rows = Vec::new();
    let settings = detector.settings();
    for kind in settings.kinds().iter().filter(|kind| settings.wants(kind)) {
        let by = match kind {
            _ if detector.rules().any(|rule| rule.kind() == kind) => "",
            Kind::Custom(_) => "found by your lists",
            _ => "found by the tagger only",
        };
        rows.push([kind.name(), "", kind.about(), by].map(str::to_owned));
        rows.extend(detector.rules().filter(|rule| rule.kind() == kind).map(|rule| row(kind, rule)));
    }
    let mut out = printed::stdout()?;
    let written = if printed::is_terminal() {
        let mut table = table::drawn(&HEADER, rows, []);
        writeln!(out, "{}", table.set_content_arrangement(ContentArrangement::Dynamic))
    } else {
        table::write(&mut out, false, &HEADER, rows, [])
    };
    written.context("cannot write the list")?;
    Ok(Outcome::Success)
}

fn row(kind: &Kind, rule: &Rule) -> [String; 4] {
    [kind.name().to_owned(), rule.name().to_owned(), rule.about().to_owned(), scores(rule)]
}

/// Describes the score of a match, and what raises it.
fn scores(rule: &Rule) -> String {
    let mut scores = Vec::new();
    if !rule.needs_context() {
        scores.push(format!("{}", rule.score()));
    }
    if let Some((check, score)) = rule.check() {
        scores.push(format!("{score} if it passes {check}"));
    }
    if let Some(score) = rule.context_score() {
        let only = if rule.needs_context() { "only " } else { "" };
        scores.push(format!("{score} {only}near {}", first_words(rule)));
    }
    scores.join("; ")
}

/// Returns the first context words.
fn first_words(rule: &Rule) -> String {
    const SHOWN: usize = 4;
    let words: Vec<String> = rule.context_words().take(SHOWN).map(|word| format!("{word:?}")).collect();
    let more = rule.context_words().nth(SHOWN).map_or("", |_| ", …");
    format!("{}{more}", words.join(", "))
}
