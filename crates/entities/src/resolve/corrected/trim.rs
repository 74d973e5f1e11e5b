//! Signs and words at the ends of a span that are no part of it.

use std::ops::Range;

use inkveil_detect::{Family, FoundBy, Kind, Span};

/// Words before a number that are no part of it.
pub(super) const NUMBER_LABELS: &[&str] =
    &["no", "nr", "num", "number", "ref", "reg", "ext", "tel", "acct", "account", "policy"];

/// Returns where a span is without signs around it and words that only lead to it; none if nothing is left.
pub(super) fn trimmed(text: &str, span: &Span) -> Option<Range<usize>> {
    let whole = text.get(span.range())?;
    // A password may end with any sign.
    if span.kind.family() == Family::Secrets {
        return Some(span.range());
    }
    let sign = |c: char| c.is_whitespace() || matches!(c, '–' | '—' | '-' | '•' | '·' | ',' | ';' | '|');
    let mut inner = match span.reason.found_by {
        FoundBy::Tagger => whole.trim_start_matches(sign),
        _ => whole,
    };
    if span.kind == Kind::Location {
        let stripped = ["of ", "in ", "near ", "at "].iter().find_map(|word| inner.strip_prefix(word));
        inner = stripped.unwrap_or(inner);
    }
    // "no. 943 476" is the number alone.
    if let Some((label, number)) = inner.split_once(' ')
        && NUMBER_LABELS.contains(&label.trim_end_matches(['.', ':']).to_lowercase().as_str())
        && number.contains(|c: char| c.is_ascii_digit())
    {
        inner = number.trim_start();
    }
    let start = span.start + (inner.as_ptr() as usize - whole.as_ptr() as usize);
    let end = |c: char| c.is_whitespace() || matches!(c, ':' | ';' | ',' | '–' | '—');
    let mut inner = inner.trim_end_matches(end);
    if span.reason.found_by == FoundBy::Tagger && span.kind != Kind::Organisation {
        inner = inner.trim_end_matches(['!', '?']);
    }
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
