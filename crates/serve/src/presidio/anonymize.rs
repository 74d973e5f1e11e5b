//! `/anonymize`.

use inkveil::files::hex;
use sha2::{Digest as _, Sha256, Sha512};

use super::{PresidioError, cipher};
use crate::characters::Places;
use crate::json::Json;

/// The operators.
pub(super) const OPERATORS: [&str; 6] = ["encrypt", "hash", "keep", "mask", "redact", "replace"];

/// Overlapping results may make operators read a text this often. Results that overlap little read it twice at most.
const MOST_READINGS: usize = 4;
/// The most bytes that are written in place of results.
const MOST_BYTES: usize = 64 << 20;

struct Found<'r> {
    start: usize,
    end: usize,
    score: f64,
    kind: &'r str,
}

pub(super) fn anonymize(request: &Json) -> Result<Json, PresidioError> {
    let invalid = |what: &str| PresidioError::new(422, format!("Invalid input, {what}"));
    let text = request.str_of("text").ok_or_else(|| invalid("text can not be empty"))?;
    let results =
        request.get("analyzer_results").ok_or_else(|| invalid("analyzer_results can not be empty"))?;
    let places = Places::new(text);
    let length = text.chars().count();
    let mut found = Vec::new();
    for result in results.items() {
        let number = |key: &str| result.get(key).and_then(Json::as_u64).map(|number| number as usize);
        let start = number("start").ok_or_else(|| invalid("result must contain start"))?;
        let end = number("end").ok_or_else(|| invalid("result must contain end"))?;
        let kind = result.str_of("entity_type").ok_or_else(|| invalid("result must contain entity_type"))?;
        let score = result
            .get("score")
            .and_then(Json::as_f64)
            .ok_or_else(|| invalid("analyzer result must contain score"))?;
        if end > length {
            let what = format!(
                "analyzer result with start: {start} and end: {end}, while text length is only {length}."
            );
            return Err(PresidioError::new(
                422,
                format!("Invalid analyzer result, {}", what.trim_start_matches("analyzer result with ")),
            ));
        }
        if start > end {
            return Err(invalid("analyzer result start can not be after its end"));
        }
        found.push(Found { start, end, score, kind });
    }
    let operators = request.get("anonymizers");
    let mut items = Vec::new();
    // From the end: where two overlap, the second takes the common part, but the operator of the first sees all of its own.
    let kept = without_overlaps(found);
    let read = kept.iter().map(|found| found.end - found.start).fold(0, usize::saturating_add);
    if read > length.saturating_mul(MOST_READINGS) {
        return Err(invalid("too many results overlap"));
    }
    let (mut next, mut bytes) = (length, 0);
    for found in kept.iter().rev() {
        let operator = operators.and_then(|operators| operators.get(found.kind).or(operators.get("DEFAULT")));
        let removed = found.end.min(next).max(found.start);
        let (Some(start), Some(end), Some(removed_end)) =
            (places.byte(found.start), places.byte(found.end), places.byte(removed))
        else {
            continue;
        };
        let original = text.get(start..end).unwrap_or_default();
        let (name, replacement) = apply(operator, found.kind, original)?;
        bytes += replacement.len();
        if bytes > MOST_BYTES {
            return Err(invalid("the replacements are too long"));
        }
        items.push((name, found.kind, replacement, start..removed_end));
        next = found.start;
    }
    // The new text, and the places in it.
    let (mut out, mut at, mut written) = (String::new(), 0, 0);
    let mut rows: Vec<Json> = Vec::new();
    for (name, kind, replacement, range) in items.iter().rev() {
        let before = text.get(at..range.start).unwrap_or_default();
        let (new_start, length) = (written + before.chars().count(), replacement.chars().count());
        out.push_str(before);
        out.push_str(replacement);
        (at, written) = (range.end, new_start + length);
        rows.push(Json::object([
            ("start", Json::count(new_start)),
            ("end", Json::count(new_start + length)),
            ("entity_type", Json::text(*kind)),
            ("text", Json::text(replacement.clone())),
            ("operator", Json::text(*name)),
        ]));
    }
    out.push_str(text.get(at..).unwrap_or_default());
    rows.reverse();
    Ok(Json::object([("text", Json::text(out)), ("items", Json::Array(rows))]))
}

