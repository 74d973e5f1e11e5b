//! Presidio, which is Python: a script of the user's runs it over the gold file and prints its score as text.
//!
//! ```text
//! PERSON               650/814
//! P 0.710 R 0.660 F2 0.669  9.5 kB/s
//! ```
//!
//! One line per label (spans found whole / all), then precision and recall of characters of any kind, and speed. F2 is
//! computed here, as for the others.

use std::path::Path;
use std::process::Command;

use crate::Outcome;
use crate::score::{Score, Whole};

pub(crate) fn measure(python: &Path, script: &Path, gold: &Path) -> Outcome<Score> {
    let output = Command::new(python)
        .arg(script)
        .arg(gold)
        .output()
        .map_err(|error| format!("cannot run {}: {error}", python.display()))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        let last = message.trim().lines().last().unwrap_or_default();
        return Err(format!("{} failed: {last}", script.display()).into());
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    parse(&printed).ok_or_else(|| format!("{} printed no score that can be read", script.display()).into())
}

fn parse(printed: &str) -> Option<Score> {
    let lines: Vec<&str> = printed.trim_end().lines().collect();
    let (last, labels) = lines.split_last()?;
    let mut score = Score::default();
    for line in labels {
        let (label, counts) = line.trim_end().rsplit_once(' ')?;
        let (found, of) = counts.split_once('/')?;
        let whole = Whole { found: found.parse().ok()?, of: of.parse().ok()? };
        score.whole.entry(label.trim().to_lowercase()).or_default().add(whole);
    }
    let words: Vec<&str> = last.split_whitespace().collect();
    let ["P", precision, "R", recall, "F2", _, speed, "kB/s"] = words[..] else { return None };
    score.precision = precision.parse().ok()?;
    score.recall = recall.parse().ok()?;
    score.speed = speed.parse().ok()?;
    Some(score)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_script_prints() {
        let score =
            parse("PERSON               3/4\nDATE_TIME 0/2\nP 0.500 R 0.250 F2 0.278  9.5 kB/s\n").unwrap();
        assert_eq!((score.precision, score.recall, score.speed), (0.5, 0.25, 9.5));
        assert_eq!(score.whole["person"], Whole { found: 3, of: 4 });
        assert_eq!(score.whole["date_time"], Whole { found: 0, of: 2 });
    }

    #[test]
    fn anything_else_is_no_score() {
        for printed in ["", "PERSON 3/4\n", "Loading…\nP 0.500 R 0.250 F2 0.278  9.5 kB/s\n"] {
            assert!(parse(printed).is_none(), "{printed}");
        }
    }
}
