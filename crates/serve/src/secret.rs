//! What follows from the gateway's secret: keys of conversations, seals and pseudonyms.
//!
//! Nothing is stored. Each key is an HMAC of the secret, so every process with the same secret gives the
//! same replacements, also after a restart.

use std::fmt;
use std::path::Path;

use anyhow::{Context as _, bail};
use hmac::{Hmac, KeyInit as _, Mac as _};
use inkveil::NoiseKey;
use inkveil::files::{hex, write_private};
use inkveil::privacy::Secret;
use sha2::Sha256;

use crate::positions::Seals;

/// The gateway's secret.
pub struct GatewaySecret(Secret<[u8; 32]>);

/// The owner of conversations: a local key, or the key that the caller sends to the upstream.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallerId([u8; 32]);

impl CallerId {
    /// A short name for receipts, which says nothing about the key.
    pub fn short(&self) -> String {
        hex::encode(&self.0[..6])
    }
}

impl fmt::Debug for CallerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallerId")
    }
}

const SEAL: &str = "ikv1.";
const SEAL_DIGITS: usize = 32;

impl GatewaySecret {
    /// A secret of this process only. Replacements change when it ends.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn fresh() -> anyhow::Result<Self> {
        let mut bytes = Secret::new([0; 32]);
        getrandom::fill(bytes.expose_mut()).map_err(|_| anyhow::anyhow!("the system has no randomness"))?;
        Ok(Self(bytes))
    }

    /// The secret in a file: 64 hexadecimal digits. The file is created if it does not exist.
    ///
    /// # Errors
    /// If the file cannot be read or written, or holds something else.
    pub fn from_file(path: &Path) -> anyhow::Result<Self> {
        if !path.exists() {
            let fresh = Self::fresh()?;
            let text = hex::encode(fresh.0.expose()) + "\n";
            write_private(path, text.as_bytes(), false)
                .with_context(|| format!("cannot write the secret {}", path.display()))?;
            return Ok(fresh);
        }
        let text = Secret::new(
            std::fs::read_to_string(path)
                .with_context(|| format!("cannot read the secret {}", path.display()))?,
        );
        match hex::decode_array(text.expose().trim()) {
            Some(bytes) => Ok(Self(Secret::new(bytes))),
            None => bail!("{} is not a secret of 64 hexadecimal digits", path.display()),
        }
    }

    /// A keyed hash. The purpose and the lengths keep inputs apart.
    pub fn hash(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        let mut block = [0; 64];
        block[..32].copy_from_slice(self.0.expose());
        let mut mac = Hmac::<Sha256>::new((&block).into());
        for part in [purpose.as_bytes()].iter().chain(parts) {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// The owner of a key.
    pub fn caller(&self, key: &str) -> CallerId {
        CallerId(self.hash("caller", &[key.as_bytes()]))
    }

    /// The key of a conversation.
    ///
    /// # Errors
    /// If the hash is not a key; this does not happen.
    pub fn conversation(&self, caller: CallerId, name: &ConversationName) -> anyhow::Result<NoiseKey> {
        let hash = match name {
            ConversationName::Session(id) => self.hash("session", &[&caller.0, id.as_bytes()]),
            ConversationName::Beginning(texts) => {
                let parts: Vec<&[u8]> =
                    [&caller.0[..]].into_iter().chain(texts.iter().map(String::as_bytes)).collect();
                self.hash("beginning", &parts)
            }
            ConversationName::Vectors => self.hash("vectors", &[&caller.0]),
        };
        let mut kept = Secret::new([1; 33]);
        kept.expose_mut()[..32].copy_from_slice(&hash);
        Ok(NoiseKey::from_kept(&kept)?)
    }

    /// The seals of a caller.
    pub fn seals(&self, caller: CallerId) -> CallerSeals<'_> {
        CallerSeals { secret: self, caller }
    }
}

impl fmt::Debug for GatewaySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GatewaySecret(redacted)")
    }
}

/// What makes a conversation the same one.
pub enum ConversationName {
    /// The id that the caller gives it.
    Session(String),
    /// Its first texts, up to and with the first turn of the user. A later turn repeats them, so it belongs
    /// to the same conversation.
    Beginning(Vec<String>),
    /// All vectors of a caller.
    Vectors,
}

/// Seals values that go through the caller back to the provider.
pub struct CallerSeals<'s> {
    secret: &'s GatewaySecret,
    caller: CallerId,
}

impl CallerSeals<'_> {
    fn tag(&self, value: &str, beside: &str) -> String {
        let hash = self.secret.hash("seal", &[&self.caller.0, value.as_bytes(), beside.as_bytes()]);
        hex::encode(&hash[..SEAL_DIGITS / 2])
    }

    /// Returns the value with a seal, which also covers the text beside it.
    pub fn seal(&self, value: &str, beside: &str) -> String {
        format!("{SEAL}{}.{value}", self.tag(value, beside))
    }
}

impl Seals for CallerSeals<'_> {
    fn open(&self, sealed: &str, beside: &str) -> Option<String> {
        let (tag, value) = sealed.strip_prefix(SEAL)?.split_once('.')?;
        let expected = self.tag(value, beside);
        // Compares all digits, whatever they are.
        let differences = expected.bytes().zip(tag.bytes()).filter(|(a, b)| a != b).count();
        (tag.len() == expected.len() && differences == 0).then(|| value.to_owned())
    }

    fn pseudonym(&self, name: &str) -> String {
        let hash = self.secret.hash("pseudonym", &[&self.caller.0, name.as_bytes()]);
        format!("user-{}", hex::encode(&hash[..12]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_depend_on_the_secret_the_caller_and_the_session() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gateway.secret");
        let one = GatewaySecret::from_file(&path).unwrap();
        let again = GatewaySecret::from_file(&path).unwrap();
        let other = GatewaySecret::fresh().unwrap();
        let key = |secret: &GatewaySecret, caller: &str, session: &str| {
            let name = ConversationName::Session(session.to_owned());
            *secret.conversation(secret.caller(caller), &name).unwrap().keep().expose()
        };
        assert_eq!(key(&one, "a", "s"), key(&again, "a", "s"));
        for different in [key(&one, "b", "s"), key(&one, "a", "t"), key(&other, "a", "s")] {
            assert_ne!(key(&one, "a", "s"), different);
        }
        std::fs::write(&path, "short").unwrap();
        assert!(GatewaySecret::from_file(&path).is_err());
    }

    #[test]
    fn only_sealed_values_are_opened() {
        let secret = GatewaySecret::fresh().unwrap();
        let seals = secret.seals(secret.caller("a"));
        let sealed = seals.seal("sig.nature", "thought");
        assert_eq!(seals.open(&sealed, "thought").as_deref(), Some("sig.nature"));
        assert_eq!(seals.open(&sealed, "other thought"), None);
        assert_eq!(seals.open("sig.nature", "thought"), None);
        assert_eq!(seals.open(&format!("{sealed}x"), "thought"), None);
        assert_eq!(secret.seals(secret.caller("b")).open(&sealed, "thought"), None);
        assert_eq!(seals.pseudonym("ana"), seals.pseudonym("ana"));
        assert_ne!(seals.pseudonym("ana"), seals.pseudonym("eva"));
    }
}
