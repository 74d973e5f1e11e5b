//! Names that a text repeats where detection did not find them.

use std::collections::BTreeMap;

use inkveil_detect::{EntryFlags, FoundBy, Kind, Reason, Span};

use super::mention_text;
use super::organisation::distinctive_word;
use crate::letters::{Case, ascii, begins_sentence};
use crate::names::{is_given_name, title_of};
use crate::person::{NameForm, TokenKind};

/// Shorter names occur in other words and abbreviations.
const SHORTEST: usize = 3;

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

/// What a word also means, apart from a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OtherMeaning {
    /// An ordinary word, such as "Will" and "May".
    Ordinary,
    /// A place or a part of a date.
    Place,
    None,
}

impl OtherMeaning {
    fn of(flags: EntryFlags) -> Self {
        let places = [EntryFlags::CITY, EntryFlags::REGION, EntryFlags::COUNTRY, EntryFlags::CALENDAR];
        match flags.contains(EntryFlags::ORDINARY) {
            true => OtherMeaning::Ordinary,
            false if places.into_iter().any(|place| flags.contains(place)) => OtherMeaning::Place,
            false => OtherMeaning::None,
        }
    }
}

/// Returns the spans, completed by words of known names that occur elsewhere in the text: a name that was
/// found once is found everywhere, and so is a name in an e-mail address. `flags` returns what the gazetteer
/// knows of a word. A word that also means something else counts within a sentence only, on a line of its
/// own, or as an owner ("Will's"). A capitalised word that owns something counts as a name if it has no
/// other meaning or is a given name ("Ersin's fault", "not Autumn's fault"). A capitalised word before or
/// after a found name belongs to it if it has no other meaning or is a name too ("Don Koç", "Alice Church").
/// A name that was taken for another kind becomes a name.
///
/// ```
/// # fn example(text: &str, spans: Vec<inkveil_detect::Span>) {
/// use inkveil_detect::EntryFlags;
/// use inkveil_entities::with_repeated_names;
///
/// let flags = |word: &str| if word == "Will" { EntryFlags::ORDINARY } else { EntryFlags::default() };
/// let spans = with_repeated_names(text, spans, &flags);
/// # }
/// ```
pub fn with_repeated_names(
    text: &str,
    mut spans: Vec<Span>,
    flags: &dyn Fn(&str) -> EntryFlags,
) -> Vec<Span> {
    let words: Vec<(usize, &str)> = words(text).collect();
    extend_names(text, &words, &mut spans, flags);
    let names = names_of(text, &spans);
    for span in &mut spans {
        if was_taken_for_another_kind(text, span, &names, flags) {
            span.kind = Kind::Person;
        }
    }
    let mut found: Vec<Span> = Vec::new();
    for (n, &(start, word)) in words.iter().enumerate() {
        let end = start + word.len();
        if covering(&spans, start, end).is_some() || Case::of(word) != Case::Name {
            continue;
        }
        let own = flags(word);
        let known = names.get(&ascii(word)).cloned();
        let owns = is_owner(text, start, end);
        let owner = || owns.then_some((Kind::Person, Evidence::Owner));
        let is_name = |evidence: Evidence| match (OtherMeaning::of(own), evidence) {
            (OtherMeaning::None, Evidence::Owner) => !begins_sentence(text, start),
            (OtherMeaning::None, _) | (OtherMeaning::Place, Evidence::Part) => true,
            (OtherMeaning::Ordinary, Evidence::Part) => {
                owns || !begins_sentence(text, start) || is_line(text, start, end)
            }
            (_, Evidence::Alone) => is_given(word, own) && (owns || !begins_sentence(text, start)),
            (_, Evidence::Owner) => is_given(word, own) && !begins_sentence(text, start),
        };
        let Some((kind, evidence)) = known.or_else(owner).filter(|(_, evidence)| is_name(*evidence)) else {
            continue;
        };
        // "Regnhild Pohl": the unknown word before a known name is a part of it.
        let joins = |&(at, other): &(usize, &str)| {
            kind == Kind::Person
                && evidence != Evidence::Owner
                && text.get(at + other.len()..start) == Some(" ")
                && other.chars().count() >= SHORTEST
                && Case::of(other) == Case::Name
                && other.starts_with(char::is_uppercase)
                && OtherMeaning::of(flags(other)) == OtherMeaning::None
                && title_of(other).is_none()
                && covering(&spans, at, at + other.len()).is_none()
        };
        let before = n.checked_sub(1).and_then(|last| words.get(last));
        let start = before.filter(|word| joins(word)).map_or(start, |(at, _)| *at);
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
    spans.extend(found);
    spans.sort_by_key(|span| span.start);
    spans
}

/// Returns whether a word is a given name and no part of a date.
fn is_given(word: &str, flags: EntryFlags) -> bool {
    (flags.contains(EntryFlags::GIVEN) || is_given_name(word)) && !flags.contains(EntryFlags::CALENDAR)
}

/// Returns whether a word is a family name and no part of a date.
fn is_family(flags: EntryFlags) -> bool {
    flags.contains(EntryFlags::FAMILY) && !flags.contains(EntryFlags::CALENDAR)
}

/// Returns whether a span of one word is a name of the text: the colour "Amber" below a letter of Amber Baker.
fn was_taken_for_another_kind(
    text: &str,
    span: &Span,
    names: &BTreeMap<String, (Kind, Evidence)>,
    flags: &dyn Fn(&str) -> EntryFlags,
) -> bool {
    let kinds = [Kind::Trait, Kind::Location, Kind::Organisation, Kind::Job, Kind::Id];
    let word = crate::letters::split_possessive(mention_text(text, span)).0;
    if !kinds.contains(&span.kind) || Case::of(word) != Case::Name || word.contains(char::is_whitespace) {
        return false;
    }
    match names.get(&ascii(word)) {
        Some((Kind::Person, Evidence::Part)) => true,
        Some((Kind::Person, Evidence::Alone)) => is_given(word, flags(word)),
        _ => false,
    }
}

/// Extends names of one word by a capitalised word beside them that is a name too: "Don Koç", "Alice Church".
fn extend_names(text: &str, words: &[(usize, &str)], spans: &mut [Span], flags: &dyn Fn(&str) -> EntryFlags) {
    for at in 0..spans.len() {
        let span = &spans[at];
        let form = NameForm::of(mention_text(text, span));
        let tokens = form.tokens.iter().filter(|token| token.kind == TokenKind::Name);
        if span.kind != Kind::Person || tokens.count() != 1 {
            continue;
        }
        let (start, end) = (span.start, span.end);
        let is_free = |word: &&(usize, &str)| {
            let (from, word) = **word;
            covering(spans, from, from + word.len()).is_none()
                && word.chars().count() >= SHORTEST
                && word.starts_with(char::is_uppercase)
                && Case::of(word) == Case::Name
                && title_of(word).is_none()
        };
        let first = words.partition_point(|(from, _)| *from < start);
        let before = first.checked_sub(1).and_then(|last| words.get(last)).filter(is_free);
        let before = before.filter(|(from, word)| match text.get(from + word.len()..start) {
            // A word that begins a sentence may be another word, unless the line has nothing else.
            Some(" ") => {
                is_given(word, flags(word)) && (!begins_sentence(text, *from) || is_line(text, *from, end))
            }
            // "Opened by Bishop, Delfino (…)".
            Some(", ") => is_family(flags(word)) && text[end..].starts_with(" ("),
            _ => false,
        });
        let next = words.partition_point(|(from, _)| *from < end);
        let after = words
            .get(next)
            .filter(is_free)
            .filter(|(from, word)| text.get(end..*from) == Some(" ") && is_family(flags(word)));
        match (before, after) {
            (Some((from, _)), _) => spans[at].start = *from,
            (None, Some((from, word))) => spans[at].end = from + word.len(),
            (None, None) => {}
        }
    }
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

/// Returns the first span that shares bytes with a range.
fn covering(spans: &[Span], start: usize, end: usize) -> Option<&Span> {
    // Spans do not overlap and are sorted by their start, hence also by their end.
    let next = spans.partition_point(|span| span.end <= start);
    spans.get(next).filter(|span| span.start < end)
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
