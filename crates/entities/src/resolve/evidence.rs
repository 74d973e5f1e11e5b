//! What shows that a word of a text is a name.

use std::collections::BTreeMap;

use inkveil_detect::{EntryFlags, Kind, Span};

use super::mention_text;
use super::organisation::distinctive_word;
use super::words::SHORTEST;
use crate::letters::{Case, ascii};
use crate::names::{is_given_name, stands_before_names, title_before};
use crate::person::{NameForm, TokenKind};

/// How a name of the text is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Evidence {
    /// A part of a name of several words or of an address, or a name after a title.
    Part,
    /// A name of one word.
    Alone,
    /// A word that owns something: "Ersin's fault".
    Owner,
    /// A given name with a capital within a sentence: "reach Rose".
    Given,
    /// A name before what is said on several lines: "Will: hi".
    Speaker,
}

/// What a word also means, apart from a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OtherMeaning {
    /// An ordinary word, such as "Will" and "May".
    Ordinary,
    /// A place or a part of a date.
    Place,
    None,
}

impl OtherMeaning {
    pub(super) fn of(flags: EntryFlags) -> Self {
        let places = [EntryFlags::CITY, EntryFlags::REGION, EntryFlags::COUNTRY, EntryFlags::CALENDAR];
        match flags.contains(EntryFlags::ORDINARY) {
            true => OtherMeaning::Ordinary,
            false if places.into_iter().any(|place| flags.contains(place)) => OtherMeaning::Place,
            false => OtherMeaning::None,
        }
    }
}

/// Returns whether a word is a given name and no part of a date.
pub(super) fn is_given(word: &str, flags: EntryFlags) -> bool {
    (flags.contains(EntryFlags::GIVEN) || is_given_name(word)) && !flags.contains(EntryFlags::CALENDAR)
}

/// Returns whether a word is a family name and no part of a date.
pub(super) fn is_family(flags: EntryFlags) -> bool {
    flags.contains(EntryFlags::FAMILY) && !flags.contains(EntryFlags::CALENDAR)
}

/// Returns whether a word stands after a form of address that only names follow: "Ms Church".
pub(super) fn is_addressed(text: &str, start: usize) -> bool {
    title_before(text, start).is_some_and(stands_before_names)
}

/// The names of a text in plain letters, with what they name.
pub(super) type Names = BTreeMap<String, (Kind, Evidence)>;

/// Returns the names that the spans have.
pub(super) fn names_of(text: &str, spans: &[Span]) -> Names {
    let mut names = Names::new();
    let mut add = |word: &str, kind: Kind, evidence: Evidence| {
        let plain = ascii(word);
        match evidence {
            _ if plain.len() < SHORTEST => {}
            Evidence::Part => {
                names.insert(plain, (kind, evidence));
            }
            _ => {
                names.entry(plain).or_insert((kind, evidence));
            }
        }
    };
    // A single word that is a company once and a person elsewhere is a person.
    let is_one_word = |span: &&Span| {
        span.kind == Kind::Organisation && !mention_text(text, span).contains(char::is_whitespace)
    };
    let others = spans.iter().filter(|span| !is_one_word(span));
    for span in others.chain(spans.iter().filter(is_one_word)) {
        let mention = mention_text(text, span);
        match span.kind {
            Kind::Person => {
                let form = NameForm::of(mention);
                let tokens = || form.tokens.iter().filter(|token| token.kind == TokenKind::Name);
                let titled =
                    || form.title_text(mention).is_some() || title_before(text, span.start).is_some();
                let is_part = tokens().count() > 1 || titled();
                let evidence = if is_part { Evidence::Part } else { Evidence::Alone };
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
