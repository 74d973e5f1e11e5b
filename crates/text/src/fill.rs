//! Filling gaps with a local language model, from the released text before them.

use inkveil_chat::{AnswerSettings, LocalChat};

use crate::Error;

/// The largest number of words in a gap.
const WORDS: usize = 3;

/// How often the model is asked for other words.
const TRIES: u64 = 4;

/// Returns a few words that continue `before`; empty if the model finds none that fit. `released` is the whole
/// released text so far.
pub(crate) fn continue_with(model: &LocalChat, before: &str, released: &str) -> Result<String, Error> {
    // A model needs some text to continue.
    let start = if before.trim().is_empty() { "The" } else { before.trim_end() };
    for attempt in 0..TRIES {
        // The likeliest words first. All depend only on text that is released anyway.
        let settings = AnswerSettings {
            max_tokens: 12,
            temperature: if attempt == 0 { 0.0 } else { 0.8 },
            seed: Some(attempt),
            stop: vec!["\n".to_owned()],
            ..AnswerSettings::default()
        };
        let filled = first_words(&model.continue_text(start, &settings)?.text);
        if fits(&filled, released) {
            return Ok(filled);
        }
    }
    Ok(String::new())
}

/// Returns the words that fill a gap: capitalised words, or one word.
fn first_words(continued: &str) -> String {
    let mut filled = String::new();
    for word in continued.split_whitespace().take(WORDS) {
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
    filled
}

/// Whether words may fill a gap. Signs belong to templates ("[Your Name]", "{{name}}", "____"). A name or number
/// that the text already has could be the one that was removed here.
fn fits(filled: &str, released: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '\'' | '’' | '.');
    let names = filled.split(' ').filter(|word| word.chars().any(|c| c.is_uppercase() || c.is_numeric()));
    let written: Vec<&str> = released.split(|c: char| !c.is_alphanumeric()).collect();
    !filled.is_empty()
        && filled.chars().all(is_word)
        && filled.chars().any(char::is_alphabetic)
        && !filled.to_lowercase().split(' ').any(|word| TEMPLATE_WORDS.contains(&word))
        && names
            .flat_map(|name| name.split(|c: char| !c.is_alphanumeric()))
            .all(|part| part.is_empty() || !written.iter().any(|word| word.eq_ignore_ascii_case(part)))
}

/// Words of forms and of placeholders.
const TEMPLATE_WORDS: [&str; 8] =
    ["name", "insert", "placeholder", "redacted", "yourname", "xxx", "lorem", "todo"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_to_their_end_and_other_words_alone() {
        assert_eq!(first_words(" Anna Maria Keller and I"), "Anna Maria Keller");
        assert_eq!(first_words("Anna, who"), "Anna");
        assert_eq!(first_words("the next day"), "the");
        assert_eq!(first_words(" … and"), "");
    }

    #[test]
    fn templates_and_what_the_text_already_has_do_not_fit() {
        let released = "Dear Ms Ibarra, the ward of St Olaf has [person] and 40 beds.";
        for filled in ["[Your", "____", "{{name}}", "Name", "Ibarra", "St Olaf", "40", "", "--"] {
            assert!(!fits(filled, released), "{filled}");
        }
        for filled in ["Anna Keller", "ward", "O'Neill", "Lund-Berg"] {
            assert!(fits(filled, released), "{filled}");
        }
    }
}
