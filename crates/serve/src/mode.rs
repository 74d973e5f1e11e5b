//! What the gateway does with a request.

use std::fmt;

/// What the gateway does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Mode {
    /// What is sensitive becomes a surrogate, and answers are restored.
    #[default]
    Surrogates,
    /// What is sensitive becomes a placeholder, and answers are restored.
    Placeholders,
    /// As `placeholders`, and other words get noise (STAMP). The task is the turn of the user.
    Stamp,
    /// Nothing is changed. Headers say what was found.
    Detect,
    /// A request with something sensitive is refused.
    Block,
}

impl Mode {
    /// All modes.
    pub const ALL: [Mode; 5] = [Mode::Surrogates, Mode::Placeholders, Mode::Stamp, Mode::Detect, Mode::Block];

    /// Its name in settings and headers.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Surrogates => "surrogates",
            Mode::Placeholders => "placeholders",
            Mode::Stamp => "stamp",
            Mode::Detect => "detect",
            Mode::Block => "block",
        }
    }

    /// The mode of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether texts are changed.
    pub fn veils(self) -> bool {
        matches!(self, Mode::Surrogates | Mode::Placeholders | Mode::Stamp)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
