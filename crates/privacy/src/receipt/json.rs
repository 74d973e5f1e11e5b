//! Receipts as JSON.

use serde::Deserialize;

use super::fields::Receipt;
use super::verify;
use crate::{Error, ErrorKind};

impl Receipt {
    /// Reads a receipt. A receipt that can be read may still be inconsistent: see
    /// [`Receipt::verify`].
    ///
    /// # Errors
    /// If it is not JSON, not a receipt, or has an unknown version. The message contains the
    /// position, never the content, since the file may be private.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let unreadable = |what: &str, e: &serde_json::Error| -> Error {
            let reason = format!("{what} at line {}, column {}", e.line(), e.column());
            ErrorKind::Receipt { reason }.into()
        };
        let head: Head = serde_json::from_str(json).map_err(|e| {
            unreadable(if e.is_data() { "format or version is missing" } else { "not valid JSON" }, &e)
        })?;
        if head.format != Self::FORMAT {
            return Err(ErrorKind::Receipt { reason: "its format is not inkveil-receipt".into() }.into());
        }
        if head.version != Self::VERSION {
            let reason = format!(
                "it has version {}, and this program reads version {}; use a matching version of inkveil",
                head.version,
                Self::VERSION
            );
            return Err(ErrorKind::Receipt { reason }.into());
        }
        let receipt: Self =
            serde_json::from_str(json).map_err(|e| unreadable("a missing, unknown or invalid field", &e))?;
        // Line breaks and escape sequences in an untrusted receipt could forge lines of its
        // rendering.
        if verify::has_control_characters(&receipt) {
            return Err(
                ErrorKind::Receipt { reason: "one of its texts has control characters".into() }.into()
            );
        }
        Ok(receipt)
    }

    /// Returns the receipt as indented JSON that ends with a newline.
    pub fn to_json(&self) -> String {
        // Serialising strings, numbers and lists cannot fail.
        let mut json = serde_json::to_string_pretty(self).unwrap_or_default();
        json.push('\n');
        json
    }

    /// Returns the receipt as JSON on one line, for a column of a table.
    pub fn to_line(&self) -> String {
        // As in `to_json`.
        serde_json::to_string(self).unwrap_or_default()
    }
}
