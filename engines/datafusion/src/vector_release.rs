//! The vectors of a query: counted before it starts, and then released.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use inkveil::release::{Account, MemoryVectors, Silent};
use inkveil::{NoiseKey, Receipt, VectorVeilBuilder};

use crate::error::{Error, refused};
use crate::settings::library;
use crate::work::lock;

/// How vectors are veiled.
pub(crate) enum VectorVeiling {
    /// They are counted. Nothing is released.
    Planned(Mutex<VectorCount>),
    /// The query was charged.
    Charged(Box<VectorRelease>),
}

/// The vectors of a query.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct VectorCount {
    dim: usize,
    count: u64,
}

impl VectorCount {
    /// The length of the vectors and their number, if there are any.
    pub(crate) fn found(self) -> Option<(usize, u64)> {
        (self.count > 0).then_some((self.dim, self.count))
    }

    /// Adds vectors.
    pub(crate) fn add(&mut self, count: usize, dim: usize) -> Result<(), Error> {
        if count == 0 {
            return Ok(());
        }
        if self.count > 0 && self.dim != dim {
            return Err(several_lengths());
        }
        self.dim = dim;
        self.count = self.count.saturating_add(count as u64);
        Ok(())
    }
}

pub(crate) fn several_lengths() -> Error {
    refused("veil_vector() reads vectors of several lengths; veil vectors of one encoder in one query")
}

/// How the vectors of a query are released, and where they are charged.
pub(crate) struct VectorPlan {
    pub(crate) builder: VectorVeilBuilder,
    pub(crate) key: NoiseKey,
    pub(crate) account: Account,
    pub(crate) dataset: String,
}

impl VectorPlan {
    /// Charges the query. `counted` is known if a ledger is charged. Without one, the first vector decides the dimension.
    pub(crate) fn charge(self, counted: Option<VectorCount>) -> Result<VectorRelease, Error> {
        let open = match counted.and_then(VectorCount::found) {
            Some((dim, count)) => {
                let veil = self.builder.clone().build(dim)?;
                let Self { key, account, dataset, .. } = &self;
                let release = MemoryVectors::charged(veil, key.clone(), account, dataset, count, &Silent)?;
                Some(Arc::new(release))
            }
            None => None,
        };
        let charged = counted.map(|counted| counted.count);
        Ok(VectorRelease { plan: self, charged, open: Mutex::new(open), released: AtomicU64::new(0) })
    }
}

/// A release of the vectors of a query.
pub(crate) struct VectorRelease {
    plan: VectorPlan,
    /// The number of vectors that were charged, if a ledger is charged.
    charged: Option<u64>,
    open: Mutex<Option<Arc<MemoryVectors>>>,
    released: AtomicU64,
}

impl VectorRelease {
    /// `count` vectors that were charged with the texts of the query.
    pub(crate) fn of_charged(plan: VectorPlan, count: u64, open: MemoryVectors) -> Self {
        let open = Mutex::new(Some(Arc::new(open)));
        Self { plan, charged: Some(count), open, released: AtomicU64::new(0) }
    }

    /// Veils vectors in place.
    pub(crate) fn veil(
        &self,
        rows: &mut [f32],
        dim: usize,
        records: &[u64],
        cancel: &AtomicBool,
    ) -> Result<(), Error> {
        if records.is_empty() {
            return Ok(());
        }
        let release = self.opened(dim)?;
        if release.veil().dim() != dim {
            return Err(several_lengths());
        }
        release.release(rows, Some(records), &Silent, cancel)?;
        self.released.fetch_add(records.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Adds vectors that a task on another machine has released.
    pub(crate) fn add_remote(&self, dim: usize, count: u64) -> Result<(), Error> {
        if self.opened(dim)?.veil().dim() != dim {
            return Err(several_lengths());
        }
        let before = self.released.fetch_add(count, Ordering::Relaxed);
        match self.charged.is_some_and(|charged| before.saturating_add(count) > charged) {
            true => Err(library(inkveil::ErrorKind::MoreThanCharged)),
            false => Ok(()),
        }
    }

    /// The length of the vectors that were released and their number, if there are any.
    pub(crate) fn released(&self) -> Option<(usize, u64)> {
        let count = self.released.load(Ordering::Relaxed);
        lock(&self.open).as_ref().filter(|_| count > 0).map(|release| (release.veil().dim(), count))
    }

    /// The key of the noise.
    pub(crate) fn key(&self) -> &NoiseKey {
        &self.plan.key
    }

    fn opened(&self, dim: usize) -> Result<Arc<MemoryVectors>, Error> {
        let mut open = lock(&self.open);
        if let Some(release) = open.as_ref() {
            return Ok(release.clone());
        }
        let VectorPlan { builder, key, account, dataset } = &self.plan;
        let veil = builder.clone().build(dim)?;
        let release = match self.charged {
            // The query had no vectors when it was counted, so none may leave.
            Some(_) => MemoryVectors::charged(veil, key.clone(), &Account::none(), dataset, 0, &Silent),
            None => MemoryVectors::open(veil, key.clone(), account, dataset),
        }?;
        Ok(open.insert(Arc::new(release)).clone())
    }

    /// The receipt, if there was a vector. `sha256` is the checksum of the file that holds the rows.
    pub(crate) fn receipt(&self, sha256: Option<&str>) -> Result<Option<Receipt>, Error> {
        let count = self.charged.unwrap_or_else(|| self.released.load(Ordering::Relaxed));
        let open = lock(&self.open);
        let receipt = open.as_ref().map(|release| release.veil().receipt(count, sha256, &self.plan.key));
        receipt.transpose().map_err(library)
    }
}
