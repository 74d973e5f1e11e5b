//! Numbers and codes that a text repeats where detection did not find them.

use std::collections::HashMap;

use inkveil_detect::{Family, Kind, Span};

use super::words::{covering, name_span};

/// Returns the spans, completed by the numbers and codes of the text that occur elsewhere as whole words: the "8k" of a
/// second "8k?!". Short numbers alone mean too much.
pub(super) fn with_repeated_values(text: &str, mut spans: Vec<Span>) -> Vec<Span> {
    let mut values: HashMap<&str, &Kind> = HashMap::new();
    for span in &spans {
        let value = text.get(span.range()).unwrap_or_default();
        if is_of_values(&span.kind) && is_distinct(value) {
            values.entry(value).or_insert(&span.kind);
        }
    }
    if values.is_empty() {
        return spans;
    }
    let is_sign = |c: char| "()[]{}<>.,;:!?\"'“”‘’*_".contains(c);
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        let value = word.trim_matches(is_sign);
        let start = value.as_ptr() as usize - text.as_ptr() as usize;
        let end = start + value.len();
        if let Some(kind) = values.get(value).filter(|_| covering(&spans, start, end).is_none()) {
            found.push(name_span(start, end, (*kind).clone()));
        }
    }
    spans.extend(found);
    spans.sort_by_key(|span| span.start);
    spans
}

fn is_of_values(kind: &Kind) -> bool {
    matches!(kind.family(), Family::Contact | Family::Money | Family::Identity | Family::Secrets)
}

/// Returns whether a value has a digit and is more than a short number.
fn is_distinct(value: &str) -> bool {
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let others = value.chars().any(|c| !c.is_ascii_digit());
    !value.contains(char::is_whitespace) && (digits > 3 || digits > 0 && others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_wherever_they_are_repeated() {
        let text = "She wants 8k off. (8k?!) Room 12, 12 or 8kg, ref A-77 and A-77.";
        let money = name_span(10, 12, Kind::Money);
        let id = text.find("A-77").unwrap();
        let twelve = text.find("12").unwrap();
        let known = vec![money, name_span(twelve, twelve + 2, Kind::Id), name_span(id, id + 4, Kind::Id)];
        let spans = with_repeated_values(text, known);
        let found: Vec<&str> = spans.iter().map(|span| &text[span.range()]).collect();
        assert_eq!(found, ["8k", "8k", "12", "A-77", "A-77"]);
    }
}
