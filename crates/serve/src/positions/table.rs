//! A table of positions: paths and actions.
//!
//! A path is written as `messages[user].content[text].text`. `[]` is any item of an array, and `[a|b]` an
//! item whose `type` or `role` is `a` or `b`. `source{text}` is a field whose value has the `type` `text`.
//! `*` is any field. The first line that fits is used.

use std::fmt;

use crate::json::Json;

/// What happens at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// A number, a boolean, or the name of something that the protocol defines. Free text is refused.
    Pass,
    /// Text: veiled, and restored in answers.
    Veil,
    /// Text of the operator of the calling program: veiled, and not restored in answers.
    System,
    /// A JSON document in a string: veiled leaf by leaf. If it is not JSON, it is veiled as text.
    Arguments,
    /// Any value: veiled leaf by leaf, with keys and long numbers.
    Data,
    /// The definition of a tool or an output: veiled leaf by leaf, and restored in the arguments of tools only.
    Schema,
    /// The name of a user: replaced by a pseudonym that depends on the gateway's secret.
    Pseudonym,
    /// A value that only the provider can read: passed on if this gateway has handed it out.
    Sealed,
    /// An image, sound or file: refused, unless the operator lets media pass.
    Media,
    /// Refused, unless the operator allows it by name.
    Refuse,
    /// Passed on unchanged. Only the operator can say so.
    Unchanged,
}

impl Action {
    const ALL: [(Action, &'static str); 11] = [
        (Action::Pass, "pass"),
        (Action::Veil, "veil"),
        (Action::System, "system"),
        (Action::Arguments, "arguments"),
        (Action::Data, "data"),
        (Action::Schema, "schema"),
        (Action::Pseudonym, "pseudonym"),
        (Action::Sealed, "sealed"),
        (Action::Media, "media"),
        (Action::Refuse, "refuse"),
        (Action::Unchanged, "unchanged"),
    ];

    /// Its name in a table.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(action, _)| *action == self).map_or("", |(_, name)| name)
    }

    /// The action of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(action, _)| *action)
    }

    /// Whether it applies to arrays and objects as a whole.
    pub(super) fn takes_all(self) -> bool {
        matches!(
            self,
            Action::Data
                | Action::Schema
                | Action::Media
                | Action::Refuse
                | Action::Unchanged
                | Action::Sealed
        )
    }
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// A field, or any field; its value has one of these types, if there are any.
    Field(Option<String>, Vec<String>),
    /// An item whose type or role is one of these, if there are any.
    Item(Vec<String>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    steps: Vec<Step>,
    action: Action,
}

/// A line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError {
    /// The number of the line, from 1.
    pub line: usize,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of a table of positions is not a path and an action", self.line)
    }
}

/// The positions of a protocol.
#[derive(Debug, Clone, Default)]
pub struct Table {
    lines: Vec<Line>,
}

/// The lines that may still fit at a position.
#[derive(Clone)]
pub(super) struct Alive(Vec<usize>);

impl Table {
    /// Reads a table. Empty lines and lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// If a line is not a path and an action.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let mut table = Self::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let error = TableError { line: number + 1 };
            let mut words = line.split_whitespace();
            let (Some(path), Some(action), None) = (words.next(), words.next(), words.next()) else {
                return Err(error);
            };
            let action = Action::named(action).ok_or(error.clone())?;
            table.push(path, action).ok_or(error)?;
        }
        Ok(table)
    }

    /// Adds a line at the end.
    fn push(&mut self, path: &str, action: Action) -> Option<()> {
        self.lines.push(Line { steps: steps(path)?, action });
        Some(())
    }

    /// Adds a line before all others. Returns nothing if the path cannot be read.
    pub fn prefer(&mut self, path: &str, action: Action) -> Option<()> {
        self.lines.insert(0, Line { steps: steps(path)?, action });
        Some(())
    }

    /// The number of lines.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn all(&self) -> Alive {
        Alive((0..self.lines.len()).collect())
    }

    /// The lines that fit a field with this value.
    pub(super) fn field(&self, alive: &Alive, depth: usize, key: &str, value: &Json) -> Alive {
        let tag = value.str_of("type");
        let fits = |step: &Step| match step {
            Step::Field(name, tags) => {
                name.as_deref().is_none_or(|name| name == key)
                    && (tags.is_empty() || tag.is_some_and(|tag| tags.iter().any(|known| known == tag)))
            }
            Step::Item(_) => false,
        };
        self.keep(alive, depth, fits)
    }

    /// The lines that fit an item with this value.
    pub(super) fn item(&self, alive: &Alive, depth: usize, value: &Json) -> Alive {
        let tags = [value.str_of("type"), value.str_of("role")];
        let fits = |step: &Step| match step {
            Step::Item(known) => {
                known.is_empty() || tags.iter().flatten().any(|tag| known.iter().any(|known| known == tag))
            }
            Step::Field(..) => false,
        };
        self.keep(alive, depth, fits)
    }

    fn keep(&self, alive: &Alive, depth: usize, fits: impl Fn(&Step) -> bool) -> Alive {
        let fitting = alive.0.iter().copied();
        Alive(fitting.filter(|&line| self.lines[line].steps.get(depth).is_some_and(&fits)).collect())
    }

    /// The action at a position, whether lines go on from there, and whether one of these comes first.
    pub(super) fn here(&self, alive: &Alive, depth: usize) -> (Option<Action>, bool, bool) {
        let lines = || alive.0.iter().map(|&line| &self.lines[line]);
        let action = lines().find(|line| line.steps.len() == depth).map(|line| line.action);
        let goes_on = |line: &Line| line.steps.len() > depth;
        (action, lines().any(goes_on), lines().next().is_some_and(goes_on))
    }
}

fn steps(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (name, mut rest) = match part.find(['[', '{']) {
            Some(at) => part.split_at(at),
            None => (part, ""),
        };
        let tags = |text: &str| -> Vec<String> {
            text.split('|').filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
        };
        let mut of_field = Vec::new();
        if let Some(after) = rest.strip_prefix('{') {
            let (inside, after) = after.split_once('}')?;
            of_field = tags(inside);
            rest = after;
        }
        if name.is_empty() {
            return None;
        }
        steps.push(Step::Field((name != "*").then(|| name.to_owned()), of_field));
        while !rest.is_empty() {
            let (inside, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Item(tags(inside)));
            rest = after;
        }
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_and_matched() {
        let table = Table::parse("# a\nm[user|tool].c[][text].t veil\nm[].s{a}.x pass\n").unwrap();
        assert_eq!(table.len(), 2);
        for wrong in ["a", "a veil b", "a[ veil", "a.[x] veil", "a fly", ".a veil", "a{x veil"] {
            assert_eq!(Table::parse(wrong).unwrap_err().line, 1, "{wrong}");
        }
        let item = Json::parse(br#"{"role":"user","s":{"type":"a"}}"#).unwrap();
        let alive = table.field(&table.all(), 0, "m", &Json::Null);
        let alive = table.item(&alive, 1, &item);
        assert_eq!(alive.0, [0, 1]);
        let alive = table.field(&alive, 2, "s", item.get("s").unwrap());
        assert_eq!(
            table.here(&table.field(&alive, 3, "x", &Json::Null), 4),
            (Some(Action::Pass), false, false)
        );
        assert_eq!(table.here(&alive, 3), (None, true, true));
    }

    #[test]
    fn actions_have_names() {
        for (action, name) in Action::ALL {
            assert_eq!((Action::named(name), action.name()), (Some(action), name));
        }
    }
}
