//! What the cells of a study say, in sentences: who keeps most of the task where attackers find equally much.

use std::collections::BTreeMap;

use crate::report::Cell;

/// At these shares of sensitive words found, mechanisms are compared.
const LEVELS: [f64; 3] = [0.05, 0.1, 0.2];

/// A line of the frontier: what attackers find and what the task keeps, in ascending order of the first.
type Line = Vec<[f64; 2]>;

/// Compares all mechanisms and allocations where attackers find equally much, set by set.
pub(super) fn findings(cells: &[Cell], utility: &str) -> Vec<String> {
    let mut lines: BTreeMap<&str, BTreeMap<String, Line>> = BTreeMap::new();
    let mut noise: BTreeMap<&str, f64> = BTreeMap::new();
    // What keeps most where what is sensitive is replaced without looking at it, and what is guessed of it all the same.
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
    let mut said = Vec::new();
    for (data, lines) in &mut lines {
        lines.values_mut().for_each(|line| line.sort_by(|a, b| a[0].total_cmp(&b[0])));
        let half = noise.get(data).copied().unwrap_or(0.0);
        if let Some((kept, guessed, how)) = replaced.get(data) {
            said.push(format!(
                "{data}: replacing what is sensitive ({how}) keeps {:.1} %; nothing of it comes through, and {:.1} % is guessed from the \
                 words around.",
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
                let apart =
                    if best - second > half { "is best" } else { "is best, within the interval of the next" };
                said.push(format!(
                    "{data}: where the best attacker finds {:.0} % of sensitive words, {name} {apart}: {:.1} %, then {other} \
                     with {:.1} %; {last} is last of {} with {:.1} % (intervals ± {:.1} points).",
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
    said
}

/// What a line keeps where attackers find this much; none where it does not reach.
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
    use crate::report::Measure;

    #[test]
    fn the_better_line_is_named_where_both_reach() {
        let cell = |mechanism: &str, attack: f64, kept: f64| {
            Cell::at([("data", "news"), ("mechanism", mechanism), ("allocation", "stamp")], 100)
                .with("attack", Measure::of(&[attack]))
                .with("accuracy", Measure::of(&[kept]).within(kept - 0.01, kept + 0.01))
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
        let said = findings(&cells, "accuracy");
        assert_eq!(said.len(), 4);
        assert!(said[0].contains("(mask) keeps 65.0 %"), "{}", said[0]);
        assert!(
            said[2].contains("10 %") && said[2].contains("exponential (stamp) is best: 70.0 %"),
            "{}",
            said[2]
        );
        assert!(said[2].contains("then polar (stamp) with 60.0 %"), "{}", said[2]);
    }
}
