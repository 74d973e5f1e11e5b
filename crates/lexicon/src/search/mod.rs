//! Exact nearest rows by cosine, at the speed of the machine.
//!
//! # How, and why the answer is exact
//!
//! The score of a row t for a query q is q·t, in `f64`. Scoring every row that way is slow, so a fast product gives
//! an estimate of every score together with a bound on its error, and only rows that may be among the best by their bounds are
//! scored in `f64`. The estimates decide how long that shortlist is, never what comes out of it.
//!
//! Let t̂ and q̂ be what the fast product sees (8-bit integers times a scale, 16-bit floats, or the numbers themselves). Then
//!
//! q·t − q̂·t̂ = q̂·(t − t̂) + (q − q̂)·t, so |q·t − q̂·t̂| ≤ ‖q̂‖·‖t − t̂‖ + ‖q − q̂‖·‖t‖
//!
//! by Cauchy–Schwarz. The norms of the residuals are computed, not assumed: ‖t − t̂‖ for every row when it is packed, ‖q − q̂‖
//! for every query. The product itself rounds: integers are summed exactly; a sum of d floats, in any order, is off by at most
//! γ·‖q̂‖·‖t̂‖ with γ = d·u/(1 − d·u) and u = 2⁻²³ (twice the unit roundoff, for hardware that does not round to
//! nearest). Rounding of the norms and of the comparison is covered by a small factor on top.
//!
//! With lower and upper bounds L and U of every score, a row is on the shortlist if its U reaches the k-th largest L. At least
//! k rows score that much, so a row off the shortlist is beaten by k others.

mod bounds;
mod packed;
mod running;

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::{Error, ErrorKind};
use packed::Packed;
use running::Running;

/// Queries that share one pass over the table: enough to amortise reading it, few enough to stay in the cache.
const BLOCK: usize = 128;

/// The error bound of a sum needs far fewer terms than an `f32` has steps between 1 and 2.
const LARGEST_DIM: usize = 1 << 20;

/// Below this many queries, packing the table costs more than it saves.
const WORTH_PACKING: usize = 64;

/// The fast product that makes the shortlist. The answer is the same with each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// 8-bit integers: the fastest where the processor multiplies them in hardware.
    Int8,
    /// 16-bit brain floats: shorter shortlists for rows with a few very large coordinates.
    Bf16,
    /// 32-bit floats, on the table as it is.
    F32,
}

/// A row that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Its number in the table.
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
    plain: OnceLock<Packed>,
    packed: OnceLock<Packed>,
}

impl Search {
    /// A search over the rows whose numbers are `allowed`. The table is shared, not copied; the backend is chosen by what the
    /// machine has, and packs the table when it is first worth it.
    pub fn new(
        rows: Arc<dyn AsRef<[f32]> + Send + Sync>,
        dim: usize,
        allowed: &[u32],
    ) -> Result<Self, Error> {
        Self::build(rows, dim, allowed, None)
    }

    /// A search that always uses the backend given.
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
            return Err(Error::argument(format!("{} numbers are not whole rows of {dim}", values.len())));
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
            return Err(Error::argument(format!("row {id} holds a number that is not finite")));
        }
        Ok(Self { rows, dim, allowed, backend, plain: OnceLock::new(), packed: OnceLock::new() })
    }

    /// The length of a row.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The numbers of the rows that may be found, in order.
    pub fn allowed(&self) -> &[u32] {
        &self.allowed
    }

    /// The backend that a large batch of queries uses; packs the table if that has not been done.
    pub fn backend(&self) -> Result<Backend, Error> {
        Ok(self.packed(usize::MAX)?.backend())
    }

    /// The row nearest to each query by cosine, the lowest number among equals. Queries are rows of any length above 0.
    pub fn nearest(&self, queries: &[f32]) -> Result<Vec<Match>, Error> {
        Ok(self.nearest_k(queries, 1)?.into_iter().flatten().collect())
    }

    /// The `k` rows nearest to each query, best first, the lower number first among equals; all rows if there are fewer.
    pub fn nearest_k(&self, queries: &[f32], k: usize) -> Result<Vec<Vec<Match>>, Error> {
        if !queries.len().is_multiple_of(self.dim) {
            return Err(Error::argument(format!(
                "{} numbers are not whole queries of {}",
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

        // Threads take blocks of queries; with fewer blocks than threads they also share out the table.
        let threads = rayon::current_num_threads();
        let block = BLOCK.min(count.div_ceil(threads)).max(BLOCK / 4).min(count);
        let blocks: Vec<&[f32]> = queries.chunks(block * self.dim).collect();
        let shares = threads.div_ceil(blocks.len()).min(packed.panel_count());
        let found: Vec<Vec<Vec<Match>>> = blocks
            .into_par_iter()
            .map(|block| {
                let parts: Vec<Vec<Running>> = (0..shares)
                    .into_par_iter()
                    .map(|share| packed.scan(self.table(), block, k, share, shares))
                    .collect::<Result<_, Error>>()?;
                Ok(self.rescore(packed, block, parts, k))
            })
            .collect::<Result<_, Error>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Scores what is on the shortlists in `f64` and keeps the best.
    fn rescore(
        &self,
        packed: &Packed,
        queries: &[f32],
        parts: Vec<Vec<Running>>,
        k: usize,
    ) -> Vec<Vec<Match>> {
        let mut merged: Vec<Option<Running>> = (0..queries.len() / self.dim).map(|_| None).collect();
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
            .map(|(query, running)| {
                running.map_or_else(Vec::new, |running| self.best(packed, query, running, k))
            })
            .collect()
    }

    /// The `k` best of a shortlist. Most of it is never scored: what cannot exceed the k-th score found is no better.
    fn best(&self, packed: &Packed, query: &[f32], running: Running, k: usize) -> Vec<Match> {
        let table = self.table();
        let mut best: Vec<Match> = Vec::with_capacity(k + 1);
        for (position, limit) in running.shortlist() {
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

    /// The packed form for this many queries.
    fn packed(&self, queries: usize) -> Result<&Packed, Error> {
        let small = queries < WORTH_PACKING && self.packed.get().is_none();
        let (cell, backend) = match (self.backend, small) {
            (None, true) => (&self.plain, Some(Backend::F32)),
            (backend, _) => (&self.packed, backend),
        };
        if let Some(packed) = cell.get() {
            return Ok(packed);
        }
        let made = Packed::new(self.table(), self.dim, &self.allowed, backend)?;
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
