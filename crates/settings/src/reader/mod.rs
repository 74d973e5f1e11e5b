//! Reads the values of a settings file one by one. Problems are noted, and reading continues.

use std::ops::{Range, RangeBounds};
use std::path::Path;

use toml::de::DeValue;

use crate::file::text_of;
use crate::{Problem, Table, UnknownName, Value, bounds};

/// Reads values of a settings file and notes problems.
///
/// [`parse`](crate::parse) creates it. Its methods state the required type of a value. If a value
/// does not match, the problem is noted with its position and nothing is returned.
///
/// ```
/// use inkveil_settings::parse;
///
/// let text = "
///     [text]
///     tasks = [\"sum up\", \"translate\"]
///     relevance = { quantile = 0.9 }
/// ";
/// let (tasks, quantile) = parse(text, "veil.toml", |reader, table| {
///     reader.only_keys(table, "table", &["text"]);
///     let text = reader.table(table.get("text")?)?;
///     reader.only_keys(text, "setting of text", &["tasks", "relevance"]);
///     let tasks = text.get("tasks").map(|value| reader.strings(value));
///     let relevance = reader.table(text.get("relevance")?)?;
///     let quantile = reader.needed(relevance, "quantile", "0.9").and_then(|value| reader.share(value));
///     Some((tasks?, quantile?))
/// })?
/// .expect("all of it is there");
/// assert_eq!((tasks.len(), quantile), (2, 0.9));
/// # Ok::<(), inkveil_settings::SettingsError>(())
/// ```
#[derive(Debug)]
pub struct Reader {
    noted: Vec<Noted>,
}

/// A problem at a position. The file's text is only needed to display it.
#[derive(Debug)]
struct Noted {
    range: Range<usize>,
    what: String,
    advice: String,
}

impl Reader {
    pub(crate) fn new() -> Self {
        Self { noted: Vec::new() }
    }

    /// Returns the noted problems with excerpts of the file's text.
    pub(crate) fn problems(self, text: &str) -> Vec<Problem> {
        let shown = |noted: Noted| Problem::new(text, noted.range, noted.what).advice_is(noted.advice);
        self.noted.into_iter().map(shown).collect()
    }

    /// Notes a problem at `range`, the span of a value, a table or a key, with advice.
    pub fn wrong(&mut self, range: Range<usize>, what: impl Into<String>, advice: impl Into<String>) {
        self.noted.push(Noted { range, what: what.into(), advice: advice.into() });
    }

    /// Notes an unknown name at `range`.
    pub fn unknown(&mut self, range: Range<usize>, name: &UnknownName) {
        self.wrong(range, name.wrong(), name.advice());
    }

    /// Refuses unknown keys. `what` describes a key: `"setting"`, `"setting of a rule"`.
    pub fn only_keys(&mut self, table: Table<'_>, what: &'static str, known: &[&str]) {
        for (key, _) in table.iter() {
            if !known.contains(&key.name()) {
                self.unknown(key.span(), &UnknownName::new(what, key.name(), known.iter().copied()));
            }
        }
    }

