//! What a document is opened for.

/// What a document is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    /// It leaves this machine. Everything that is not known to be harmless is removed and listed.
    #[default]
    Release,
    /// It stays on this machine, for example because originals are restored in it. Nothing is removed.
    Keep,
}
