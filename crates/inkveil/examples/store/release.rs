//! Veils vectors and stores them in batches, so that an interrupted run can be resumed.

use inkveil::{NoiseKey, VectorVeil, vectors};

use super::store::{Store, StoreError};

/// Rows in one transaction. Few, so that the example has several; use some thousands in production.
pub(crate) const BATCH: usize = 16;

/// Vectors for a store. The vector at place i gets the id i, which is also the record of its noise.
pub(crate) struct Release<'a> {
    pub(crate) vectors: &'a [Vec<f32>],
    pub(crate) veil: &'a VectorVeil,
    pub(crate) key: &'a NoiseKey,
}

/// The reason why a release stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReleaseError {
    /// A batch was not stored, or the connection was lost before the store confirmed it.
    #[error(
        "{error}; at least {stored} of {all} rows are stored, and no batch by half: run it again with the same texts to \
         store the rest"
    )]
    Stopped {
        /// Rows that are stored for certain.
        stored: usize,
        /// Rows in total.
        all: usize,
        /// The error of the store.
        error: StoreError,
    },
    /// The store could not list its rows; nothing was sent to it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The vectors could not be veiled.
    #[error(transparent)]
    Veil(#[from] vectors::Error),
}

impl Release<'_> {
    /// Veils and stores the vectors that have no row yet. Stored vectors are not veiled again, because a second copy with
    /// other noise would cost their ε a second time.
    ///
    /// # Errors
    /// If the store fails. Rows that were stored before stay.
    pub(crate) fn store_missing(&self, store: &mut dyn Store) -> Result<(), ReleaseError> {
        let all = self.vectors.len();
        let missing = missing(all, store)?;
        let mut stored = all - missing.len();
        // Noise is drawn for consecutive records, so a batch does not cross a gap.
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

/// Returns the places below `all` whose id has no row yet.
pub(crate) fn missing(all: usize, store: &mut dyn Store) -> Result<Vec<usize>, StoreError> {
    let present = store.ids()?;
    Ok((0..all).filter(|&place| !present.contains(&(place as u64))).collect())
}
