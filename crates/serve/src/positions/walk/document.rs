//! A document inside a string of a request.

use crate::json::Json;
use crate::positions::media::encoded;

/// A document inside a string. The walk puts its content in the place of the string.
pub(super) struct Document {
    pub(super) place: Vec<usize>,
    /// The number of the innermost other document that holds it.
    pub(super) within: Option<usize>,
    /// The string, which stays as it is if nothing in it is veiled.
    pub(super) original: String,
    pub(super) form: Form,
}

/// How the content of a document becomes a string again.
pub(super) enum Form {
    /// JSON.
    Json,
    /// Text in base64, after this prefix.
    Base64(String),
    /// JSON in base64, after this prefix.
    Base64Json(String),
}

impl Document {
    /// The string that the document becomes, from its veiled content. Returns nothing if the content has another type.
    pub(super) fn written(self, content: &Json, is_changed: bool) -> Option<String> {
        Some(match (is_changed, self.form) {
            (false, _) => self.original,
            (true, Form::Json) => content.write(),
            (true, Form::Base64Json(prefix)) => encoded(&prefix, &content.write()),
            (true, Form::Base64(prefix)) => encoded(&prefix, content.as_str()?),
        })
    }
}
