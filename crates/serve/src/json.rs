//! A JSON document as it came: the order of fields and the spelling of numbers are kept.
//!
//! Object keys must be unique and nesting is bounded. Two readers of a document with a repeated key may
//! see different values, so such a document is refused.

use std::fmt;

/// The deepest nesting that is read.
pub const DEEPEST: usize = 128;

/// A JSON value.
#[derive(Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it was written.
    Number(String),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object, in the order of the document.
    Object(Vec<(String, Json)>),
}

/// Why a document cannot be read. It shows no content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonError {
    /// Not JSON, at this byte.
    Syntax(usize),
    /// Nested more than [`DEEPEST`] levels.
    TooDeep,
    /// An object has a key twice.
    RepeatedKey,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonError::Syntax(at) => write!(f, "the body is not valid JSON, at byte {at}"),
            JsonError::TooDeep => write!(f, "the body is nested more than {DEEPEST} levels"),
            JsonError::RepeatedKey => f.write_str("an object in the body has the same key twice"),
        }
    }
}

// Shows no content.
impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(_) => f.write_str("number"),
            Json::String(text) => write!(f, "string({} bytes)", text.len()),
            Json::Array(items) => write!(f, "array({})", items.len()),
            Json::Object(fields) => write!(f, "object({})", fields.len()),
        }
    }
}

impl Json {
    /// Reads a document.
    ///
    /// # Errors
    /// If it is not JSON, too deep, or has a key twice.
    pub fn parse(bytes: &[u8]) -> Result<Self, JsonError> {
        let mut parser = Parser { bytes, at: 0 };
        let value = parser.value(0)?;
        parser.spaces();
        if parser.at < bytes.len() { Err(parser.wrong()) } else { Ok(value) }
    }

    /// An object.
    pub fn object<const N: usize>(fields: [(&str, Json); N]) -> Self {
        Json::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// A string.
    pub fn text(text: impl Into<String>) -> Self {
        Json::String(text.into())
    }

    /// A whole number.
    pub fn count(count: impl TryInto<u64>) -> Self {
        Json::Number(count.try_into().unwrap_or(u64::MAX).to_string())
    }

    /// The value of a field.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(fields) => fields.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The value of a field, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json> {
        match self {
            Json::Object(fields) => fields.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Sets a field.
    pub fn set(&mut self, key: &str, value: Json) {
        if let Some(place) = self.get_mut(key) {
            *place = value;
        } else if let Json::Object(fields) = self {
            fields.push((key.to_owned(), value));
        }
    }

    /// The content of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// A whole number that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Json::Number(number) => number.parse().ok(),
            _ => None,
        }
    }

    /// A number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Json::Number(number) => number.parse().ok(),
            _ => None,
        }
    }

    /// The content of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The items of an array.
    pub fn items(&self) -> &[Json] {
        match self {
            Json::Array(items) => items,
            _ => &[],
        }
    }

    /// The fields of an object.
    pub fn fields(&self) -> &[(String, Json)] {
        match self {
            Json::Object(fields) => fields,
            _ => &[],
        }
    }

    /// The string in a field.
    pub fn str_of(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Json::as_str)
    }

    /// The document as text, without white space.
    pub fn write(&self) -> String {
        let mut out = String::new();
        self.write_into(&mut out);
        out
    }

    fn write_into(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(true) => out.push_str("true"),
            Json::Bool(false) => out.push_str("false"),
            Json::Number(number) => out.push_str(number),
            Json::String(text) => write_string(text, out),
            Json::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write_into(out);
                }
                out.push(']');
            }
            Json::Object(fields) => {
                out.push('{');
                for (index, (key, value)) in fields.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_string(key, out);
                    out.push(':');
                    value.write_into(out);
                }
                out.push('}');
            }
        }
    }
}

