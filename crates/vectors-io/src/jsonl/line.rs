//! One line: the place of its vector, and its numbers.

use std::fmt;

use inkveil_rows::json_line::{fields, problem};
use serde::Deserializer as _;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};
use crate::format::VectorFormat;

/// The usual names of a field with a vector. If no field of the first row is a vector, the error is about one of these.
const USUAL: [&str; 4] = ["embedding", "vector", "embeddings", "values"];

/// The place of the vector in each line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum VectorPlace {
    /// The line is the vector.
    Line,
    /// The line is an object, and this field is the vector.
    Field(String),
}

impl VectorPlace {
    pub(super) fn field(&self) -> Option<&str> {
        match self {
            VectorPlace::Line => None,
            VectorPlace::Field(name) => Some(name),
        }
    }

    /// Chooses the place by the first line.
    pub(super) fn choose(line: &str, column: Option<&str>) -> Result<Self, Error> {
        match (is_object(line)?, column) {
            (true, Some(name)) => {
                let present: Vec<String> = fields_of(line)?.into_iter().map(|(name, _)| name).collect();
                match present.iter().any(|field| field == name) {
                    true => Ok(VectorPlace::Field(name.to_owned())),
                    false => Err(Error::from(ErrorKind::MissingField { present }).in_field(Some(name))),
                }
            }
            (false, None) => Ok(VectorPlace::Line),
            (false, Some(name)) => {
                Err(Error::from(ErrorKind::MissingField { present: Vec::new() }).in_field(Some(name)))
            }
            (true, None) => {
                let fields = fields_of(line)?;
                let mut vectors: Vec<String> = fields
                    .iter()
                    .filter(|(_, raw)| numbers(raw, &mut Vec::new()).is_ok_and(|count| count > 0))
                    .map(|(name, _)| name.clone())
                    .collect();
                // A field that occurs twice is reported later.
                vectors.sort_unstable();
                vectors.dedup();
                match (vectors.pop(), vectors.is_empty()) {
                    (Some(only), true) => Ok(VectorPlace::Field(only)),
                    (Some(last), false) => {
                        vectors.push(last);
                        Err(ErrorKind::Ambiguous { candidates: vectors }.into())
                    }
                    (None, _) => {
                        let usual =
                            USUAL.into_iter().find(|usual| fields.iter().any(|(name, _)| name == usual));
                        if let Some(name) = usual {
                            return Ok(VectorPlace::Field(name.to_owned()));
                        }
                        let candidates = fields.into_iter().map(|(name, _)| name).collect();
                        Err(ErrorKind::NoVectors { candidates }.into())
                    }
                }
            }
        }
    }

    /// Finds the vector in a line.
    pub(super) fn locate<'a>(&self, line: &'a str) -> Result<&'a RawValue, Error> {
        match (self, is_object(line)?) {
            (VectorPlace::Line, false) => serde_json::from_str(line).map_err(|e| syntax(line, &e)),
            (VectorPlace::Line, true) => Err(ErrorKind::MixedRows { expected: "an array" }.into()),
            (VectorPlace::Field(_), false) => Err(ErrorKind::MixedRows { expected: "an object" }.into()),
            (VectorPlace::Field(name), true) => {
                let mut parser = serde_json::Deserializer::from_str(line);
                let found = parser.deserialize_map(Find { name }).and_then(|found| {
                    parser.end()?;
                    Ok(found)
                });
                match found.map_err(|e| syntax(line, &e))? {
                    (Some(raw), 1) => Ok(raw),
                    (Some(_), _) => Err(ErrorKind::DuplicateField.into()),
                    // The names in later rows may be data, so only those of the first row are shown.
                    (None, _) => Err(ErrorKind::MissingField { present: Vec::new() }.into()),
                }
            }
        }
    }
}

/// Appends the numbers of an array to `into` and returns their number.
pub(super) fn numbers(raw: &RawValue, into: &mut Vec<f64>) -> Result<usize, Error> {
    if !raw.get().starts_with('[') {
        return Err(ErrorKind::NotNumbers { index: None }.into());
    }
    let start = into.len();
    let result = Numbers(into).deserialize(&mut serde_json::Deserializer::from_str(raw.get()));
    let count = into.len() - start;
    match result {
        Ok(()) => Ok(count),
        Err(error) if error.is_data() => Err(ErrorKind::NotNumbers { index: Some(count) }.into()),
        // The grammar was checked when the value was located, so this is a number beyond the range of f64.
        Err(_) => Err(ErrorKind::NotFinite { index: count }.into()),
    }
}

fn is_object(line: &str) -> Result<bool, Error> {
    match line.trim_start().as_bytes().first() {
        Some(b'{') => Ok(true),
        Some(b'[') => Ok(false),
        _ => Err(Error::corrupt(VectorFormat::Jsonl, "each line must be an array of numbers or an object")),
    }
}

fn fields_of(line: &str) -> Result<Vec<(String, &RawValue)>, Error> {
    fields(line).map_err(|e| syntax(line, &e))
}

