//! Texts inside a JSON object: where they are in its line, and how they are written.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::value::RawValue;

use super::path::{ColumnPath, Step};
use crate::error::{Error, ErrorKind};
use crate::json_line::{fields, problem, span};

/// A text in a row.
pub(crate) struct Found<'r> {
    /// Its bytes in the row, with quotes.
    pub(crate) range: Range<usize>,
    pub(crate) text: Cow<'r, str>,
}

/// The fields of a row.
pub(crate) struct Object<'r> {
    row: &'r str,
    fields: Vec<(String, &'r RawValue)>,
}

impl<'r> Object<'r> {
    pub(crate) fn parse(row: &'r str) -> Result<Self, Error> {
        if !row.trim_start().starts_with('{') {
            return Err(Error::corrupt("jsonl", "each line must be an object"));
        }
        Ok(Self { row, fields: fields_of(row)? })
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.fields.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Appends the texts at a path. A null is not a text.
    pub(crate) fn texts(&self, path: &ColumnPath, into: &mut Vec<Found<'r>>) -> Result<(), Error> {
        self.walk(path, &mut |raw| {
            if raw.get() == "null" {
                return Ok(());
            }
            let text = text_of(raw).ok_or(ErrorKind::NotText)?;
            let range = span(self.row, raw).ok_or(ErrorKind::NotText)?;
            into.push(Found { range, text });
            Ok(())
        })
        .map_err(|error| error.in_field(Some(&path.to_string())))
    }

    /// Appends every string of a row, at any depth, except in the columns that `skips` names.
    pub(crate) fn strings<'s>(
        &'s self,
        skips: &dyn Fn(&str) -> bool,
        into: &mut Vec<(&'s str, Found<'r>)>,
    ) -> Result<(), Error> {
        for (name, raw) in self.fields.iter().filter(|(name, _)| !skips(name)) {
            let mut found = Vec::new();
            self.strings_in(raw, &mut found).map_err(|error| error.in_field(Some(name)))?;
            into.extend(found.into_iter().map(|found| (name.as_str(), found)));
        }
        Ok(())
    }

    fn strings_in(&self, raw: &'r RawValue, into: &mut Vec<Found<'r>>) -> Result<(), Error> {
        match raw.get().as_bytes().first() {
            Some(b'"') => {
                let text = text_of(raw).ok_or(ErrorKind::NotText)?;
                let range = span(self.row, raw).ok_or(ErrorKind::NotText)?;
                into.push(Found { range, text });
                Ok(())
            }
            Some(b'[') => elements(raw)?.into_iter().try_for_each(|value| self.strings_in(value, into)),
            Some(b'{') => {
                fields_of(raw.get())?.into_iter().try_for_each(|(_, value)| self.strings_in(value, into))
            }
            _ => Ok(()),
        }
    }

    /// Returns the first value at a path as text.
    pub(crate) fn value(&self, path: &ColumnPath) -> Result<Option<Cow<'r, str>>, Error> {
        let mut found = None;
        self.walk(path, &mut |raw| {
            if found.is_none() && raw.get() != "null" {
                found = Some(text_of(raw).unwrap_or(Cow::Borrowed(raw.get())));
            }
            Ok(())
        })
        .map_err(|error| error.in_field(Some(&path.to_string())))?;
        Ok(found)
    }

    fn walk(
        &self,
        path: &ColumnPath,
        each: &mut dyn FnMut(&'r RawValue) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut values = self.fields.iter().filter(|(name, _)| name == path.first());
        match (values.next(), values.next()) {
            (None, _) => Err(missing()),
            (Some(_), Some(_)) => Err(ErrorKind::DuplicateField.into()),
            (Some((_, raw)), None) => descend(raw, &path.steps, each),
        }
    }
}

fn fields_of(row: &str) -> Result<Vec<(String, &RawValue)>, Error> {
    fields(row).map_err(|e| Error::corrupt("jsonl", problem(&e)))
}

fn missing() -> Error {
    ErrorKind::MissingField { present: Vec::new() }.into()
}

