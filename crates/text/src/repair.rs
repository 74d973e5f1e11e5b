//! Coherence repair: a language model makes veiled text grammatical again, and may change nothing
//! else.
//!
//! The model sees only text that is released anyway, so no guarantee changes. It gets one sentence at a
//! time: a model that breaks a rule in one sentence still repairs the others. It is not told which
//! parts are replacements: a reader of the request would then know that all other names are real.
//! Instead each rewrite is checked afterwards. It is discarded unless every replacement is still there, as
//! often as before and in the same order, and unless it keeps the numbers, names and negations of the
//! sentence and half of its other words.

use std::fmt;
use std::ops::Range;

use inkveil_chat::{Answer, AnswerSettings, Chat, Request};
use inkveil_detect::sentences;

use crate::{Error, Treatment, Veiled};

const INSTRUCTIONS: &str = "You edit text with care. Rewrite the sentence as coherent, grammatical English with the same meaning and \
    tone. Add no facts. Invent no names, dates, places or other details. Do not expand abbreviations. Copy every name, number, date, \
    address, code and every part in brackets exactly as it is written, as often as it occurs and in the same order. \
    Change as few words as you can. If nothing is wrong, repeat the sentence as it is.";

const REQUEST: &str = "Rewrite this sentence. Answer with the rewritten sentence alone.\n\n";

/// A sentence with fewer words is not repaired.
const FEWEST_WORDS: usize = 3;

/// A repaired text.
#[derive(Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The text with the rewrites that kept the rules; other sentences are as veiled.
    pub text: String,
    /// The number of sentences that a model was asked to repair.
    pub sentences: usize,
    /// The number of sentences that it changed.
    pub changed: usize,
    /// Why the first rewrite was discarded; none if all were taken.
    pub refused: Option<&'static str>,
}

impl Repaired {
    /// Returns why the text is as veiled although a rewrite was tried; none if a sentence was changed or
    /// nothing was discarded.
    pub fn discarded(&self) -> Option<&'static str> {
        self.refused.filter(|_| self.changed == 0)
    }
}

impl fmt::Debug for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Repaired({} bytes, {} of {} sentences changed)",
            self.text.len(),
            self.changed,
            self.sentences
        )
    }
}

/// Lets a model repair a veiled text. A remote model receives the veiled sentences and nothing else.
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
    let parts = parts(text, protected);
    let asked: Vec<&Range<usize>> =
        parts.iter().filter(|part| words(&text[(*part).clone()]).count() >= FEWEST_WORDS).collect();
    let requests: Vec<Request> = asked.iter().map(|part| request(&text[(*part).clone()])).collect();
    let mut repaired = Repaired { text: String::new(), sentences: asked.len(), changed: 0, refused: None };
    let mut end = 0;
    for (part, answer) in asked.into_iter().zip(model.answer_each(&requests)?) {
        let sentence = &text[part.clone()];
        let own: Vec<&str> = protected
            .iter()
            .filter(|range| range.start >= part.start && range.end <= part.end)
            .map(|range| &text[range.clone()])
            .collect();
        repaired.text.push_str(&text[end..part.start]);
        end = part.end;
        match broken(&answer, sentence, &own) {
            Some(why) => {
                repaired.refused = repaired.refused.or(Some(why));
                repaired.text.push_str(sentence);
            }
            None => {
                repaired.changed += usize::from(answer.text != sentence);
                repaired.text.push_str(&answer.text);
            }
        }
    }
    repaired.text.push_str(&text[end..]);
    Ok(repaired)
}

/// Returns the sentences of a text without the white space around them. None ends within a replacement.
fn parts(text: &str, protected: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for line in sentences(text).into_iter().flat_map(|sentence| lines(text, sentence)) {
        match joined.last_mut() {
            Some(last) if protected.iter().any(|range| range.start < last.end && last.end < range.end) => {
                last.end = line.end;
            }
            _ => joined.push(line),
        }
    }
    let trimmed = joined.into_iter().map(|range| {
        let part = &text[range.clone()];
        let start = range.start + part.len() - part.trim_start().len();
        start..start + part.trim().len()
    });
    trimmed.collect()
}

/// Cuts a part of a text after each line.
fn lines(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut start = part.start;
    let lines = text[part].split_inclusive('\n').map(|line| {
        start += line.len();
        start - line.len()..start
    });
    lines.collect()
}

fn request(sentence: &str) -> Request {
    // A rewrite is about as long as the sentence; a token is rarely shorter than two bytes.
    let settings =
        AnswerSettings { max_tokens: sentence.len() / 2 + 32, temperature: 0.0, ..AnswerSettings::default() };
    Request::new().system(INSTRUCTIONS).user(format!("{REQUEST}{sentence}")).with(settings)
}

