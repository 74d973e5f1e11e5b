//! Restores an answer: a JSON document, or an event of a stream.

use crate::engine::Restorers;
use crate::json::Json;
use crate::secret::CallerSeals;

/// What an answer is restored with.
pub(crate) struct Answer<'a> {
    /// What was replaced.
    pub restorers: &'a Restorers,
    /// Seals what only the provider can read.
    pub seals: &'a CallerSeals<'a>,
    /// Whether the request asked for JSON as the text of the answer.
    pub json_text: bool,
}

/// Names and numbers that the protocols define. A replacement there would be an accident.
const NAMES: &[&str] = &[
    "id",
    "object",
    "model",
    "type",
    "role",
    "finish_reason",
    "stop_reason",
    "status",
    "call_id",
    "tool_call_id",
    "tool_use_id",
    "item_id",
    "response_id",
    "previous_response_id",
    "system_fingerprint",
    "service_tier",
    "name",
    "server_label",
    "server_name",
    "encoding_format",
    "obfuscation",
    "created_by",
    "prompt_cache_key",
    "safety_identifier",
    "user",
    "embedding",
];

/// Values that only the provider can read.
pub(crate) const SEALED: &[&str] = &["encrypted_content", "encrypted_index"];

impl Answer<'_> {
    /// Restores every text of an answer.
    pub(crate) fn restore(&self, answer: &mut Json) {
        self.node(answer, "");
    }

    fn node(&self, node: &mut Json, key: &str) {
        match node {
            Json::String(text) => {
                if SEALED.contains(&key) {
                    *text = self.seals.seal(text, "");
                } else if !NAMES.contains(&key) {
                    *text = self.restorers.of_field(key, self.json_text).restore_text(text).0;
                }
            }
            Json::Array(items) => {
                if !matches!(key, "logprobs" | "embedding") {
                    items.iter_mut().for_each(|item| self.node(item, key));
                }
            }
            Json::Object(_) if key == "logprobs" => {}
            Json::Object(fields) => {
                let kind = fields.iter().find(|(key, _)| key == "type").and_then(|(_, value)| value.as_str());
                match kind {
                    Some("thinking") => return self.seal_thinking(fields),
                    // A stream seals its thoughts when the signature comes.
                    Some("thinking_delta" | "signature_delta") => return,
                    Some("redacted_thinking") => {
                        for (key, value) in fields {
                            if let (Json::String(text), "data") = (value, key.as_str()) {
                                *text = self.seals.seal(text, "");
                            }
                        }
                        return;
                    }
                    _ => {}
                }
                for (key, value) in fields {
                    match key.as_str() {
                        "input" if matches!(value, Json::Object(_)) => self.values(value),
                        _ => self.node(value, key),
                    }
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }

    /// The provider wants a thought back unchanged, so it is not restored.
    fn seal_thinking(&self, fields: &mut [(String, Json)]) {
        let thought = fields.iter().find(|(key, _)| key == "thinking").and_then(|(_, value)| value.as_str());
        let thought = thought.unwrap_or_default().to_owned();
        for (key, value) in fields {
            // A stream begins with an empty signature.
            if let (Json::String(text), "signature") = (value, key.as_str())
                && !text.is_empty()
            {
                *text = self.seals.seal(text, &thought);
            }
        }
    }

    /// Restores the arguments of a tool, leaf by leaf.
    fn values(&self, node: &mut Json) {
        let restore = |text: &str| self.restorers.values.restore_text(text).0;
        match node {
            Json::String(text) => *text = restore(text),
            Json::Number(number) => {
                let restored = restore(number);
                if crate::json::is_number(&restored) {
                    *number = restored;
                }
            }
            Json::Array(items) => items.iter_mut().for_each(|item| self.values(item)),
            Json::Object(fields) => {
                for (key, value) in fields {
                    *key = restore(key);
                    self.values(value);
                }
            }
            Json::Null | Json::Bool(_) => {}
        }
    }
}
