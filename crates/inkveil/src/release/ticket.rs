//! What the workers of a job get after the job was charged.

use inkveil_files::Sha256Sum;
use inkveil_privacy::{NoiseKey, Secret};
use inkveil_text::TextVeil;

use super::memory::MemoryRelease;
use super::row_veil::RowVeil as _;
use super::text_rows::TextRows;
use crate::error::{Error, ErrorKind};

/// Permission to veil the texts of a job on workers: the job was charged. **Private**: it holds the key of the noise.
///
/// Every worker draws the same noise for the same row, so a task that is repeated writes the same bytes.
pub struct Ticket {
    key: NoiseKey,
    /// The checksum of everything that decides what the veil does.
    veil: [u8; 32],
}

const KEY_BYTES: usize = 33;
const BYTES: usize = KEY_BYTES + 32;

impl Ticket {
    pub(super) fn new(release: &MemoryRelease) -> Result<Self, Error> {
        // Records of a job are ids of rows. They must not meet the records of other texts.
        let key = release.key().derived("rows of a job");
        Ok(Self { key, veil: identity(release.veil())? })
    }

    pub(super) fn key_for(&self, veil: &std::sync::Arc<TextVeil>) -> Result<NoiseKey, Error> {
        match identity(veil)? == self.veil {
            true => Ok(self.key.clone()),
            false => {
                Err(ErrorKind::Contradiction("a worker of a job has other settings or models than the job")
                    .into())
            }
        }
    }

    /// Returns the ticket in a form that can be sent to workers. Protect it like the texts.
    pub fn to_bytes(&self) -> Secret<Vec<u8>> {
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.extend_from_slice(self.key.keep().expose());
        bytes.extend_from_slice(&self.veil);
        Secret::new(bytes)
    }

    /// Reads a ticket.
    ///
    /// # Errors
    /// If the bytes are not those of a ticket.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let damaged = || Error::from(ErrorKind::DamagedJob);
        let (key, veil) = bytes.split_at_checked(KEY_BYTES).ok_or_else(damaged)?;
        let mut kept = Secret::new([0; KEY_BYTES]);
        kept.expose_mut().copy_from_slice(key);
        Ok(Self { key: NoiseKey::from_kept(&kept)?, veil: veil.try_into().map_err(|_| damaged())? })
    }
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ticket(redacted)")
    }
}

fn identity(veil: &std::sync::Arc<TextVeil>) -> Result<[u8; 32], Error> {
    let identity = TextRows::new(veil.clone()).identity()?;
    inkveil_files::hex::decode_array(&Sha256Sum::of(identity.as_bytes()).to_string())
        .ok_or_else(|| ErrorKind::Bug("a checksum is not hexadecimal").into())
}