    /// Returns the value of a required key. `example` is an example value for the advice.
    pub fn needed<'v>(&mut self, table: Table<'v>, key: &str, example: &str) -> Option<Value<'v>> {
        let value = table.get(key);
        if value.is_none() {
            self.wrong(table.span(), format!("{key} is missing"), format!("add {key} = {example}"));
        }
        value
    }

    /// Reads a table.
    pub fn table<'v>(&mut self, value: Value<'v>) -> Option<Table<'v>> {
        match value.content() {
            DeValue::Table(entries) => Some(Table::new(&value.span(), entries)),
            _ => self.mistyped(value, "a table"),
        }
    }

    /// Reads the values of a list.
    pub fn array<'v>(&mut self, value: Value<'v>) -> Option<Vec<Value<'v>>> {
        match value.content() {
            DeValue::Array(items) => Some(items.iter().map(Value).collect()),
            _ => self.mistyped(value, "a list in square brackets"),
        }
    }

    /// Reads a text that is not blank.
    pub fn string(&mut self, value: Value<'_>) -> Option<String> {
        match value.as_str() {
            Some(text) if text.trim().is_empty() => {
                self.wrong(value.span(), "this is empty", "give a value, or remove the setting");
                None
            }
            Some(text) => Some(text.to_owned()),
            None => self.mistyped(value, "a text in quotes"),
        }
    }

    /// Reads a list of texts and skips invalid ones.
    pub fn strings(&mut self, value: Value<'_>) -> Vec<String> {
        let items = self.array(value).unwrap_or_default();
        items.into_iter().filter_map(|item| self.string(item)).collect()
    }

    /// Reads `true` or `false`.
    pub fn boolean(&mut self, value: Value<'_>) -> Option<bool> {
        match value.content() {
            DeValue::Boolean(value) => Some(*value),
            _ => self.mistyped(value, "true or false"),
        }
    }

    /// Reads a number from 0 to 1.
    pub fn share(&mut self, value: Value<'_>) -> Option<f32> {
        if !value.is_number() {
            return self.mistyped(value, "a number from 0 to 1");
        }
        match value.as_number() {
            Some(number) if (0.0..=1.0).contains(&number) => Some(number as f32),
            _ => {
                self.wrong(value.span(), "this is not from 0 to 1", "write a number such as 0.5");
                None
            }
        }
    }

    /// Reads a finite number in `range`; `..` accepts all.
    ///
    /// ```
    /// use inkveil_settings::parse;
    ///
    /// let read = |text| {
    ///     parse(text, "veil.toml", |reader, table| table.get("width").and_then(|width| reader.number(width, 1.0..)))
    /// };
    /// assert_eq!(read("width = 2.5"), Ok(Some(2.5)));
    /// let error = read("width = -3").unwrap_err();
    /// assert_eq!(error.problems()[0].what(), "this is less than 1");
    /// assert_eq!(error.problems()[0].advice(), Some("write a number of at least 1"));
    /// ```
    pub fn number(&mut self, value: Value<'_>, range: impl RangeBounds<f64>) -> Option<f64> {
        let expected = format!("a number{}", bounds::described(&range));
        if !value.is_number() {
            return self.mistyped(value, &expected);
        }
        let missed = match value.as_number() {
            None => "not a decimal number".to_owned(),
            Some(number) if !number.is_finite() => "not a finite number".to_owned(),
            Some(number) => match bounds::missed(&range, number) {
                None => return Some(number),
                Some(missed) => missed,
            },
        };
        self.wrong(value.span(), format!("this is {missed}"), format!("write {expected}"));
        None
    }

    /// Reads one of the given names and returns its meaning. `what` is what they are names of.
    ///
    /// ```
    /// use inkveil_settings::parse;
    ///
    /// let read = |text| {
    ///     parse(text, "veil.toml", |reader, table| {
    ///         reader.choice(table.get("align")?, "alignment", [("left", -1), ("centre", 0), ("right", 1)])
    ///     })
    /// };
    /// assert_eq!(read("align = \"right\""), Ok(Some(1)));
    /// let error = read("align = \"center\"").unwrap_err();
    /// assert_eq!(error.problems()[0].what(), "there is no alignment \"center\"");
    /// assert_eq!(error.problems()[0].advice(), Some("did you mean \"centre\"?"));
    /// ```
    pub fn choice<'n, T>(
        &mut self,
        value: Value<'_>,
        what: &'static str,
        choices: impl IntoIterator<Item = (&'n str, T)>,
    ) -> Option<T> {
        let given = self.string(value)?;
        let mut names = Vec::new();
        for (name, meaning) in choices {
            if name == given {
                return Some(meaning);
            }
            names.push(name);
        }
        self.unknown(value.span(), &UnknownName::new(what, &given, names));
        None
    }

    /// Reads the text of a file that `value` names, relative to `folder`, which should be the
    /// folder of the settings file.
    pub fn file_text(&mut self, value: Value<'_>, folder: &Path) -> Option<String> {
        let name = self.string(value)?;
        match text_of(&folder.join(name)) {
            Ok(text) => Some(text),
            Err(what) => {
                let advice = "the path is relative to the folder of the settings file";
                self.wrong(value.span(), what, advice);
                None
            }
        }
    }

    fn mistyped<T>(&mut self, value: Value<'_>, expected: &str) -> Option<T> {
        self.wrong(value.span(), format!("this is {}", value.described()), format!("write {expected}"));
        None
    }
}

#[cfg(test)]
mod tests;
