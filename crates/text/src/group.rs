//! The four groups of STAMP.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The group of a unit, by its sensitivity and its relevance to the task.
///
/// ```
/// use inkveil_text::Group;
///
/// assert_eq!(Group::of(true, false), Group::Sensitive);
/// assert_eq!(Group::of(false, true).number(), 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// Group 1: sensitive and needed by the task.
    SensitiveNeeded,
    /// Group 2: sensitive and not needed by the task.
    Sensitive,
    /// Group 3: not sensitive and needed by the task.
    Needed,
    /// Group 4: neither sensitive nor needed.
    Neither,
}

impl Group {
    /// All groups, in the order of their numbers.
    pub const ALL: [Group; 4] = [Group::SensitiveNeeded, Group::Sensitive, Group::Needed, Group::Neither];

    /// Returns the group of a unit.
    pub fn of(sensitive: bool, needed: bool) -> Self {
        match (sensitive, needed) {
            (true, true) => Group::SensitiveNeeded,
            (true, false) => Group::Sensitive,
            (false, true) => Group::Needed,
            (false, false) => Group::Neither,
        }
    }

    /// Returns its number in the paper, 1 to 4.
    pub fn number(self) -> usize {
        self as usize + 1
    }

    /// Returns whether its units are sensitive.
    pub fn is_sensitive(self) -> bool {
        matches!(self, Group::SensitiveNeeded | Group::Sensitive)
    }

    /// Returns whether the task needs its units.
    pub fn is_needed(self) -> bool {
        matches!(self, Group::SensitiveNeeded | Group::Needed)
    }

    /// Returns its description in words.
    pub fn about(self) -> &'static str {
        match self {
            Group::SensitiveNeeded => "sensitive and needed",
            Group::Sensitive => "sensitive",
            Group::Needed => "needed",
            Group::Neither => "neither",
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.number(), self.about())
    }
}
