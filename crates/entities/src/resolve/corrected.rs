//! Spans that reach too far, or that stand for something else than detection takes them for.

use std::ops::Range;

use inkveil_detect::{EntryFlags, FoundBy, Kind, Span};
use inkveil_notation::number_from_words;

use super::words::{follows_the, is_in_date, is_written_as_name, singulars};
use crate::names::{stands_before_names, title_gender, title_of};
use crate::topics::Topic;
use crate::values::Values;

/// What the gazetteer knows of a word.
type Flags<'f> = &'f dyn Fn(&str) -> EntryFlags;

/// Words before a colon at the start of a line, and greetings, that are no names.
const LABELS: &[&str] = &["re", "fw", "fwd", "cc", "bcc", "attn", "ref", "ps", "nb", "tel", "fax", "dob"];

/// Words that only belong to an age.
const OF_AGES: &[&str] = &["aged", "age", "years", "year", "old"];

/// The endings of words for people who do something.
const OF_WORKERS: &[&str] = &[
    "er", "or", "ar", "ist", "ian", "man", "men", "woman", "women", "person", "people", "ant", "ent", "ee",
    "eer", "ess", "wright", "smith", "herd", "keeper", "maid", "boy", "monger", "cian", "eur", "crat",
    "trix", "hand", "mate", "master",
];

/// Other words for people who do something, and beginnings of names of positions.
const WORKERS: &[&str] = &[
    "head",
    "chief",
    "lead",
    "chair",
    "nurse",
    "cook",
    "chef",
    "clerk",
    "guard",
    "judge",
    "coach",
    "spy",
    "pilot",
    "monk",
    "nun",
    "priest",
    "president",
    "temp",
    "intern",
    "trainee",
    "apprentice",
    "staff",
    "crew",
    "vp",
    "ceo",
    "cfo",
    "cto",
    "coo",
    "gp",
    "pa",
    "consul",
    "bishop",
    "police",
    "porter",
    "monarch",
    "model",
    "freelance",
    "athlete",
    "magistrate",
    "surveyor",
    "midwife",
    "vet",
];

/// Returns the spans without what is no part of them, and without those that mean something else. What the user asks
/// for stays as it is. Spans are moved within their list: a long text has many.
pub(super) fn corrected(text: &str, mut spans: Vec<Span>, flags: Flags<'_>) -> Vec<Span> {
    let mut kept: usize = 0;
    for at in 0..spans.len() {
        let (before, rest) = spans.split_at_mut(at);
        let [span, after @ ..] = rest else { break };
        if !matches!(span.reason.found_by, FoundBy::Deny | FoundBy::User) {
            let last = kept.checked_sub(1).and_then(|last| before.get_mut(last));
            if !is_kept(text, span, last, after.first(), flags) {
                continue;
            }
        }
        spans.swap(kept, at);
        kept += 1;
    }
    spans.truncate(kept);
    if spans.iter().any(|span| name_and_place(text, span).is_some()) {
        spans = spans.into_iter().flat_map(|span| without_place(text, span)).collect();
    }
    spans
}

/// Corrects a span, and returns whether it stays. If it goes on with the last one, that one becomes longer instead.
fn is_kept(
    text: &str,
    span: &mut Span,
    mut last: Option<&mut Span>,
    next: Option<&Span>,
    flags: Flags<'_>,
) -> bool {
    let Some(inner) = trimmed(text, span) else { return false };
    (span.start, span.end) = (inner.start, inner.end);
    if let Some(last) = last.as_deref_mut().filter(|last| is_double_name(text, last, span)) {
        last.end = span.end;
        return false;
    }
    let is_before_name =
        next.is_some_and(|next| next.kind == Kind::Person && text.get(span.end..next.start) == Some(" "));
    if is_no_value(text, span) || is_mistaken(text, span, last.as_deref(), is_before_name, flags) {
        return false;
    }
    reread(text, span, flags);
    let Some(last) = last else { return true };
    // "14 Tanner's Row" in pieces is one address.
    let is_one = are_one_address(text, last, span);
    if is_one {
        last.end = span.end;
    }
    !is_one && last.end <= span.start
}

