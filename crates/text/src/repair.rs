//! Coherence repair: a language model makes veiled text grammatical again, and may change nothing
//! else.
//!
//! The model sees only text that is released anyway, so no guarantee changes. It is not told which
//! parts are replacements: a reader of the request would then know that all other names are real.
//! Instead the rewrite is checked afterwards. It is discarded unless every replacement is still
//! there, as often as before and in the same order.

use std::fmt;
use std::ops::Range;

use inkveil_chat::{AnswerSettings, Chat, Request};

use crate::{Error, Treatment, Veiled};

const INSTRUCTIONS: &str = "You edit text with care. Rewrite the passage as coherent, grammatical English with the same meaning and \
    tone. Add no facts. Invent no names, dates, places or other details. Do not expand abbreviations. Copy every name, number, date, \
    address, code and every part in brackets exactly as it is written, as often as it occurs and in the same order. Keep the paragraphs. \
    Change as few words as you can.";

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
    // A rewrite is about as long as the text; a token is rarely shorter than two bytes.
    let settings =
        AnswerSettings { max_tokens: text.len() / 2 + 64, temperature: 0.2, ..AnswerSettings::default() };
    let request = Request::new().system(INSTRUCTIONS).user(format!("{REQUEST}{text}")).with(settings);
    let answer = model.answer(&request)?;
    let refused = match () {
        () if answer.cut => Some("the rewrite was cut off"),
        () if answer.text.is_empty() => Some("the rewrite is empty"),
        () => broken(&answer.text, text, protected),
    };
    Ok(match refused {
        Some(_) => Repaired { text: text.to_owned(), refused },
        None => Repaired { text: answer.text, refused },
    })
}

const CHANGED: &str = "the rewrite changed something protected";

/// Returns the rule that a rewrite breaks.
fn broken(rewrite: &str, text: &str, protected: &[Range<usize>]) -> Option<&'static str> {
    let mut rest = rewrite;
    for range in protected {
        let part = &text[range.clone()];
        match rest.find(part) {
            Some(found) => rest = &rest[found + part.len()..],
            None => return Some(CHANGED),
        }
    }
    let parts = protected.iter().map(|range| &text[range.clone()]);
    if parts.into_iter().any(|part| rewrite.matches(part).count() != text.matches(part).count()) {
        return Some(CHANGED);
    }
    (rewrite.len() > 2 * text.len() + 64).then_some("the rewrite is far longer than the text")
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use inkveil_chat::Answer;

    use super::*;

    /// Gives the same answer to every request, and keeps what it was sent.
    struct Says(&'static str, Mutex<Vec<String>>);

    impl Chat for Says {
        fn name(&self) -> String {
            "says".to_owned()
        }

        fn answer(&self, request: &Request) -> Result<Answer, inkveil_chat::Error> {
            let sent = request.messages.iter().map(|message| message.content.clone());
            self.1.lock().unwrap().extend(sent);
            Ok(Answer { text: self.0.to_owned(), cut: false })
        }
    }

    const TEXT: &str = "call Made Antonov for the leg of Iva tomorrow Made Antonov";

    fn ranges(names: &[&str]) -> Vec<Range<usize>> {
        let of =
            |name: &&str| TEXT.match_indices(name).map(|(at, part)| at..at + part.len()).collect::<Vec<_>>();
        let mut ranges: Vec<Range<usize>> = names.iter().flat_map(of).collect();
        ranges.sort_by_key(|range| range.start);
        ranges
    }

    fn run(answer: &'static str) -> Repaired {
        rewrite(&Says(answer, Mutex::default()), TEXT, &ranges(&["Made Antonov"])).unwrap()
    }

    #[test]
    fn the_request_does_not_tell_which_parts_are_replacements() {
        let sent = |protected: &[Range<usize>]| {
            let model = Says("", Mutex::default());
            rewrite(&model, TEXT, protected).unwrap();
            model.1.into_inner().unwrap()
        };
        let none = sent(&[]);
        assert_eq!(none, sent(&ranges(&["Made Antonov"])));
        assert_eq!(none, sent(&ranges(&["Made Antonov", "Iva"])));
        assert!(none.iter().any(|message| message.ends_with(TEXT)), "{none:?}");
    }

    #[test]
    fn a_rewrite_that_keeps_protected_parts_is_taken() {
        let repaired = run("Call Made Antonov about the leg of Iva tomorrow, Made Antonov.");
        assert_eq!(repaired.text, "Call Made Antonov about the leg of Iva tomorrow, Made Antonov.");
        assert_eq!(repaired.refused, None);
    }

    #[test]
    fn a_rewrite_that_changes_protected_parts_is_discarded() {
        for answer in [
            "Call Ana about the leg.",
            "Call Made Antonov about the leg.",
            "Call Made Antonow, Made Antonov.",
            "Call Made Antonov about Made Antonov and Made Antonov.",
            "",
        ] {
            let repaired = run(answer);
            assert_eq!(repaired.text, TEXT);
            assert!(repaired.refused.is_some(), "{answer}");
        }
    }

    #[test]
    fn a_rewrite_that_is_far_too_long_is_discarded() {
        let long =
            Box::leak(format!("Made Antonov Made Antonov {}", "and so on ".repeat(50)).into_boxed_str());
        assert_eq!(run(long).refused, Some("the rewrite is far longer than the text"));
    }
}
