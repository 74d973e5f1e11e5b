//! Asks about each rewritten passage on the terminal, and about its sentences.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, bail, ensure};
use inkveil::style::{Declined, DeclinedPart, PassageOutcome, PassageReport, Rewrite};

/// The largest product of two numbers of words that are compared word by word.
const LARGEST: usize = 4_000_000;

/// Opens the terminal. Standard input and output may be pipes, and the questions quote the text.
pub(super) fn terminal() -> anyhow::Result<File> {
    let opened = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty");
    opened.context("there is no terminal to ask on; use --json, which lists the passages before and after")
}

/// Asks on the terminal which passages and sentences keep their original.
pub(super) fn on_terminal(
    terminal: &File,
    rewrite: &Rewrite,
    cancel: &AtomicBool,
) -> anyhow::Result<Declined> {
    ask(rewrite, &mut BufReader::new(terminal), &mut &*terminal, cancel)
}

/// An answer that continues the review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Use,
    Keep,
    BySentence,
}

/// Where questions are asked.
struct Questions<'a> {
    input: &'a mut dyn BufRead,
    output: &'a mut dyn Write,
    cancel: &'a AtomicBool,
}

impl Questions<'_> {
    /// Asks until there is one of these answers. Enter takes the proposal, if the rewrite may be used.
    fn ask(&mut self, question: &str, allowed: &[Answer]) -> anyhow::Result<Answer> {
        loop {
            write!(self.output, "{question}")?;
            self.output.flush()?;
            let mut answer = String::new();
            ensure!(
                self.input.read_line(&mut answer)? > 0,
                "the review was not finished; nothing was released"
            );
            // Ctrl-C is noticed with the next answer.
            ensure!(!self.cancel.load(Ordering::Relaxed), "you ended the review; nothing was released");
            let answer = match answer.trim() {
                "" | "u" | "use" => Answer::Use,
                "k" | "keep" => Answer::Keep,
                "s" | "sentence" | "sentences" => Answer::BySentence,
                "q" | "quit" => bail!("you ended the review; nothing was released"),
                _ => continue,
            };
            if allowed.contains(&answer) {
                return Ok(answer);
            }
        }
    }
}

/// Asks about each passage.
fn ask(
    rewrite: &Rewrite,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    cancel: &AtomicBool,
) -> anyhow::Result<Declined> {
    let mut questions = Questions { input, output, cancel };
    let open = |outcome| {
        matches!(outcome, PassageOutcome::Rewritten | PassageOutcome::Closest | PassageOutcome::Refused)
    };
    let asked: Vec<(usize, &PassageReport)> =
        rewrite.passages.iter().enumerate().filter(|(_, passage)| open(passage.outcome)).collect();
    let mut declined = Declined::new();
    for (position, (number, passage)) in asked.iter().enumerate() {
        let name = format!("passage {} of {}", position + 1, asked.len());
        show(rewrite, passage, &name, questions.output)?;
        let (question, allowed): (_, &[Answer]) = match (&passage.text, passage.sentences.len()) {
            (None, _) => ("no rewrite is good enough – (k)eep yours or (q)uit? ", &[Answer::Keep]),
            (Some(_), 0) => ("(u)se, (k)eep yours or (q)uit? use ", &[Answer::Use, Answer::Keep]),
            (Some(_), _) => (
                "(u)se, (k)eep yours, decide by (s)entence or (q)uit? use ",
                &[Answer::Use, Answer::Keep, Answer::BySentence],
            ),
        };
        let part = match questions.ask(question, allowed)? {
            Answer::Use => continue,
            Answer::Keep => DeclinedPart::Whole,
            Answer::BySentence => DeclinedPart::Sentences(sentences(rewrite, passage, &mut questions)?),
        };
        declined.insert(*number, part);
    }
    Ok(declined)
}

/// Asks about each sentence of a passage that the rewrite changes.
fn sentences(
    rewrite: &Rewrite,
    passage: &PassageReport,
    questions: &mut Questions<'_>,
) -> anyhow::Result<BTreeSet<usize>> {
    let (before, after) = (rewrite.before(passage), passage.text.as_deref().unwrap_or_default());
    let all = passage.sentences.len();
    let mut kept = BTreeSet::new();
    for (number, pair) in passage.sentences.iter().enumerate() {
        let old = before.get(pair.before.clone()).unwrap_or_default();
        let new = after.get(pair.after.clone()).unwrap_or_default();
        if old == new {
            continue;
        }
        let (old, new) = marked(old, new);
        writeln!(questions.output, "sentence {} of {all}", number + 1)?;
        writeln!(questions.output, "- {}\n+ {}", printable(&old), printable(&new))?;
        let answer = questions.ask("(u)se, (k)eep yours or (q)uit? use ", &[Answer::Use, Answer::Keep])?;
        if answer == Answer::Keep {
            kept.insert(number);
        }
    }
    Ok(kept)
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
    use inkveil::style::{FactChanges, SentencePair, SourceMeasures};

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
            sentences: Vec::new(),
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
            goal: None,
        }
    }

    fn asked(answers: &str) -> (anyhow::Result<Declined>, String) {
        asked_about(&rewrite(), answers)
    }

    fn asked_about(rewrite: &Rewrite, answers: &str) -> (anyhow::Result<Declined>, String) {
        let mut shown = Vec::new();
        let declined = ask(rewrite, &mut answers.as_bytes(), &mut shown, &AtomicBool::new(false));
        (declined, String::from_utf8(shown).unwrap())
    }

    #[test]
    fn enter_uses_a_rewrite_and_a_refused_passage_needs_an_answer() {
        let (declined, shown) = asked("\n\nk\n");
        assert_eq!(declined.unwrap(), Declined::from([(2, DeclinedPart::Whole)]));
        assert!(shown.contains("passage 1 of 2, line 2\n- It [was] late.\n+ It [came] late."), "{shown}");
        let both = Declined::from([(1, DeclinedPart::Whole), (2, DeclinedPart::Whole)]);
        assert_eq!(asked("what\nk\nkeep\n").0.unwrap(), both);
        assert_eq!(asked("s\nk\nk\n").0.unwrap(), both, "it has no sentences to decide about");
        assert!(!shown.contains("(s)entence"), "{shown}");
    }

    #[test]
    fn sentences_are_decided_one_by_one() {
        let mut rewrite = rewrite();
        rewrite.original = "It was late. We walked. It rained.".into();
        let pair = |before, after| SentencePair { before, after, declined: false };
        let passage = &mut rewrite.passages[1];
        passage.range = 0..34;
        passage.text = Some("It came late. We walked. Rain fell.".into());
        passage.sentences = vec![pair(0..12, 0..13), pair(13..23, 14..24), pair(24..34, 25..35)];
        rewrite.passages = vec![rewrite.passages.remove(1)];
        let (declined, shown) = asked_about(&rewrite, "s\n\nk\n");
        let kept = DeclinedPart::Sentences(BTreeSet::from([2]));
        assert_eq!(declined.unwrap(), Declined::from([(0, kept)]));
        assert!(shown.contains("sentence 3 of 3\n- [It rained.]\n+ [Rain fell.]"), "{shown}");
        assert!(!shown.contains("sentence 2 of 3"), "it is the same in both: {shown}");
        for early in ["s\n", "s\nq\n", "s\nu\n"] {
            let error = asked_about(&rewrite, early).0.unwrap_err().to_string();
            assert!(error.contains("nothing was released"), "{early}: {error}");
        }
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
