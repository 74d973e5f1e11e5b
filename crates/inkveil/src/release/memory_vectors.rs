//! Vectors in memory.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use inkveil_privacy::{NoiseKey, Receipt};
use inkveil_vector::VectorVeil;
use sha2::{Digest as _, Sha256};

use super::account::{Account, Accounting, PartCharge, lock};
use super::observer::{Observer, Progress};
use crate::error::{Error, ErrorKind};

/// Vectors between two looks at the cancellation.
const PIECE_ROWS: usize = 1024;

/// A release of vectors in memory. Each call is charged before it returns.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use inkveil::release::{Account, MemoryVectors, Silent};
/// use inkveil::{Epsilon, NoiseKey, Veil};
///
/// let veil = Veil::vectors(Epsilon::new(100.0)?).build(4)?;
/// let release = MemoryVectors::open(veil, NoiseKey::fresh()?, &Account::none(), "vectors")?;
/// let mut rows = vec![0.5_f32; 8];
/// let receipt = release.release(&mut rows, None, &Silent, &AtomicBool::new(false))?;
/// assert_ne!(rows, [0.5; 8]);
/// assert_eq!(receipt.count(), 2);
/// # Ok::<(), inkveil::Error>(())
/// ```
pub struct MemoryVectors {
    veil: Arc<VectorVeil>,
    key: NoiseKey,
    accounting: Accounting,
    /// How many vectors were charged before the first of them. If `None`, each call is charged.
    charged: Option<u64>,
    /// The record of the next vector, and the number of the next part in the ledger.
    next: Mutex<(u64, u64)>,
}

