//! The scores as Markdown.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::gold::Gold;
use crate::labels::{is_person, is_structured};
use crate::score::{Score, Whole};

pub(crate) fn markdown(name: &str, gold: &[Gold], scores: &[(String, Score)]) -> String {
    let size: usize = gold.iter().map(|gold| gold.text.len()).sum();
    let mut page = format!("## {name}: {} texts, {:.0} kB\n\n", gold.len(), size as f64 / 1e3);
    page += "| tool | P | R | F2 | person | structured | kB/s |\n|---|---|---|---|---|---|---|\n";
    for (tool, score) in scores {
        let (precision, recall, f2) = (score.precision, score.recall, score.f2());
        let (person, structured) = (share(score.whole_of(is_person)), share(score.whole_of(is_structured)));
        let speed = speed(score.speed);
        // Writing to a string does not fail.
        let _ = writeln!(
            page,
            "| {tool} | {precision:.3} | {recall:.3} | {f2:.3} | {person} | {structured} | {speed} |"
        );
    }
    page + "\n" + &by_label(scores)
}

/// Spans found whole: a row per label, a column per tool.
fn by_label(scores: &[(String, Score)]) -> String {
    let labels: BTreeSet<&String> = scores.iter().flat_map(|(_, score)| score.whole.keys()).collect();
    let tools: String = scores.iter().map(|(tool, _)| format!(" {tool} |")).collect();
    let mut page = format!("| label | spans |{tools}\n|---|---|{}\n", "---|".repeat(scores.len()));
    for label in labels {
        let of = |score: &Score| score.whole.get(label).copied().unwrap_or_default();
        let spans = scores.iter().map(|(_, score)| of(score).of).max().unwrap_or_default();
        let shares: String = scores.iter().map(|(_, score)| format!(" {} |", share(of(score)))).collect();
        let _ = writeln!(page, "| {label} | {spans} |{shares}");
    }
    page
}

fn share(whole: Whole) -> String {
    whole.share().map_or("–".to_owned(), |share| format!("{share:.3}"))
}

/// Three digits or more: slow tools would all be 10 otherwise.
fn speed(speed: f64) -> String {
    if speed < 100.0 { format!("{speed:.1}") } else { format!("{speed:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_per_tool_then_one_per_label() {
        let mut score = Score { precision: 0.5, recall: 0.5, speed: 9.51, ..Score::default() };
        score.whole.insert("person".to_owned(), Whole { found: 1, of: 4 });
        let page = markdown("set", &[], &[("tool".to_owned(), score)]);
        assert!(page.contains("| tool | 0.500 | 0.500 | 0.500 | 0.250 | – | 9.5 |\n"), "{page}");
        assert!(page.ends_with("| person | 4 | 0.250 |\n"), "{page}");
    }
}
