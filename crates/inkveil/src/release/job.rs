//! What a job keeps so that it can be resumed: the noise key and the name of the release.

use inkveil_ledger::ReleaseId;
use inkveil_privacy::{NoiseKey, Secret};

use crate::error::{Error, ErrorKind};

/// Where noise comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyChoice {
    /// A fresh key from the operating system.
    #[default]
    Fresh,
    /// A fixed seed, for tests. It protects nothing, and the receipt says so.
    InsecureSeed(u64),
}

impl KeyChoice {
    /// Makes the key.
    ///
    /// # Errors
    /// If the operating system gives no randomness.
    pub fn key(self) -> Result<NoiseKey, Error> {
        match self {
            Self::Fresh => Ok(NoiseKey::fresh()?),
            Self::InsecureSeed(seed) => Ok(NoiseKey::insecure_from_seed(seed)),
        }
    }
}

const KEY_BYTES: usize = 33;
const ID_BYTES: usize = 16;

/// The bytes that a job keeps: its key, then its id.
pub(super) fn kept_secret(key: &NoiseKey, id: ReleaseId) -> Secret<Vec<u8>> {
    let mut bytes = Vec::with_capacity(KEY_BYTES + ID_BYTES);
    bytes.extend_from_slice(key.keep().expose());
    bytes.extend_from_slice(&id.0);
    Secret::new(bytes)
}

/// The key and the id that a job has kept.
pub(super) fn from_kept(kept: &Secret<Vec<u8>>) -> Result<(NoiseKey, ReleaseId), Error> {
    let bytes = kept.expose();
    let mut key = Secret::new([0; KEY_BYTES]);
    let mut id = ReleaseId([0; ID_BYTES]);
    if bytes.len() != KEY_BYTES + ID_BYTES {
        return Err(ErrorKind::DamagedJob.into());
    }
    key.expose_mut().copy_from_slice(&bytes[..KEY_BYTES]);
    id.0.copy_from_slice(&bytes[KEY_BYTES..]);
    Ok((NoiseKey::from_kept(&key)?, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_and_an_id_survive_a_job_folder() {
        let (key, id) = (NoiseKey::insecure_from_seed(7), ReleaseId([3; 16]));
        let (again, same_id) = from_kept(&kept_secret(&key, id)).unwrap();
        assert_eq!(same_id, id);
        assert!(!again.is_secure());
        assert_eq!(again.keep().expose(), key.keep().expose());
        assert!(from_kept(&Secret::new(vec![0; 7])).is_err());
    }
}