/// Returns where a span is without signs around it and words that only lead to it; none if nothing is left.
fn trimmed(text: &str, span: &Span) -> Option<Range<usize>> {
    let whole = text.get(span.range())?;
    let sign = |c: char| c.is_whitespace() || matches!(c, '–' | '—' | '-' | '•' | '·' | ',' | ';' | '|');
    let mut inner = match span.reason.found_by {
        FoundBy::Tagger => whole.trim_start_matches(sign),
        _ => whole,
    };
    let leading: &[&str] = match span.kind {
        Kind::Location => &["of ", "in ", "near ", "at "],
        Kind::NationalId | Kind::MedicalRecord | Kind::Id => {
            &["no. ", "No. ", "nr. ", "Nr. ", "no ", "number "]
        }
        _ => &[],
    };
    let stripped = leading.iter().find_map(|word| inner.strip_prefix(word));
    inner = stripped.unwrap_or(inner);
    let start = span.start + (inner.as_ptr() as usize - whole.as_ptr() as usize);
    let end = |c: char| c.is_whitespace() || matches!(c, ':' | ';' | ',' | '–' | '—');
    let mut inner = inner.trim_end_matches(end);
    // The apostrophe of "Chidi's" is no part of the name.
    if span.reason.found_by == FoundBy::Tagger && text.get(span.end..).is_some_and(begins_with_s) {
        inner = inner.trim_end_matches(['\'', '’']);
    }
    (!inner.is_empty()).then(|| start..start + inner.len())
}

/// Returns whether a text begins with the s of a possessive.
fn begins_with_s(text: &str) -> bool {
    text.strip_prefix('s').is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Returns whether a span has no value of its kind: the "1." of a list, the "aged" of "aged 79", the "VAT" of "VAT number".
fn is_no_value(text: &str, span: &Span) -> bool {
    let word = text.get(span.range()).unwrap_or_default();
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    match span.kind {
        Kind::Date => {
            let before = text.get(..span.start).unwrap_or_default().trim_end_matches(' ');
            let after = text.get(span.end..).unwrap_or_default();
            word.len() < 3
                && word.chars().all(|c| c.is_ascii_digit())
                && before.ends_with('\n')
                && after.starts_with(['.', ')'])
        }
        Kind::Age => word.split(' ').all(|part| OF_AGES.contains(&part.to_lowercase().as_str())),
        Kind::Money => {
            let is_word = |c: char| c.is_alphabetic() || c == ' ' || c == '-';
            let has_number = word.split([' ', '-']).any(|part| number_from_words(part).is_some());
            span.reason.found_by == FoundBy::Tagger && !has_digit && !has_number && word.chars().all(is_word)
        }
        _ => false,
    }
}

/// Returns whether a tagger took a word for something that it does not mean.
fn is_mistaken(text: &str, span: &Span, last: Option<&Span>, is_before_name: bool, flags: Flags<'_>) -> bool {
    if span.reason.found_by != FoundBy::Tagger {
        return false;
    }
    let words = text.get(span.range()).unwrap_or_default();
    let is_one = !words.contains(char::is_whitespace);
    match span.kind {
        Kind::Job => {
            let is_after_name = last.is_some_and(|last| {
                last.kind == Kind::Person && matches!(text.get(last.end..span.start), Some(" " | ", "))
            });
            // Letters after a name stay: "RN".
            let is_letters = is_one && words.len() <= 4 && words.chars().all(|c| c.is_ascii_uppercase());
            // The family of "the Adebayos" is looked at later.
            let may_be_family = follows_the(text, span.start) && is_written_as_name(words);
            // An unknown word with a capital may be a name.
            let may_be_name = words
                .split(' ')
                .any(|word| word.starts_with(char::is_uppercase) && flags(word).is_empty() && !is_letters);
            is_after_name && is_letters || !may_be_family && !may_be_name && !may_be_job(words, flags)
        }
        Kind::Medication => {
            is_one
                && words.chars().all(char::is_lowercase)
                && flags(words).contains(EntryFlags::ORDINARY)
                && !flags(words).contains(EntryFlags::DRUG)
                && Topic::of(&Kind::Medication, words).is_none()
        }
        Kind::Title => {
            !is_before_name && is_one && title_of(words).is_none() && {
                let known = flags(words);
                let is_name = known.contains(EntryFlags::GIVEN) || known.contains(EntryFlags::FAMILY);
                known.contains(EntryFlags::ORDINARY) && !is_name
            }
        }
        Kind::Person => {
            let is_label = LABELS.contains(&words.to_lowercase().as_str());
            is_label && text.get(span.end..).is_some_and(|after| after.starts_with(':'))
                || is_side_of_body(words, flags)
        }
        // "U&Es" and "bd" are abbreviations. A trait has a word.
        Kind::Trait => !words.split(|c: char| !c.is_alphabetic()).any(|word| word.chars().count() > 2),
        _ => false,
    }
}

/// Returns whether words are a side and a part of a body: "L hallux". A name has no initial before a small letter.
fn is_side_of_body(words: &str, flags: Flags<'_>) -> bool {
    let rest = words.strip_prefix("L ").or_else(|| words.strip_prefix("R "));
    let is_name =
        |word: &str| flags(word).contains(EntryFlags::GIVEN) || flags(word).contains(EntryFlags::FAMILY);
    rest.is_some_and(|rest| rest.starts_with(char::is_lowercase) && !rest.split(' ').any(is_name))
}

/// Returns whether words may name a job: one of them is known as one, or is built like one.
fn may_be_job(words: &str, flags: Flags<'_>) -> bool {
    let is_worker = |word: &str| {
        let lower = word.to_lowercase();
        let one = lower.strip_suffix('s').unwrap_or(&lower);
        flags(word).contains(EntryFlags::JOB)
            || WORKERS.contains(&one)
            // "vascular" is no person.
            || one.len() > 3 && !one.ends_with("ular") && OF_WORKERS.iter().any(|ending| one.ends_with(ending))
    };
    Topic::of(&Kind::Job, words).is_some()
        || words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).any(is_worker)
}

