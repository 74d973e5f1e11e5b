//! The data that is recorded about a release.

use std::fmt;

use inkveil_files::hex;
use inkveil_privacy::{Receipt, ReleaseKind, Unit};

use crate::charge::Charge;
use crate::error::{Error, ErrorKind};
use crate::id::ReleaseId;
use crate::names::{LONGEST_NAME, NAME, is_name};

impl ReleaseId {
    /// Draws a new id from the operating system.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn fresh() -> Result<Self, Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)
            .map_err(|e| ErrorKind::NoEntropy { cause: inkveil_error::Cause::new(e) })?;
        Ok(Self(bytes))
    }
}

/// A release that is about to be made.
///
/// ```
/// use inkveil_ledger::{Charge, Release, ReleaseId};
/// use inkveil_privacy::{NoiseKey, Receipt, ReleaseKind, Unit};
///
/// // A rewrite has no formal guarantee, so it exceeds every limit.
/// let receipt = Receipt::builder(ReleaseKind::Rewrite, "rewrite", Unit::Document, &NoiseKey::fresh()?)
///     .not_covered("everything: a rewrite has no formal guarantee")
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
    /// The number of the release within the job, 0 if there is only one.
    pub part: u64,
    /// The data it was made from, as named by the user.
    pub dataset: String,
    /// The kind of release.
    pub kind: ReleaseKind,
    /// The mechanism.
    pub mechanism: String,
    /// What one budget protects.
    pub unit: Unit,
    /// Whether the noise came from the operating system. This does not change the charges.
    pub secure: bool,
    /// The receipt's digest: 64 hexadecimal digits.
    pub receipt: String,
    /// SHA-256 of the input, to recognise a second release of it. The ledger stores only a keyed
    /// hash of it.
    pub content: Option<[u8; 32]>,
    /// The costs, per subject and measure.
    pub charges: Vec<Charge>,
}

impl Release {
    /// Creates a release from its receipt. Set [`content`](Release::content) to detect repeated
    /// releases.
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

    /// Checks that every value can be stored.
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

const LONGEST_MECHANISM: usize = 4096;

/// The hash of a short input can be guessed by trial and error, so it is not printed.
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
