//! Names that a protocol defines.

/// The longest name that passes.
const LONGEST_NAME: usize = 256;

/// Whether a text can be the name of something that the protocol defines. Such names have no spaces and no `@`.
pub(crate) fn is_name(text: &str) -> bool {
    text.len() <= LONGEST_NAME
        && text.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'/' | b'$')
        })
}
