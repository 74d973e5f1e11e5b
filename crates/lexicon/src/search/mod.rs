//! Exact search for the nearest rows by cosine.
//!
//! # Why the result is exact
//!
//! The score of a row t for a query q is q·t, in `f64`. Scoring every row that way is slow. So a
//! fast product estimates every score with a bound on its error, and only rows that may be among
//! the best according to these bounds are scored in `f64`. The estimates affect how long this
//! shortlist is, never the result.
//!
//! Let t̂ and q̂ be the inputs of the fast product (8-bit integers times a scale, 16-bit floats, or
//! the numbers themselves). Then
//!
//! q·t − q̂·t̂ = q̂·(t − t̂) + (q − q̂)·t, so |q·t − q̂·t̂| ≤ ‖q̂‖·‖t − t̂‖ + ‖q − q̂‖·‖t‖
//!
//! by Cauchy–Schwarz. The norms of the residuals are computed: ‖t − t̂‖ for every row when it is
//! packed, ‖q − q̂‖ for every query. The product itself rounds. Integers are summed exactly; a sum
//! of d floats in any order has an error of at most γ·‖q̂‖·‖t̂‖ with γ = d·u/(1 − d·u) and u = 2⁻²³
//! (twice the unit roundoff, for hardware that does not round to nearest). A small extra factor
//! covers the rounding of the norms and of the comparison.
//!
//! Let L and U be the lower and upper bounds of every score. A row is on the shortlist if its U
//! reaches the k-th largest L. At least k rows have such a score, so k rows beat every row that is
//! not on the shortlist.

mod backend;
mod bounds;
mod candidates;
mod packed;

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

pub use backend::Backend;
use candidates::Candidates;
use packed::PackedTable;

use crate::{Error, ErrorKind};

/// Queries that share one pass over the table: enough to amortise reading it, and few enough to
/// stay in the cache.
const BLOCK: usize = 128;

/// The longest row. The error bound of a sum holds only for far fewer than 2²³ terms.
const LARGEST_DIM: usize = 1 << 20;

/// Below this many queries, packing the table costs more than it saves.
const WORTH_PACKING: usize = 64;

/// A row that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Its index in the table.
    pub id: u32,
    /// The product of query and row, in `f64`; their cosine if both have length 1.
    pub score: f64,
}

/// A search over the allowed rows of a table.
///
/// ```
/// use inkveil_lexicon::Search;
/// use std::sync::Arc;
///
/// let rows = vec![1.0, 0.0, 0.0, 1.0, -1.0, 0.0]; // three rows of two
/// let search = Search::new(Arc::new(rows), 2, &[0, 2])?;
/// let found = search.nearest(&[0.1, 0.9, -0.8, 0.6])?;
/// assert_eq!((found[0].id, found[1].id), (0, 2)); // row 1 is nearest to both, but not allowed
/// # Ok::<(), inkveil_lexicon::Error>(())
/// ```
pub struct Search {
    rows: Arc<dyn AsRef<[f32]> + Send + Sync>,
    dim: usize,
    allowed: Vec<u32>,
    backend: Option<Backend>,
    plain: OnceLock<PackedTable>,
    packed: OnceLock<PackedTable>,
}

impl Search {
    /// Creates a search over the rows with the `allowed` indices. The table is shared, not copied.
    /// The backend is chosen by the machine's capabilities; it packs the table as soon as that pays
    /// off.
    pub fn new(
        rows: Arc<dyn AsRef<[f32]> + Send + Sync>,
        dim: usize,
        allowed: &[u32],
    ) -> Result<Self, Error> {
        Self::build(rows, dim, allowed, None)
    }

    /// Creates a search that always uses the given backend.
    pub fn with_backend(
        rows: Arc<dyn AsRef<[f32]> + Send + Sync>,
        dim: usize,
        allowed: &[u32],
        backend: Backend,
    ) -> Result<Self, Error> {
        Self::build(rows, dim, allowed, Some(backend))
    }

    fn build(
        rows: Arc<dyn AsRef<[f32]> + Send + Sync>,
        dim: usize,
        allowed: &[u32],
        backend: Option<Backend>,
    ) -> Result<Self, Error> {
        let values = (*rows).as_ref();
        if dim == 0 || dim > LARGEST_DIM || !values.len().is_multiple_of(dim) {
            return Err(Error::argument(format!("{} numbers do not form whole rows of {dim}", values.len())));
        }
        let mut allowed = allowed.to_vec();
        allowed.sort_unstable();
        allowed.dedup();
        let count = values.len() / dim;
        match allowed.last() {
            None => return Err(ErrorKind::NothingAllowed.into()),
            Some(&last) if last as usize >= count => {
                return Err(Error::argument(format!(
                    "row {last} is allowed, but there are only {count} rows"
                )));
            }
            Some(_) => {}
        }
        let row = |id: u32| &values[id as usize * dim..][..dim];
        if let Some(id) = allowed.par_iter().find_first(|&&id| !row(id).iter().all(|x| x.is_finite())) {
            return Err(Error::argument(format!("row {id} contains a number that is not finite")));
        }
        Ok(Self { rows, dim, allowed, backend, plain: OnceLock::new(), packed: OnceLock::new() })
    }

