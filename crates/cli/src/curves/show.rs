//! Curves as a table, JSON or comma-separated values on standard output.

use std::io::Write;

use anyhow::Context;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Value, json};

use super::{Curve, Findings};

use crate::printed;

/// Prints a table. A name is in the first of its rows only.
pub(super) fn table(findings: &Findings<'_>) -> anyhow::Result<()> {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    let distinct = format!("distinct of {}", findings.draws);
    table.set_header(["mechanism", "ε", "survival", &distinct, "mean cosine", "attack"]);
    for curve in &findings.curves {
        for (at, point) in curve.points.iter().enumerate() {
            table.add_row([
                if at == 0 { curve.subject.name.to_owned() } else { String::new() },
                epsilon(point.epsilon),
                percent(point.survival),
                format!("{:.1}", point.distinct),
                format!("{:.3}", point.cosine),
                percent(point.attack),
            ]);
        }
    }
    for column in 1..=5 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(printed::stdout()?, "{table}").context("cannot write the table")
}

pub(super) fn json(findings: &Findings<'_>) -> anyhow::Result<()> {
    let curve = |curve: &Curve| json!({ "mechanism": curve.subject.name, "stored": curve.stored, "points": curve.points });
    let value = json!({
        "pack": findings.pack,
        "lexicon": findings.lexicon.name(),
        "distinct_of": findings.draws,
        "curves": findings.curves.iter().map(curve).collect::<Vec<Value>>(),
    });
    let text = serde_json::to_string_pretty(&value)?;
    writeln!(printed::stdout()?, "{text}").context("cannot write the JSON")
}

/// Prints comma-separated values. No field needs quotes.
pub(super) fn csv(findings: &Findings<'_>) -> anyhow::Result<()> {
    let mut text = "lexicon,mechanism,epsilon,survival,distinct,distinct_of,cosine,attack\n".to_owned();
    for curve in &findings.curves {
        for point in &curve.points {
            let (lexicon, name, draws) = (findings.lexicon, curve.subject.name, findings.draws);
            let inkveil::CurvePoint { epsilon, survival, distinct, cosine, attack } = point;
            text += &format!("{lexicon},{name},{epsilon},{survival},{distinct},{draws},{cosine},{attack}\n");
        }
    }
    printed::stdout()?.write_all(text.as_bytes()).context("cannot write the values")
}

/// Three significant digits, the precision of the measurement.
fn epsilon(epsilon: f64) -> String {
    let digits = (2.0 - epsilon.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{epsilon:.digits$}")
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::epsilon;

    #[test]
    fn epsilons_have_three_significant_digits() {
        let shown = [0.001, 0.0123, 0.3, 1.0, 9.99, 12.200000000000001, 128.0, 52_400.0].map(epsilon);
        assert_eq!(shown, ["0.00100", "0.0123", "0.300", "1.00", "9.99", "12.2", "128", "52400"]);
    }
}