/// Drops what lies within another result, and joins overlapping results of the same kind.
fn without_overlaps(mut found: Vec<Found<'_>>) -> Vec<Found<'_>> {
    let better = |found: &Found<'_>| (found.start, std::cmp::Reverse(found.end));
    found.sort_by(|a, b| better(a).cmp(&better(b)).then_with(|| b.score.total_cmp(&a.score)));
    let mut kept: Vec<Found<'_>> = Vec::new();
    for next in found {
        match kept.last_mut() {
            Some(last) if next.start < last.end && next.kind == last.kind => {
                last.end = last.end.max(next.end)
            }
            Some(last) if next.end <= last.end => {}
            _ => kept.push(next),
        }
    }
    kept.retain(|found| found.start < found.end);
    kept
}

fn apply(
    operator: Option<&Json>,
    kind: &str,
    original: &str,
) -> Result<(&'static str, String), PresidioError> {
    let invalid = |what: String| PresidioError::new(422, what);
    let Some(operator) = operator else { return Ok(("replace", format!("<{kind}>"))) };
    match operator.str_of("type").unwrap_or("replace") {
        "replace" => {
            let value = operator.str_of("new_value").filter(|value| !value.is_empty());
            Ok(("replace", value.map_or_else(|| format!("<{kind}>"), str::to_owned)))
        }
        "redact" => Ok(("redact", String::new())),
        "keep" => Ok(("keep", original.to_owned())),
        "mask" => {
            let masking = operator.str_of("masking_char");
            let masking = masking.ok_or_else(|| invalid("Expected parameter masking_char".to_owned()))?;
            if masking.chars().count() != 1 {
                return Err(invalid("Invalid input, masking_char must be a character".to_owned()));
            }
            let count = operator.get("chars_to_mask").and_then(Json::as_f64);
            let count = count.ok_or_else(|| invalid("Expected parameter chars_to_mask".to_owned()))?.max(0.0)
                as usize;
            let from_end = operator.get("from_end").and_then(Json::as_bool).unwrap_or(false);
            let characters: Vec<char> = original.chars().collect();
            let masked = count.min(characters.len());
            let is_masked =
                |index: usize| if from_end { index >= characters.len() - masked } else { index < masked };
            let masking = masking.chars().next().unwrap_or('*');
            let text = characters.iter().enumerate();
            Ok(("mask", text.map(|(index, c)| if is_masked(index) { masking } else { *c }).collect()))
        }
        "hash" => match operator.str_of("hash_type").unwrap_or("sha256") {
            "sha256" => Ok(("hash", hex::encode(Sha256::digest(original.as_bytes())))),
            "sha512" => Ok(("hash", hex::encode(Sha512::digest(original.as_bytes())))),
            _ => Err(invalid("Invalid input, hash_type must be sha256 or sha512".to_owned())),
        },
        "encrypt" => {
            let key = operator.str_of("key").ok_or_else(|| invalid("Expected parameter key".to_owned()))?;
            Ok(("encrypt", cipher::encrypt(key, original)?))
        }
        "custom" => Err(PresidioError::new(400, "Custom type anonymizer is not supported")),
        _ => Err(invalid("Invalid operator class".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str, places: impl Iterator<Item = (usize, usize)>, operator: &str) -> Json {
        let results: Vec<String> = places
            .enumerate()
            .map(|(index, (start, end))| {
                let kind = if index % 2 == 0 { "A" } else { "B" };
                format!(r#"{{"start":{start},"end":{end},"score":1,"entity_type":"{kind}"}}"#)
            })
            .collect();
        let results = results.join(",");
        let request = format!(
            r#"{{"text":"{text}","analyzer_results":[{results}],"anonymizers":{{"DEFAULT":{operator}}}}}"#
        );
        Json::parse(request.as_bytes()).unwrap()
    }

    #[test]
    fn few_results_may_overlap() {
        let request = request("0123456789", [(0, 6), (4, 10)].into_iter(), r#"{"type":"keep"}"#);
        let answer = anonymize(&request).unwrap();
        assert_eq!(answer.str_of("text"), Some("012345456789"));
    }

    #[test]
    fn many_overlapping_results_are_refused() {
        let text = "x".repeat(2_000);
        for operator in [r#"{"type":"keep"}"#, r#"{"type":"hash"}"#] {
            let request = request(&text, (0..900).map(|at| (at, 1_000 + at)), operator);
            let refused = anonymize(&request).err().map(|error| error.1).unwrap_or_default();
            assert!(refused.contains("too many results overlap"), "{refused}");
        }
    }

    #[test]
    fn a_long_replacement_of_many_results_is_refused() {
        let value = "y".repeat(1 << 20);
        let operator = format!(r#"{{"type":"replace","new_value":"{value}"}}"#);
        let few = request(&"x".repeat(20), (0..10).map(|at| (2 * at, 2 * at + 1)), &operator);
        assert!(anonymize(&few).is_ok());
        let many = request(&"x".repeat(400), (0..200).map(|at| (2 * at, 2 * at + 1)), &operator);
        let refused = anonymize(&many).err().map(|error| error.1).unwrap_or_default();
        assert!(refused.contains("the replacements are too long"), "{refused}");
    }
}
