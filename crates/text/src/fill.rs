//! What a local language model writes in a gap, from the released text before it.

use inkveil_chat::{AnswerSettings, LocalChat};

use crate::Error;

/// No gap is filled with more words.
const WORDS: usize = 3;

/// A few words that go on with `before`; empty if the model has none.
pub(crate) fn continue_with(model: &LocalChat, before: &str) -> Result<String, Error> {
    // The likeliest words: a function of what is released anyway.
    let settings =
        AnswerSettings { max_tokens: 12, stop: vec!["\n".to_owned()], ..AnswerSettings::default() };
    // A model needs something to go on from.
    let before = if before.trim().is_empty() { "The" } else { before.trim_end() };
    let continued = model.continue_text(before, &settings)?.text;
    let words = continued.split_whitespace().take(WORDS);
    let mut filled = String::new();
    for word in words {
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        if bare.is_empty() {
            break;
        }
        if !filled.is_empty() {
            filled.push(' ');
        }
        filled.push_str(bare);
        // A comma or full stop ends what stands in the gap, and so does a small word.
        if bare.len() < word.len() || !bare.starts_with(char::is_uppercase) {
            break;
        }
    }
    Ok(filled)
}
