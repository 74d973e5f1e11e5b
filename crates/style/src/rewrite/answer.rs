//! The answer of a language model, without what it says besides the rewrite.

use std::collections::HashSet;

use unicode_segmentation::UnicodeSegmentation as _;

use super::prompt::INSTRUCTIONS;
use super::writer::Draft;

/// This many words of the instructions in a row are an echo of them.
const ECHO: usize = 5;
/// This many words of the example in a row are taken from it.
const TAKEN: usize = 7;
/// A preamble is at most this long, in words.
const PREAMBLE: usize = 14;

/// Removes a preamble such as "Here is the rewritten text:", quotation marks around the whole, line breaks if the source
/// has none, and, if the model was cut off, the sentence that it did not finish.
pub(super) fn clean(draft: Draft, source: &str) -> Draft {
    let mut text = draft.text.trim();
    if let Some((first, rest)) = text.split_once(['\n', ':'])
        && is_preamble(first)
        && !source.trim_start().starts_with(first)
        && rest.chars().any(char::is_alphanumeric)
    {
        text = rest.trim_start_matches([':', '*', '\n', ' ']).trim();
    }
    let quoted = |text: &str| text.starts_with(['"', '“']) && text.ends_with(['"', '”']) && text.len() > 6;
    if quoted(text) && !quoted(source.trim()) && text.matches(['"', '“', '”']).count() == 2 {
        text = text.trim_matches(['"', '“', '”']).trim();
    }
    let mut cut = draft.cut;
    if cut && let Some(end) = last_sentence_end(text) {
        (text, cut) = (&text[..end], false);
    }
    let one_line = !source.trim().contains('\n');
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Draft { text: if one_line { lines.collect::<Vec<_>>().join(" ") } else { text.to_owned() }, cut }
}

/// Whether a line speaks about the rewrite: "Sure! Here's a version in a plainer style".
fn is_preamble(line: &str) -> bool {
    const ABOUT: [&str; 9] = [
        "rewrite",
        "rewritten",
        "rewriting",
        "version",
        "rephrased",
        "paraphrase",
        "paraphrased",
        "style",
        "text",
    ];
    const STARTS: [&str; 12] = [
        "here",
        "here's",
        "sure",
        "certainly",
        "okay",
        "ok",
        "rewritten",
        "rewrite",
        "version",
        "revised",
        "the",
        "of",
    ];
    let words: Vec<String> =
        line.unicode_words().map(|word| word.to_lowercase().replace('\u{2019}', "'")).collect();
    words.len() <= PREAMBLE
        && words.first().is_some_and(|first| STARTS.contains(&first.as_str()))
        && words.iter().any(|word| ABOUT.contains(&word.as_str()))
}

/// The end of the last whole sentence, if there is one.
fn last_sentence_end(text: &str) -> Option<usize> {
    let mut ends = text.char_indices().filter(|(at, c)| {
        matches!(c, '.' | '!' | '?') && text[at + c.len_utf8()..].starts_with(char::is_whitespace)
    });
    ends.next_back().map(|(at, c)| at + c.len_utf8())
}

/// Whether a text repeats the instructions or takes a run of words from the example. What the source says
/// itself is no echo.
pub(super) fn echoes(text: &str, source: &str, example: Option<&str>) -> bool {
    let (text, source) = (words(text), words(source));
    let has_run_of = |other: &str, length: usize| {
        let other = words(other);
        let runs: HashSet<&[String]> = other.windows(length).collect();
        let own: HashSet<&[String]> = source.windows(length).collect();
        text.windows(length).any(|run| runs.contains(run) && !own.contains(run))
    };
    INSTRUCTIONS.iter().any(|instructions| has_run_of(instructions, ECHO))
        || example.is_some_and(|example| has_run_of(example, TAKEN))
}

fn words(text: &str) -> Vec<String> {
    text.unicode_words().map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str, cut: bool) -> (String, bool) {
        let draft = clean(Draft { text: text.into(), cut }, "The bus was late, so we walked home.");
        (draft.text, draft.cut)
    }

    #[test]
    fn what_a_model_says_besides_the_rewrite_is_removed() {
        for text in [
            "Here's a rewritten version with a simpler style: We went home on foot.",
            "Sure! Here is the text:\n\nWe went home on foot.",
            "Rewritten text:\n\"We went home on foot.\"",
            "“We went home on foot.”",
            "We went home on foot.",
        ] {
            assert_eq!(cleaned(text, false).0, "We went home on foot.", "{text}");
        }
        for kept in ["The reason: the bus was late.", "Here: a bus.", "\"No,\" he said, \"we walk.\""] {
            assert_eq!(cleaned(kept, false).0, kept);
        }
    }

    #[test]
    fn a_line_stays_a_line() {
        assert_eq!(cleaned("We went home.\n\nOn foot.", false).0, "We went home. On foot.");
        let lines = clean(Draft { text: "On\nfoot.".into(), cut: false }, "We\nwalked.");
        assert_eq!(lines.text, "On\nfoot.");
    }

    #[test]
    fn an_unfinished_sentence_is_removed() {
        assert_eq!(
            cleaned("We walked. It was 3.5 miles! And then", true),
            ("We walked. It was 3.5 miles!".into(), false)
        );
        assert_eq!(cleaned("We walked and", true), ("We walked and".into(), true));
    }

    #[test]
    fn echoes_of_the_prompt_are_found() {
        let source = "We walked home.";
        assert!(echoes("We walked. Rewrite this text in another ordinary style.", source, None));
        let example = "A heron stood in the shallow water by the old mill.";
        assert!(echoes("A heron stood in the shallow water while we walked.", source, Some(example)));
        assert!(!echoes("We went home on foot.", source, Some(example)));
        let own = "Please rewrite this text in another ordinary style.";
        assert!(!echoes(own, own, None), "the source says it itself");
    }
}
