//! Means and deviations over seeds, as Markdown.

use std::fmt::Write;

use crate::spread::spread;
use crate::study::{Record, Study};

pub(crate) fn markdown(study: &Study, records: &[Record]) -> String {
    let noisy = if study.options.both { "documents and queries" } else { "documents, not queries" };
    let mut text = format!(
        "{}. Noise on {noisy}. Figures in percent, mean ± deviation over seeds.\n\n",
        study.summary()
    );
    let leakage = study.attacked().is_some();
    text.push_str("| defence | ε | NDCG@10 | results kept | neighbours |");
    text.push_str(if leakage { " leakage |\n" } else { "\n" });
    text.push_str(if leakage { "|---|---:|---:|---:|---:|---:|\n" } else { "|---|---:|---:|---:|---:|\n" });
    let same = |a: &Record, b: &Record| (a.cell.defence, a.cell.epsilon) == (b.cell.defence, b.cell.epsilon);
    for row in records.chunk_by(same) {
        let Some(first) = row.first() else { continue };
        let column = |of: fn(&Record) -> Option<f64>| spread(&row.iter().filter_map(of).collect::<Vec<_>>());
        let _ = write!(
            text,
            "| {} | {} | {} | {} | {} |",
            first.cell.defence,
            first.cell.epsilon.map_or("–".to_owned(), |epsilon| epsilon.to_string()),
            column(|record| Some(record.ndcg)),
            column(|record| Some(record.results)),
            column(|record| Some(record.neighbours)),
        );
        if leakage {
            let _ = write!(text, " {} |", column(|record| record.leakage));
        }
        text.push('\n');
    }
    text
}
