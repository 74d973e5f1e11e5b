//! One line of JSON: its fields, and where their values are.
//!
//! `inkveil-vectors-io` uses this module too.

use std::fmt;
use std::ops::Range;

use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

/// Returns the bytes of `line` that `raw`, a value borrowed from it, takes up.
pub fn span(line: &str, raw: &RawValue) -> Option<Range<usize>> {
    let start = (raw.get().as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
    let range = start..start.checked_add(raw.get().len())?;
    line.get(range.clone()).map(|_| range)
}

/// Returns all fields of a line that is an object.
///
/// # Errors
/// If the line is not an object. The message of the error may quote the line; use [`problem`] instead.
pub fn fields(line: &str) -> Result<Vec<(String, &RawValue)>, serde_json::Error> {
    let mut parser = serde_json::Deserializer::from_str(line);
    let fields = parser.deserialize_map(Fields)?;
    parser.end()?;
    Ok(fields)
}

/// Describes what is wrong with a line, without the message of the parser, which may quote the line.
pub fn problem(error: &serde_json::Error) -> String {
    match error.is_eof() {
        true => "the line ends in the middle of the JSON".to_owned(),
        false => format!("the JSON is wrong near byte {} of the line", error.column()),
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_borrow_from_their_line() {
        let line = r#" {"a": [1, 2], "b": {"a": null}} "#;
        let fields = fields(line).unwrap();
        let spans: Vec<&str> = fields.iter().map(|(_, raw)| &line[span(line, raw).unwrap()]).collect();
        assert_eq!(spans, ["[1, 2]", r#"{"a": null}"#]);
        assert_eq!(span("short", fields[0].1), None);
    }

    #[test]
    fn problems_do_not_quote_the_line() {
        for line in [r#"{"a": secret}"#, r#"{"secret"#, "[]", r#"{"a": 1} secret"#] {
            let problem = problem(&fields(line).unwrap_err());
            assert!(!problem.contains("secret"), "{problem}");
        }
    }
}
