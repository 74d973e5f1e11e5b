//! Values of a settings file, taken out one by one: what is wrong with one is noted, and reading goes on.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::near::UnknownName;
use super::problem::Problem;

/// A value and its place in the file.
pub(super) type Value<'t> = Spanned<DeValue<'t>>;

/// Takes values out of a file and notes what is wrong with them.
pub(super) struct Reader<'t> {
    text: &'t str,
    problems: Vec<Problem>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, problems: Vec::new() }
    }

    pub(super) fn problems(self) -> Vec<Problem> {
        self.problems
    }

    /// Notes that something is wrong at `range`, and what to do about it.
    pub(super) fn wrong(&mut self, range: Range<usize>, what: impl Into<String>, advice: impl Into<String>) {
        self.problems.push(Problem::new(self.text, range, what).advice_is(advice));
    }

    /// Notes a name at `range` that nothing has.
    pub(super) fn unknown(&mut self, range: Range<usize>, name: &UnknownName) {
        self.problems.push(Problem::unknown(self.text, range, name));
    }

    /// Refuses keys that nothing reads. `what` is what a key is called.
    pub(super) fn only_keys(&mut self, table: &DeTable<'_>, what: &'static str, known: &[&str]) {
        for key in table.keys() {
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                self.unknown(key.span(), &UnknownName::new(what, name, known.iter().copied()));
            }
        }
    }

    pub(super) fn table<'v>(&mut self, value: &'v Value<'t>) -> Option<&'v DeTable<'t>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(table),
            other => self.mistyped(value, "a table", other),
        }
    }

    pub(super) fn array<'v>(&mut self, value: &'v Value<'t>) -> Option<&'v [Value<'t>]> {
        match value.get_ref() {
            DeValue::Array(items) => Some(items),
            other => self.mistyped(value, "a list in square brackets", other),
        }
    }

    /// A text that is not blank.
    pub(super) fn string(&mut self, value: &Value<'t>) -> Option<String> {
        match value.get_ref() {
            DeValue::String(text) if text.trim().is_empty() => {
                self.wrong(value.span(), "this is empty", "fill it in, or remove the setting");
                None
            }
            DeValue::String(text) => Some(text.clone().into_owned()),
            other => self.mistyped(value, "a text in quotes", other),
        }
    }

    /// All texts of a list.
    pub(super) fn strings(&mut self, value: &Value<'t>) -> Vec<String> {
        let items = self.array(value).unwrap_or_default();
        items.iter().filter_map(|item| self.string(item)).collect()
    }

    pub(super) fn boolean(&mut self, value: &Value<'t>) -> Option<bool> {
        match value.get_ref() {
            DeValue::Boolean(value) => Some(*value),
            other => self.mistyped(value, "true or false", other),
        }
    }

    /// A number from 0 to 1.
    pub(super) fn share(&mut self, value: &Value<'t>) -> Option<f32> {
        let number = match value.get_ref() {
            DeValue::Float(float) => float.as_str().parse::<f32>().ok(),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse::<f32>().ok(),
            DeValue::Integer(_) => None,
            other => return self.mistyped(value, "a number from 0 to 1", other),
        };
        match number {
            Some(number) if (0.0..=1.0).contains(&number) => Some(number),
            _ => {
                self.wrong(value.span(), "this is not from 0 to 1", "write a number such as 0.5");
                None
            }
        }
    }

    fn mistyped<T>(&mut self, value: &Value<'t>, expected: &str, found: &DeValue<'_>) -> Option<T> {
        let found = match found {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.wrong(value.span(), format!("this is {found}"), format!("write {expected}"));
        None
    }
}
