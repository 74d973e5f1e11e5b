//! Names that a text repeats where detection did not find them.

use std::collections::BTreeMap;

use inkveil_detect::{FoundBy, Kind, Reason, Span};

use super::mention_text;
use super::organisation::distinctive_word;
use crate::letters::Case;
use crate::person::{NameForm, TokenKind};

/// Shorter names occur in other words and abbreviations.
const SHORTEST: usize = 3;

/// Returns spans for words of known names that occur elsewhere in the text, outside the spans: a name that
/// was found once is found everywhere. `is_common` tells words that often mean something else, such as
/// "Will" and "May"; they are left out.
///
/// ```
/// # fn example(text: &str, mut spans: Vec<inkveil_detect::Span>) {
/// spans.extend(inkveil_entities::repeated_names(text, &spans, &|word| word == "Will"));
/// spans.sort_by_key(|span| span.start);
/// # }
/// ```
pub fn repeated_names(text: &str, spans: &[Span], is_common: &dyn Fn(&str) -> bool) -> Vec<Span> {
    let mut names: BTreeMap<String, Kind> = BTreeMap::new();
    for span in spans {
        let mention = mention_text(text, span);
        match span.kind {
            Kind::Person => {
                for token in NameForm::of(mention).tokens.iter().filter(|token| token.kind == TokenKind::Name)
                {
                    let word = mention.get(token.range.clone()).unwrap_or_default();
                    let word = word.rsplit(' ').next().unwrap_or_default();
                    if Case::of(word) == Case::Name {
                        names.insert(word.to_owned(), Kind::Person);
                    }
                }
            }
            Kind::Organisation => {
                if let Some(word) = distinctive_word(mention) {
                    names.entry(word.to_owned()).or_insert(Kind::Organisation);
                }
            }
            _ => {}
        }
    }
    names.retain(|name, _| {
        name.chars().count() >= SHORTEST && name.starts_with(char::is_uppercase) && !is_common(name)
    });
    let mut found = Vec::new();
    for (start, word) in words(text) {
        let end = start + word.len();
        // Spans do not overlap and are sorted by their start, hence also by their end.
        let next = spans.partition_point(|span| span.end <= start);
        let covered = spans.get(next).is_some_and(|span| span.start < end);
        if let (false, Some(kind)) = (covered, names.get(word)) {
            let reason = Reason {
                found_by: FoundBy::Gazetteer,
                name: "a name of the text".into(),
                context: None,
                validator: None,
                also: Vec::new(),
            };
            found.push(Span { start, end, kind: kind.clone(), score: 0.9, reason });
        }
    }
    found
}

/// Returns the words of a text with their places. A hyphen or an apostrophe within a word is a part of it,
/// but the ending 's is not.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '\'' | '’');
    let start_of = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    text.split(move |c: char| !in_word(c)).filter(|word| !word.is_empty()).map(move |word| {
        let word = crate::letters::split_possessive(word).0.trim_matches(['-', '\'', '’']);
        (start_of(word), word)
    })
}
