//! Names of several words that detection may have missed: those that an address is built from, those after "my
//! name is", and a given name before a family name.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use inkveil_detect::{EntryFlags, FoundBy, Kind, Span};

use super::evidence::{OtherMeaning, is_family, is_given};
use super::extended::{MOST_WORDS, Whole, is_title};
use super::mention_text;
use super::words::{Word, is_line, is_written_as_name};
use crate::letters::{ascii, begins_sentence};

/// Returns the names of two words that an address of the text is built from or that are a given name and a family
/// name of the lists, and the names after "my name is".
pub(super) fn whole_names(
    text: &str,
    words: &[Word<'_>],
    spans: &[Span],
    flags: &dyn Fn(&str) -> EntryFlags,
) -> Vec<Whole> {
    let addresses = letters_of_addresses(text, spans);
    let mut names = Vec::new();
    for n in 0..words.len() {
        if let Some(range) = introduced(text, words, n) {
            names.push(Whole { range, is_sure: true, is_no_place: true });
            continue;
        }
        let Some([(start, one), (at, other)]) = words.get(n..n + 2) else { continue };
        if !is_written_as_name(one) || !is_written_as_name(other) {
            continue;
        }
        let end = at + other.len();
        let (given, family, is_reversed) = match text.get(start + one.len()..*at) {
            Some(" ") => (*one, *other, false),
            Some(", ") => (*other, *one, true),
            _ => continue,
        };
        let (of_given, of_family) = (flags(given), flags(family));
        let is_listed = is_given(given, of_given) && is_family(of_family);
        let places = [EntryFlags::CITY, EntryFlags::REGION, EntryFlags::COUNTRY];
        let is_place = |flags: EntryFlags| places.into_iter().any(|place| flags.contains(place));
        let may_be = |word: &str, flags: EntryFlags| {
            OtherMeaning::of(flags) == OtherMeaning::None || is_given(word, flags) || is_family(flags)
        };
        let is_of_address = may_be(given, of_given)
            && may_be(family, of_family)
            && spellings(given, family).is_some_and(|spelled| spelled.iter().any(|s| addresses.contains(s)));
        let is_shown = match is_reversed {
            true => text[end..].starts_with(" ("),
            false => {
                !is_title(given) && (!begins_sentence(text, *start) || is_line(text, *start, end))
                // "Rose Garden Hotel" is no name, and "the Rose Garden" is none either.
                    && stands_free(text, words, n)
            }
        };
        if is_of_address || is_listed && is_shown {
            // "Boone, Asa (asa91@…)" is no company of the form ASA.
            let is_sure =
                is_of_address || [given, family].iter().any(|name| addresses.contains(&ascii(name)));
            let is_no_place = !is_place(of_given) && !is_place(of_family);
            names.push(Whole { range: *start..end, is_sure, is_no_place });
        }
    }
    names
}

/// Returns whether two words have no capitalised word and no article beside them.
fn stands_free(text: &str, words: &[Word<'_>], n: usize) -> bool {
    let Some([(start, _), (at, last)]) = words.get(n..n + 2) else { return false };
    let before = n.checked_sub(1).and_then(|last| words.get(last));
    let before = before.filter(|(from, word)| text.get(from + word.len()..*start) == Some(" "));
    let after = words.get(n + 2).filter(|(from, _)| text.get(at + last.len()..*from) == Some(" "));
    let is_plain = |word: &&Word<'_>| word.1.starts_with(char::is_lowercase);
    before.is_none_or(|word| is_plain(&word) && !["the", "a", "an", "this", "that"].contains(&word.1))
        && after.is_none_or(|word| is_plain(&word))
}

/// Returns the place of the capitalised words after "my name is", if they start at the `n`-th word.
fn introduced(text: &str, words: &[Word<'_>], n: usize) -> Option<Range<usize>> {
    let (start, first) = words.get(n).filter(|(_, word)| is_written_as_name(word))?;
    let [(_, whose), (_, name), (at, is)] = words.get(n.checked_sub(3)?..n)? else { return None };
    let is_of_person = ["my", "his", "her"].iter().any(|word| whose.eq_ignore_ascii_case(word));
    let is_joined = text.get(at + is.len()..*start) == Some(" ");
    if !is_of_person || !name.eq_ignore_ascii_case("name") || *is != "is" || !is_joined {
        return None;
    }
    let mut end = start + first.len();
    for (from, word) in words.iter().skip(n + 1).take(MOST_WORDS - 1) {
        if text.get(end..*from) != Some(" ") || !word.starts_with(char::is_uppercase) {
            break;
        }
        end = from + word.len();
    }
    Some(*start..end)
}

/// Returns the letters of the addresses and user names of a text.
fn letters_of_addresses(text: &str, spans: &[Span]) -> HashSet<String> {
    let addresses = spans.iter().filter(|span| matches!(span.kind, Kind::Email | Kind::Username));
    let users = addresses.map(|span| mention_text(text, span).trim_start_matches('@'));
    let users = users.map(|address| address.split(['@', '+']).next().unwrap_or_default());
    users.map(|user| ascii(user).chars().filter(char::is_ascii_alphabetic).collect()).collect()
}

/// Returns how addresses spell a name: "ananovak", "novakana", "anovak", "novaka", "anan".
fn spellings(given: &str, family: &str) -> Option<[String; 5]> {
    let (given, family) = (ascii(given), ascii(family));
    let (g, f) = (given.get(..1)?, family.get(..1)?);
    Some([
        format!("{given}{family}"),
        format!("{family}{given}"),
        format!("{g}{family}"),
        format!("{family}{g}"),
        format!("{given}{f}"),
    ])
}

/// Returns the spans with the whole name wherever the text repeats one of which detection found the beginning: the
/// "Nadia" of a second "Nadia K".
pub(super) fn with_whole_names(text: &str, mut spans: Vec<Span>) -> Vec<Span> {
    let is_person = |span: &Span| {
        span.kind == Kind::Person && !matches!(span.reason.found_by, FoundBy::Deny | FoundBy::User)
    };
    let mut wholes: HashMap<&str, Vec<&str>> = HashMap::new();
    for span in spans.iter().filter(|span| is_person(span)) {
        let name = mention_text(text, span);
        if let Some((first, _)) = name.split_once(' ').filter(|_| !name.contains('\n')) {
            let known = wholes.entry(first).or_default();
            if known.len() < 8 && !known.contains(&name) {
                known.push(name);
            }
        }
    }
    for at in 0..spans.len() {
        let next = spans.get(at + 1).map_or(text.len(), |next| next.start);
        let Some(span) = spans.get_mut(at).filter(|span| is_person(span)) else { continue };
        let found = text.get(span.range()).unwrap_or_default();
        let rest = text.get(span.start..).unwrap_or_default();
        let goes_on = |name: &&&str| {
            let after = rest.get(name.len()..).unwrap_or_default();
            name.len() > found.len() && rest.starts_with(**name) && !after.starts_with(char::is_alphanumeric)
        };
        let whole =
            wholes.get(found).and_then(|names| names.iter().filter(goes_on).max_by_key(|name| name.len()));
        if let Some(name) = whole.filter(|name| span.start + name.len() <= next) {
            span.end = span.start + name.len();
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::super::words::name_span;
    use super::*;

    #[test]
    fn a_name_is_whole_wherever_it_is_repeated() {
        let text = "Nadia K: hi\nNadia K: ho. Nadia left.";
        let spans = [(0, 7), (12, 17), (25, 30)].map(|(start, end)| name_span(start, end, Kind::Person));
        let whole = with_whole_names(text, spans.to_vec());
        let names: Vec<&str> = whole.iter().map(|span| &text[span.range()]).collect();
        assert_eq!(names, ["Nadia K", "Nadia K", "Nadia"]);
    }
}
