//! Checksums of rows, which detect accidental changes when a row is read.

use sha2::{Digest, Sha256};

/// SHA-256 over the fields of a row. Each field has a length prefix or a fixed size, so that
/// different lists of fields never have the same encoding.
pub(crate) struct Seal(Sha256);

impl Seal {
    /// `what` is the kind of row.
    pub(crate) fn of(what: &str) -> Self {
        Self(Sha256::new()).text("inkveil-ledger-1").text(what)
    }

    pub(crate) fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    pub(crate) fn bytes(self, bytes: &[u8]) -> Self {
        let mut next = self.number(bytes.len() as u64);
        next.0.update(bytes);
        next
    }

    pub(crate) fn number(mut self, number: u64) -> Self {
        self.0.update(number.to_le_bytes());
        self
    }

    /// Equal numbers have equal bits here, since NaN and negative zero are never stored.
    pub(crate) fn real(self, number: f64) -> Self {
        self.number(number.to_bits())
    }

    pub(crate) fn maybe<T>(self, value: Option<T>, add: impl FnOnce(Self, T) -> Self) -> Self {
        match value {
            None => self.number(0),
            Some(value) => add(self.number(1), value),
        }
    }

    pub(crate) fn close(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_boundaries_change_the_checksum() {
        let two = |a: &str, b: &str| Seal::of("test").text(a).text(b).close();
        assert_ne!(two("ab", "c"), two("a", "bc"));
        assert_eq!(two("ab", "c"), two("ab", "c"));
        let maybe = |value: Option<&str>| Seal::of("test").maybe(value, Seal::text).close();
        assert_ne!(maybe(None), maybe(Some("")));
        assert_ne!(Seal::of("a").close(), Seal::of("b").close());
    }
}
