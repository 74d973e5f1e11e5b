//! Why a request is refused.

use std::fmt;

/// Why a request is refused. It names the position, never the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The position.
    pub path: String,
    /// The reason.
    pub why: &'static str,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.why)
    }
}

// Reasons that several positions share.
pub(super) const FREE_TEXT: &str = "free text is not allowed here, because it would not be veiled";
pub(super) const UNKNOWN: &str =
    "the gateway does not know this field; allow it by name under [fields] in the settings, or leave it out";
pub(super) const MEDIA: &str = "images, sounds and files are refused, because they are not veiled; send text as a data URL of the type text/plain, \
     text/markdown, text/csv or application/json in base64, or let all media pass with media = \"pass\"";
pub(super) const NUMBERS: &str = "token ids are not veiled; send text";
pub(super) const SEAL: &str =
    "this value is not one that this gateway has handed out, so it cannot be checked; leave it out";
