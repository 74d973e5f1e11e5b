//! Names that only their place gives away: in records, and words that are names in what is said about them.
//!
//! "hope", "reading" and "target" are words. In "hope told me", "I live in reading" and "she works at target"
//! they are names. The gazetteer knows what a word may be, and fixed phrases beside it decide.

use crate::gazetteer::{EntryFlags, Gazetteer};
use crate::kind::Kind;
use crate::span::{FoundBy, Reason, Span};
use crate::tagger::words::{Gap, Word, words};

/// The score of such names.
const SCORE: f32 = 0.6;

/// What people do who have a name.
const AFTER_PERSON: &[&str] = &[
    "told me",
    "told us",
    "told him",
    "told her",
    "told my",
    "said she",
    "said he",
    "said that",
    "said hi",
    "says hi",
    "called me",
    "called us",
    "texted me",
    "texted my",
    "asked me",
    "asked us",
    "is my neighbour",
    "is my neighbor",
    "is my friend",
    "is my boss",
    "is my sister",
    "is my brother",
    "is my daughter",
    "is my son",
    "is my wife",
    "is my husband",
    "is my roommate",
    "is my cousin",
    "is my best",
    "is my ex",
    "was my neighbour",
    "was my neighbor",
    "was my friend",
    "was my boss",
    "was my teacher",
    "emailed me",
    "messaged me",
    "invited me",
    "invited us",
    "rang me",
    "phoned me",
    "and i went",
    "and i are",
    "and i have",
    "and i met",
    "and me",
    "just texted",
    "just called",
    "never called",
    "lives next door",
    "lives in",
    "works at",
    "works with",
    "works for",
    "is pregnant",
    "got married",
    "got fired",
    "owes me",
    "gave me",
    "sent me",
    "hates me",
    "loves me",
    "wants me",
    "is divorced",
];

/// What comes before a person's name.
const BEFORE_PERSON: &[&str] = &[
    "my friend",
    "my neighbour",
    "my neighbor",
    "my sister",
    "my brother",
    "my son",
    "my daughter",
    "my wife",
    "my husband",
    "my boss",
    "my roommate",
    "my flatmate",
    "my colleague",
    "my coworker",
    "my cousin",
    "my aunt",
    "my uncle",
    "my nephew",
    "my niece",
    "my girlfriend",
    "my boyfriend",
    "my ex",
    "her friend",
    "his friend",
    "her sister",
    "his sister",
    "his wife",
    "her husband",
    "his brother",
    "her brother",
    "name is",
    "names",
    "named",
    "i am",
    "im",
    "dating",
    "married to",
    "patient",
    "tenant",
    "nurse",
    "dear",
    "hi",
    "hello",
    "hey",
    "thanks",
    "signed",
    "from",
    "ask",
    "tell",
    "call",
    "meet",
];

/// What comes before a place.
const BEFORE_PLACE: &[&str] = &[
    "live in",
    "lives in",
    "lived in",
    "living in",
    "move to",
    "moved to",
    "moving to",
    "born in",
    "grew up in",
    "based in",
    "flat in",
    "house in",
    "apartment in",
    "flight to",
    "train to",
    "drive to",
    "drove to",
    "flew to",
    "travelled to",
    "arrived in",
    "hometown is",
    "office in",
    "vacation in",
    "holiday in",
    "stay in",
    "stayed in",
    "back to",
];

/// What comes before an employer.
const BEFORE_EMPLOYER: &[&str] = &[
    "work at",
    "works at",
    "worked at",
    "working at",
    "job at",
    "employed by",
    "employed at",
    "fired from",
    "hired by",
    "shift at",
    "manager at",
    "interview at",
    "cashier at",
    "intern at",
    "internship at",
    "works for",
    "worked for",
    "engineer at",
    "nurse at",
    "driver at",
    "clerk at",
    "working for",
    "laid off by",
];

/// Words after "work at" and the like that are no employers.
const NO_EMPLOYERS: &[&str] = &[
    "the",
    "a",
    "an",
    "my",
    "his",
    "her",
    "their",
    "our",
    "your",
    "this",
    "that",
    "night",
    "home",
    "least",
    "all",
    "once",
    "noon",
    "sea",
    "work",
    "times",
    "weekends",
    "school",
    "university",
    "hospital",
    "it",
    "full",
    "half",
    "any",
    "some",
    "peace",
    "scale",
    "large",
    "different",
    "two",
    "both",
    "one",
    "me",
    "him",
    "them",
    "us",
    "you",
    "free",
    "years",
    "months",
    "hours",
    "nothing",
    "money",
    "people",
    "and",
    "or",
    "as",
    "is",
    "most",
    "several",
    "many",
    "runtime",
    "compile",
    "run",
    "random",
    "which",
    "every",
    "each",
    "these",
    "those",
    "such",
    "first",
    "best",
];

