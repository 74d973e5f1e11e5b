//! Keys on their way to executors: XChaCha20-Poly1305 under a key that clients and executors share.

use std::path::Path;

use chacha20poly1305::{AeadInOut as _, KeyInit as _, XChaCha20Poly1305, XNonce};
use inkveil::files::{hex, write_private};
use inkveil::privacy::Secret;

use crate::told::{Error, refused};

/// The first line of a key file.
const TITLE: &str = "inkveil-cluster-key 1";
/// What is authenticated with each function, before its name.
const PURPOSE: &str = "inkveil cluster function 1 ";
const NONCE: usize = 24;

/// The key that clients and executors of a cluster share.
pub(crate) struct SealKey(Secret<[u8; 32]>);

impl SealKey {
    /// Draws a key and writes it to a new file that only its owner may read.
    pub(crate) fn create_file(path: &Path) -> Result<(), Error> {
        let mut key = Secret::new([0; 32]);
        fill(key.expose_mut())?;
        let text = Secret::new(format!("{TITLE}\n{}\n", hex::encode(key.expose())));
        Ok(write_private(path, text.expose().as_bytes(), false)?)
    }

    /// Reads a key.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let shown = path.display();
        let text = std::fs::read_to_string(path).map_err(|_| refused(format!("cannot read {shown}")))?;
        let text = Secret::new(text);
        let mut lines = text.expose().lines();
        let key = match (lines.next(), lines.next().and_then(hex::decode_array::<32>), lines.next()) {
            (Some(TITLE), Some(key), None) => Secret::new(key),
            _ => {
                return Err(refused(format!(
                    "{shown} is not the key of a cluster; make one with `inkveil-cluster certificates`"
                )));
            }
        };
        Ok(Self(key))
    }

    /// Encrypts the note of a function.
    pub(crate) fn seal(&self, function: &str, note: &Secret<Vec<u8>>) -> Result<Vec<u8>, Error> {
        let mut nonce = [0; NONCE];
        fill(&mut nonce)?;
        let mut sealed = note.expose().clone();
        self.cipher()
            .encrypt_in_place(&XNonce::from(nonce), purpose(function).as_bytes(), &mut sealed)
            .map_err(|_| refused("a function is too long to be sent to a cluster"))?;
        let mut bytes = nonce.to_vec();
        bytes.extend(sealed);
        Ok(bytes)
    }

    /// Decrypts the note of a function.
    pub(crate) fn unseal(&self, function: &str, bytes: &[u8]) -> Result<Secret<Vec<u8>>, Error> {
        let wrong = || {
            refused(
                "a function of the query cannot be decrypted; the client and this executor have different keys, so give them \
                 the files of one cluster",
            )
        };
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE>().ok_or_else(wrong)?;
        let mut note = Secret::new(sealed.to_vec());
        self.cipher()
            .decrypt_in_place(&XNonce::from(*nonce), purpose(function).as_bytes(), note.expose_mut())
            .map_err(|_| wrong())?;
        Ok(note)
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(self.0.expose().into())
    }
}

impl std::fmt::Debug for SealKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealKey(redacted)")
    }
}

fn purpose(function: &str) -> String {
    format!("{PURPOSE}{function}")
}

/// Random bytes.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|_| refused("the system gives no randomness"))
}

/// A name that no other has.
pub(crate) fn unique_name() -> Result<String, Error> {
    let mut bytes = [0; 16];
    fill(&mut bytes)?;
    Ok(hex::encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> SealKey {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        SealKey::create_file(&path).unwrap();
        assert!(SealKey::create_file(&path).is_err());
        SealKey::open(&path).unwrap()
    }

    #[test]
    fn a_note_comes_back_with_the_same_key_and_function_only() {
        let (one, other) = (key(), key());
        let note = Secret::new(b"a note".to_vec());
        let sealed = one.seal("veil", &note).unwrap();
        assert!(!sealed.windows(6).any(|part| part == b"a note"));
        assert_ne!(sealed, one.seal("veil", &note).unwrap());
        assert_eq!(one.unseal("veil", &sealed).unwrap().expose(), b"a note");
        assert!(one.unseal("mask", &sealed).is_err());
        assert!(other.unseal("veil", &sealed).is_err());
        let mut changed = sealed.clone();
        changed[NONCE] ^= 1;
        assert!(one.unseal("veil", &changed).is_err());
        assert!(one.unseal("veil", &sealed[..10]).is_err());
        assert!(one.unseal("veil", &[]).is_err());
    }
}
