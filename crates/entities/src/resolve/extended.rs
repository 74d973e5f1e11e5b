//! Names of which detection found a part, or nothing, where the text shows the whole name.

use std::ops::Range;

use inkveil_detect::{EntryFlags, Family, FoundBy, Kind, Span};

use super::evidence::{is_addressed, is_family, is_given};
use super::mention_text;
use super::words::{Word, covering, is_line, is_written_as_name, name_span};
use crate::letters::begins_sentence;
use crate::names::{is_title_or_given_name, stands_before_names, title_of};
use crate::person::{NameForm, TokenKind, is_particle};

/// The most words of a name that is put together.
pub(super) const MOST_WORDS: usize = 3;

/// The place of a whole name.
pub(super) struct Whole {
    pub(super) range: Range<usize>,
    /// Whether the text shows that it is a name, whatever detection took its words for.
    pub(super) is_sure: bool,
    /// Whether no word of it is a place of the lists.
    pub(super) is_no_place: bool,
}

/// Returns names of one word, extended by a capitalised word beside them that is a name too: "Don Koç",
/// "Alice Church".
pub(super) fn extensions(
    text: &str,
    words: &[Word<'_>],
    spans: &[Span],
    flags: &dyn Fn(&str) -> EntryFlags,
) -> Vec<Whole> {
    let mut names = Vec::new();
    for span in spans {
        if !is_one_name(text, span) {
            continue;
        }
        let (start, end) = (span.start, span.end);
        let is_free = |word: &&Word<'_>| {
            let (from, word) = **word;
            let known = covering(spans, from, from + word.len());
            known.is_none_or(|span| may_be_mistaken(span, from, word, flags(word)))
                && is_written_as_name(word)
                && !stands_before_names(word)
        };
        let first = words.partition_point(|(from, _)| *from < start);
        let before = first.checked_sub(1).and_then(|last| words.get(last)).filter(is_free);
        let before = before.filter(|(from, word)| match text.get(from + word.len()..start) {
            // A word that begins a sentence may be another word, unless detection found something there or the line
            // has nothing else.
            Some(" ") => {
                !is_title(word)
                    && is_given(word, flags(word))
                    && (covering(spans, *from, start).is_some()
                        || !begins_sentence(text, *from)
                        || is_line(text, *from, end))
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
        let range = match (before, after) {
            (Some((from, _)), _) => *from..end,
            (None, Some((from, word))) => start..from + word.len(),
            (None, None) => continue,
        };
        names.push(Whole { range, is_sure: true, is_no_place: true });
    }
    names
}

/// Returns whether a span of one word beside a person's name may be a part of the name that detection took for
/// something else: the title "Bishop" or the company "Church". A place of the lists is a place.
fn may_be_mistaken(span: &Span, start: usize, word: &str, flags: EntryFlags) -> bool {
    let kinds = [Kind::Title, Kind::Organisation, Kind::Location, Kind::Job, Kind::Trait];
    let places = [EntryFlags::CITY, EntryFlags::REGION, EntryFlags::COUNTRY];
    kinds.contains(&span.kind)
        && span.range() == (start..start + word.len())
        && !(span.kind == Kind::Location && places.into_iter().any(|place| flags.contains(place)))
}

/// Returns whether a word is a title and no given name.
pub(super) fn is_title(word: &str) -> bool {
    title_of(word).is_some() && !is_title_or_given_name(word)
}

/// Returns whether a span is a person's name of one word.
fn is_one_name(text: &str, span: &Span) -> bool {
    span.kind == Kind::Person && {
        let form = NameForm::of(mention_text(text, span));
        form.tokens.iter().filter(|token| token.kind == TokenKind::Name).count() == 1
    }
}

/// Returns the spans with one span for each whole name. A name that reaches into what is no part of a name is
/// left out.
pub(super) fn covered(spans: Vec<Span>, mut names: Vec<Whole>) -> Vec<Span> {
    if names.is_empty() {
        return spans;
    }
    names.sort_by_key(|name| (name.range.start, name.range.end));
    let mut covered: Vec<Span> = Vec::with_capacity(spans.len() + names.len());
    let mut rest = spans.into_iter().peekable();
    for Whole { range, is_sure, is_no_place } in names {
        while let Some(span) = rest.next_if(|span| span.end <= range.start) {
            covered.push(span);
        }
        if covered.last().is_some_and(|last| last.end > range.start) {
            continue;
        }
        let mut inside = Vec::new();
        while let Some(span) = rest.next_if(|span| span.start < range.end) {
            inside.push(span);
        }
        let fits = |span: &Span| {
            // "Winifred Marsh" of the lists is no place.
            let is_whole =
                is_no_place && span.kind == Kind::Location && span.range() == range && is_tagged(span);
            range.start <= span.start && span.end <= range.end && (is_whole || may_be_part(span, is_sure))
        };
        match inside.iter().all(fits) {
            true => {
                let known = inside.into_iter().find(|span| span.kind == Kind::Person);
                let name = known.unwrap_or_else(|| name_span(range.start, range.end, Kind::Person));
                covered.push(Span { start: range.start, end: range.end, ..name });
            }
            false => covered.extend(inside),
        }
    }
    covered.extend(rest);
    covered
}

fn is_tagged(span: &Span) -> bool {
    span.reason.found_by == FoundBy::Tagger
}

/// Returns whether a span may become a part of a name. What the user asks for stays as it is.
fn may_be_part(span: &Span, is_sure: bool) -> bool {
    let is_word = matches!(span.kind.family(), Family::People | Family::Places | Family::Times)
        || span.kind == Kind::Id;
    !matches!(span.reason.found_by, FoundBy::Deny | FoundBy::User)
        && (matches!(span.kind, Kind::Person | Kind::Title) || is_sure && is_word)
}

/// Returns the spans without ordinary words before a name that detection took for a part of it: the "ping" of
/// "ping Will".
pub(super) fn without_words_before(
    text: &str,
    mut spans: Vec<Span>,
    flags: &dyn Fn(&str) -> EntryFlags,
) -> Vec<Span> {
    for span in &mut spans {
        let words = text.get(span.range()).unwrap_or_default();
        let Some((first, rest)) = words.split_once(' ') else { continue };
        let is_ordinary = first.chars().all(char::is_lowercase)
            && flags(first).contains(EntryFlags::ORDINARY)
            && !is_particle(first);
        if span.kind == Kind::Person && is_ordinary && is_written_as_name(rest) {
            span.start = span.end - rest.len();
        }
    }
    spans
}

/// Returns the spans with names in place of titles that no name follows: the "Bishop" of "ask Ms Bishop".
pub(super) fn without_mistaken_titles(text: &str, spans: Vec<Span>) -> Vec<Span> {
    let mut kept = Vec::with_capacity(spans.len());
    let mut rest = spans.into_iter().peekable();
    while let Some(span) = rest.next() {
        if span.kind != Kind::Title {
            kept.push(span);
            continue;
        }
        let next = rest.peek().filter(|next| next.kind == Kind::Person);
        let next = next.filter(|next| text.get(span.end..next.start) == Some(" "));
        let words = text.get(span.range()).unwrap_or_default();
        let last = words.rsplit(' ').next().unwrap_or_default();
        let is_name = match next {
            None => is_addressed(text, span.end - last.len()) && !stands_before_names(last),
            Some(next) => is_title_or_given_name(last) && is_one_name(text, next),
        };
        if !is_name || !is_written_as_name(last) {
            kept.push(span);
            continue;
        }
        let start = span.end - last.len();
        let title = text.get(span.start..start).unwrap_or_default().trim_end();
        if !title.is_empty() {
            kept.push(Span { end: span.start + title.len(), ..span.clone() });
        }
        kept.push(Span { start, kind: Kind::Person, ..span });
    }
    kept
}

/// Returns the spans with one span for neighbours that are one name: "Alice" and "Church" of "Alice Church".
pub(super) fn joined(text: &str, mut spans: Vec<Span>) -> Vec<Span> {
    spans.dedup_by(|next, last| {
        let is_one = are_one_name(text, last, next);
        if is_one {
            last.end = next.end;
        }
        is_one
    });
    spans
}

fn are_one_name(text: &str, first: &Span, second: &Span) -> bool {
    let names = |span: &Span| {
        let form = NameForm::of(text.get(span.range()).unwrap_or_default());
        let begins = form.tokens.first().is_some_and(|token| token.kind == TokenKind::Name);
        (form.tokens.iter().filter(|token| token.kind == TokenKind::Name).count(), begins)
    };
    let is_found = |span: &Span| {
        span.kind == Kind::Person && !matches!(span.reason.found_by, FoundBy::Deny | FoundBy::User)
    };
    let owns = |span: &Span| mention_text(text, span).len() < span.end - span.start;
    let touch = text.get(first.end..second.start) == Some(" ") && is_found(first) && is_found(second);
    let touch = touch && !owns(first);
    touch && {
        let ((one, _), (other, begins)) = (names(first), names(second));
        begins && one > 0 && one + other <= MOST_WORDS
    }
}