/// Whether a text is a JSON number.
pub(crate) fn is_number(text: &str) -> bool {
    let mut parser = Parser { bytes: text.as_bytes(), at: 0 };
    parser.number().is_ok() && parser.at == text.len()
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

struct Parser<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Parser<'_> {
    fn wrong(&self) -> JsonError {
        JsonError::Syntax(self.at)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn take(&mut self, word: &str, value: Json) -> Result<Json, JsonError> {
        match self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            true => {
                self.at += word.len();
                Ok(value)
            }
            false => Err(self.wrong()),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        if depth > DEEPEST {
            return Err(JsonError::TooDeep);
        }
        self.spaces();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(Json::String(self.string()?)),
            Some(b't') => self.take("true", Json::Bool(true)),
            Some(b'f') => self.take("false", Json::Bool(false)),
            Some(b'n') => self.take("null", Json::Null),
            _ => Ok(Json::Number(self.number()?)),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.at += 1;
        let mut items = Vec::new();
        self.spaces();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.spaces();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Json::Array(items));
                }
                _ => return Err(self.wrong()),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.at += 1;
        let mut fields: Vec<(String, Json)> = Vec::new();
        let mut keys = std::collections::HashSet::new();
        self.spaces();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(fields));
        }
        loop {
            self.spaces();
            let key = self.string()?;
            if !keys.insert(key.clone()) {
                return Err(JsonError::RepeatedKey);
            }
            self.spaces();
            if self.peek() != Some(b':') {
                return Err(self.wrong());
            }
            self.at += 1;
            fields.push((key, self.value(depth + 1)?));
            self.spaces();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Json::Object(fields));
                }
                _ => return Err(self.wrong()),
            }
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.wrong());
        }
        self.at += 1;
        let mut plain = true;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    plain = false;
                    self.at += 2;
                }
                Some(0..=0x1f) | None => return Err(self.wrong()),
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        let literal = self.bytes.get(start..self.at).unwrap_or_default();
        let read = match plain {
            true => literal
                .get(1..literal.len() - 1)
                .and_then(|text| std::str::from_utf8(text).ok())
                .map(str::to_owned),
            false => serde_json::from_slice(literal).ok(),
        };
        read.ok_or(JsonError::Syntax(start))
    }

    fn number(&mut self) -> Result<String, JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        let whole = self.digits()?;
        if leading_zero && whole > 1 {
            return Err(JsonError::Syntax(start));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = self.bytes.get(start..self.at).unwrap_or_default();
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    fn digits(&mut self) -> Result<usize, JsonError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.wrong()) } else { Ok(self.at - start) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_written_as_it_was_read() {
        for text in [
            r#"{"b":1,"a":[true,false,null,"x\"\\\n\u0001é𝄞"],"c":{}}"#,
            r#"[1.0,-0,1e400,12345678901234567890123,0.10]"#,
            r#""""#,
        ] {
            assert_eq!(Json::parse(text.as_bytes()).unwrap().write(), text);
        }
        assert_eq!(Json::parse(br#" { "a" : "\u00e9\/" } "#).unwrap().write(), r#"{"a":"é/"}"#);
    }

    #[test]
    fn what_two_readers_could_see_differently_is_refused() {
        assert_eq!(Json::parse(br#"{"a":1,"a":2}"#), Err(JsonError::RepeatedKey));
        assert_eq!(Json::parse(br#"{"a":1,"\u0061":2}"#), Err(JsonError::RepeatedKey));
        for text in [
            "",
            "{",
            "[1,]",
            "01",
            "1.",
            "+1",
            "\"\\ud800\"",
            "{\"a\" 1}",
            "nul",
            "1 2",
            "\"a\nb\"",
            "'a'",
            "\"\\",
        ] {
            assert!(matches!(Json::parse(text.as_bytes()), Err(JsonError::Syntax(_))), "{text}");
        }
        assert!(Json::parse(b"\"\xff\"").is_err());
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(Json::parse(deep(DEEPEST).as_bytes()).is_ok());
        assert_eq!(Json::parse(deep(10_000).as_bytes()), Err(JsonError::TooDeep));
        assert_eq!(Json::parse("{\"a\":".repeat(1_000_000).as_bytes()), Err(JsonError::TooDeep));
    }
}
