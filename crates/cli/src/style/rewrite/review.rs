//! Asks about each rewritten passage on the terminal.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, bail, ensure};
use inkveil::style::{PassageOutcome, PassageReport, Rewrite};

/// The largest product of two numbers of words that are compared word by word.
const LARGEST: usize = 4_000_000;

/// Opens the terminal. Standard input and output may be pipes, and the questions quote the text.
pub(super) fn terminal() -> anyhow::Result<File> {
    let opened = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty");
    opened.context("there is no terminal to ask on; use --json, which lists the passages before and after")
}

/// Asks on the terminal which passages keep their original.
pub(super) fn on_terminal(
    terminal: &File,
    rewrite: &Rewrite,
    cancel: &AtomicBool,
) -> anyhow::Result<BTreeSet<usize>> {
    ask(rewrite, &mut BufReader::new(terminal), &mut &*terminal, cancel)
}

/// Asks about each passage. Enter takes the proposal.
fn ask(
    rewrite: &Rewrite,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    cancel: &AtomicBool,
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
            // Ctrl-C is noticed with the next answer.
            ensure!(!cancel.load(Ordering::Relaxed), "you ended the review; nothing was released");
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
            let (before, after) = marked(before, after);
            writeln!(output, "- {}\n+ {}", printable(&before), printable(&after))?;
        }
        None => writeln!(output, "- {}", printable(before))?,
    }
    for (facts, what) in [(&passage.changes.invented, "changed or invented"), (&passage.changes.lost, "lost")]
    {
        for fact in facts {
            writeln!(output, "  {} {what}: {}", fact.kind.describe(), printable(&fact.value))?;
        }
    }
    Ok(())
}

/// Two texts with brackets around the words that are not in both, in the same order.
fn marked(before: &str, after: &str) -> (String, String) {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (words(before), words(after));
    let common = common(&before, &after);
    let (old, new): (BTreeSet<usize>, BTreeSet<usize>) = common.into_iter().unzip();
    (in_brackets(&before, &old), in_brackets(&after, &new))
}

/// The positions of a longest common subsequence of words. Case counts: it belongs to a style.
fn common(before: &[String], after: &[String]) -> Vec<(usize, usize)> {
    // A passage has about 80 words. One without sentences may be long, and then all of it is marked.
    if before.len().saturating_mul(after.len()) > LARGEST {
        return Vec::new();
    }
    // The length of the longest one from these positions on.
    let mut longest = vec![vec![0u16; after.len() + 1]; before.len() + 1];
    for (i, old) in before.iter().enumerate().rev() {
        for (j, new) in after.iter().enumerate().rev() {
            longest[i][j] = match old == new {
                true => longest[i + 1][j + 1].saturating_add(1),
                false => longest[i + 1][j].max(longest[i][j + 1]),
            };
        }
    }
    let (mut pairs, mut i, mut j) = (Vec::new(), 0, 0);
    while i < before.len() && j < after.len() {
        if before[i] == after[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if longest[i + 1][j] >= longest[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

fn in_brackets(words: &[String], common: &BTreeSet<usize>) -> String {
    let mut text = String::new();
    let mut open = false;
    for (index, word) in words.iter().enumerate() {
        let new = !common.contains(&index);
        if open && !new {
            text.push(']');
        }
        if index > 0 {
            text.push(' ');
        }
        if new && !open {
            text.push('[');
        }
        text.push_str(word);
        open = new;
    }
    if open {
        text.push(']');
    }
    text
}

/// A text whose control characters, and those that change the direction of writing, are shown and not obeyed.
pub(super) fn printable(text: &str) -> String {
    let obeyed = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if obeyed(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
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
        let declined = ask(&rewrite(), &mut answers.as_bytes(), &mut shown, &AtomicBool::new(false));
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
    fn an_interrupted_review_releases_nothing() {
        let error =
            ask(&rewrite(), &mut &b"u\nk\n"[..], &mut Vec::new(), &AtomicBool::new(true)).unwrap_err();
        assert!(error.to_string().contains("nothing was released"));
    }

    #[test]
    fn what_is_not_in_both_texts_in_the_same_order_is_marked() {
        let both = |before, after| -> (String, String) { marked(before, after) };
        assert_eq!(
            both("We walked home, slowly.", "we went home, slowly."),
            ("[We walked] home, slowly.".into(), "[we went] home, slowly.".into())
        );
        let (before, after) = both("The dog bit the man", "The man bit the dog");
        assert!(before.contains('[') && after.contains('['), "{before} / {after}");
        assert_eq!(both("a", "a a"), ("a".into(), "a [a]".into()));
        assert_eq!(both("", ""), (String::new(), String::new()));
    }

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(printable("a\u{1b}[2K\u{202e}ü"), "a\\u{1b}[2K\\u{202e}ü");
    }
}
