//! Asks about each rewritten passage on the terminal.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};

use anyhow::{Context as _, bail, ensure};
use inkveil::style::{PassageOutcome, PassageReport, Rewrite};

/// Asks on the terminal which passages keep their original. Standard input and output may be pipes, and the questions
/// quote the text.
pub(super) fn on_terminal(rewrite: &Rewrite) -> anyhow::Result<BTreeSet<usize>> {
    let terminal = || std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty");
    let cannot = "there is no terminal to ask on; use --json, which lists the passages before and after";
    let (input, mut output) = (terminal().context(cannot)?, terminal().context(cannot)?);
    ask(rewrite, &mut BufReader::new(input), &mut output)
}

/// Asks about each passage. Enter takes the proposal.
fn ask(
    rewrite: &Rewrite,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> anyhow::Result<BTreeSet<usize>> {
    let open = |outcome| {
        matches!(outcome, PassageOutcome::Rewritten | PassageOutcome::Closest | PassageOutcome::Refused)
    };
    let asked: Vec<(usize, &PassageReport)> =
        rewrite.passages.iter().enumerate().filter(|(_, passage)| open(passage.outcome)).collect();
    let mut declined = BTreeSet::new();
    for (position, (number, passage)) in asked.iter().enumerate() {
        show(rewrite, passage, &format!("passage {} of {}", position + 1, asked.len()), output)?;
        let question = match passage.text {
            Some(_) => "(u)se, (k)eep yours or (q)uit? use ",
            None => "no rewrite is good enough – (k)eep yours or (q)uit? ",
        };
        loop {
            write!(output, "{question}")?;
            output.flush()?;
            let mut answer = String::new();
            ensure!(input.read_line(&mut answer)? > 0, "the review was not finished; nothing was released");
            match answer.trim() {
                "" | "u" | "use" if passage.text.is_some() => break,
                "k" | "keep" => {
                    declined.insert(*number);
                    break;
                }
                "q" | "quit" => bail!("you ended the review; nothing was released"),
                _ => {}
            }
        }
    }
    Ok(declined)
}

/// A passage before and after. What only one of them has stands in brackets.
fn show(
    rewrite: &Rewrite,
    passage: &PassageReport,
    name: &str,
    output: &mut dyn Write,
) -> anyhow::Result<()> {
    let before = rewrite.before(passage);
    let measures = passage.measures.map_or_else(String::new, |measures| {
        format!(
            ", {:.0} % of the meaning and {:.0} % of your words kept",
            100.0 * measures.meaning,
            100.0 * measures.wording_kept
        )
    });
    writeln!(output, "\n{name}, line {}{measures}", rewrite.line(passage))?;
    match &passage.text {
        Some(after) => {
            writeln!(output, "- {}", marked(before, after))?;
            writeln!(output, "+ {}", marked(after, before))?;
        }
        None => writeln!(output, "- {before}")?,
    }
    for (facts, what) in [(&passage.changes.invented, "changed or invented"), (&passage.changes.lost, "lost")]
    {
        for fact in facts {
            writeln!(output, "  {} {what}: {}", fact.kind.describe(), fact.value)?;
        }
    }
    Ok(())
}

/// A text with brackets around runs of words that another text lacks.
fn marked(text: &str, other: &str) -> String {
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    other.split_whitespace().for_each(|word| *known.entry(plain(word)).or_default() += 1);
    let mut runs: Vec<(bool, Vec<&str>)> = Vec::new();
    for word in text.split_whitespace() {
        let new = match known.get_mut(&plain(word)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        };
        match runs.last_mut().filter(|(of, _)| *of == new) {
            Some((_, words)) => words.push(word),
            None => runs.push((new, vec![word])),
        }
    }
    let run = |(new, words): (bool, Vec<&str>)| match new {
        true => format!("[{}]", words.join(" ")),
        false => words.join(" "),
    };
    runs.into_iter().map(run).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use inkveil::style::{FactChanges, SourceMeasures};

    use super::*;

    fn rewrite() -> Rewrite {
        let passage = |range, text: Option<&str>, outcome| PassageReport {
            range,
            text: text.map(str::to_owned),
            outcome,
            measures: None,
            faults: Vec::new(),
            candidates: 1,
            closest: None,
            changes: FactChanges::default(),
        };
        Rewrite {
            original: "Hi\nIt was late.\nWe walked.".into(),
            text: None,
            passages: vec![
                passage(0..2, None, PassageOutcome::Short),
                passage(3..15, Some("It came late."), PassageOutcome::Rewritten),
                passage(16..26, None, PassageOutcome::Refused),
            ],
            source: SourceMeasures { mean_distance: 0.0, risk: 0.0, outlier: false, entities: 0, link: None },
            measures: None,
        }
    }

    fn asked(answers: &str) -> (anyhow::Result<BTreeSet<usize>>, String) {
        let mut shown = Vec::new();
        let declined = ask(&rewrite(), &mut answers.as_bytes(), &mut shown);
        (declined, String::from_utf8(shown).unwrap())
    }

    #[test]
    fn enter_uses_a_rewrite_and_a_refused_passage_needs_an_answer() {
        let (declined, shown) = asked("\n\nk\n");
        assert_eq!(declined.unwrap(), BTreeSet::from([2]));
        assert!(shown.contains("passage 1 of 2, line 2\n- It [was] late.\n+ It [came] late."), "{shown}");
        assert_eq!(asked("what\nk\nkeep\n").0.unwrap(), BTreeSet::from([1, 2]));
    }

    #[test]
    fn a_review_that_ends_early_releases_nothing() {
        for answers in ["", "u\n", "q\n"] {
            assert!(asked(answers).0.unwrap_err().to_string().contains("nothing was released"));
        }
    }

    #[test]
    fn words_of_one_text_alone_are_marked_in_runs() {
        assert_eq!(marked("We walked home, slowly.", "we went Home"), "We [walked] home, [slowly.]");
        assert_eq!(marked("a a", "a"), "a [a]");
        assert_eq!(marked("", "a"), "");
    }
}
