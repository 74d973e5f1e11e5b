//! Names that a text repeats where detection did not find them.

use std::collections::BTreeMap;

use inkveil_detect::{FoundBy, Kind, Reason, Span};

use super::mention_text;
use super::organisation::distinctive_word;
use crate::letters::{Case, ascii, begins_sentence};
use crate::names::title_of;
use crate::person::{NameForm, TokenKind};

/// Shorter names occur in other words and abbreviations.
const SHORTEST: usize = 3;

/// What a word also means, apart from a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherMeaning {
    /// An ordinary word, such as "Will" and "May".
    Ordinary,
    /// A place or a part of a date.
    Place,
    /// Nothing else.
    None,
}

/// How a name of the text is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Evidence {
    /// A part of a name of several words, or of an address.
    Part,
    /// A name of one word.
    Alone,
    /// A word that owns something: "Ersin's fault".
    Owner,
}

/// Returns spans for words of known names that occur elsewhere in the text, outside the spans: a name that
/// was found once is found everywhere, and so is a name in an e-mail address. A word that also means
/// something else counts within a sentence only. A capitalised word of unknown meaning that owns something
/// counts as a name ("Ersin's fault"). A capitalised word of unknown meaning before a found
/// name belongs to it.
///
/// ```
/// # fn example(text: &str, mut spans: Vec<inkveil_detect::Span>) {
/// use inkveil_entities::{OtherMeaning, repeated_names};
///
/// let meaning = |word: &str| if word == "Will" { OtherMeaning::Ordinary } else { OtherMeaning::None };
/// spans.extend(repeated_names(text, &spans, &meaning));
/// spans.sort_by_key(|span| span.start);
/// # }
/// ```
pub fn repeated_names(text: &str, spans: &[Span], meaning: &dyn Fn(&str) -> OtherMeaning) -> Vec<Span> {
    let names = names_of(text, spans);
    let mut found: Vec<Span> = Vec::new();
    let mut before: Option<(usize, &str)> = None;
    for (start, word) in words(text) {
        let end = start + word.len();
        let last = before.replace((start, word));
        if is_covered(spans, start, end) || Case::of(word) != Case::Name {
            continue;
        }
        let known = names.get(&ascii(word)).cloned();
        let owner = || is_owner(text, start, end).then_some((Kind::Person, Evidence::Owner));
        let Some((kind, evidence)) = known.or_else(owner) else { continue };
        let is_name = match (meaning(word), evidence) {
            (OtherMeaning::None, Evidence::Owner) => !begins_sentence(text, start),
            (OtherMeaning::None, _) | (OtherMeaning::Place, Evidence::Part) => true,
            (OtherMeaning::Ordinary, Evidence::Part) => {
                !begins_sentence(text, start) || is_line(text, start, end)
            }
            (_, Evidence::Alone | Evidence::Owner) => false,
        };
        if !is_name {
            continue;
        }
        // "Regnhild Pohl": the unknown word before a known name is a part of it.
        let joins = |&(at, other): &(usize, &str)| {
            kind == Kind::Person
                && evidence != Evidence::Owner
                && text.get(at + other.len()..start) == Some(" ")
                && other.chars().count() >= SHORTEST
                && Case::of(other) == Case::Name
                && other.starts_with(char::is_uppercase)
                && meaning(other) == OtherMeaning::None
                && title_of(other).is_none()
                && !is_covered(spans, at, at + other.len())
        };
        let start = last.filter(joins).map_or(start, |(at, _)| at);
        // The word before may be a name that was found already.
        found.retain(|span| span.end <= start);
        let reason = Reason {
            found_by: FoundBy::Gazetteer,
            name: "a name of the text".into(),
            context: None,
            validator: None,
            also: Vec::new(),
        };
        found.push(Span { start, end, kind, score: 0.9, reason });
    }
    found
}

/// Returns the names that the spans have, in plain letters.
fn names_of(text: &str, spans: &[Span]) -> BTreeMap<String, (Kind, Evidence)> {
    let mut names: BTreeMap<String, (Kind, Evidence)> = BTreeMap::new();
    let mut add = |word: &str, kind: Kind, evidence: Evidence| {
        let plain = ascii(word);
        if plain.len() >= SHORTEST {
            let known = names.entry(plain).or_insert((kind, evidence));
            if evidence == Evidence::Part {
                known.1 = Evidence::Part;
            }
        }
    };
    for span in spans {
        let mention = mention_text(text, span);
        match span.kind {
            Kind::Person => {
                let form = NameForm::of(mention);
                let tokens = || form.tokens.iter().filter(|token| token.kind == TokenKind::Name);
                let evidence = if tokens().count() > 1 { Evidence::Part } else { Evidence::Alone };
                for token in tokens() {
                    let word = mention.get(token.range.clone()).unwrap_or_default();
                    let word = word.rsplit(' ').next().unwrap_or_default();
                    if Case::of(word) == Case::Name {
                        add(word, Kind::Person, evidence);
                    }
                }
            }
            Kind::Organisation => {
                if let Some(word) =
                    distinctive_word(mention).filter(|word| word.starts_with(char::is_uppercase))
                {
                    add(word, Kind::Organisation, Evidence::Alone);
                }
            }
            Kind::Email => {
                let user = mention.split('@').next().unwrap_or_default();
                let words: Vec<&str> = user
                    .split(|c: char| !c.is_alphabetic())
                    .filter(|word| word.chars().count() >= SHORTEST)
                    .collect();
                let evidence = if words.len() > 1 { Evidence::Part } else { Evidence::Alone };
                words.iter().for_each(|word| add(word, Kind::Person, evidence));
            }
            _ => {}
        }
    }
    names
}

fn is_covered(spans: &[Span], start: usize, end: usize) -> bool {
    // Spans do not overlap and are sorted by their start, hence also by their end.
    let next = spans.partition_point(|span| span.end <= start);
    spans.get(next).is_some_and(|span| span.start < end)
}

/// Returns whether the ending 's follows a word.
fn is_owner(text: &str, start: usize, end: usize) -> bool {
    let long =
        text[start..end].chars().count() >= SHORTEST && text[start..end].starts_with(char::is_uppercase);
    let ending = ["'s", "’s"].iter().find_map(|ending| text[end..].strip_prefix(ending));
    long && ending.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Returns whether a word is a line of its own, as below a letter.
fn is_line(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].trim_end_matches(' ');
    let after = text[end..].trim_start_matches([' ', '.', ',', '\r']);
    (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || after.starts_with('\n'))
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
