//! Spans whose words show what they are.

use inkveil_detect::{EntryFlags, FoundBy, Kind, Span};

use super::Flags;
use crate::names::{stands_before_names, title_of};
use crate::resolve::words::{is_written_as_name, singulars};
use crate::values::Values;

/// Forms of address of other languages that stand before nothing but a name.
const BEFORE_NAMES: &[&str] = &["Mme", "Mlle", "Sra", "Srta", "Frau", "Herr", "Mevrouw"];

/// Reads a span again where its words show what it is.
pub(super) fn reread(text: &str, span: &mut Span, flags: Flags<'_>) {
    let words = text.get(span.range()).unwrap_or_default();
    let is_tagged = span.reason.found_by == FoundBy::Tagger;
    match span.kind {
        // "29F" is an age and a gender.
        Kind::Date | Kind::Id if is_tagged && is_age_and_gender(words) => span.kind = Kind::Age,
        // "ask Will": a given name that is no day, month or season.
        Kind::Date
            if is_tagged
                && is_written_as_name(words)
                && flags(words).contains(EntryFlags::GIVEN)
                && !Values::reads(&Kind::Date, words) =>
        {
            span.kind = Kind::Person;
        }
        // The Hendersons are no company and no place.
        Kind::Organisation | Kind::Job | Kind::Location | Kind::Trait if is_tagged => {
            let is_family = |stem: &str| {
                let known = flags(stem);
                let others =
                    [EntryFlags::CITY, EntryFlags::REGION, EntryFlags::COUNTRY, EntryFlags::NATIONALITY];
                known.contains(EntryFlags::FAMILY) && !others.into_iter().any(|other| known.contains(other))
            };
            let name = words.trim_end_matches(['\'', '’']);
            let is_plain = is_written_as_name(name) && name.chars().all(char::is_alphabetic);
            // "the Rovers" of a sport may also be a family. Both get a name in the plural.
            if is_plain && singulars(text, span.start, name).any(is_family) {
                span.kind = Kind::Person;
            }
        }
        Kind::Person => {
            let end = initials_end(text, span);
            span.end = span.end.max(end);
            if is_tagged {
                span.start += words_before_title(words, flags);
            }
        }
        _ => {}
    }
}

fn is_age_and_gender(words: &str) -> bool {
    let age = words.trim_end_matches(['M', 'F', 'm', 'f']);
    (2..=3).contains(&age.len()) && age.len() + 1 == words.len() && age.chars().all(|c| c.is_ascii_digit())
}

/// Returns the end of the initials that a span begins: "D.O." if detection found the D.
fn initials_end(text: &str, span: &Span) -> usize {
    let is_letter = |letter: &str| letter.chars().count() == 1 && letter.starts_with(char::is_uppercase);
    if !text.get(span.range()).is_some_and(|first| is_letter(first.trim_end_matches('.'))) {
        return span.end;
    }
    let mut end = span.start;
    let mut rest = text.get(span.start..).unwrap_or_default().chars();
    while let (Some(letter), Some('.')) = (rest.next(), rest.next()) {
        if !letter.is_uppercase() {
            break;
        }
        end += letter.len_utf8() + 1;
    }
    end
}

/// Returns the bytes of an ordinary word before the title in a name: the "Rang " of "Rang Mme Duchamp". Names before what
/// may be a name as well stay: "Rose King".
fn words_before_title(words: &str, flags: Flags<'_>) -> usize {
    let Some((first, after)) = words.split_once(' ') else { return 0 };
    let next = after.split(' ').next().unwrap_or_default().trim_end_matches('.');
    let is_title =
        next.starts_with(char::is_uppercase) && (stands_before_names(next) || BEFORE_NAMES.contains(&next));
    let known = flags(first);
    let is_name = known.contains(EntryFlags::GIVEN) || known.contains(EntryFlags::FAMILY);
    let is_word = known.contains(EntryFlags::ORDINARY) && !is_name && title_of(first).is_none();
    if is_title && is_word { words.len() - after.len() } else { 0 }
}