/// Returns the rule that a rewrite breaks.
fn broken(answer: &Answer, sentence: &str, protected: &[&str]) -> Option<&'static str> {
    let rewrite = answer.text.as_str();
    match () {
        () if answer.cut => Some("the rewrite was cut off"),
        () if rewrite.is_empty() => Some("the rewrite is empty"),
        () if rewrite.contains('\n') && !sentence.contains('\n') => {
            Some("the rewrite has more than one line")
        }
        () if !keeps_in_order(rewrite, sentence, protected) => Some("the rewrite changed a replacement"),
        () if facts(rewrite) != facts(sentence) => Some("the rewrite changed a number, a name or a negation"),
        () if !keeps_words(rewrite, sentence) => Some("the rewrite says something else"),
        () => None,
    }
}

fn keeps_in_order(rewrite: &str, sentence: &str, protected: &[&str]) -> bool {
    let mut rest = rewrite;
    for part in protected {
        let Some(found) = rest.find(part) else { return false };
        rest = &rest[found + part.len()..];
    }
    protected.iter().all(|part| rewrite.matches(part).count() == sentence.matches(part).count())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'))
        .filter(|word| word.contains(char::is_alphanumeric))
}

/// Returns the words of a sentence that a rewrite must keep: numbers, capitalised words after the first, and
/// the number of negations.
fn facts(sentence: &str) -> (Vec<&str>, usize) {
    const NEGATIONS: [&str; 7] = ["not", "no", "never", "none", "nobody", "nothing", "without"];
    let first = words(sentence).next();
    let is_fact = |word: &&str| {
        word.contains(char::is_numeric)
            || word.starts_with(char::is_uppercase)
                && Some(*word) != first
                && !matches!(*word, "I" | "I'm" | "I'd")
    };
    let mut kept: Vec<&str> = words(sentence).filter(is_fact).collect();
    kept.sort_unstable();
    let is_negation = |word: &&str| {
        let word = word.to_lowercase().replace('’', "'");
        word.ends_with("n't") || word == "cannot" || NEGATIONS.contains(&word.as_str())
    };
    (kept, words(sentence).filter(is_negation).count())
}

/// Whether a rewrite has half of the longer words of a sentence, and not far more words of its own.
fn keeps_words(rewrite: &str, sentence: &str) -> bool {
    let long = |text: &str| -> Vec<String> {
        words(text).filter(|word| word.chars().count() > 3).map(str::to_lowercase).collect()
    };
    let (before, after) = (long(sentence), long(rewrite));
    let kept = before.iter().filter(|word| after.contains(word)).count();
    kept * 2 >= before.len()
        && after.len() <= before.len() + before.len() / 2 + 2
        && words(rewrite).count() * 2 >= words(sentence).count()
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
    fn a_rewrite_that_says_something_else_is_discarded() {
        for answer in [
            "Made Antonov met Made Antonov.",
            "Call Made Antonov for the broken leg that hurts every single morning of Iva tomorrow Made Antonov",
            "Call Made Antonov for the leg of Eva tomorrow Made Antonov",
            "Do not call Made Antonov for the leg of Iva tomorrow Made Antonov",
            "Call Made Antonov for the leg of Iva tomorrow at 10 Made Antonov",
        ] {
            assert!(run(answer).refused.is_some(), "{answer}");
        }
    }

    /// Repeats a sentence in capital letters at its start, unless it has the word "bad".
    struct Capitals;

    impl Chat for Capitals {
        fn name(&self) -> String {
            "capitals".to_owned()
        }

        fn answer(&self, request: &Request) -> Result<Answer, inkveil_chat::Error> {
            let sentence =
                request.messages.last().and_then(|message| message.content.rsplit("\n\n").next()).unwrap();
            let (first, rest) = sentence.split_at(1);
            let text = if sentence.contains("bad") {
                "???".to_owned()
            } else {
                format!("{}{rest}", first.to_uppercase())
            };
            Ok(Answer { text, cut: false })
        }
    }

    #[test]
    fn each_sentence_is_repaired_by_itself() {
        let text = "it rains all day. \nthis bad line stays so.\n\n  then J. Smith goes home. Ok.\n";
        let at = text.find("J. Smith").unwrap();
        let repaired = rewrite(&Capitals, text, std::slice::from_ref(&(at..at + 8))).unwrap();
        assert_eq!(
            repaired.text,
            "It rains all day. \nthis bad line stays so.\n\n  Then J. Smith goes home. Ok.\n"
        );
        assert_eq!((repaired.sentences, repaired.changed), (3, 2));
        assert!(repaired.refused.is_some() && repaired.discarded().is_none());
    }

    proptest::proptest! {
        #[test]
        fn what_is_not_rewritten_is_as_veiled(text in "[ a-cA-C.!\n’é0-9]{0,60}", start in 0_usize..60, length in 0_usize..20) {
            let start = (0..=start.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
            let end = (start..=(start + length).min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
            let protected = start..end;
            let repaired =
                rewrite(&Says("???", Mutex::default()), &text, std::slice::from_ref(&protected)).unwrap();
            proptest::prop_assert_eq!(&repaired.text, &text);
        }
    }
}
