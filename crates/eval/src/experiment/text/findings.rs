//! Findings in sentences: which mechanism keeps most utility at equal leakage.

use std::collections::BTreeMap;

use crate::results::ResultCell;

/// The leakage at which mechanisms are compared: shares of sensitive words that the best attacker
/// finds.
const LEVELS: [f64; 3] = [0.05, 0.1, 0.2];

/// A line of the frontier: leakage and utility, in ascending order of leakage.
type Line = Vec<[f64; 2]>;

/// Compares mechanisms and allocations at equal leakage, set by set.
pub(super) fn findings(cells: &[ResultCell], utility: &str) -> Vec<String> {
    let mut lines: BTreeMap<&str, BTreeMap<String, Line>> = BTreeMap::new();
    let mut noise: BTreeMap<&str, f64> = BTreeMap::new();
    // Of replacing sensitive words: the best utility, what is guessed from the context, and the
    // method.
    let mut replaced: BTreeMap<&str, (f64, f64, &str)> = BTreeMap::new();
    for cell in cells {
        let (Some(data), Some(attack), Some(kept)) =
            (cell.at.get("data"), cell.measures.get("attack"), cell.measures.get(utility))
        else {
            continue;
        };
        let mechanism = cell.at.get("mechanism").map_or("", String::as_str);
        let name = match cell.at.get("allocation").map(String::as_str) {
            Some("–") | None if mechanism == "keep" => continue,
            // A mechanism of your own.
            Some("–") | None if !["mask", "drop", "surrogate"].contains(&mechanism) => mechanism.to_owned(),
            Some("–") | None => {
                let best = replaced.entry(data).or_insert((f64::NEG_INFINITY, 0.0, mechanism));
                if kept.mean > best.0 {
                    *best = (kept.mean, attack.mean, mechanism);
                }
                continue;
            }
            Some(allocation) => format!("{mechanism} ({allocation})"),
        };
        if let (Some(low), Some(high)) = (kept.low, kept.high) {
            let half = noise.entry(data).or_default();
            *half = half.max((high - low) / 2.0);
        }
        lines.entry(data).or_default().entry(name).or_default().push([attack.mean, kept.mean]);
    }
    let mut findings = Vec::new();
    for (data, lines) in &mut lines {
        lines.values_mut().for_each(|line| line.sort_by(|a, b| a[0].total_cmp(&b[0])));
        let half = noise.get(data).copied().unwrap_or(0.0);
        if let Some((kept, guessed, how)) = replaced.get(data) {
            findings.push(format!(
                "{data}: replacing sensitive words ({how}) keeps {:.1} % utility. No sensitive word survives; {:.1} % are guessed \
                 from the context.",
                kept * 100.0,
                guessed * 100.0
            ));
        }
        for level in LEVELS {
            let mut found: Vec<(f64, &String)> =
                lines.iter().filter_map(|(name, line)| Some((at(line, level)?, name))).collect();
            found.sort_by(|a, b| b.0.total_cmp(&a.0));
            if let [(best, name), rest @ ..] = found.as_slice()
                && let (Some((second, other)), Some((least, last))) = (rest.first(), rest.last())
            {
                let apart = if best - second > half {
                    "is best"
                } else {
                    "is best, within the interval of the second"
                };
                findings.push(format!(
                    "{data}: if the best attacker finds {:.0} % of the sensitive words, {name} {apart} with {:.1} % utility. Second is \
                     {other} with {:.1} %; last of {} is {last} with {:.1} % (intervals ± {:.1} points).",
                    level * 100.0,
                    best * 100.0,
                    second * 100.0,
                    found.len(),
                    least * 100.0,
                    half * 100.0,
                ));
            }
        }
    }
    findings
}

/// The utility of a line at this leakage; none if the line does not reach it.
fn at(line: &Line, level: f64) -> Option<f64> {
    let after = line.iter().position(|point| point[0] >= level)?;
    let [x1, y1] = line[after];
    let Some([x0, y0]) = after.checked_sub(1).map(|before| line[before]) else {
        return (x1 == level).then_some(y1);
    };
    let share = if x1 > x0 { (level - x0) / (x1 - x0) } else { 1.0 };
    Some(y0 + share * (y1 - y0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Measurement;

    #[test]
    fn the_better_line_is_named_where_both_lines_reach() {
        let cell = |mechanism: &str, attack: f64, kept: f64| {
            ResultCell::at([("data", "news"), ("mechanism", mechanism), ("allocation", "stamp")], 100)
                .with("attack", Measurement::of(&[attack]))
                .with("accuracy", Measurement::of(&[kept]).within(kept - 0.01, kept + 0.01))
        };
        let mut mask = cell("mask", 0.0, 0.65);
        mask.at.insert("allocation".to_owned(), "–".to_owned());
        let cells = [
            mask,
            cell("polar", 0.0, 0.5),
            cell("polar", 0.2, 0.7),
            cell("exponential", 0.0, 0.6),
            cell("exponential", 0.2, 0.8),
        ];
        let found = findings(&cells, "accuracy");
        assert_eq!(found.len(), 4);
        assert!(found[0].contains("(mask) keeps 65.0 %"), "{}", found[0]);
        assert!(
            found[2].contains("10 %") && found[2].contains("exponential (stamp) is best with 70.0 %"),
            "{}",
            found[2]
        );
        assert!(found[2].contains("Second is polar (stamp) with 60.0 %"), "{}", found[2]);
    }
}