impl MemoryVectors {
    /// Opens the ledger.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn open(
        veil: impl Into<Arc<VectorVeil>>,
        key: NoiseKey,
        account: &Account,
        dataset: &str,
    ) -> Result<Self, Error> {
        let (accounting, next) = (account.open(dataset)?, Mutex::default());
        Ok(Self { veil: veil.into(), key, accounting, charged: None, next })
    }

    /// Opens the ledger and charges `count` vectors at once. Calls charge nothing more, and together they release no more
    /// vectors than that.
    ///
    /// # Errors
    /// If the ledger cannot be used, or a limit would be passed.
    pub fn charged(
        veil: impl Into<Arc<VectorVeil>>,
        key: NoiseKey,
        account: &Account,
        dataset: &str,
        count: u64,
        observer: &dyn Observer,
    ) -> Result<Self, Error> {
        let release = Self { charged: Some(count), ..Self::open(veil, key, account, dataset)? };
        let receipt = release.veil.receipt(count, None, &release.key)?;
        let permit = release.accounting.reserve(&PartCharge::new(0, &receipt, None), observer)?;
        release.accounting.commit(permit)?;
        Ok(release)
    }

    /// Releases `count` vectors that were charged with something else.
    pub(super) fn charged_elsewhere(veil: Arc<VectorVeil>, key: NoiseKey, count: u64) -> Result<Self, Error> {
        Ok(Self { charged: Some(count), ..Self::open(veil, key, &Account::none(), "")? })
    }

    /// The receipt of `count` vectors.
    pub(super) fn receipt(&self, count: u64) -> Result<Receipt, Error> {
        Ok(self.veil.receipt(count, None, &self.key)?)
    }

    /// The veil.
    pub fn veil(&self) -> &VectorVeil {
        &self.veil
    }

    /// Veils vectors in place, one after the other, and charges them. `records` has the record of each, or else they
    /// get the next free ones.
    ///
    /// # Errors
    /// If the length is not a multiple of the dimension, a number is not finite, a limit would be passed, more vectors
    /// come than were charged, or the work is cancelled. The vectors are then zero or veiled, and may not leave.
    pub fn release(
        &self,
        rows: &mut [f32],
        records: Option<&[u64]>,
        observer: &dyn Observer,
        cancel: &AtomicBool,
    ) -> Result<Receipt, Error> {
        let dim = self.veil.dim();
        let count = rows.len() / dim.max(1);
        if dim == 0
            || !rows.len().is_multiple_of(dim)
            || records.is_some_and(|records| records.len() != count)
        {
            return Err(ErrorKind::Contradiction("the vectors do not have the dimension of the veil").into());
        }
        let (first, part) = {
            let mut next = lock(&self.next);
            let taken = *next;
            next.0 = next.0.saturating_add(count as u64);
            next.1 += 1;
            taken
        };
        if self.charged.is_some_and(|charged| first.saturating_add(count as u64) > charged) {
            rows.fill(0.0);
            return Err(ErrorKind::MoreThanCharged.into());
        }
        let charges = self.charged.is_none() && self.accounting.is_kept();
        let content = charges.then(|| {
            let mut hash = Sha256::new();
            rows.iter().for_each(|value| hash.update(f64::from(*value).to_le_bytes()));
            hash.finalize().into()
        });
        let (mut done, mut exact) = (0, Vec::new());
        while done < count {
            if cancel.load(Ordering::Relaxed) {
                rows.fill(0.0);
                return Err(ErrorKind::Cancelled.into());
            }
            let (record, run) = match records {
                None => (first.saturating_add(done as u64), (count - done).min(PIECE_ROWS)),
                Some(records) => (records[done], run_of(&records[done..])),
            };
            let piece = &mut rows[done * dim..(done + run) * dim];
            // Files are veiled in this precision, too. The noise follows from the bits of a vector.
            exact.clear();
            exact.extend(piece.iter().map(|value| f64::from(*value)));
            if let Err(error) = self.veil.apply(&mut exact, record, &self.key) {
                rows.fill(0.0);
                return Err(error.into());
            }
            piece.iter_mut().zip(&exact).for_each(|(value, exact)| *value = *exact as f32);
            done += run;
            let bytes = (done * dim * 4) as u64;
            observer.progress(&Progress { file: None, index: 0, files: 1, rows: done as u64, bytes });
        }
        let receipt = self.veil.receipt(count as u64, None, &self.key)?;
        if count > 0 && self.charged.is_none() {
            let reserved = self.accounting.reserve(&PartCharge::new(part, &receipt, content), observer);
            match reserved {
                Ok(permit) => self.accounting.commit(permit)?,
                Err(error) => {
                    rows.fill(0.0);
                    return Err(error);
                }
            }
        }
        Ok(receipt)
    }
}

impl std::fmt::Debug for MemoryVectors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MemoryVectors({} dimensions)", self.veil.dim())
    }
}

/// How many of the first records follow each other.
fn run_of(records: &[u64]) -> usize {
    let follows = |pair: &[u64]| pair[0].checked_add(1) == Some(pair[1]);
    (1 + records.windows(2).take_while(|pair| follows(pair)).count()).min(PIECE_ROWS)
}

#[cfg(test)]
mod tests {
    use super::super::observer::Silent;
    use super::*;
    use crate::{Epsilon, Veil};

    #[test]
    fn a_vector_with_a_record_gets_the_same_noise_in_any_order() {
        let open = || {
            let veil = Veil::vectors(Epsilon::new(50.0).unwrap()).build(3).unwrap();
            MemoryVectors::open(veil, NoiseKey::insecure_from_seed(1), &Account::none(), "v").unwrap()
        };
        let vectors = [[0.1_f32, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2]];
        let veil = |order: [usize; 3]| {
            let mut rows: Vec<f32> = order.iter().flat_map(|&i| vectors[i]).collect();
            let records = order.map(|i| [5, 6, 90][i]);
            open().release(&mut rows, Some(&records), &Silent, &AtomicBool::new(false)).unwrap();
            rows
        };
        let (one, other) = (veil([0, 1, 2]), veil([2, 1, 0]));
        assert_eq!(one[..3], other[6..]);
        assert_eq!(one[3..6], other[3..6]);
        assert_eq!(run_of(&[5, 6, 90]), 2);
    }