/// Adds names in records and in fixed phrases.
pub(crate) fn find(text: &str, gazetteer: &Gazetteer, found: &mut Vec<Span>) {
    records(text, gazetteer, found);
    said(text, gazetteer, found);
}

fn span(start: usize, end: usize, kind: Kind, name: &'static str) -> Span {
    Span { start, end, kind, score: SCORE, reason: Reason::new(FoundBy::Rule, name) }
}

/// Finds names among the fields of lines such as `smith;john;paris`.
fn records(text: &str, gazetteer: &Gazetteer, found: &mut Vec<Span>) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let from = start;
        start += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if line.len() > 2000 {
            continue;
        }
        for separator in [';', '|', '\t', ','] {
            let count = line.matches(separator).count();
            // Prose has a space after each comma.
            let quoted = line.matches("', '").count() + line.matches("\", \"").count() > 0;
            let prose = separator == ',' && line.contains(", ") && !quoted;
            if count >= 2 && !prose {
                record(text, from, line, separator, gazetteer, found);
                break;
            }
        }
    }
}

fn record(
    text: &str,
    from: usize,
    line: &str,
    separator: char,
    gazetteer: &Gazetteer,
    found: &mut Vec<Span>,
) {
    let mut fields = Vec::new();
    let mut at = from;
    for field in line.split(separator) {
        let open = field.rfind('(').map_or(0, |at| at + 1);
        let inner = &field[open..field[open..].find(')').map_or(field.len(), |close| open + close)];
        let start = at + open + inner.len() - inner.trim_start_matches([' ', '"', '\'']).len();
        let inner = inner.trim_matches([' ', '"', '\'']);
        at += field.len() + separator.len_utf8();
        let parts = words(inner);
        let of_letters = parts.iter().all(|word| word.of(inner).chars().all(char::is_alphabetic));
        if inner.is_empty() || parts.len() > 3 || !of_letters {
            continue;
        }
        let flags: Vec<EntryFlags> = parts.iter().map(|word| gazetteer.flags(word.of(inner))).collect();
        let whole = gazetteer.flags(inner);
        let name = flags.iter().all(|flags| is_any(*flags, &[EntryFlags::GIVEN, EntryFlags::FAMILY]));
        let rare = flags.iter().any(|flags| !flags.contains(EntryFlags::ORDINARY));
        let place = is_any(whole, &[EntryFlags::CITY, EntryFlags::COUNTRY, EntryFlags::REGION]);
        let kind = match (name, place) {
            (true, false) => Kind::Person,
            (false, true) => Kind::Location,
            // A capital city is a place even if somebody has its name.
            (true, true) if whole.contains(EntryFlags::GIVEN) => Kind::Person,
            (true, true) => Kind::Location,
            (false, false) => continue,
        };
        fields.push((span(start, start + inner.len(), kind, "name-in-record"), rare));
    }
    debug_assert!(fields.iter().all(|(span, _)| text.get(span.range()).is_some()));
    // One rare name, or several words that are also names.
    if fields.iter().any(|(_, rare)| *rare) && fields.len() >= 2 || fields.len() >= 3 {
        found.extend(fields.into_iter().map(|(span, _)| span));
    }
}

fn is_any(flags: EntryFlags, any: &[EntryFlags]) -> bool {
    any.iter().any(|flag| flags.contains(*flag))
}

/// Finds words that are names in what is said about them.
fn said(text: &str, gazetteer: &Gazetteer, found: &mut Vec<Span>) {
    let words = words(text);
    // Words in lower case without apostrophes, joined by spaces, for the phrases.
    let plain: Vec<String> = words.iter().map(|word| word.of(text).to_lowercase()).collect();
    for (n, word) in words.iter().enumerate() {
        let written = word.of(text);
        if written.len() < 3 || !written.chars().all(char::is_alphabetic) {
            continue;
        }
        if follows(&words, &plain, n, BEFORE_EMPLOYER) && !NO_EMPLOYERS.contains(&plain[n].as_str()) {
            let end = capitals_end(text, &words, n);
            found.push(span(word.start, end, Kind::Organisation, "employer-said"));
            continue;
        }
        let flags = gazetteer.flags(written);
        if flags.is_empty() {
            continue;
        }
        if flags.contains(EntryFlags::GIVEN) && !flags.contains(EntryFlags::CALENDAR) {
            let ordinary = flags.contains(EntryFlags::ORDINARY);
            let acts = leads(&words, &plain, n, AFTER_PERSON);
            let strong = BEFORE_PERSON.iter().take_while(|phrase| **phrase != "name is");
            let strong: Vec<&str> = strong.copied().collect();
            let weak = !ordinary && follows(&words, &plain, n, BEFORE_PERSON);
            if acts && !is_preceded_by_determiner(&plain, n) || follows(&words, &plain, n, &strong) || weak {
                found.push(span(word.start, word.end, Kind::Person, "name-said"));
            }
        }
        let place = [EntryFlags::CITY, EntryFlags::COUNTRY, EntryFlags::REGION];
        if is_any(flags, &place) && follows(&words, &plain, n, BEFORE_PLACE) {
            found.push(span(word.start, word.end, Kind::Location, "place-said"));
        }
    }
}

