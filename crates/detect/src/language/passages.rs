//! A text as passages of one language each.

use std::ops::Range;

use super::Language;
use super::identify::identify;
use super::votes::Count;

/// A passage changes the language only with this many words,
const FEWEST_WORDS: usize = 6;
/// this many votes,
const FEWEST_VOTES: f32 = 2.5;
/// and this many times the votes of the language of the whole text.
const TIMES: f32 = 3.0;
/// Longer parts without the end of a sentence are cut at a space.
const LONGEST: usize = 2000;

/// A passage of a text and its language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// Its language.
    pub language: Language,
    /// Whether the text shows its language. Otherwise it is taken for English, and all taggers read it.
    pub is_shown: bool,
}

/// Splits a text into passages of one language each. They cover the text without gaps. A text that shows no
/// language is English.
///
/// ```
/// use inkveil_detect::{Language, passages};
///
/// let text = "She wrote to us in May.\nIch habe ihr noch nicht geantwortet, weil ich im Urlaub war.";
/// let found: Vec<Language> = passages(text).iter().map(|passage| passage.language).collect();
/// assert_eq!(found, [Language::English, Language::German]);
/// ```
pub fn passages(text: &str) -> Vec<Passage> {
    let parts: Vec<(Range<usize>, Count)> =
        sentences(text).into_iter().map(|range| (range.clone(), Count::of(&text[range]))).collect();
    let mut whole = Count::default();
    parts.iter().for_each(|(_, count)| whole.add(count));
    let shown = identify(text, &whole);
    let main = shown.unwrap_or(Language::English);
    let mut found: Vec<Passage> = Vec::new();
    for (range, count) in parts {
        let language = own_language(&text[range.clone()], &count, main);
        match found.last_mut() {
            // A short part joins the passage before it.
            Some(last) if language.is_none_or(|language| language == last.language) => {
                last.range.end = range.end;
                last.is_shown |= language.is_some();
            }
            _ => {
                let is_shown = language.or(shown).is_some();
                found.push(Passage { range, language: language.unwrap_or(main), is_shown });
            }
        }
    }
    found
}

/// Returns the language of a part, or `None` if it does not show one of its own.
fn own_language(text: &str, count: &Count, main: Language) -> Option<Language> {
    let language = identify(text, count)?;
    if language == main {
        return Some(main);
    }
    let clear = match language.has_tagger() {
        true => {
            let votes = count.votes_of(language);
            votes >= FEWEST_VOTES && votes >= TIMES * count.votes_of(main)
        }
        false => count.letters >= 60,
    };
    (clear && count.words >= FEWEST_WORDS).then_some(language)
}

/// Splits a text after line breaks and after the ends of sentences. The parts touch each other and cover the
/// text.
///
/// ```
/// use inkveil_detect::sentences;
///
/// assert_eq!(sentences("It rained. We left."), [0..11, 11..19]);
/// ```
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    let mut ends = false;
    while let Some((at, c)) = chars.next() {
        let blank = c.is_whitespace();
        let line = c == '\n';
        let long = at - start > LONGEST && blank;
        let next = chars.peek().map(|(_, next)| *next);
        if line && next.is_some_and(|next| !next.is_whitespace())
            || ends && blank && next.is_some_and(char::is_uppercase)
            || long
        {
            let end = at + c.len_utf8();
            parts.push(start..end);
            start = end;
        }
        ends = matches!(c, '.' | '!' | '?' | '…') || ends && matches!(c, '"' | '»' | '”' | ')' | '\'');
    }
    if start < text.len() || parts.is_empty() {
        parts.push(start..text.len());
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn codes(text: &str) -> Vec<&'static str> {
        passages(text).iter().map(|passage| passage.language.code()).collect()
    }

    #[test]
    fn a_letter_has_one_language_with_its_short_lines() {
        let letter = "Anna Schmidt\n10115 Berlin\n\nSehr geehrte Frau Weber,\nich danke Ihnen für Ihr Schreiben und \
                      melde mich in der nächsten Woche.\nMit freundlichen Grüßen\nAnna Schmidt";
        assert_eq!(codes(letter), ["de"]);
    }

    #[test]
    fn a_foreign_sentence_in_an_english_text_is_a_passage() {
        let text = "The customer wrote to us yesterday. Je vous prie de me rappeler, parce que je n'ai pas encore \
                    reçu le colis. We have not answered him yet.";
        assert_eq!(codes(text), ["en", "fr", "en"]);
    }

    #[test]
    fn foreign_names_do_not_change_the_language() {
        assert_eq!(codes("He met María de la Cruz at Rue de la Paix and went home."), ["en"]);
        assert_eq!(codes("Das Auto der Familie de Jong steht vor dem Haus."), ["de"]);
        assert_eq!(codes("de la Cruz"), ["en"]);
        assert_eq!(codes(""), ["en"]);
    }

    proptest! {
        #[test]
        fn passages_cover_the_text(text in any::<String>()) {
            let mut at = 0;
            for passage in passages(&text) {
                prop_assert_eq!(passage.range.start, at);
                prop_assert!(text.is_char_boundary(passage.range.end));
                at = passage.range.end;
            }
            prop_assert_eq!(at, text.len());
        }
    }
}
