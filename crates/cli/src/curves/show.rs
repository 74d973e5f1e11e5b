//! Curves as a table.

use comfy_table::Table;
use inkveil_eval::curves::CurveFindings;

use crate::table;

/// Draws a table. A name is in the first of its rows only.
pub(super) fn table(findings: &CurveFindings<'_>) -> Table {
    let distinct = format!("distinct of {}", findings.draws);
    let header = ["mechanism", "ε", "survival", &distinct, "mean cosine", "attack"];
    let rows = findings.curves.iter().flat_map(|curve| {
        curve.points.iter().enumerate().map(move |(at, point)| {
            [
                if at == 0 { curve.subject.name.to_owned() } else { String::new() },
                epsilon(point.epsilon),
                percent(point.survival),
                format!("{:.1}", point.distinct),
                format!("{:.3}", point.cosine),
                percent(point.attack),
            ]
        })
    });
    table::drawn(&header, rows, 1..6)
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
