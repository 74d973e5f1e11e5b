//! Tables, keys and values of a settings file, with their positions.
//!
//! These types are views into the parsed file and can be copied. They keep the parser's types out
//! of the public interface.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A value and its position in the file. A [`Reader`](crate::Reader) checks its type.
#[derive(Debug, Clone, Copy)]
pub struct Value<'v>(pub(crate) &'v Spanned<DeValue<'v>>);

impl<'v> Value<'v> {
    /// The range in bytes of the file. For a table with a header, this is the header.
    pub fn span(self) -> Range<usize> {
        self.0.span()
    }

    /// Returns the text, if it is one. For settings that accept several types.
    ///
    /// ```
    /// use inkveil_settings::parse;
    ///
    /// let budgets = parse("budgets = [0.5, 8, \"inf\"]", "veil.toml", |reader, table| {
    ///     let Some(values) = table.get("budgets").and_then(|value| reader.array(value)) else { return Vec::new() };
    ///     let budget = |value: inkveil_settings::Value<'_>| match value.as_str() {
    ///         Some("inf") => Some(f64::INFINITY),
    ///         _ => reader.number(value, 0.0..),
    ///     };
    ///     values.into_iter().filter_map(budget).collect()
    /// })?;
    /// assert_eq!(budgets, [0.5, 8.0, f64::INFINITY]);
    /// # Ok::<(), inkveil_settings::SettingsError>(())
    /// ```
    pub fn as_str(self) -> Option<&'v str> {
        self.0.get_ref().as_str()
    }

    /// Returns the number, if it is a decimal number. TOML also has `inf` and `nan`, which
    /// [`Reader::number`](crate::Reader::number) refuses.
    pub fn as_number(self) -> Option<f64> {
        match self.content() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
            _ => None,
        }
    }

    /// Whether it is a number, decimal or not.
    pub(crate) fn is_number(self) -> bool {
        matches!(self.content(), DeValue::Integer(_) | DeValue::Float(_))
    }

    pub(crate) fn content(self) -> &'v DeValue<'v> {
        self.0.get_ref()
    }

    /// Describes the type.
    pub(crate) fn described(self) -> &'static str {
        match self.content() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        }
    }
}

/// A table: values by their keys.
///
/// ```
/// use inkveil_settings::parse;
///
/// let names = parse("[text]\nb = 1\na = 2\n", "veil.toml", |reader, table| {
///     let text = table.get("text").and_then(|value| reader.table(value));
///     text.map(|text| text.iter().map(|(key, _)| key.name().to_owned()).collect()).unwrap_or_default()
/// });
/// assert_eq!(names, Ok(vec!["a".to_owned(), "b".to_owned()]));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Table<'v> {
    // `Range` is not `Copy`.
    start: usize,
    end: usize,
    entries: &'v DeTable<'v>,
}

impl<'v> Table<'v> {
    pub(crate) fn new(span: &Range<usize>, entries: &'v DeTable<'v>) -> Self {
        Self { start: span.start, end: span.end, entries }
    }

    /// Returns the value of a key, if the table has it.
    pub fn get(self, key: &str) -> Option<Value<'v>> {
        self.entries.get(key).map(Value)
    }

    /// Returns all keys and values, sorted by key.
    pub fn iter(self) -> impl Iterator<Item = (Key<'v>, Value<'v>)> {
        self.entries.iter().map(|(key, value)| (Key(key), Value(value)))
    }

    /// The range in bytes of the file: its header or its braces. The root table is at the start of
    /// the file.
    pub fn span(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A key and its position in the file.
#[derive(Debug, Clone, Copy)]
pub struct Key<'v>(&'v Spanned<DeString<'v>>);

impl<'v> Key<'v> {
    /// Its name.
    pub fn name(self) -> &'v str {
        self.0.get_ref()
    }

    /// The range in bytes of the file.
    pub fn span(self) -> Range<usize> {
        self.0.span()
    }
}