    /// Returns the length of a row.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Returns the indices of the allowed rows, in ascending order.
    pub fn allowed(&self) -> &[u32] {
        &self.allowed
    }

    /// Returns the backend for large batches of queries. Packs the table if necessary.
    pub fn backend(&self) -> Result<Backend, Error> {
        Ok(self.packed(usize::MAX)?.backend())
    }

    /// Returns the row nearest to each query by cosine; of equally near rows, the one with the
    /// lowest index. Queries may have any length.
    pub fn nearest(&self, queries: &[f32]) -> Result<Vec<Match>, Error> {
        Ok(self.nearest_k(queries, 1)?.into_iter().flatten().collect())
    }

    /// Returns the `k` rows nearest to each query, best first, or all rows if there are fewer.
    /// Equally near rows are ordered by index.
    pub fn nearest_k(&self, queries: &[f32], k: usize) -> Result<Vec<Vec<Match>>, Error> {
        if !queries.len().is_multiple_of(self.dim) {
            return Err(Error::argument(format!(
                "{} numbers do not form whole queries of {}",
                queries.len(),
                self.dim
            )));
        }
        if let Some(at) = queries.iter().position(|x| !x.is_finite()) {
            return Err(ErrorKind::NotFinite { query: at / self.dim }.into());
        }
        let count = queries.len() / self.dim;
        if count == 0 || k == 0 {
            return Ok(vec![Vec::new(); count]);
        }
        let k = k.min(self.allowed.len());
        let packed = self.packed(count)?;

        // Threads take blocks of queries. If there are fewer blocks than threads, they also divide
        // the table.
        let threads = rayon::current_num_threads();
        let block = BLOCK.min(count.div_ceil(threads)).max(BLOCK / 4).min(count);
        let blocks: Vec<&[f32]> = queries.chunks(block * self.dim).collect();
        let shares = threads.div_ceil(blocks.len()).min(packed.panel_count());
        let found: Vec<Vec<Vec<Match>>> = blocks
            .into_par_iter()
            .map(|block| {
                let parts: Vec<Vec<Candidates>> = (0..shares)
                    .into_par_iter()
                    .map(|share| packed.scan(self.table(), block, k, share, shares))
                    .collect::<Result<_, Error>>()?;
                Ok(self.rescore(packed, block, parts, k))
            })
            .collect::<Result<_, Error>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Scores the shortlisted rows in `f64` and keeps the best.
    fn rescore(
        &self,
        packed: &PackedTable,
        queries: &[f32],
        parts: Vec<Vec<Candidates>>,
        k: usize,
    ) -> Vec<Vec<Match>> {
        let mut merged: Vec<Option<Candidates>> = (0..queries.len() / self.dim).map(|_| None).collect();
        for part in parts {
            for (all, one) in merged.iter_mut().zip(part) {
                match all {
                    Some(all) => all.merge(one),
                    None => *all = Some(one),
                }
            }
        }
        let queries = queries.chunks(self.dim).zip(merged);
        queries
            .map(|(query, candidates)| {
                candidates.map_or_else(Vec::new, |candidates| self.best(packed, query, candidates, k))
            })
            .collect()
    }

    /// Returns the `k` best rows of a shortlist. It stops at the first row whose upper bound is
    /// below the k-th best score.
    fn best(&self, packed: &PackedTable, query: &[f32], candidates: Candidates, k: usize) -> Vec<Match> {
        let table = self.table();
        let mut best: Vec<Match> = Vec::with_capacity(k + 1);
        for (position, limit) in candidates.shortlist() {
            if best.len() == k && best.last().is_some_and(|last| limit < last.score) {
                break;
            }
            let id = packed.id(position);
            let score = bounds::dot(query, &table[id as usize * self.dim..][..self.dim]);
            let at =
                best.partition_point(|other| other.score > score || (other.score == score && other.id < id));
            best.insert(at, Match { id, score });
            best.truncate(k);
        }
        best
    }

    fn table(&self) -> &[f32] {
        (*self.rows).as_ref()
    }

    /// Returns the packed form for this many queries.
    fn packed(&self, queries: usize) -> Result<&PackedTable, Error> {
        let small = queries < WORTH_PACKING && self.packed.get().is_none();
        let (cell, backend) = match (self.backend, small) {
            (None, true) => (&self.plain, Some(Backend::F32)),
            (backend, _) => (&self.packed, backend),
        };
        if let Some(packed) = cell.get() {
            return Ok(packed);
        }
        let made = PackedTable::new(self.table(), self.dim, &self.allowed, backend)?;
        Ok(cell.get_or_init(|| made))
    }
}

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search")
            .field("dim", &self.dim)
            .field("allowed", &self.allowed.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
