//! Merging of overlapping candidates into spans that do not overlap.
//!
//! Candidates are taken by precedence: the user's lists and rules, then certain rules, then certain names of the lists
//! (a tagger has not learned their scripts), then the higher score.
//! A later candidate takes no text from an earlier one. No text is lost: if both have the same kind, they
//! become one span. Otherwise the part outside the earlier span becomes a span of its own.

use std::cmp::Ordering;

use crate::kind::Kind;
use crate::span::{FoundBy, Span};

/// The score from which on a rule or a list is certain.
const CERTAIN: f32 = 0.8;

/// Merges the candidates of one text. The result is sorted, does not overlap, and covers all letters and
/// digits of all candidates.
pub(crate) fn merge(text: &str, mut candidates: Vec<Span>) -> Vec<Span> {
    candidates.sort_by_key(|span| (span.start, span.end));
    let mut merged = Vec::new();
    let mut rest = candidates.into_iter().peekable();
    while let Some(span) = rest.next() {
        // Candidates that overlap, directly or through others, are merged together.
        let mut end = span.end;
        let mut cluster = vec![span];
        while let Some(span) = rest.next_if(|next| next.start < end) {
            end = end.max(span.end);
            cluster.push(span);
        }
        if cluster.len() > 1 {
            cluster.sort_by(|a, b| precedence(b).total_cmp(&precedence(a)).then_with(|| longer_first(a, b)));
            let mut taken = Taken::default();
            cluster.into_iter().for_each(|span| taken.add(text, span));
            cluster = taken.0;
        }
        merged.extend(cluster);
    }
    join(text, merged)
}

/// Joins neighbours that belong together: given and family name, a date with its time, the parts of an
/// address.
fn join(text: &str, spans: Vec<Span>) -> Vec<Span> {
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if belong_together(last, &span, text.get(last.end..span.start).unwrap_or("?")) => {
                last.end = span.end;
                last.score = last.score.max(span.score);
                note(last, &span);
            }
            _ => joined.push(span),
        }
    }
    joined
}

fn belong_together(first: &Span, second: &Span, between: &str) -> bool {
    match (&first.kind, &second.kind) {
        (Kind::Person, Kind::Person) => matches!(between, "" | " " | "-"),
        (Kind::Date, Kind::Time) => matches!(between, " " | ", " | "T"),
        (Kind::Address, Kind::Address) => matches!(between, " " | ", "),
        _ => false,
    }
}

/// Returns the precedence: the user first, then certain rules, then certain names of the lists, then by score.
fn precedence(span: &Span) -> f32 {
    match span.reason.found_by {
        FoundBy::Deny => 4.0,
        FoundBy::User => 3.0,
        FoundBy::Rule if span.score >= CERTAIN => 2.0 + span.score,
        FoundBy::Gazetteer if span.score >= CERTAIN => 1.0 + span.score,
        _ => span.score,
    }
}

/// Orders candidates of equal precedence by length, start and name, so that the result is deterministic.
fn longer_first(a: &Span, b: &Span) -> Ordering {
    (b.end - b.start)
        .cmp(&(a.end - a.start))
        .then_with(|| a.start.cmp(&b.start))
        .then_with(|| a.kind.cmp(&b.kind))
        .then_with(|| a.reason.name.cmp(&b.reason.name))
}

/// The spans so far, sorted and not overlapping.
#[derive(Default)]
struct Taken(Vec<Span>);

impl Taken {
    fn add(&mut self, text: &str, mut span: Span) {
        let from = self.0.partition_point(|taken| taken.end <= span.start);
        let to = from + self.0[from..].partition_point(|taken| taken.start < span.end);
        if from == to {
            self.0.insert(from, span);
            return;
        }
        let mut pieces = Vec::new();
        for (n, taken) in self.0[from..to].iter_mut().enumerate() {
            let alike = is_alike(&taken.kind, &span.kind);
            if alike || taken.start <= span.start && span.end <= taken.end {
                note(taken, &span);
            }
            if alike && span.start < taken.start {
                // The part since the last span, or all that sticks out: one entity, so one span.
                taken.start = span.start;
            } else if span.start < taken.start {
                pieces.push(Span { end: taken.start, ..span.clone() });
            }
            let next = n + 1 < to - from;
            if alike && span.end > taken.end && !next {
                taken.end = span.end;
            }
            span.start = taken.end.min(span.end);
        }
        if span.start < span.end {
            pieces.push(span);
        }
        for piece in pieces.into_iter().filter_map(|piece| trimmed(text, piece)) {
            let at = self.0.partition_point(|taken| taken.end <= piece.start);
            self.0.insert(at, piece);
        }
    }
}

/// Returns whether two candidates may be one entity. The taggers do not know the kind of an identifier.
fn is_alike(certain: &Kind, other: &Kind) -> bool {
    certain == other || *other == Kind::Id && certain.is_identifier()
}

fn note(taken: &mut Span, other: &Span) {
    let known = taken.reason.name == other.reason.name || taken.reason.also.contains(&other.reason.name);
    if !known {
        taken.reason.also.push(other.reason.name.clone());
    }
}

