//! The queries of a search.

use crate::Error;
use crate::retrieval::SearchTask;

/// The number of results that count.
pub(super) const NEAREST: usize = 10;
/// The number of results that are ranked again by clean vectors.
pub(super) const RERANKED: usize = 100;

/// The vectors of queries, and their results among clear documents.
pub(super) struct Queries {
    pub(super) vectors: Vec<f32>,
    pub(super) found: Vec<Vec<usize>>,
}

impl Queries {
    pub(super) fn new(
        task: &SearchTask,
        vectors: Vec<f32>,
        documents: &[f32],
        dim: usize,
    ) -> Result<Self, Error> {
        let found = task.search(&vectors, documents, dim, NEAREST)?;
        Ok(Self { vectors, found })
    }
}
