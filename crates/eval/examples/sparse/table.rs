//! Means and deviations over seeds, as Markdown.

use std::fmt::Write;

use inkveil_eval::attack::Exposure;
use inkveil_eval::metrics::Estimate;

use crate::Study;
use crate::cell::{Cell, Record};
use crate::defence::Defence;
use crate::journal::Journal;
use crate::spread::{mean, spread};

/// One row: the records of all seeds.
struct Row<'a> {
    defence: Defence,
    epsilon: Option<f64>,
    records: Vec<&'a Record>,
}

pub(crate) fn markdown(study: &Study, cells: &[Cell], journal: &Journal) -> String {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for cell in cells {
        let Some(record) = journal.get(cell) else { continue };
        match rows.iter_mut().find(|row| row.defence == cell.defence && row.epsilon == cell.epsilon) {
            Some(row) => row.records.push(record),
            None => rows.push(Row { defence: cell.defence, epsilon: cell.epsilon, records: vec![record] }),
        }
    }
    let mut text = format!("{}; {} dimensions. Figures in percent", study.corpus, study.dim);
    text.push_str(match study.options.seeds {
        1 => ", with the 95 % interval over sentences.\n\n",
        _ => ", mean ± deviation over seeds.\n\n",
    });
    exposures(&mut text, &rows);
    kinds(&mut text, &rows, study);
    text
}

fn exposures(text: &mut String, rows: &[Row<'_>]) {
    text.push_str(
        "| defence | ε | formal ε per unit | leakage | confidence | found | Pearson | neighbours | R |\n",
    );
    text.push_str("|---|---|---|---|---|---|---|---|---|\n");
    let clean = rows.iter().find(|row| row.defence == Defence::None);
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.defence,
            row.epsilon.map_or("–".to_owned(), |epsilon| epsilon.to_string()),
            row.formal(),
            row.estimate(|exposure| exposure.leakage),
            row.estimate(|exposure| exposure.confidence),
            row.estimate(|exposure| exposure.found),
            spread(&row.values(|record| record.utility)),
            spread(&row.values(|record| record.neighbours)),
            clean.and_then(|clean| row.tradeoff(clean)).unwrap_or("–".to_owned()),
        );
    }
    text.push_str(
        "\nR is the leakage that a point of correlation buys, from no defence on (Table 9 of the paper).\n",
    );
}

fn kinds(text: &mut String, rows: &[Row<'_>], study: &Study) {
    let kinds: Vec<String> = study.corpus.kinds().keys().map(|kind| kind.name().to_owned()).collect();
    let _ = writeln!(text, "\nLeakage and found, by kind:\n\n| defence | ε | {} |", kinds.join(" | "));
    let _ = writeln!(text, "|---|---|{}", "---|".repeat(kinds.len()));
    for row in rows {
        let of_kind = |kind: &String| {
            let all: Vec<&Exposure> =
                row.records.iter().filter_map(|record| record.kinds.get(kind)).collect();
            let mean = |of: fn(&Exposure) -> f64| {
                100.0 * all.iter().map(|exposure| of(exposure)).sum::<f64>() / all.len() as f64
            };
            match all.is_empty() {
                true => "–".to_owned(),
                false => format!("{:.1}, {:.1}", mean(|e| e.leakage.mean), mean(|e| e.found.mean)),
            }
        };
        let epsilon = row.epsilon.map_or("–".to_owned(), |epsilon| epsilon.to_string());
        let cells: Vec<String> = kinds.iter().map(of_kind).collect();
        let _ = writeln!(text, "| {} | {epsilon} | {} |", row.defence, cells.join(" | "));
    }
}

impl Row<'_> {
    fn values(&self, of: impl Fn(&Record) -> f64) -> Vec<f64> {
        self.records.iter().map(|record| of(record)).collect()
    }

    fn mean(&self, of: impl Fn(&Record) -> f64) -> f64 {
        mean(&self.values(of))
    }

    /// Over several seeds a deviation, of a single one the interval over sentences.
    fn estimate(&self, of: fn(&Exposure) -> Estimate) -> String {
        match self.records[..] {
            [record] => {
                let Estimate { mean, low, high } = of(&record.exposure);
                format!("{:.1} [{:.1}, {:.1}]", 100.0 * mean, 100.0 * low, 100.0 * high)
            }
            _ => spread(&self.values(|record| of(&record.exposure).mean)),
        }
    }

    fn formal(&self) -> String {
        let promises: Vec<_> = self.records.iter().filter_map(|record| record.promise.as_ref()).collect();
        let Some(first) = promises.first() else { return "–".to_owned() };
        // Each seed has its own shape of noise; the weakest promise counts.
        let worst = promises.iter().filter_map(|promise| promise.euclidean).fold(0.0, f64::max);
        match first.euclidean {
            Some(_) => format!("{:.0} {} ({worst:.0} euclidean)", first.epsilon, first.metric),
            None => format!("{:.0} {}", first.epsilon, first.metric),
        }
    }

    fn tradeoff(&self, clean: &Row<'_>) -> Option<String> {
        let gained = clean.mean(|r| r.exposure.leakage.mean) - self.mean(|r| r.exposure.leakage.mean);
        let lost = clean.mean(|r| r.utility) - self.mean(|r| r.utility);
        // Below a tenth of a point the quotient is chance.
        (lost > 0.001).then(|| format!("{:.2}", gained / lost))
    }
}