/// Returns the span without signs and spaces at its ends, or `None` if nothing else is left.
fn trimmed(text: &str, span: Span) -> Option<Span> {
    let inner = text.get(span.start..span.end)?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '$' | '¢'..='¥' | '\u{20a0}'..='\u{20cf}');
    let start = span.start + inner.find(is_part)?;
    let end =
        span.start + inner.rfind(is_part).and_then(|at| Some(at + inner[at..].chars().next()?.len_utf8()))?;
    Some(Span { start, end, ..span })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::span::Reason;

    fn span(start: usize, end: usize, kind: Kind, score: f32, found_by: FoundBy) -> Span {
        Span { start, end, kind, score, reason: Reason::new(found_by, "test") }
    }

    fn merged(text: &str, candidates: Vec<Span>) -> Vec<(usize, usize, Kind)> {
        merge(text, candidates).into_iter().map(|span| (span.start, span.end, span.kind)).collect()
    }

    #[test]
    fn candidates_of_the_same_kind_become_one_span() {
        let rule = span(3, 6, Kind::Phone, 0.9, FoundBy::Rule);
        let tagger = span(0, 8, Kind::Phone, 0.99, FoundBy::Tagger);
        assert_eq!(merged("ab cde gh", vec![tagger, rule]), [(0, 8, Kind::Phone)]);
    }

    #[test]
    fn the_part_outside_an_earlier_span_remains() {
        let rule = span(3, 6, Kind::Date, 0.9, FoundBy::Rule);
        let tagger = span(0, 9, Kind::Person, 0.99, FoundBy::Tagger);
        let expected = [(0, 2, Kind::Person), (3, 6, Kind::Date), (7, 9, Kind::Person)];
        assert_eq!(merged("ab cde gh", vec![tagger, rule]), expected);
        // A part with only signs and spaces is dropped.
        let wide = span(2, 7, Kind::Person, 0.99, FoundBy::Tagger);
        let rule = span(3, 6, Kind::Date, 0.9, FoundBy::Rule);
        assert_eq!(merged("ab cde gh", vec![wide, rule]), [(3, 6, Kind::Date)]);
    }

    #[test]
    fn a_date_and_its_time_are_joined() {
        let spans =
            |kind| vec![span(0, 10, Kind::Date, 0.9, FoundBy::Rule), span(11, 16, kind, 0.6, FoundBy::Rule)];
        assert_eq!(merged("2021-03-04 12:30", spans(Kind::Time)), [(0, 16, Kind::Date)]);
        assert_eq!(merged("2021-03-04 12:30", spans(Kind::Id)).len(), 2);
        assert_eq!(merged("2021-03-04\n12:30", spans(Kind::Time)).len(), 2);
    }

    #[test]
    fn the_parts_of_a_name_are_joined_but_not_a_list_of_names() {
        let spans = |kind: Kind| {
            let tagged = |start, end| span(start, end, kind.clone(), 0.9, FoundBy::Tagger);
            vec![tagged(0, 3), tagged(4, 8)]
        };
        assert_eq!(merged("Ana Lima", spans(Kind::Person)), [(0, 8, Kind::Person)]);
        assert_eq!(merged("Ana-Lima", spans(Kind::Person)).len(), 1);
        assert_eq!(merged("Ana\nLima", spans(Kind::Person)).len(), 2);
        assert_eq!(merged("Ana,Lima", spans(Kind::Person)).len(), 2);
        assert_eq!(merged("Rom Bonn", spans(Kind::Location)).len(), 2);
    }

    #[test]
    fn the_deny_list_has_precedence() {
        let deny = span(0, 2, Kind::named("mine"), 0.1, FoundBy::Deny);
        let rule = span(0, 2, Kind::Email, 1.0, FoundBy::Rule);
        assert_eq!(merged("ab", vec![rule, deny]), [(0, 2, Kind::named("mine"))]);
    }

    #[test]
    fn a_certain_name_of_a_list_comes_before_the_tagger() {
        let tagged = || span(0, 12, Kind::Organisation, 0.99, FoundBy::Tagger);
        let listed = |score| span(0, 8, Kind::Person, score, FoundBy::Gazetteer);
        let parts = [(0, 8, Kind::Person), (9, 12, Kind::Organisation)];
        assert_eq!(merged("Ana Lima abc", vec![tagged(), listed(0.9)]), parts);
        assert_eq!(merged("Ana Lima abc", vec![tagged(), listed(0.7)]), [(0, 12, Kind::Organisation)]);
    }

    proptest! {
        #[test]
        fn no_text_is_lost_and_no_spans_overlap(
            spans in prop::collection::vec((0usize..40, 1usize..12, 0usize..5, 0.0f32..1.0, 0usize..3), 0..12)
        ) {
            let text = "a".repeat(60);
            let candidates: Vec<Span> = spans.iter().map(|&(start, length, kind, score, found_by)| {
                let found_by = [FoundBy::Rule, FoundBy::Tagger, FoundBy::Deny][found_by];
                span(start, start + length, Kind::ALL[kind].clone(), score, found_by)
            }).collect();
            let covered = |spans: &[Span]| {
                let mut bytes = vec![false; 60];
                spans.iter().for_each(|span| bytes[span.range()].fill(true));
                bytes
            };
            let before = covered(&candidates);
            let mut backwards = candidates.clone();
            backwards.reverse();
            let merged = merge(&text, candidates);
            prop_assert_eq!(&before, &covered(&merged));
            prop_assert!(merged.windows(2).all(|two| two[0].end <= two[1].start));
            prop_assert!(merged.iter().all(|span| span.start < span.end));
            let places = |spans: &[Span]| spans.iter().map(|s| (s.start, s.end, s.kind.clone())).collect::<Vec<_>>();
            prop_assert_eq!(places(&merged), places(&merge(&text, backwards)));
        }
    }
}
