//! Vectors in memory through a veil, for example the embeddings of one request.

use inkveil_privacy::{NoiseKey, Receipt};
use inkveil_vector::VectorVeil;
use sha2::{Digest as _, Sha256};

use super::account::{Account, Accounting, PartCharge, Reserved};
use super::observer::Silent;
use crate::error::Error;

/// Vectors that were veiled and charged, but have not left yet.
#[must_use = "the release is confirmed when the vectors leave"]
pub struct VeiledVectors {
    /// Their receipt.
    pub receipt: Receipt,
    charge: Option<(Accounting, Reserved)>,
}

impl VeiledVectors {
    /// Confirms in the ledger that the vectors have left.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn confirm(&mut self) -> Result<(), Error> {
        match self.charge.take() {
            Some((accounting, reserved)) => accounting.commit(reserved),
            None => Ok(()),
        }
    }
}

impl std::fmt::Debug for VeiledVectors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VeiledVectors")
    }
}

/// Veils vectors in place, one after the other in `rows`, and charges the ledger.
///
/// ```
/// use inkveil::release::{Account, veil_vectors};
/// use inkveil::{Epsilon, NoiseKey, Veil};
///
/// let veil = Veil::vectors(Epsilon::new(10.0)?).build(3)?;
/// let mut rows = [0.6, 0.8, 0.0, 0.0, 0.0, 1.0];
/// let mut released = veil_vectors(&veil, &mut rows, &NoiseKey::fresh()?, &Account::none(), "notes")?;
/// assert_ne!(rows, [0.6, 0.8, 0.0, 0.0, 0.0, 1.0]);
/// released.confirm()?;
/// # Ok::<(), inkveil::Error>(())
/// ```
///
/// # Errors
/// If a limit would be passed or the noise cannot be drawn. The rows must not leave then; they may be zero.
pub fn veil_vectors(
    veil: &VectorVeil,
    rows: &mut [f32],
    key: &NoiseKey,
    account: &Account,
    dataset: &str,
) -> Result<VeiledVectors, Error> {
    let count = (rows.len() / veil.dim().max(1)) as u64;
    let receipt = veil.receipt(count, None, key)?;
    let charge = match account.is_kept() {
        false => None,
        true => {
            let mut content = Sha256::new();
            rows.iter().for_each(|value| content.update(value.to_le_bytes()));
            let accounting = account.open(dataset)?;
            let content = Some(content.finalize().into());
            let reserved = accounting.reserve(&PartCharge::new(0, &receipt, content), &Silent)?;
            Some((accounting, reserved))
        }
    };
    veil.apply(rows, 0, key)?;
    Ok(VeiledVectors { receipt, charge })
}