/// Returns where the JSON is wrong, without the message of the parser, which may quote the line.
fn syntax(line: &str, error: &serde_json::Error) -> Error {
    let at = error.column();
    let bytes = line.as_bytes();
    let window = &bytes[at.saturating_sub(2).min(bytes.len())..(at + 3).min(bytes.len())];
    if window.windows(3).any(|word| word == b"NaN" || word == b"Inf") {
        // Python writes NaN and Infinity, which JSON does not allow. Find the coordinate.
        let before = &bytes[..at.min(bytes.len())];
        let array = before.iter().rposition(|&b| b == b'[').map(|open| &before[open..]).unwrap_or_default();
        return ErrorKind::NotFinite { index: array.iter().filter(|&&b| b == b',').count() }.into();
    }
    Error::corrupt(VectorFormat::Jsonl, problem(error))
}

/// Finds one field and counts how often it occurs.
struct Find<'n> {
    name: &'n str,
}

impl<'de> Visitor<'de> for Find<'_> {
    type Value = (Option<&'de RawValue>, usize);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut found, mut count) = (None, 0);
        while let Some(is_it) = map.next_key_seed(Is(self.name))? {
            if is_it {
                found = Some(map.next_value()?);
                count += 1;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok((found, count))
    }
}

/// Compares a key, escaped or not, without keeping it.
struct Is<'n>(&'n str);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = bool;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Is<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<bool, E> {
        Ok(key == self.0)
    }
}

struct Numbers<'v>(&'v mut Vec<f64>);

impl<'de> DeserializeSeed<'de> for Numbers<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Numbers<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(number) = seq.next_element()? {
            self.0.push(number);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use inkveil_rows::json_line::span;

    use super::*;

    fn chosen(line: &str) -> Result<Option<String>, ErrorKind> {
        VectorPlace::choose(line, None).map(|p| p.field().map(str::to_owned)).map_err(|e| e.kind().clone())
    }

    #[test]
    fn chooses_the_field() {
        assert_eq!(chosen(" [1]"), Ok(None));
        let both = ErrorKind::Ambiguous { candidates: vec!["values".into(), "vector".into()] };
        assert_eq!(chosen(r#"{"values": [1], "vector": [2]}"#), Err(both));
        assert_eq!(chosen(r#"{"vector": [null], "text": "x"}"#), Ok(Some("vector".into())));
        assert_eq!(chosen(r#"{"t": "x", "e": [], "n": [1, 2], "m": [[1]]}"#), Ok(Some("n".into())));
        let two = ErrorKind::Ambiguous { candidates: vec!["a".into(), "b".into()] };
        assert_eq!(chosen(r#"{"a": [1], "b": [2], "c": 3}"#), Err(two));
        let none = ErrorKind::NoVectors { candidates: vec!["a".into(), "c".into()] };
        assert_eq!(chosen(r#"{"a": "[1]", "c": ["3"]}"#), Err(none));
        assert!(matches!(chosen("17"), Err(ErrorKind::Corrupt { .. })));
        assert!(matches!(chosen(r#"{"a": [1]} x"#), Err(ErrorKind::Corrupt { .. })));
    }

    #[test]
    fn finds_the_vector() {
        let line = r#" {"a": "\"v\": [9]", "\u0076": [1, -2e0 ] , "b": {"v": 3}} "#;
        let place = VectorPlace::Field("v".into());
        let raw = place.locate(line).unwrap();
        let found = span(line, raw).unwrap();
        assert_eq!(&line[found], "[1, -2e0 ]");
        let mut values = vec![7.0];
        assert_eq!(numbers(raw, &mut values).unwrap(), 2);
        assert_eq!(values, [7.0, 1.0, -2.0]);
        let twice = place.locate(r#"{"v": [1], "\u0076": [2]}"#).unwrap_err();
        assert_eq!(twice.kind(), &ErrorKind::DuplicateField);
        assert!(matches!(place.locate("[1]").unwrap_err().kind(), ErrorKind::MixedRows { .. }));
        let other = RawValue::from_string("[1]".into()).unwrap();
        assert_eq!(span("short", &other), None);
    }

    #[test]
    fn numbers_that_json_has_not() {
        let place = VectorPlace::Field("v".into());
        for (text, index) in [("[NaN, 1]", 0), ("[1, -Infinity]", 1), ("[1,2,Infinity]", 2)] {
            let line = format!(r#"{{"a": [5,6], "v": {text}}}"#);
            assert_eq!(place.locate(&line).unwrap_err().kind(), &ErrorKind::NotFinite { index }, "{line}");
            assert_eq!(
                VectorPlace::Line.locate(text).unwrap_err().kind(),
                &ErrorKind::NotFinite { index },
                "{text}"
            );
        }
        let raw = |text: &str| RawValue::from_string(text.into()).unwrap();
        let kind = |text: &str| numbers(&raw(text), &mut Vec::new()).unwrap_err().kind().clone();
        assert_eq!(kind("[0, 1e999]"), ErrorKind::NotFinite { index: 1 });
        assert_eq!(kind("[0, null]"), ErrorKind::NotNumbers { index: Some(1) });
        assert_eq!(kind("[[0]]"), ErrorKind::NotNumbers { index: Some(0) });
        assert_eq!(kind("null"), ErrorKind::NotNumbers { index: None });
    }
}
