//! Presidio's `encrypt` and `decrypt`: AES in CBC mode with a key of the request. They are here for its users. The format has
//! no checksum, so a changed text may decrypt to something else; the gateway's own maps do not use it.

use aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, KeyInit, consts::U16};
use aes::{Aes128, Aes192, Aes256};
use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::{GeneralPurpose, PAD};

use super::PresidioError;

/// The length of a block, and of the random bytes before the encrypted ones.
const BLOCK: usize = 16;
const BASE64: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, PAD);

fn wrong_key() -> PresidioError {
    PresidioError::new(422, "Invalid input, key must be of length 128, 192 or 256 bits")
}

fn wrong_text() -> PresidioError {
    PresidioError::new(422, "Invalid input, the text was not encrypted with this key")
}

/// Encrypts a text, as random bytes and the encrypted ones in base64.
///
/// # Errors
/// If the key has another length than 16, 24 or 32 bytes.
pub(super) fn encrypt(key: &str, text: &str) -> Result<String, PresidioError> {
    let (key, text) = (key.as_bytes(), text.as_bytes());
    let mut start = [0; BLOCK];
    getrandom::fill(&mut start).map_err(|_| PresidioError::new(503, "the system has no randomness"))?;
    let encrypted = match key.len() {
        16 => chained::<Aes128>(key, start, text),
        24 => chained::<Aes192>(key, start, text),
        32 => chained::<Aes256>(key, start, text),
        _ => None,
    };
    let encrypted = encrypted.ok_or_else(wrong_key)?;
    Ok(BASE64.encode([&start[..], &encrypted].concat()))
}

/// Decrypts what [`encrypt`] or Presidio has encrypted.
///
/// # Errors
/// If the key or the text is not one of those.
pub(super) fn decrypt(key: &str, text: &str) -> Result<String, PresidioError> {
    let key = key.as_bytes();
    if !matches!(key.len(), 16 | 24 | 32) {
        return Err(wrong_key());
    }
    // Presidio takes both alphabets.
    let text = text.replace('+', "-").replace('/', "_");
    let bytes = BASE64.decode(text).map_err(|_| wrong_text())?;
    let (start, encrypted) = bytes.split_first_chunk::<BLOCK>().ok_or_else(wrong_text)?;
    let decrypted = match key.len() {
        16 => unchained::<Aes128>(key, start, encrypted),
        24 => unchained::<Aes192>(key, start, encrypted),
        _ => unchained::<Aes256>(key, start, encrypted),
    };
    decrypted.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(wrong_text)
}

/// CBC: each block is mixed with the encrypted one before it. The last is filled up with bytes that say how many they are
/// (PKCS #7).
fn chained<C>(key: &[u8], start: [u8; BLOCK], text: &[u8]) -> Option<Vec<u8>>
where
    C: KeyInit + BlockCipherEncrypt + BlockSizeUser<BlockSize = U16>,
{
    let cipher = C::new_from_slice(key).ok()?;
    let missing = BLOCK - text.len() % BLOCK;
    let mut bytes = text.to_vec();
    bytes.resize(text.len() + missing, u8::try_from(missing).ok()?);
    let (blocks, _) = bytes.as_chunks_mut::<BLOCK>();
    let mut before = start;
    for block in blocks {
        block.iter_mut().zip(before).for_each(|(byte, before)| *byte ^= before);
        let mut mixed = Block::<C>::from(*block);
        cipher.encrypt_block(&mut mixed);
        *block = mixed.into();
        before = *block;
    }
    Some(bytes)
}

/// The reverse of [`chained`]; nothing if the bytes are not what it gives.
fn unchained<C>(key: &[u8], start: &[u8; BLOCK], encrypted: &[u8]) -> Option<Vec<u8>>
where
    C: KeyInit + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16>,
{
    let cipher = C::new_from_slice(key).ok()?;
    let (blocks, rest) = encrypted.as_chunks::<BLOCK>();
    let mut bytes = Vec::with_capacity(encrypted.len());
    let mut before = start;
    for block in blocks {
        let mut mixed = Block::<C>::from(*block);
        cipher.decrypt_block(&mut mixed);
        bytes.extend(mixed.iter().zip(before).map(|(byte, before)| byte ^ before));
        before = block;
    }
    let added = usize::from(*bytes.last()?);
    let length = bytes.len().checked_sub(added)?;
    let is_filled =
        (1..=BLOCK).contains(&added) && bytes[length..].iter().all(|byte| usize::from(*byte) == added);
    bytes.truncate(length);
    (rest.is_empty() && is_filled).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_presidio_encrypted_is_decrypted() {
        // From its end-to-end tests.
        let text = "e6HnOMnIxbd4a8Qea44LshQDnjvxwzBIaAz+YqHNnMW2mC5r3AWoay8Spsoajyyy";
        assert_eq!(decrypt("1111111111111111", text).unwrap_or_default(), "text_for_encryption");
        assert!(decrypt("2222222222222222", text).is_err());
    }

    #[test]
    fn texts_come_back_with_keys_of_all_lengths() {
        for length in [16, 24, 32] {
            let key = "k".repeat(length);
            for text in ["", "Ana", "sixteen letters!", "été 東京"] {
                let encrypted = encrypt(&key, text).unwrap_or_default();
                assert_ne!(encrypted, encrypt(&key, text).unwrap_or_default());
                assert_eq!(decrypt(&key, &encrypted).ok().as_deref(), Some(text));
            }
        }
        assert!(encrypt("short", "Ana").is_err() && decrypt("short", "").is_err());
        for nonsense in ["", "=", "AAAA", &"A".repeat(22), &"A".repeat(43), "é"] {
            assert!(decrypt("1111111111111111", nonsense).is_err());
        }
    }
}
