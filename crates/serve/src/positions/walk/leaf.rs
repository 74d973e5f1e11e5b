//! A text of a request.

use std::fmt;

/// Who may see the values of a text in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vault {
    /// The definition of a tool: its values are restored in the arguments of tools only.
    Tools,
    /// A text of the operator: its values are not restored.
    System,
    /// A text of the user: its values are restored everywhere.
    Open,
}

/// What a leaf is in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafKind {
    /// A string.
    Text,
    /// The key of a field.
    Key,
    /// A number.
    Number,
}

/// A text of a request.
#[derive(Clone)]
pub struct Leaf {
    /// The text. **Private.**
    pub text: String,
    /// What it is in the document.
    pub kind: LeafKind,
    /// Who may see its values.
    pub vault: Vault,
    /// The name of its field, if that says what the text is.
    pub context: Option<String>,
    /// The role of the message that it belongs to is `user`.
    pub by_user: bool,
    /// The number of the message that it belongs to.
    pub message: usize,
    /// Where it stands: the numbers of items and fields.
    pub(super) place: Vec<usize>,
    /// The number of the innermost document inside a string that holds it.
    pub(super) within: Option<usize>,
    /// How the text is written in the request, if detection reads it in another way.
    pub(super) spelling: Option<String>,
}

impl Leaf {
    /// A text that does not come from a request of a protocol.
    pub fn text(text: String, vault: Vault, message: usize) -> Self {
        Self {
            text,
            kind: LeafKind::Text,
            vault,
            context: None,
            by_user: true,
            message,
            place: Vec::new(),
            within: None,
            spelling: None,
        }
    }
}

impl fmt::Debug for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Leaf({:?}, {:?}, {} bytes)", self.kind, self.vault, self.text.len())
    }
}
