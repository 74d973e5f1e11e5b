//! What the example asks of a vector store.

use std::collections::BTreeSet;

/// A table of vectors, each under its id.
pub(crate) trait Store {
    /// Stores rows, one after another in `rows`, in one transaction: all of them or none.
    fn insert(&mut self, ids: &[u64], rows: &[f32]) -> Result<(), StoreError>;

    /// The ids that have a row.
    fn ids(&mut self) -> Result<BTreeSet<u64>, StoreError>;

    /// The ids of the `k` rows nearest to a vector by cosine, the nearest first.
    fn nearest(&mut self, query: &[f32], k: u32) -> Result<Vec<u64>, StoreError>;
}

/// What can go wrong with a store. No vector is in it, and no address either, which may hold a password.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// There was no connection to begin with.
    #[error("cannot connect to {store}: {reason}")]
    Unreachable {
        /// Which store.
        store: &'static str,
        /// What its client said.
        reason: String,
    },
    /// There is no connection any more. Whether the last transaction was stored cannot be told.
    #[error("the connection to {store} was lost: {reason}")]
    Lost {
        /// Which store.
        store: &'static str,
        /// What its client said.
        reason: String,
    },
    /// The store is there, but does not do what it was asked.
    #[error("{store} refused: {reason}")]
    Refused {
        /// Which store.
        store: &'static str,
        /// What it said.
        reason: String,
    },
    /// Both stores have signed integers for ids.
    #[error("an id does not fit into 63 bits")]
    Id,
}

/// An id as databases have it.
pub(crate) fn to_column(id: u64) -> Result<i64, StoreError> {
    i64::try_from(id).map_err(|_| StoreError::Id)
}

/// An id from a database; one that this program did not write may be negative.
pub(crate) fn from_column(id: i64) -> Result<u64, StoreError> {
    u64::try_from(id).map_err(|_| StoreError::Id)
}
