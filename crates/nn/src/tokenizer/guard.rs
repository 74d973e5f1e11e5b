//! Calls into the tokenizer library: its panics become errors.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use crate::Error;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `call`; none if it panicked. The message of the panic, which may quote a text, is not printed.
///
/// The library trusts its files: one that was made to harm can trip an index or an assertion in it.
fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                previous(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    QUIET.set(before);
    result.ok()
}

/// Builds a part of a tokenizer. What the library says of its files is kept: it quotes names of tokens, not texts.
pub(super) fn build<T, E: ToString>(call: impl FnOnce() -> Result<T, E>) -> Result<T, Error> {
    match guarded(call) {
        Some(Ok(built)) => Ok(built),
        Some(Err(error)) => Err(Error::corrupt(super::FORMAT, error.to_string())),
        None => Err(Error::corrupt(super::FORMAT, "its parts do not fit together")),
    }
}

/// Uses a tokenizer on a text. What the library says is dropped, as it may quote the text.
pub(super) fn apply<T, E>(call: impl FnOnce() -> Result<T, E>) -> Result<T, Error> {
    match guarded(call) {
        Some(Ok(value)) => Ok(value),
        _ => Err(Error::corrupt(
            super::FORMAT,
            "it cannot handle a text; a token for unknown words may be missing",
        )),
    }
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
