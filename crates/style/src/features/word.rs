//! A word of a text.

use std::ops::Range;

use super::role::{Role, Roles};

/// The casing of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// "word", or letters without case.
    Lower,
    /// "Word", "I".
    Capital,
    /// "WORD".
    Upper,
    /// "wOrd".
    Mixed,
}

/// A word and its entry.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// Its position among the tokens.
    pub(super) token: usize,
    /// Its bytes in the text.
    pub(super) place: Range<usize>,
    /// The bytes of its lower-case form in the lower-case text of the [`Reading`](super::reading::Reading).
    pub(super) lower: Range<usize>,
    /// Its number of characters without apostrophes.
    pub(super) letters: usize,
    pub(super) case: Case,
    /// Whether its apostrophe is curly, if it has one.
    pub(super) curly: Option<bool>,
    /// Whether only a space lies between it and the word before.
    pub(super) follows: bool,
    pub(super) roles: Roles,
    pub(super) function: Option<u8>,
}

impl Word {
    pub(super) fn is(&self, role: Role) -> bool {
        self.roles.has(role)
    }
}