fn descend<'r>(
    raw: &'r RawValue,
    steps: &[Step],
    each: &mut dyn FnMut(&'r RawValue) -> Result<(), Error>,
) -> Result<(), Error> {
    let Some((step, rest)) = steps.split_first() else { return each(raw) };
    if raw.get() == "null" {
        return Ok(());
    }
    match step {
        Step::Field(name) => {
            if !raw.get().starts_with('{') {
                return Err(missing());
            }
            let inside = fields_of(raw.get())?;
            let mut values = inside.iter().filter(|(field, _)| field == name);
            match (values.next(), values.next()) {
                (None, _) => Err(missing()),
                (Some(_), Some(_)) => Err(ErrorKind::DuplicateField.into()),
                (Some((_, value)), None) => descend(value, rest, each),
            }
        }
        Step::Element(index) => match elements(raw)?.get(*index) {
            Some(value) => descend(value, rest, each),
            None => Err(missing()),
        },
        Step::Each => elements(raw)?.into_iter().try_for_each(|value| descend(value, rest, each)),
    }
}

fn elements(raw: &RawValue) -> Result<Vec<&RawValue>, Error> {
    serde_json::from_str(raw.get()).map_err(|_| ErrorKind::NotText.into())
}

/// Returns the meaning of a JSON string, or nothing if the value is not a string.
fn text_of(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inside = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    match inside.contains('\\') {
        // The first check of the grammar accepts half of a surrogate pair; this one does not.
        true => serde_json::from_str(raw.get()).ok().map(Cow::Owned),
        false => Some(Cow::Borrowed(inside)),
    }
}

/// Writes a text as JSON.
pub(crate) fn write(text: Option<&str>, into: &mut Vec<u8>) {
    // Strings always serialise, and a vector takes any bytes.
    let _ = match text {
        Some(text) => serde_json::to_writer(into, text),
        None => serde_json::to_writer(into, &()),
    };
}

/// Returns where a field can be added to an object, and whether there are fields before it.
pub(crate) fn end_of(row: &str) -> Option<(usize, bool)> {
    let end = row.trim_end().strip_suffix('}')?.len();
    Some((end, !row[..end].trim_end().ends_with('{')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(row: &str, path: &str) -> Result<Vec<String>, ErrorKind> {
        let mut found = Vec::new();
        let object = Object::parse(row).map_err(|e| e.kind().clone())?;
        object.texts(&path.parse().unwrap(), &mut found).map_err(|e| e.kind().clone())?;
        Ok(found
            .into_iter()
            .map(|found| {
                let json: String = serde_json::from_str(&row[found.range]).unwrap();
                assert_eq!(json, found.text);
                json
            })
            .collect())
    }

    #[test]
    fn every_string_is_found() {
        let row = r#"{"a": "x", "b": [1, {"c": "\u0079"}, ["z"]], "n": null, "s": "skipped", "a": "again"}"#;
        let mut found = Vec::new();
        let object = Object::parse(row).unwrap();
        object.strings(&|name| name == "s", &mut found).unwrap();
        let texts: Vec<(&str, &str)> = found.iter().map(|(name, found)| (*name, &*found.text)).collect();
        assert_eq!(texts, [("a", "x"), ("b", "y"), ("b", "z"), ("a", "again")]);
    }

    #[test]
    fn texts_are_found_where_they_lie() {
        let row =
            r#" {"id": 7, "m": [{"c": "a\"b"}, {"c": null}, {"c": "é"}], "t": {"x.y": "z"}, "n": null} "#;
        assert_eq!(texts(row, "m[].c").unwrap(), ["a\"b", "é"]);
        assert_eq!(texts(row, "m[2].c").unwrap(), ["é"]);
        assert_eq!(texts(row, "t.\"x.y\"").unwrap(), ["z"]);
        assert!(texts(row, "n").unwrap().is_empty());
        assert!(texts(row, "n.deeper").unwrap().is_empty());
        assert_eq!(texts(row, "id"), Err(ErrorKind::NotText));
        assert_eq!(texts(row, "m"), Err(ErrorKind::NotText));
        assert!(matches!(texts(row, "m[9].c"), Err(ErrorKind::MissingField { .. })));
        assert!(matches!(texts(row, "none"), Err(ErrorKind::MissingField { .. })));
        assert_eq!(texts(r#"{"a":"1","a":"2"}"#, "a"), Err(ErrorKind::DuplicateField));
        assert_eq!(texts(r#"{"a":"\ud800"}"#, "a"), Err(ErrorKind::NotText));
        assert!(matches!(texts("[1]", "a"), Err(ErrorKind::Corrupt { .. })));
        let object = Object::parse(row).unwrap();
        assert_eq!(object.value(&"id".parse().unwrap()).unwrap().unwrap(), "7");
        assert_eq!(end_of("{ } \n"), Some((2, false)));
        assert_eq!(end_of("{\"a\":1}\n"), Some((6, true)));
    }
}
