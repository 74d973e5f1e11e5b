//! Values that only the provider can read, such as signatures of thoughts.

use super::Walker;
use super::refusal::{Refusal, SEAL};
use crate::json::Json;

/// Checks values that only the provider can read, and makes pseudonyms.
pub(crate) trait Seals {
    /// Returns a value without the gateway's seal, if the seal is right for it and for the text beside it.
    fn open(&self, sealed: &str, beside: &str) -> Option<String>;
    /// Returns the pseudonym of a user.
    fn pseudonym(&self, name: &str) -> String;
}

impl Walker<'_> {
    /// Opens the seal of a thought, and returns whether the fields are one. The seal covers the thought too, because the
    /// provider wants both unchanged.
    pub(super) fn unseal_thinking(&self, fields: &mut [(String, Json)]) -> Result<bool, Refusal> {
        let is_thinking =
            fields.iter().any(|(key, value)| key == "type" && value.as_str() == Some("thinking"));
        let Some(thought) = fields.iter().find(|(key, _)| key == "thinking").map(|(_, value)| value.clone())
        else {
            return Ok(false);
        };
        // The setting with the same name has another type.
        let Some(thought) = thought.as_str().filter(|_| is_thinking) else { return Ok(false) };
        let signature = fields.iter_mut().find(|(key, _)| key == "signature").map(|(_, value)| value);
        match signature {
            Some(Json::String(signature)) => match self.seals.open(signature, thought) {
                Some(opened) => *signature = opened,
                None => return Err(self.refuse(SEAL)),
            },
            _ => return Err(self.refuse(SEAL)),
        }
        Ok(true)
    }
}
