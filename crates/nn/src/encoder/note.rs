//! The identity of an encoder.

use serde::{Deserialize, Serialize};

/// An encoder's name and checksum, stored with everything made from its vectors, so that it is not
/// used with another encoder.
///
/// ```
/// use inkveil_nn::EncoderNote;
///
/// let note = |name: &str, sha256: &str| EncoderNote { name: name.into(), sha256: Some(sha256.into()) };
/// assert!(note("en", "ab").is(&note("a copy", "ab")));
/// assert!(!note("en", "ab").is(&note("en", "cd")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncoderNote {
    /// Its name.
    pub name: String,
    /// A checksum of its files, if known.
    pub sha256: Option<String>,
}

impl EncoderNote {
    /// Returns whether both are the same encoder: by checksum, or by name if a checksum is missing.
    pub fn is(&self, other: &Self) -> bool {
        match (&self.sha256, &other.sha256) {
            (Some(a), Some(b)) => a == b,
            _ => self.name == other.name,
        }
    }
}
