//! What is recorded about a release.

use std::fmt;

use inkveil_privacy::{Receipt, ReleaseKind, Unit};
use serde::{Serialize, Serializer};

use crate::charge::Charge;
use crate::error::{Error, ErrorKind};
use inkveil_files::hex;

/// The name of a job: 16 random bytes that the job draws once and keeps until it has ended.
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
    /// A new one, from the operating system.
    ///
    /// # Errors
    /// If the system has no randomness to give.
    pub fn fresh() -> Result<Self, Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)
            .map_err(|e| ErrorKind::NoEntropy { cause: inkveil_error::Cause::new(e) })?;
        Ok(Self(bytes))
    }

    /// The id that 32 hexadecimal digits stand for.
    pub fn from_hex(text: &str) -> Option<Self> {
        hex::decode_array(text).map(Self)
    }
}

impl fmt::Display for ReleaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
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

/// A release that is about to leave.
///
/// ```
/// use inkveil_ledger::{Charge, Release, ReleaseId};
/// use inkveil_privacy::{NoiseKey, Receipt, ReleaseKind, Unit};
///
/// // A rewrite without a formal guarantee: it costs more than any limit.
/// let receipt = Receipt::builder(ReleaseKind::Rewrite, "rewrite", Unit::Document, &NoiseKey::fresh()?)
///     .not_covered("everything: nothing is proved about rewrites")
///     .build()?;
/// let charges = Charge::of_receipt(None, &receipt);
/// assert!(charges[0].epsilon.is_infinite());
/// let release = Release::of_receipt(ReleaseId::fresh()?, 0, "letters", &receipt, charges);
/// assert_eq!(release.receipt, receipt.digest());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Release {
    /// The job.
    pub id: ReleaseId,
    /// Which of the job's releases: 0 if there is only one.
    pub part: u64,
    /// The data it was made of, as the user calls it.
    pub dataset: String,
    /// What was released.
    pub kind: ReleaseKind,
    /// The mechanism.
    pub mechanism: String,
    /// What one budget protects.
    pub unit: Unit,
    /// Whether the noise came from the operating system. What is charged does not depend on it.
    pub secure: bool,
    /// The receipt's digest: 64 hexadecimal digits.
    pub receipt: String,
    /// SHA-256 of the input, so that a second release of it is noticed. The ledger keeps a keyed hash of it only.
    pub content: Option<[u8; 32]>,
    /// What it costs whom.
    pub charges: Vec<Charge>,
}

impl Release {
    /// A release as its receipt describes it. Set [`content`](Release::content) to be told of repetitions.
    pub fn of_receipt(
        id: ReleaseId,
        part: u64,
        dataset: impl Into<String>,
        receipt: &Receipt,
        charges: Vec<Charge>,
    ) -> Self {
        Self {
            id,
            part,
            dataset: dataset.into(),
            kind: receipt.kind(),
            mechanism: receipt.mechanism().to_owned(),
            unit: receipt.unit(),
            secure: receipt.is_secure(),
            receipt: receipt.digest().to_owned(),
            content: None,
            charges,
        }
    }

    /// Whether all of it can be kept.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let invalid = |name, allowed| Err(ErrorKind::Invalid { name, allowed }.into());
        if i64::try_from(self.part).is_err() {
            return invalid("the number of a part", "below 2^63");
        }
        if !is_name(&self.dataset, LONGEST_NAME) {
            return invalid("the name of a dataset", NAME);
        }
        if !is_name(&self.mechanism, LONGEST_MECHANISM) {
            return invalid("the mechanism", "1 to 4096 bytes on one line");
        }
        if hex::decode_array::<32>(&self.receipt).is_none() {
            return invalid("the digest of a receipt", "64 hexadecimal digits");
        }
        if self.charges.is_empty() {
            return invalid("the charges of a release", "at least one; `Charge::of_receipt` gives them");
        }
        self.charges.iter().try_for_each(Charge::check)
    }
}

/// What a name may be, in words.
pub(crate) const NAME: &str = "1 to 512 bytes on one line, and not only spaces";

pub(crate) const LONGEST_NAME: usize = 512;

const LONGEST_MECHANISM: usize = 4096;

/// Whether a text can be a name: control characters could forge lines where it is shown.
pub(crate) fn is_name(text: &str, longest: usize) -> bool {
    text.len() <= longest && !text.trim().is_empty() && !text.chars().any(char::is_control)
}

/// The hash of a short input can be guessed by trying: it is not shown.
impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Release")
            .field("id", &self.id)
            .field("part", &self.part)
            .field("dataset", &self.dataset)
            .field("kind", &self.kind)
            .field("mechanism", &self.mechanism)
            .field("unit", &self.unit)
            .field("secure", &self.secure)
            .field("receipt", &self.receipt)
            .field("content", &self.content.map(|_| "redacted"))
            .field("charges", &self.charges)
            .finish()
    }
}
