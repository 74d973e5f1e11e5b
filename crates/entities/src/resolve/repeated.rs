//! Names that a text repeats where detection did not find them.

use inkveil_detect::{EntryFlags, Family, FoundBy, Kind, Span};

use super::corrected::corrected;
use super::evidence::{Evidence, Names, OtherMeaning, is_addressed, is_given, names_of};
use super::extended::{covered, extensions, joined, without_mistaken_titles, without_words_before};
use super::mention_text;
use super::organisation::relabelled;
use super::repeated_values::with_repeated_values;
use super::whole::{whole_names, with_whole_names};
use super::words::{
    Word, covering, is_actor, is_capital_alone, is_in_date, is_line, is_owner, is_speaker,
    is_stamped_speaker, is_written_as_name, name_span, singulars, speakers_of, words,
};
use crate::letters::{Case, ascii, begins_sentence, split_possessive};
use crate::names::{stands_before_names, title_of};

/// A name that is completed may show that another word is a name, whose neighbour is then a part of it.
const MOST_ROUNDS: usize = 3;

/// Returns the spans, completed by words of known names that occur elsewhere in the text: a name that was
/// found once is found everywhere, and so is a name in an e-mail address or after "Ms". `flags` returns what
/// the gazetteer knows of a word. A word that also means something else counts within a sentence only, on a
/// line of its own, as an owner ("Will's"), or before a verb ("Will asked"). A capitalised word that owns something counts as a name if it
/// has no other meaning or is a given name ("Ersin's fault", "not Autumn's fault"), and so does a given name
/// with a capital that nothing beside it explains ("reach Rose"). A capitalised word before or after a found
/// name belongs to it if it has no other meaning or is a name too ("Don Koç", "Alice Church"). A name that
/// was taken for another kind becomes a name, a month that was taken for a name becomes a date ("after May"),
/// and two parts of a name become one.
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
pub fn with_repeated_names(text: &str, spans: Vec<Span>, flags: &dyn Fn(&str) -> EntryFlags) -> Vec<Span> {
    let words = words(text);
    let spans = with_whole_names(text, corrected(text, spans, flags));
    let spans = without_mistaken_titles(text, without_words_before(text, spans, flags));
    let whole = whole_names(text, &words, &spans, flags);
    let mut spans = covered(spans, whole);
    for _ in 0..MOST_ROUNDS {
        // A long text has many spans, so they are compared without a copy of their reasons.
        let places =
            |spans: &[Span]| spans.iter().map(|span| (span.range(), span.kind.clone())).collect::<Vec<_>>();
        let before = places(&spans);
        spans = completed(text, &words, spans, flags);
        if places(&spans) == before {
            break;
        }
    }
    // One entity has one kind, so that it has one placeholder.
    with_repeated_values(text, relabelled(text, &spans))
}

/// Returns the spans, completed by what they show of the other words.
fn completed(
    text: &str,
    words: &[Word<'_>],
    spans: Vec<Span>,
    flags: &dyn Fn(&str) -> EntryFlags,
) -> Vec<Span> {
    let extended = extensions(text, words, &spans, flags);
    let mut spans = covered(spans, extended);
    let names = names_of(text, &spans);
    for at in 0..spans.len() {
        let is_title = spans.get(at + 1).is_some_and(|next| is_title_of(text, &spans[at], next));
        let span = &mut spans[at];
        if !is_title && was_taken_for_another_kind(text, span, &names, flags) {
            span.kind = Kind::Person;
        } else if is_month_taken_for_a_name(text, span, &names, flags) {
            span.kind = Kind::Date;
        }
    }
    let speakers = speakers_of(text, words);
    let mut found: Vec<Span> = Vec::new();
    for (n, &(start, word)) in words.iter().enumerate() {
        let end = start + word.len();
        if covering(&spans, start, end).is_some() || Case::of(word) != Case::Name {
            continue;
        }
        let own = flags(word);
        let meaning = OtherMeaning::of(own);
        let owns = is_owner(text, start, end);
        let is_titled = is_written_as_name(word) && is_addressed(text, start);
        let is_apart = is_line(text, start, end) || is_speaker(text, start, end) || is_actor(text, words, n);
        let is_alone =
            || is_written_as_name(word) && is_capital_alone(text, words, n, meaning == OtherMeaning::Place);
        let is_name = |evidence: Evidence| match (meaning, evidence) {
            (OtherMeaning::None, Evidence::Owner) => !begins_sentence(text, start),
            (_, Evidence::Given) => is_given(word, own) && is_alone(),
            (_, Evidence::Speaker) => is_speaker(text, start, end),
            (OtherMeaning::None, _) | (OtherMeaning::Place, Evidence::Part) => true,
            (OtherMeaning::Ordinary, Evidence::Part) => {
                owns || is_titled || is_apart || !begins_sentence(text, start)
            }
            (_, Evidence::Alone) => {
                is_given(word, own) && (owns || is_apart || !begins_sentence(text, start))
            }
            (_, Evidence::Owner) => is_given(word, own) && !begins_sentence(text, start),
        };
        let is_speaking = |word: &str, own| {
            speakers.contains(word)
                && (is_given(word, own) || own.is_empty() && is_stamped_speaker(text, start, end))
        };
        let mut stems = singulars(text, start, word);
        let known = names.get(&ascii(word)).or_else(|| stems.find_map(|stem| part_of_person(&names, stem)));
        let known = known.cloned();
        let by_itself = [
            is_titled.then_some((Kind::Person, Evidence::Part)),
            owns.then_some((Kind::Person, Evidence::Owner)),
            is_speaking(word, own).then_some((Kind::Person, Evidence::Speaker)),
            Some((Kind::Person, Evidence::Given)),
        ];
        let mut reasons = known.into_iter().chain(by_itself.into_iter().flatten());
        let Some((kind, evidence)) = reasons.find(|(_, evidence)| is_name(*evidence)) else {
            continue;
        };
        // "Regnhild Pohl": the unknown word before a known name is a part of it.
        let joins = |&(at, other): &(usize, &str)| {
            kind == Kind::Person
                && matches!(evidence, Evidence::Part | Evidence::Alone)
                && text.get(at + other.len()..start) == Some(" ")
                && is_written_as_name(other)
                && OtherMeaning::of(flags(other)) == OtherMeaning::None
                && title_of(other).is_none()
                && covering(&spans, at, at + other.len()).is_none()
        };
        let before = n.checked_sub(1).and_then(|last| words.get(last));
        let start = before.filter(|word| joins(word)).map_or(start, |(at, _)| *at);
        // The word before may be a name that was found already.
        found.retain(|span| span.end <= start);
        found.push(name_span(start, end, kind));
    }
    spans.extend(found);
    spans.sort_by_key(|span| span.start);
    joined(text, spans)
}

/// Returns whether a span is the title of the name after it: not the "Bishop" of "ask Bishop".
fn is_title_of(text: &str, span: &Span, next: &Span) -> bool {
    span.kind == Kind::Title && next.kind == Kind::Person && text.get(span.end..next.start) == Some(" ")
}

/// Returns a name that is a part of the name of a person of the text.
fn part_of_person<'n>(names: &'n Names, word: &str) -> Option<&'n (Kind, Evidence)> {
    names.get(&ascii(word)).filter(|(kind, evidence)| *kind == Kind::Person && *evidence == Evidence::Part)
}

