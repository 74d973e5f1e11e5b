//! Calls into the tokenizer library, with panics converted to errors.
//!
//! The library trusts its files: a malicious file can trigger an index or assertion failure in it.

use inkveil_files::catch_quietly;
use serde::Deserialize;

use crate::Error;

/// The format's name in errors.
pub(super) const FORMAT: &str = "tokenizer";

/// Builds a part of a tokenizer. The library's message is kept: it quotes names of tokens, not
/// texts.
pub(super) fn build<T, E: ToString>(call: impl FnOnce() -> Result<T, E>) -> Result<T, Error> {
    match catch_quietly(call) {
        Some(Ok(built)) => Ok(built),
        Some(Err(error)) => Err(Error::corrupt(FORMAT, error.to_string())),
        None => Err(Error::corrupt(FORMAT, "its parts do not fit together")),
    }
}

/// Applies a tokenizer to a text. The library's message is dropped, because it may quote the text.
pub(super) fn apply<T, E>(call: impl FnOnce() -> Result<T, E>) -> Result<T, Error> {
    match catch_quietly(call) {
        Some(Ok(value)) => Ok(value),
        _ => Err(Error::corrupt(
            FORMAT,
            "it cannot process a text; the token for unknown words may be missing",
        )),
    }
}

/// Parses JSON.
pub(super) fn parse_json<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Error> {
    build(|| serde_json::from_str(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_become_errors_without_their_message() {
        let error = apply::<(), ()>(|| panic!("secret")).unwrap_err();
        assert!(!error.to_string().contains("secret"));
        let error = build::<(), String>(|| panic!("secret")).unwrap_err();
        assert!(!error.to_string().contains("secret"));
        assert_eq!(apply::<_, ()>(|| Ok(1)).unwrap(), 1);
    }
}