/// Returns whether the words before the `n`-th are one of the phrases.
fn follows(words: &[Word], plain: &[String], n: usize, phrases: &[&str]) -> bool {
    let Some(last) = n.checked_sub(1).and_then(|last| plain.get(last)) else { return false };
    words[n].gap != Gap::Line
        && phrases.iter().any(|phrase| {
            phrase.ends_with(last.as_str())
                && phrase.split(' ').rev().enumerate().all(|(back, wanted)| {
                    n.checked_sub(back + 1).and_then(|at| plain.get(at)).is_some_and(|word| word == wanted)
                })
        })
}

/// Returns whether the words after the `n`-th are one of the phrases.
fn leads(words: &[Word], plain: &[String], n: usize, phrases: &[&str]) -> bool {
    let Some(next) = plain.get(n + 1).filter(|_| words[n + 1].gap == Gap::Space) else { return false };
    phrases.iter().any(|phrase| {
        phrase.starts_with(next.as_str())
            && phrase
                .split(' ')
                .enumerate()
                .all(|(ahead, wanted)| plain.get(n + 1 + ahead).is_some_and(|word| word == wanted))
    })
}

fn is_preceded_by_determiner(plain: &[String], n: usize) -> bool {
    let before = n.checked_sub(1).and_then(|last| plain.get(last));
    before.is_some_and(|word| {
        ["the", "a", "an", "this", "no", "my", "your", "any", "some", "of", "and"].contains(&word.as_str())
    })
}

/// Returns the end of the capitalised words from the `n`-th on.
fn capitals_end(text: &str, words: &[Word], n: usize) -> usize {
    let is_capital = |word: &Word| word.of(text).starts_with(char::is_uppercase);
    let more = if is_capital(&words[n]) {
        words[n + 1..].iter().take_while(|word| word.gap == Gap::Space && is_capital(word)).count().min(3)
    } else {
        0
    };
    words[n + more].end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gazetteer() -> Gazetteer {
        let (given, family, city) = (EntryFlags::GIVEN, EntryFlags::FAMILY, EntryFlags::CITY);
        let ordinary = EntryFlags::ORDINARY;
        Gazetteer::build([
            ("john", given),
            ("smith", family),
            ("paris", city),
            ("summer", given | ordinary),
            ("hope", given | ordinary),
            ("reading", city | ordinary),
            ("nice", city | ordinary),
            ("will", given | ordinary),
        ])
        .unwrap()
    }

    fn found(text: &str) -> Vec<(&str, Kind)> {
        let mut found = Vec::new();
        find(text, &gazetteer(), &mut found);
        found.iter().map(|span| (&text[span.range()], span.kind.clone())).collect()
    }

    #[test]
    fn fields_of_records_are_found() {
        let quoted = "INSERT INTO t VALUES ('smith', 'john', 'paris');";
        for text in ["Smith;John;Paris", "smith|john|paris", "\"smith\",\"john\",\"paris\"", quoted] {
            assert_eq!(found(text).len(), 3, "{text}");
        }
        assert!(found("red;green;blue").is_empty());
        assert!(found("we saw john, paris, and rain").is_empty());
    }

    #[test]
    fn words_are_names_in_what_is_said_about_them() {
        assert_eq!(found("summer told me everything"), [("summer", Kind::Person)]);
        assert_eq!(found("hope is my neighbour"), [("hope", Kind::Person)]);
        assert_eq!(found("i live in reading"), [("reading", Kind::Location)]);
        assert_eq!(found("she works at target now"), [("target", Kind::Organisation)]);
        assert_eq!(found("he worked at Blue Sky Ltd for years"), [("Blue Sky Ltd", Kind::Organisation)]);
        assert!(found("the summer told me nothing").is_empty());
        assert!(found("I hope it will be nice; he works at night").is_empty());
    }
}