/// Returns whether a span of one word is a name of the text: the colour "Amber" below a letter of Amber Baker.
fn was_taken_for_another_kind(
    text: &str,
    span: &Span,
    names: &Names,
    flags: &dyn Fn(&str) -> EntryFlags,
) -> bool {
    let word = split_possessive(mention_text(text, span)).0;
    let end = span.start + word.len();
    let is_of_words = matches!(span.kind.family(), Family::People | Family::Places | Family::Times)
        || matches!(span.kind, Kind::Id | Kind::Medication);
    let is_one_word = is_written_as_name(word) && word.chars().all(|c| c.is_alphabetic() || c == '-');
    if span.kind == Kind::Person
        || !is_of_words
        || !is_one_word
        || matches!(span.reason.found_by, FoundBy::Deny | FoundBy::User)
    {
        return false;
    }
    let in_names = || match names.get(&ascii(word)) {
        Some((Kind::Person, Evidence::Part)) => true,
        Some((Kind::Person, Evidence::Alone)) => {
            // "Chidi's" as a company, if Chidi is a person elsewhere and the word means nothing else.
            let is_unknown = span.kind == Kind::Organisation && flags(word).is_empty();
            is_unknown || is_given(word, flags(word)) || is_person_like_a_month(text, span, flags)
        }
        _ => singulars(text, span.start, word).any(|stem| part_of_person(names, stem).is_some()),
    };
    match span.kind {
        Kind::Title => !stands_before_names(word) && part_of_person(names, word).is_some(),
        Kind::Date if is_in_date(text, span.start, end) => false,
        // "Summer's party", but not "Summer's heat" at the start of a sentence.
        Kind::Date if is_owner(text, span.start, end) && is_given(word, flags(word)) => {
            in_names() || !begins_sentence(text, span.start)
        }
        _ => in_names() || is_addressed(text, span.start),
    }
}

/// Returns whether a span of one word is a month or a day of a date: "after May", if nobody has this name.
fn is_month_taken_for_a_name(
    text: &str,
    span: &Span,
    names: &Names,
    flags: &dyn Fn(&str) -> EntryFlags,
) -> bool {
    let word = mention_text(text, span);
    span.kind == Kind::Person
        && flags(word).contains(EntryFlags::CALENDAR)
        && !matches!(span.reason.found_by, FoundBy::Deny | FoundBy::User)
        && !matches!(names.get(&ascii(word)), Some((_, Evidence::Part)))
        && is_in_date(text, span.start, span.end)
}

/// Returns whether a span of one capitalised word is that of a person although it is also a month: "poor May", if the
/// text has a person of this name.
fn is_person_like_a_month(text: &str, span: &Span, flags: &dyn Fn(&str) -> EntryFlags) -> bool {
    let word = text.get(span.range()).unwrap_or_default();
    span.kind == Kind::Date
        && flags(word).contains(EntryFlags::GIVEN)
        && !is_in_date(text, span.start, span.end)
}
