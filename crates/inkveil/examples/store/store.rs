//! The interface of a vector store.

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

/// An error of a store. It contains no vector and no address, because an address may contain a password.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// The connection could not be opened.
    #[error("cannot connect to {store}: {reason}")]
    Unreachable {
        /// Which store.
        store: &'static str,
        /// The message of its client.
        reason: String,
    },
    /// The connection was lost. It is not known whether the last transaction was stored.
    #[error("the connection to {store} was lost: {reason}")]
    Lost {
        /// Which store.
        store: &'static str,
        /// The message of its client.
        reason: String,
    },
    /// The store refused a request.
    #[error("{store} refused: {reason}")]
    Refused {
        /// Which store.
        store: &'static str,
        /// Its message.
        reason: String,
    },
    /// Both stores have signed integers for ids.
    #[error("an id does not fit into 63 bits")]
    Id,
}

/// Converts an id to the signed integer of a database.
pub(crate) fn to_column(id: u64) -> Result<i64, StoreError> {
    i64::try_from(id).map_err(|_| StoreError::Id)
}

/// Converts an id from a database. An id that another program wrote may be negative.
pub(crate) fn from_column(id: i64) -> Result<u64, StoreError> {
    u64::try_from(id).map_err(|_| StoreError::Id)
}
