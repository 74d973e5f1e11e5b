//! Filling gaps with a local language model, from the released text before them.

use inkveil_chat::{AnswerSettings, LocalChat};

use crate::Error;

/// The largest number of words in a gap.
const WORDS: usize = 3;

/// Returns a few words that continue `before`; empty if the model has none.
pub(crate) fn continue_with(model: &LocalChat, before: &str) -> Result<String, Error> {
    // The likeliest words depend only on text that is released anyway.
    let settings =
        AnswerSettings { max_tokens: 12, stop: vec!["\n".to_owned()], ..AnswerSettings::default() };
    // A model needs some text to continue.
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
        // A comma, a full stop or a lower-case word ends the gap.
        if bare.len() < word.len() || !bare.starts_with(char::is_uppercase) {
            break;
        }
    }
    Ok(filled)
}
