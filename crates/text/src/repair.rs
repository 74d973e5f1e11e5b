//! Coherence repair: a language model makes veiled text grammatical again, and may change nothing
//! else.
//!
//! The model sees only text that is released anyway, so no guarantee changes. Replacements are
//! protected: they are marked, and a rewrite in which a marked part is missing or changed is
//! discarded.

use std::fmt;
use std::ops::Range;

use inkveil_chat::{AnswerSettings, Chat, Request};

use crate::{Error, Treatment, Veiled};

/// The marks around protected parts. They occur in no ordinary text, and are removed from the
/// rewrite.
const MARKS: [char; 2] = ['⟦', '⟧'];

const INSTRUCTIONS: &str = "You edit text with care. Rewrite the passage as coherent, grammatical English with the same meaning and \
    tone. Add no facts. Invent no names, dates, places or other details. Do not expand abbreviations. Whatever stands between ⟦ and ⟧ \
    must stay exactly as it is, marks included, in its place. Keep the paragraphs. Change as few words as you can.";

const REQUEST: &str = "Rewrite this passage. Answer with the rewritten passage alone.\n\n";

/// A repaired text.
#[derive(Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The rewrite, or the veiled text if the rewrite broke a rule.
    pub text: String,
    /// Why the rewrite was discarded; none if it was taken.
    pub refused: Option<&'static str>,
}

impl fmt::Debug for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Repaired({} bytes, {})", self.text.len(), self.refused.unwrap_or("rewritten"))
    }
}

/// Lets a model repair a veiled text. A remote model receives the veiled text and nothing else.
///
/// # Errors
/// If the model cannot be reached or fails.
pub fn repair(model: &dyn Chat, veiled: &Veiled<'_>) -> Result<Repaired, Error> {
    let units = veiled.plan.units.iter().zip(&veiled.written);
    let protected = units.filter(|(unit, _)| matches!(unit.treatment, Treatment::Replaced(_)));
    let ranges: Vec<Range<usize>> =
        protected.map(|(_, written)| written.range.clone()).filter(|range| !range.is_empty()).collect();
    rewrite(model, &veiled.text, &ranges)
}

fn rewrite(model: &dyn Chat, text: &str, protected: &[Range<usize>]) -> Result<Repaired, Error> {
    if text.trim().is_empty() {
        return Ok(Repaired { text: text.to_owned(), refused: Some("there is nothing to rewrite") });
    }
    let marked = mark(text, protected);
    // A rewrite is about as long as the text; a token is rarely shorter than two bytes.
    let settings =
        AnswerSettings { max_tokens: marked.len() / 2 + 64, temperature: 0.2, ..AnswerSettings::default() };
    let request = Request::new().system(INSTRUCTIONS).user(format!("{REQUEST}{marked}")).with(settings);
    let answer = model.answer(&request)?;
    let refused = match () {
        () if answer.cut => Some("the rewrite was cut off"),
        () if answer.text.is_empty() => Some("the rewrite is empty"),
        () => broken(&answer.text, text, protected),
    };
    Ok(match refused {
        Some(_) => Repaired { text: text.to_owned(), refused },
        None => Repaired { text: answer.text.replace(MARKS, ""), refused },
    })
}

fn mark(text: &str, protected: &[Range<usize>]) -> String {
    let mut marked = String::with_capacity(text.len() + protected.len() * 6);
    let mut at = 0;
    for range in protected {
        marked.push_str(&text[at..range.start]);
        marked.push(MARKS[0]);
        marked.push_str(&text[range.clone()]);
        marked.push(MARKS[1]);
        at = range.end;
    }
    marked.push_str(&text[at..]);
    marked
}

/// Returns the rule that a rewrite breaks.
fn broken(rewrite: &str, text: &str, protected: &[Range<usize>]) -> Option<&'static str> {
    let mut rest = rewrite;
    for range in protected {
        let part = &text[range.clone()];
        match rest.find(part) {
            Some(found) => rest = &rest[found + part.len()..],
            None => return Some("the rewrite changed something protected"),
        }
    }
    (rewrite.len() > 2 * text.len() + 64).then_some("the rewrite is far longer than the text")
}

#[cfg(test)]
mod tests {
    use inkveil_chat::Answer;

    use super::*;

    /// Gives the same answer to every request.
    struct Says(&'static str);

    impl Chat for Says {
        fn name(&self) -> String {
            "says".to_owned()
        }

        fn answer(&self, request: &Request) -> Result<Answer, inkveil_chat::Error> {
            assert!(request.messages.last().unwrap().content.contains("⟦[person]⟧"));
            Ok(Answer { text: self.0.to_owned(), cut: false })
        }
    }

    const TEXT: &str = "call [person] for the leg tomorrow [person]";

    fn run(answer: &'static str) -> Repaired {
        let ranges: Vec<Range<usize>> =
            TEXT.match_indices("[person]").map(|(at, part)| at..at + part.len()).collect();
        rewrite(&Says(answer), TEXT, &ranges).unwrap()
    }

    #[test]
    fn a_rewrite_that_keeps_protected_parts_is_taken() {
        let repaired = run("Call ⟦[person]⟧ about the leg tomorrow, ⟦[person]⟧.");
        assert_eq!(repaired.text, "Call [person] about the leg tomorrow, [person].");
        assert_eq!(repaired.refused, None);
    }

    #[test]
    fn a_rewrite_that_changes_protected_parts_is_discarded() {
        for answer in
            ["Call Ana about the leg.", "Call [person] about the leg.", "Call [Person], [person].", ""]
        {
            let repaired = run(answer);
            assert_eq!(repaired.text, TEXT);
            assert!(repaired.refused.is_some(), "{answer}");
        }
    }

    #[test]
    fn a_rewrite_that_is_far_too_long_is_discarded() {
        let long = Box::leak(format!("[person] [person] {}", "and so on ".repeat(50)).into_boxed_str());
        assert_eq!(run(long).refused, Some("the rewrite is far longer than the text"));
    }
}
