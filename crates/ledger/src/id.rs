//! The id of a job that makes releases.

use std::fmt;

use inkveil_files::hex;
use serde::{Serialize, Serializer};

/// The id of a job: 16 random bytes that the job draws once and keeps until it ends.
///
/// ```
/// use inkveil_ledger::ReleaseId;
///
/// let id = ReleaseId::fresh()?;
/// assert_eq!(ReleaseId::from_hex(&id.to_string()), Some(id));
/// # Ok::<(), inkveil_ledger::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReleaseId(pub [u8; 16]);

impl ReleaseId {
    /// Parses an id from 32 hexadecimal digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        hex::decode_array(text).map(Self)
    }
}

impl fmt::Display for ReleaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for ReleaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReleaseId({self})")
    }
}

impl Serialize for ReleaseId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
