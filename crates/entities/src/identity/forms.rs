//! The forms of a name, and what each stands for.

use std::fmt;

use inkveil_detect::Kind;

/// The forms of one entity's names: each form of the identity with the same form of the original.
/// **Private**: it holds originals.
pub struct NameForms {
    pub(crate) kind: Kind,
    pub(crate) pairs: Vec<(String, String)>,
}

impl NameForms {
    pub(crate) fn new(kind: Kind) -> Self {
        Self { kind, pairs: Vec::new() }
    }

    /// Adds a form if both texts have at least two characters. Shorter ones occur in any text.
    pub(crate) fn add(&mut self, replacement: impl Into<String>, original: impl Into<String>) {
        let pair = (replacement.into(), original.into());
        let long_enough = pair.0.chars().count() > 1 && !pair.1.is_empty();
        if long_enough && !self.pairs.contains(&pair) {
            self.pairs.push(pair);
        }
    }

    /// Returns the kind of the entity.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Returns each form of the identity with the form of the original that it stands for.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(replacement, original)| (replacement.as_str(), original.as_str()))
    }
}

impl fmt::Debug for NameForms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NameForms({} pairs)", self.pairs.len())
    }
}