    #[test]
    fn memory_and_files_give_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("in.npy"), folder.path().join("out.npy"));
        let mut rows: Vec<f32> = (0..60).map(|i| (i as f32 * 0.37).sin()).collect();
        let numbers = |rows: &[f32]| rows.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
        let header = format!("{:<117}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (20, 3), }");
        let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        file.extend(header.bytes().chain(numbers(&rows)));
        std::fs::write(&input, file).unwrap();
        let veil = || Veil::vectors(Epsilon::new(50.0).unwrap()).bound(crate::Bound::Clip(1.0)).build(3);
        let mut release = super::super::VectorRelease::file(&input, &output).unwrap();
        (release.key, release.account) = (super::super::KeyChoice::InsecureSeed(5), Account::none());
        release.run(|_| veil(), &Silent, &AtomicBool::new(false)).unwrap();
        let key = NoiseKey::insecure_from_seed(5);
        let memory = MemoryVectors::open(veil().unwrap(), key, &Account::none(), "v").unwrap();
        memory.release(&mut rows, None, &Silent, &AtomicBool::new(false)).unwrap();
        assert!(std::fs::read(&output).unwrap().ends_with(&numbers(&rows)));
    }

    #[test]
    fn a_limit_leaves_nothing() {
        use inkveil_ledger::{BudgetScope, Counted, Ledger, Limit};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("budget.ledger");
        let limit =
            Limit::new(BudgetScope::Dataset("v".into()), Counted::EachMetric, Epsilon::new(1.0).unwrap());
        Ledger::open(&path).unwrap().set_limit(&limit).unwrap();
        let veil = Veil::vectors(Epsilon::new(50.0).unwrap()).build(3).unwrap();
        let release =
            MemoryVectors::open(veil, NoiseKey::fresh().unwrap(), &Account::new(&path), "v").unwrap();
        let mut rows = [0.1, 0.2, 0.3];
        assert!(release.release(&mut rows, None, &Silent, &AtomicBool::new(false)).is_err());
        assert_eq!(rows, [0.0; 3]);
        assert!(release.release(&mut [0.1; 4], None, &Silent, &AtomicBool::new(false)).is_err());
    }

    #[test]
    fn vectors_that_were_charged_at_once_are_charged_once_and_no_more_leave() {
        use inkveil_ledger::{BudgetScope, Counted, Filter, Ledger, Limit};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("budget.ledger");
        let veil = || Veil::vectors(Epsilon::new(50.0).unwrap()).build(3).unwrap();
        let key = NoiseKey::insecure_from_seed(5);
        let charged =
            |count| MemoryVectors::charged(veil(), key.clone(), &Account::new(&path), "v", count, &Silent);
        let (release, never) = (charged(3).unwrap(), AtomicBool::new(false));
        let (mut first, mut alone) = ([0.1, 0.2, 0.3, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.3, 0.2, 0.1]);
        release.release(&mut first, Some(&[4, 9]), &Silent, &never).unwrap();
        let each = MemoryVectors::open(veil(), key.clone(), &Account::none(), "v").unwrap();
        each.release(&mut alone, Some(&[4, 9]), &Silent, &never).unwrap();
        assert_eq!(first, alone);
        let mut more = [0.1, 0.2, 0.3, 0.3, 0.2, 0.1];
        let error = release.release(&mut more, Some(&[11, 12]), &Silent, &never).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::MoreThanCharged));
        assert_eq!(more, [0.0; 6]);
        let mut ledger = Ledger::open(&path).unwrap();
        assert_eq!(ledger.releases(Filter::default()).count(), 1);
        assert!(ledger.unconfirmed().next().is_none());
        let limit =
            Limit::new(BudgetScope::Dataset("v".into()), Counted::EachMetric, Epsilon::new(1.0).unwrap());
        ledger.set_limit(&limit).unwrap();
        assert!(charged(1).is_err());
        assert_eq!(ledger.releases(Filter::default()).count(), 1);
    }
}
