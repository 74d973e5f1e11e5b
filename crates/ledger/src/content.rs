//! Recognises repeated content without storing it.

use hmac::{Hmac, KeyInit, Mac};
use inkveil_privacy::Secret;
use sha2::Sha256;

/// A random key that is stored in the ledger file only.
pub(crate) type ContentKey = Secret<[u8; 32]>;

/// Returns the HMAC-SHA256 of a content hash. A plain hash of a short text can be guessed by trial
/// and error. Without the key in the ledger, this one cannot.
pub(crate) fn tag(key: &ContentKey, content: &[u8; 32]) -> [u8; 32] {
    // HMAC pads a key with zeros to the length of a block.
    let mut block = Secret::new([0; 64]);
    block.expose_mut()[..32].copy_from_slice(key.expose());
    let mut mac = Hmac::<Sha256>::new(block.expose().into());
    mac.update(b"inkveil-ledger content\0");
    mac.update(content);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkveil_files::hex;

    #[test]
    fn the_tag_depends_on_key_and_content() {
        let tag = |key: u8, content: u8| super::tag(&Secret::new([key; 32]), &[content; 32]);
        assert_eq!(tag(1, 2), tag(1, 2));
        assert_ne!(tag(1, 2), tag(1, 3));
        assert_ne!(tag(1, 2), tag(2, 2));
        // Computed with Python's hmac module.
        assert_eq!(
            hex::encode(tag(1, 2)),
            "cf5373052204d7b074b80154e53808c1a5c9b5badcf7600aa3facde0a01a20be"
        );
    }
}