/// Reads a span again where its words show what it is.
fn reread(text: &str, span: &mut Span, flags: Flags<'_>) {
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
            span.start += words_before_title(words, flags);
        }
        _ => {}
    }
}

/// Returns whether a span goes on with a name after a hyphen: the "Docherty" of "Helen Pym-Docherty".
fn is_double_name(text: &str, last: &Span, next: &Span) -> bool {
    let first = text.get(last.range()).unwrap_or_default();
    let between = text.get(last.end..next.start).unwrap_or("?");
    let hyphen = if between.is_empty() { first.chars().next_back() } else { between.chars().next() };
    last.kind == Kind::Person
        && between.chars().count() < 2
        && hyphen.is_some_and(|c| matches!(c, '-' | '‐' | '‑'))
        && text.get(next.range()).is_some_and(|second| second.starts_with(char::is_uppercase))
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

/// Returns the bytes of ordinary words before the title in a name: the "Rang " of "Rang Mme Duchamp".
fn words_before_title(words: &str, flags: Flags<'_>) -> usize {
    let Some((first, after)) = words.split_once(' ') else { return 0 };
    let next = after.split(' ').next().unwrap_or_default();
    let is_title = next.starts_with(char::is_uppercase)
        && (stands_before_names(next) || title_gender(next).is_some() && next.len() < 5);
    let known = flags(first);
    let is_name = known.contains(EntryFlags::GIVEN) && !known.contains(EntryFlags::ORDINARY);
    if is_title && !is_name && title_of(first).is_none() { words.len() - after.len() } else { 0 }
}

/// Returns a name and the place after it, if a span has both: "Marshes of Dunholt".
fn name_and_place<'t>(text: &'t str, span: &Span) -> Option<(&'t str, &'t str)> {
    if span.kind != Kind::Person || span.reason.found_by != FoundBy::Tagger {
        return None;
    }
    let (name, place) = text.get(span.range())?.split_once(" of ")?;
    (is_written_as_name(place) && !name.split(' ').any(|word| title_of(word).is_some()))
        .then_some((name, place))
}

/// Returns a name and the place after it as two spans.
fn without_place(text: &str, span: Span) -> Vec<Span> {
    let Some((name, place)) = name_and_place(text, &span) else { return vec![span] };
    let (end, start) = (span.start + name.len(), span.end - place.len());
    vec![Span { end, ..span.clone() }, Span { start, kind: Kind::Location, ..span }]
}

