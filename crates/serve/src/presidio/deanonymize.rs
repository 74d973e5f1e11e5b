//! `/deanonymize`.

use super::{PresidioError, cipher};
use crate::characters::Places;
use crate::json::Json;

/// The operators that put originals back.
pub(super) const OPERATORS: [&str; 1] = ["decrypt"];

struct Encrypted<'r> {
    start: usize,
    end: usize,
    kind: &'r str,
}

pub(super) fn deanonymize(request: &Json) -> Result<Json, PresidioError> {
    let invalid = |what: &str| PresidioError::new(422, format!("Invalid input, {what}"));
    if matches!(request, Json::Object(fields) if fields.is_empty()) {
        return Err(PresidioError::new(400, "Invalid request json"));
    }
    let text = request.str_of("text").unwrap_or_default();
    let (places, length) = (Places::new(text), text.chars().count());
    let mut found = Vec::new();
    for result in request.get("anonymizer_results").map(Json::items).unwrap_or_default() {
        let number = |key: &str| result.get(key).and_then(Json::as_u64).map(|number| number as usize);
        let start = number("start").ok_or_else(|| invalid("result must contain start"))?;
        let end = number("end").ok_or_else(|| invalid("result must contain end"))?;
        let kind = result.str_of("entity_type").ok_or_else(|| invalid("result must contain entity_type"))?;
        if start > end || end > length {
            return Err(invalid("a result lies outside the text"));
        }
        found.push(Encrypted { start, end, kind });
    }
    found.sort_by_key(|found| found.start);
    if found.windows(2).any(|two| two[1].start < two[0].end) {
        return Err(invalid("results overlap"));
    }
    let operators = request.get("deanonymizers");
    let (mut out, mut items, mut at, mut written) = (String::new(), Vec::new(), 0, 0);
    for found in &found {
        let (Some(start), Some(end)) = (places.byte(found.start), places.byte(found.end)) else { continue };
        let operator = operators.and_then(|operators| operators.get(found.kind).or(operators.get("DEFAULT")));
        let operator = operator.ok_or_else(|| invalid("no operator for a result"))?;
        if operator.str_of("type") != Some("decrypt") {
            return Err(PresidioError::new(422, "Invalid operator class"));
        }
        let key = operator.str_of("key").ok_or_else(|| PresidioError::new(422, "Expected parameter key"))?;
        let original = cipher::decrypt(key, text.get(start..end).unwrap_or_default())?;
        let before = text.get(at..start).unwrap_or_default();
        out.push_str(before);
        out.push_str(&original);
        let begin = written + before.chars().count();
        (at, written) = (end, begin + original.chars().count());
        items.push(Json::object([
            ("start", Json::count(begin)),
            ("end", Json::count(written)),
            ("entity_type", Json::text(found.kind)),
            ("text", Json::text(original)),
            ("operator", Json::text("decrypt")),
        ]));
    }
    out.push_str(text.get(at..).unwrap_or_default());
    items.reverse();
    Ok(Json::object([("text", Json::text(out)), ("items", Json::Array(items))]))
}
