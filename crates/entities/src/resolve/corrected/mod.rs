//! Spans that reach too far, or that stand for something else than detection takes them for.
//!
//! Whatever is wrong here is released. So a finding is only left if it cannot be what it was taken for: [`mistaken`] has
//! the rules.

mod mistaken;
mod reread;
mod trim;

use inkveil_detect::{EntryFlags, FoundBy, Kind, Span};

use super::words::is_written_as_name;
use crate::names::title_of;
use mistaken::{is_mistaken, is_no_value};
use reread::reread;
use trim::trimmed;

/// What the gazetteer knows of a word.
type Flags<'f> = &'f dyn Fn(&str) -> EntryFlags;

/// Returns the spans without what is no part of them, and without those that mean something else. What the user asks
/// for stays as it is. Spans are moved within their list: a long text has many.
pub fn corrected(text: &str, mut spans: Vec<Span>, flags: &dyn Fn(&str) -> EntryFlags) -> Vec<Span> {
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
    // A span that becomes longer ends before the next one.
    let end = next.map_or(text.len(), |next| next.start).max(span.end);
    reread(text, span, flags);
    span.end = span.end.min(end);
    // "01273 555 019" in pieces is one number.
    if let Some(last) = last.as_deref_mut().filter(|last| is_area_code(text, last, span)) {
        (last.end, last.kind) = (span.end, Kind::Phone);
        return false;
    }
    // "14 Tanner's Row" in pieces is one address.
    let address = last.filter(|last| are_one_address(text, last, span));
    let is_rest = address.is_some();
    if let Some(address) = address {
        address.end = span.end;
    }
    !is_rest
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

/// Returns whether a number is the area code of the telephone number after it.
fn is_area_code(text: &str, last: &Span, next: &Span) -> bool {
    let code = text.get(last.range()).unwrap_or_default();
    last.kind == Kind::Id
        && next.kind == Kind::Phone
        && text.get(last.end..next.start) == Some(" ")
        && code.starts_with(['0', '+'])
        && code.chars().skip(1).all(|c| c.is_ascii_digit())
}

/// Returns whether a span goes on with an address: after nothing, or after the apostrophe of a street's name.
fn are_one_address(text: &str, last: &Span, next: &Span) -> bool {
    let between = text.get(last.end..next.start).unwrap_or("?");
    let is_rest = next.kind == Kind::Address || next.kind == Kind::Location && next.end - next.start <= 2;
    last.kind == Kind::Address && is_rest && matches!(between, "" | " " | "'" | "’")
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
            "Counsel" | "Rang" | "mediation" | "college" | "vascular" | "nursing" | "weed" => {
                EntryFlags::ORDINARY
            }
            "Docherty" | "Katayama" => EntryFlags::FAMILY,
            "Rose" => EntryFlags::GIVEN | EntryFlags::ORDINARY,
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
        assert_eq!(
            read("payroll no. LH-00417", &[("no. LH-00417", Kind::Username)]),
            one("LH-00417", Kind::Username)
        );
        assert_eq!(read("Leave it, Ky!", &[("Ky!", Kind::Person)]), one("Ky", Kind::Person));
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
        let number = [("01273", Kind::Id), ("555 019", Kind::Phone)];
        assert_eq!(read("card: 01273 555 019.", &number), one("01273 555 019", Kind::Phone));
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
            ("takes 40 mg mane", "mane", Kind::Trait),
            ("Patient: Novak DOB 1/2/80", "DOB", Kind::Location),
            ("Counsel: Ana Novak", "Counsel", Kind::Job),
            ("the 2.14.1 rollout", "2.14.1", Kind::Date),
            ("from 4.1 to", "4.1", Kind::Time),
            ("his iPhone 14 broke", "iPhone 14", Kind::Id),
            ("My neck hurts", "neck", Kind::Health),
            ("Session 6, then", "6", Kind::Date),
            ("Ward: 9 East, then", "9 East", Kind::Address),
            ("Policyholder: Ana", "Policyholder", Kind::Job),
            ("from 4.1 to 2.6", "2.", Kind::Time),
            ("payroll no. LH-00417", "no", Kind::Id),
            ("at 412 ng/L now", "ng/L", Kind::Id),
            ("my college mediation went", "college mediation", Kind::Job),
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
            ("she is 163 cm", "163 cm", Kind::Trait),
            ("blood group O−", "O−", Kind::Trait),
            ("works in nursing", "nursing", Kind::Job),
            ("at 12.30 we", "12.30", Kind::Time),
            ("born 1.2.1980", "1.2.1980", Kind::Date),
            ("she is pregnant", "pregnant", Kind::Health),
            ("asked Mane for it", "Mane", Kind::Organisation),
            ("asked DOB for it", "DOB", Kind::Person),
            ("Counsel: since 2010", "Counsel", Kind::Health),
            ("Counsel: twice a day", "Counsel", Kind::Medication),
            ("she votes left", "left", Kind::Politics),
            ("the password left", "left", Kind::Password),
            ("Ward: 9 Elm Rd, then", "9 Elm Rd", Kind::Address),
            ("Floor 9 Broadway", "9 Broadway", Kind::Address),
            ("Nkechi: hello", "Nkechi", Kind::Organisation),
            ("he smokes weed", "weed", Kind::Medication),
            ("half a million pounds", "half a million pounds", Kind::Money),
            ("two grand", "two grand", Kind::Money),
            ("Rose King called", "Rose King", Kind::Person),
            ("Nkechinyere King called", "Nkechinyere King", Kind::Person),
            ("ask L af Rossumveld", "L af Rossumveld", Kind::Person),
            ("R d'Aubuisson", "R d'Aubuisson", Kind::Person),
            ("the code hunter2;", "hunter2;", Kind::Password),
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
    fn only_the_tagger_of_english_is_mistaken_and_only_alone() {
        let text = "trabajo como mediation";
        let spans = tagged(text, &[("mediation", Kind::Job)]);
        let flags = |_: &str| EntryFlags::ORDINARY;
        assert!(corrected(text, spans.clone(), &flags).is_empty());
        let (mut languages, mut both) = (spans.clone(), spans);
        languages[0].reason.name = "languages".into();
        both[0].reason.also.push("money-words".into());
        assert_eq!(corrected(text, languages.clone(), &flags), languages);
        assert_eq!(corrected(text, both.clone(), &flags), both);
    }

    #[test]
    fn a_longer_span_takes_nothing_from_the_next_one() {
        let spans = [("J", Kind::Person), ("K. Rowling", Kind::Person)];
        let found = read("by J.K. Rowling", &spans);
        assert_eq!(found, [("J.".to_owned(), Kind::Person), ("K. Rowling".to_owned(), Kind::Person)]);
    }

    #[test]
    fn what_the_user_asks_for_stays() {
        let mut spans = tagged("we offer mediation now", &[("mediation", Kind::Job)]);
        spans[0].reason.found_by = FoundBy::User;
        assert_eq!(corrected("we offer mediation now", spans.clone(), &|_| EntryFlags::default()), spans);
    }
}