/// Returns whether a span goes on with an address: after nothing, or after the apostrophe of a street's name.
fn are_one_address(text: &str, last: &Span, next: &Span) -> bool {
    let between = text.get(last.end..next.start).unwrap_or("?");
    let is_rest = next.kind == Kind::Address || next.kind == Kind::Location && next.end - next.start <= 2;
    last.kind == Kind::Address && is_rest && matches!(between, "" | " " | "'" | "’")
}

/// Returns the spans with the whole name wherever the text repeats one of which detection found the beginning: the
/// "Nadia" of a second "Nadia K".
pub(super) fn with_whole_names(text: &str, mut spans: Vec<Span>) -> Vec<Span> {
    use std::collections::HashMap;
    let is_person = |span: &Span| {
        span.kind == Kind::Person && !matches!(span.reason.found_by, FoundBy::Deny | FoundBy::User)
    };
    let mut wholes: HashMap<&str, Vec<&str>> = HashMap::new();
    for span in spans.iter().filter(|span| is_person(span)) {
        let name = super::mention_text(text, span);
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

/// Returns whether a span of one capitalised word is that of a person although it is also a month: "poor May", if the
/// text has a person of this name.
pub(super) fn is_person_like_a_month(text: &str, span: &Span, flags: Flags<'_>) -> bool {
    let word = text.get(span.range()).unwrap_or_default();
    span.kind == Kind::Date
        && flags(word).contains(EntryFlags::GIVEN)
        && !is_in_date(text, span.start, span.end)
}

#[cfg(test)]
mod tests {
    use inkveil_detect::Reason;

    use super::*;

    fn tagged(text: &str, found: &[(&str, Kind)]) -> Vec<Span> {
        let mut from = 0;
        let span = |(words, kind): &(&str, Kind)| {
            let start = from + text[from..].find(words).unwrap();
            from = start + words.len();
            let reason = Reason {
                found_by: FoundBy::Tagger,
                name: "test".into(),
                context: None,
                validator: None,
                also: Vec::new(),
            };
            Span { start, end: from, kind: kind.clone(), score: 1.0, reason }
        };
        found.iter().map(span).collect()
    }

    fn read(text: &str, found: &[(&str, Kind)]) -> Vec<(String, Kind)> {
        let flags = |word: &str| match word {
            "Henderson" => EntryFlags::FAMILY,
            "sherry" | "Counsel" | "college" | "Rang" => EntryFlags::ORDINARY,
            "sitter" => EntryFlags::JOB,
            "Will" | "May" => EntryFlags::GIVEN,
            "cole" => EntryFlags::FAMILY,
            _ => EntryFlags::default(),
        };
        let spans = corrected(text, tagged(text, found), &flags);
        spans.iter().map(|span| (text[span.range()].to_owned(), span.kind.clone())).collect()
    }

    fn one(words: &str, kind: Kind) -> Vec<(String, Kind)> {
        vec![(words.to_owned(), kind)]
    }

    #[test]
    fn what_leads_to_a_span_or_follows_it_is_no_part_of_it() {
        assert_eq!(read("chapel in Oban – 40 guests", &[("– 40", Kind::Id)]), one("40", Kind::Id));
        assert_eq!(read("wrote at 09:02:\nHello", &[("09:02:\n", Kind::Time)]), one("09:02", Kind::Time));
        assert_eq!(
            read("NHS no. 943 476", &[("no. 943 476", Kind::NationalId)]),
            one("943 476", Kind::NationalId)
        );
        let double = [("Helen Pym-", Kind::Person), ("Docherty", Kind::Job)];
        assert_eq!(read("Helen Pym-Docherty", &double), one("Helen Pym-Docherty", Kind::Person));
        let double = [("Helen Pym", Kind::Person), ("-Docherty", Kind::Organisation)];
        assert_eq!(read("Helen Pym-Docherty", &double), one("Helen Pym-Docherty", Kind::Person));
        assert_eq!(read("before Chidi's PR", &[("Chidi'", Kind::Person)]), one("Chidi", Kind::Person));
        assert_eq!(read("seen by D.O.\n", &[("D", Kind::Person)]), one("D.O.", Kind::Person));
        assert_eq!(
            read("Rang Mme Duchamp", &[("Rang Mme Duchamp", Kind::Person)]),
            one("Mme Duchamp", Kind::Person)
        );
        let found = read("the Marshes of Dunholt", &[("Marshes of Dunholt", Kind::Person)]);
        assert_eq!(found, [("Marshes".to_owned(), Kind::Person), ("Dunholt".to_owned(), Kind::Location)]);
        let address = [
            ("14", Kind::Address),
            (" Tanner'", Kind::Address),
            ("s", Kind::Location),
            (" Row", Kind::Address),
        ];
        assert_eq!(read("at 14 Tanner's Row", &address), one("14 Tanner's Row", Kind::Address));
    }

    #[test]
    fn words_that_mean_something_else_are_left() {
        for (text, word, kind) in [
            ("we offer mediation now", "mediation", Kind::Job),
            ("since college and", "college", Kind::Job),
            ("Ana Novak RN", "RN", Kind::Job),
            ("a bottle of sherry", "sherry", Kind::Medication),
            ("could you ask Counsel, who", "Counsel", Kind::Title),
            ("Re: Mr Novak", "Re", Kind::Person),
            ("Pearl, aged 79,", "aged", Kind::Age),
            ("the wrong VAT number", "VAT", Kind::Money),
            ("until 20 February\n\n1. The minutes", "1", Kind::Date),
            ("Feet: L hallux numb", "L hallux", Kind::Person),
            ("repeat U&Es in", "U&Es", Kind::Trait),
            ("refer (vascular)", "vascular", Kind::Job),
        ] {
            let mut found = vec![(word, kind)];
            if text.starts_with("Ana") {
                found.insert(0, ("Ana Novak", Kind::Person));
            }
            assert!(!read(text, &found).iter().any(|(left, _)| left == word), "{text}");
        }
        for (text, word, kind) in [
            ("a night sitter came", "sitter", Kind::Job),
            ("the head of finance", "head of finance", Kind::Job),
            ("two plumbers came", "plumbers", Kind::Job),
            ("takes xyzol now", "xyzol", Kind::Medication),
            ("five hundred dollars", "five hundred dollars", Kind::Money),
            ("ask Launcelot, who", "Launcelot", Kind::Title),
            ("on 1 May", "1 May", Kind::Date),
            ("ask R cole now", "R cole", Kind::Person),
            ("rang Docherty twice", "Docherty", Kind::Job),
            ("she is Sikh", "Sikh", Kind::Trait),
        ] {
            assert_eq!(read(text, &[(word, kind.clone())]), one(word, kind), "{text}");
        }
    }

    #[test]
    fn words_are_read_as_what_they_are() {
        let family = read("tearing the Hendersons apart", &[("Hendersons", Kind::Organisation)]);
        assert_eq!(family, one("Hendersons", Kind::Person));
        let team = read("saw the Rangers play", &[("Rangers", Kind::Organisation)]);
        assert_eq!(team, one("Rangers", Kind::Organisation));
        assert_eq!(read("So I (29F) am", &[("29F", Kind::Date)]), one("29F", Kind::Age));
        assert_eq!(read("ask Will if it breaks", &[("Will", Kind::Date)]), one("Will", Kind::Person));
        assert_eq!(read("back in May then", &[("May", Kind::Date)]), one("May", Kind::Date));
    }

    #[test]
    fn a_name_is_whole_wherever_it_is_repeated() {
        let text = "Nadia K: hi\nNadia K: ho. Nadia left.";
        let spans =
            tagged(text, &[("Nadia K", Kind::Person), ("Nadia", Kind::Person), ("Nadia", Kind::Person)]);
        let whole = with_whole_names(text, spans);
        let names: Vec<&str> = whole.iter().map(|span| &text[span.range()]).collect();
        assert_eq!(names, ["Nadia K", "Nadia K", "Nadia"]);
    }

    #[test]
    fn what_the_user_asks_for_stays() {
        let mut spans = tagged("we offer mediation now", &[("mediation", Kind::Job)]);
        spans[0].reason.found_by = FoundBy::User;
        assert_eq!(corrected("we offer mediation now", spans.clone(), &|_| EntryFlags::default()), spans);
    }
}
