//! Decisions about doubtful places of a text: asked on the terminal, or read from a file.

use std::io::{BufRead, BufReader, Write};

use anyhow::{Context as _, bail, ensure};
use inkveil::{OverrideAction, Overrides, ReviewItem, TextVeil};

use super::plan::Documents;
use crate::args::ReviewName;
use crate::printed;

/// The bytes of the text that are shown before and after a place.
const SHOWN: usize = 40;

/// What a review has led to.
pub(super) enum Reviewed {
    /// The text is released with these decisions.
    Decided(Overrides),
    /// The places were printed, and nothing is released.
    Listed,
}

/// Collects decisions about the text, if there is a review or a file of decisions.
pub(super) fn run(veil: &TextVeil, documents: &Documents) -> anyhow::Result<Reviewed> {
    if let Some(file) = &documents.decisions {
        return Ok(Reviewed::Decided(Overrides::read(file)?));
    }
    let Some(how) = documents.review else { return Ok(Reviewed::Decided(Overrides::default())) };
    let mut reader = documents.input.open(&documents.options, None)?;
    let records = reader.next()?.context("there is no text")?;
    ensure!(
        records.texts().len() == 1 && reader.next()?.is_none(),
        "the text is too long for a review; split it"
    );
    let text = records.texts().text(0);
    let items = inkveil::review(veil, text)?;
    match how {
        ReviewName::List => {
            let mut out = printed::stdout()?;
            for item in &items {
                writeln!(out, "{}", item.to_json()).context("cannot write to standard output")?;
            }
            out.flush().context("cannot write to standard output")?;
            Ok(Reviewed::Listed)
        }
        ReviewName::Ask => {
            // Standard input and output may be pipes. Questions quote the text, so they go to the terminal alone.
            let terminal = || std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty");
            let cannot = "there is no terminal to ask on; use --review=list and --decisions";
            let (input, mut output) = (terminal().context(cannot)?, terminal().context(cannot)?);
            Ok(Reviewed::Decided(ask(text, &items, &mut BufReader::new(input), &mut output)?))
        }
    }
}

/// Asks about each place. Enter takes the proposal.
fn ask(
    text: &str,
    items: &[ReviewItem],
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> anyhow::Result<Overrides> {
    let mut decisions = Vec::new();
    match items.len() {
        0 => writeln!(output, "no doubtful places")?,
        1 => writeln!(output, "1 doubtful place. Enter takes the proposal")?,
        count => writeln!(output, "{count} doubtful places. Enter takes the proposal")?,
    }
    for (number, item) in items.iter().enumerate() {
        let [before, place, after] = item.in_context(text, SHOWN);
        let proposal = if item.is_veiled { "replace" } else { "keep" };
        writeln!(
            output,
            "\n{} of {}, line {}: {before}[{place}]{after}",
            number + 1,
            items.len(),
            item.line
        )?;
        let action = loop {
            write!(output, "{} – (r)eplace, (k)eep or (q)uit? {proposal} ", item.doubt.in_words())?;
            output.flush()?;
            let mut answer = String::new();
            ensure!(input.read_line(&mut answer)? > 0, "the review was not finished; nothing was released");
            match answer.trim() {
                "" => break None,
                "r" | "replace" => break Some(OverrideAction::Replace),
                "k" | "keep" => break Some(OverrideAction::Keep),
                "q" | "quit" => bail!("you ended the review; nothing was released"),
                _ => {}
            }
        };
        decisions.extend(action.and_then(|action| item.decided(action)));
    }
    Ok(Overrides::new(decisions)?)
}

#[cfg(test)]
mod tests {
    use inkveil::detect::Kind;
    use inkveil::explain::Telling;
    use inkveil::{Doubt, Override};

    use super::*;

    const TEXT: &str = "Hello.\nThe only doctor, Renner, wrote.";

    fn items() -> Vec<ReviewItem> {
        vec![
            ReviewItem { range: 11..15, line: 2, doubt: Doubt::Kept(Telling::Unique), is_veiled: false },
            ReviewItem {
                range: 24..30,
                line: 2,
                doubt: Doubt::Finding { kind: Kind::Person, score: 0.62 },
                is_veiled: true,
            },
        ]
    }

    fn asked(answers: &str) -> (anyhow::Result<Overrides>, String) {
        let mut shown = Vec::new();
        let decided = ask(TEXT, &items(), &mut answers.as_bytes(), &mut shown);
        (decided, String::from_utf8(shown).unwrap())
    }

    #[test]
    fn enter_takes_the_proposal_and_other_answers_are_decisions() {
        let (decided, shown) = asked("\n\n");
        assert!(decided.unwrap().is_empty());
        assert!(shown.contains("1 of 2, line 2: The [only] doctor, Renner, wrote."), "{shown}");
        assert!(shown.contains("person, score 0.62"), "{shown}");
        let both = vec![
            Override::span(11..15, OverrideAction::Replace),
            Override::span(24..30, OverrideAction::Keep).of_kind(Kind::Person),
        ];
        assert_eq!(asked("what\nr\nk\n").0.unwrap(), Overrides::new(both).unwrap());
    }

    #[test]
    fn a_review_that_ends_early_releases_nothing() {
        for answers in ["", "r\n", "q\n"] {
            assert!(asked(answers).0.unwrap_err().to_string().contains("nothing was released"));
        }
    }
}
