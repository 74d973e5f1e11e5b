//! From vectors to veiled rows in a store, in batches, so that a run that stopped can be continued.

use inkveil::{NoiseKey, VectorVeil, vectors};

use super::store::{Store, StoreError};

/// Rows in one transaction: few, so that the example has several. In earnest some thousands.
pub(crate) const BATCH: usize = 16;

/// Vectors on their way into a store: the one at place i gets the id i, which is also the record its noise is drawn for.
pub(crate) struct Release<'a> {
    pub(crate) vectors: &'a [Vec<f32>],
    pub(crate) veil: &'a VectorVeil,
    pub(crate) key: &'a NoiseKey,
}

/// Why a release stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReleaseError {
    /// A batch was not stored, or its connection was lost before the store could say that it was.
    #[error(
        "{error}; at least {stored} of {all} rows are stored, and no batch by half: run it again with the same texts to \
         store the rest"
    )]
    Stopped {
        /// Rows that are stored for certain.
        stored: usize,
        /// Rows that there will be.
        all: usize,
        /// What the store said.
        error: StoreError,
    },
    /// The store could not say what it has; nothing was sent to it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The vectors could not be veiled.
    #[error(transparent)]
    Veil(#[from] vectors::Error),
}

impl Release<'_> {
    /// Veils and stores the vectors that have no row yet. Those that have one are not veiled again: a second copy with other
    /// noise would cost their ε a second time.
    ///
    /// # Errors
    /// If the store fails. What was stored before stays.
    pub(crate) fn store_missing(&self, store: &mut dyn Store) -> Result<(), ReleaseError> {
        let all = self.vectors.len();
        let missing = missing(all, store)?;
        let mut stored = all - missing.len();
        // Noise is drawn for records in a row, so a batch does not reach across a gap.
        for batch in missing.chunk_by(|a, b| a + 1 == *b).flat_map(|run| run.chunks(BATCH)) {
            let ids: Vec<u64> = batch.iter().map(|&place| place as u64).collect();
            let mut rows: Vec<f32> = batch.iter().flat_map(|&place| &self.vectors[place]).copied().collect();
            self.veil.apply(&mut rows, ids[0], self.key)?;
            store.insert(&ids, &rows).map_err(|error| ReleaseError::Stopped { stored, all, error })?;
            stored += batch.len();
        }
        Ok(())
    }
}

/// The places below `all` whose id has no row yet.
pub(crate) fn missing(all: usize, store: &mut dyn Store) -> Result<Vec<usize>, StoreError> {
    let present = store.ids()?;
    Ok((0..all).filter(|&place| !present.contains(&(place as u64))).collect())
}
