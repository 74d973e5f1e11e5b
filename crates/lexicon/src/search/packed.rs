//! The table in the form of the fast product, and the errors of that form.

use half::bf16;
use inkveil_nn::product::{self, Bf16Matrix, Int8Matrix};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::backend::Backend;
use super::bounds::{self, Bounds, Estimate};
use super::candidates::{Candidates, Reached};
use crate::Error;

/// Rows per panel: a panel, a block of queries and their products fit into the second-level cache.
const PANEL: usize = 512;

/// The integers of a row range from −127 to 127.
const TOP: f32 = 127.0;

/// If the mean residual of 8-bit rows exceeds this share of the spread of random scores, shortlists
/// become so long that a 16-bit product is faster.
const COARSE: f64 = 0.3;

/// Products of longer rows could overflow.
const LONGEST: f64 = 1e15;

/// Covers the rounding errors of norms, radii and comparisons, each a few units in the last place.
const MARGIN: f64 = 1.0 + 1e-5;

/// A table packed panel by panel.
pub(super) struct PackedTable {
    dim: usize,
    /// The row at each position, or `None` if position and row are the same.
    ids: Option<Vec<u32>>,
    panels: Vec<Panel>,
    /// The length of the longest allowed row.
    longest: f64,
    backend: Backend,
}

struct Panel {
    matrix: PanelMatrix,
    /// The scale of each row; see [`Bounds`].
    scales: Vec<f32>,
    /// The residual ‖t − t̂‖ of each row.
    radii: Vec<f32>,
    /// The largest radius.
    widest: f32,
}

impl Panel {
    fn new(matrix: PanelMatrix, scales: Vec<f32>, radii: Vec<f32>) -> Self {
        let widest = radii.iter().copied().fold(0.0, f32::max);
        Self { matrix, scales, radii, widest }
    }
}

enum PanelMatrix {
    Int8(Int8Matrix),
    Bf16(Bf16Matrix),
    /// The rows are read from the table.
    InTable,
}

impl PackedTable {
    pub(super) fn new(
        table: &[f32],
        dim: usize,
        allowed: &[u32],
        backend: Option<Backend>,
    ) -> Result<Self, Error> {
        let row = |id: u32| &table[id as usize * dim..][..dim];
        let longest = allowed.par_iter().map(|&id| norm(row(id))).reduce(|| 0.0, f64::max);
        if longest > LONGEST {
            return Err(Error::argument(format!("a row is longer than {LONGEST}; normalise the table")));
        }
        let packed = |backend, ids, panels| Self { dim, ids, panels, longest, backend };
        let gathered = |backend, make: &(dyn Fn(&[u32]) -> Result<Panel, Error> + Sync)| {
            let panels = allowed.par_chunks(PANEL).map(make).collect::<Result<Vec<_>, Error>>()?;
            Ok(packed(backend, Some(allowed.to_vec()), panels))
        };
        let int8 = |ids: &[u32]| int8_panel(ids, row, dim);
        let bf16 = |ids: &[u32]| bf16_panel(ids, row, dim);
        match backend {
            Some(Backend::F32) => Ok(packed(Backend::F32, None, in_table(table.len() / dim, allowed))),
            Some(Backend::Bf16) => gathered(Backend::Bf16, &bf16),
            Some(Backend::Int8) => gathered(Backend::Int8, &int8),
            None if !product::has_fast_int8() || dim > Int8Matrix::MAX_COLUMNS => {
                Ok(packed(Backend::F32, None, in_table(table.len() / dim, allowed)))
            }
            None => {
                let packed = gathered(Backend::Int8, &int8)?;
                match packed.mean_radius() > COARSE * spread(allowed, row, dim) {
                    true => gathered(Backend::Bf16, &bf16),
                    false => Ok(packed),
                }
            }
        }
    }

    pub(super) fn backend(&self) -> Backend {
        self.backend
    }

    pub(super) fn panel_count(&self) -> usize {
        self.panels.len()
    }

    /// Returns the row at a position.
    pub(super) fn id(&self, position: u32) -> u32 {
        self.ids.as_ref().map_or(position, |ids| ids[position as usize])
    }

    fn mean_radius(&self) -> f64 {
        let radii = || self.panels.iter().flat_map(|panel| &panel.radii);
        radii().copied().map(f64::from).sum::<f64>() / radii().count().max(1) as f64
    }

    /// Scans one share of the panels for each query.
    pub(super) fn scan(
        &self,
        table: &[f32],
        queries: &[f32],
        k: usize,
        share: usize,
        shares: usize,
    ) -> Result<Vec<Candidates>, Error> {
        let panels = self.panels.len();
        let mine = panels * share / shares..panels * (share + 1) / shares;
        let queries: Vec<Scaled> = queries.chunks(self.dim).map(Scaled::new).collect();
        match self.backend {
            Backend::Int8 => self.scan_int8(&queries, k, mine),
            Backend::Bf16 => self.scan_bf16(&queries, k, mine),
            Backend::F32 => self.scan_f32(table, &queries, k, mine),
        }
    }

    fn scan_int8(
        &self,
        queries: &[Scaled],
        k: usize,
        mine: std::ops::Range<usize>,
    ) -> Result<Vec<Candidates>, Error> {
        let (mut left, mut errors) = (vec![0_i8; queries.len() * self.dim], Vec::new());
        for (query, out) in queries.iter().zip(left.chunks_mut(self.dim)) {
            // Bounds are in units of the query's scale, which saves a multiplication per
            // comparison.
            let (scale, residual) = to_int8(&query.values, out);
            let reach = norm_int8(out);
            let slack = residual / scale * self.longest + 1e-6 * reach * 2.0 * self.longest;
            errors.push(QueryError::new(reach, slack, scale * query.unit));
        }
        self.scan_with(k, mine, &errors, |matrix, _, out| match matrix {
            PanelMatrix::Int8(matrix) => Ok(matrix.multiply(&left, out)?),
            _ => Ok(()),
        })
    }

    fn scan_bf16(
        &self,
        queries: &[Scaled],
        k: usize,
        mine: std::ops::Range<usize>,
    ) -> Result<Vec<Candidates>, Error> {
        let mut left = Vec::with_capacity(queries.len() * self.dim);
        let mut errors = Vec::new();
        for query in queries {
            let start = left.len();
            left.extend(query.values.iter().map(|&x| bf16::from_f32(x)));
            let seen: Vec<f32> = left[start..].iter().map(|x| x.to_f32()).collect();
            let (reach, residual) = (norm(&seen), distance(&query.values, &seen));
            errors.push(QueryError::new(reach, residual * self.longest + self.summing(reach), query.unit));
        }
        self.scan_with(k, mine, &errors, |matrix, _, out| match matrix {
            PanelMatrix::Bf16(matrix) => Ok(matrix.multiply(&left, out)?),
            _ => Ok(()),
        })
    }

    fn scan_f32(
        &self,
        table: &[f32],
        queries: &[Scaled],
        k: usize,
        mine: std::ops::Range<usize>,
    ) -> Result<Vec<Candidates>, Error> {
        let left: Vec<f32> = queries.iter().flat_map(|query| query.values.iter().copied()).collect();
        let errors: Vec<QueryError> = queries
            .iter()
            .map(|query| {
                let length = norm(&query.values);
                QueryError::new(0.0, self.summing(length), query.unit)
            })
            .collect();
        self.scan_with(k, mine, &errors, |_, panel, out| {
            let start = panel * PANEL * self.dim;
            let end = table.len().min(start + PANEL * self.dim);
            Ok(product::f32_product(&left, &table[start..end], self.dim, out)?)
        })
    }

    /// Returns the largest error of the dot product of a row and a query of this length, for any
    /// order of summation.
    fn summing(&self, reach: f64) -> f64 {
        let d = self.dim as f64 * f64::from(f32::EPSILON);
        // The rows that the product sees may be longer than the original rows, by less than a half.
        // Queries are scaled so that their largest coordinate is near 1, so the last term covers
        // underflow.
        d / (1.0 - d) * reach * self.longest * 1.5 + self.dim as f64 * 1e-30 * (1.0 + self.longest)
    }

    fn scan_with<T: Estimate + Default>(
        &self,
        k: usize,
        mine: std::ops::Range<usize>,
        errors: &[QueryError],
        mut multiply: impl FnMut(&PanelMatrix, usize, &mut [T]) -> Result<(), Error>,
    ) -> Result<Vec<Candidates>, Error> {
        let mut candidates: Vec<Candidates> =
            errors.iter().map(|error| Candidates::new(k, error.unit)).collect();
        let (mut out, mut reached) = (vec![T::default(); errors.len() * PANEL], Reached::new());
        for at in mine {
            let panel = &self.panels[at];
            let width = panel.radii.len();
            let out = &mut out[..errors.len() * width];
            multiply(&panel.matrix, at, out)?;
            for ((estimates, error), candidates) in out.chunks(width).zip(errors).zip(&mut candidates) {
                let bounds = Bounds {
                    estimates,
                    scales: &panel.scales,
                    radii: &panel.radii,
                    widest: panel.widest,
                    reach: error.reach,
                    slack: error.slack,
                };
                candidates.add_panel(bounds, (at * PANEL) as u32, &mut reached);
            }
        }
        Ok(candidates)
    }
}

/// The part of the error that depends on the query.
struct QueryError {
    /// ‖q̂‖, the factor of every row's radius.
    reach: f32,
    /// The part that does not depend on the row.
    slack: f32,
    /// The factor from estimates to scores.
    unit: f64,
}

impl QueryError {
    fn new(reach: f64, slack: f64, unit: f64) -> Self {
        Self { reach: upward(reach), slack: upward(slack), unit }
    }
}

/// Rounds up to an `f32`, with a margin for the rounding of later operations.
fn upward(bound: f64) -> f32 {
    (bound * MARGIN) as f32 + f32::MIN_POSITIVE
}

/// A query scaled by a power of two, so that its largest coordinate is near 1 and nothing
/// overflows. Its nearest rows stay the same.
struct Scaled {
    values: Vec<f32>,
    /// The factor from scores of the scaled query to scores of the query.
    unit: f64,
}

impl Scaled {
    fn new(query: &[f32]) -> Self {
        let largest = largest(query);
        // In two steps, because the power itself may exceed the range of floats.
        let exponent = if largest > 0.0 { -largest.log2().floor() } else { 0.0 };
        let (first, second) = ((exponent / 2.0).floor(), exponent - (exponent / 2.0).floor());
        let values = query.iter().map(|x| x * first.exp2() * second.exp2()).collect();
        Self { values, unit: f64::from(-exponent).exp2() }
    }
}

fn int8_panel<'a>(ids: &[u32], row: impl Fn(u32) -> &'a [f32], dim: usize) -> Result<Panel, Error> {
    let (mut values, mut scales, mut radii) = (vec![0; ids.len() * dim], Vec::new(), Vec::new());
    for (&id, out) in ids.iter().zip(values.chunks_mut(dim)) {
        let (scale, residual) = to_int8(row(id), out);
        scales.push(scale as f32);
        radii.push(upward(residual));
    }
    Ok(Panel::new(PanelMatrix::Int8(Int8Matrix::pack(&values, dim)?), scales, radii))
}

fn bf16_panel<'a>(ids: &[u32], row: impl Fn(u32) -> &'a [f32], dim: usize) -> Result<Panel, Error> {
    let (mut values, mut radii) = (Vec::with_capacity(ids.len() * dim), Vec::new());
    for &id in ids {
        let start = values.len();
        values.extend(row(id).iter().map(|&x| bf16::from_f32(x)));
        let seen: Vec<f32> = values[start..].iter().map(|x| x.to_f32()).collect();
        radii.push(upward(distance(row(id), &seen)));
    }
    let scales = vec![1.0; ids.len()];
    Ok(Panel::new(PanelMatrix::Bf16(Bf16Matrix::pack(&values, dim)?), scales, radii))
}

/// Makes panels that read from the table.
fn in_table(rows: usize, allowed: &[u32]) -> Vec<Panel> {
    let mut scales = vec![f32::NAN; rows];
    for &id in allowed {
        scales[id as usize] = 1.0;
    }
    let panel = |scales: &[f32]| Panel::new(PanelMatrix::InTable, scales.to_vec(), vec![0.0; scales.len()]);
    scales.chunks(PANEL).map(panel).collect()
}

/// Returns the spread of row scores for a random query of length 1: their distance from the mean
/// row, divided by the square root of the dimension.
fn spread<'a>(ids: &[u32], row: impl Fn(u32) -> &'a [f32] + Sync, dim: usize) -> f64 {
    let empty = || (vec![0.0; dim], 0.0);
    let (sum, squares) = ids
        .par_iter()
        .fold(empty, |(mut sum, squares), &id| {
            sum.iter_mut().zip(row(id)).for_each(|(sum, &x)| *sum += f64::from(x));
            (sum, squares + bounds::dot(row(id), row(id)))
        })
        .reduce(empty, |(mut sum, squares), (other, more)| {
            sum.iter_mut().zip(other).for_each(|(sum, x)| *sum += x);
            (sum, squares + more)
        });
    let count = ids.len() as f64;
    let mean = sum.iter().map(|x| (x / count).powi(2)).sum::<f64>();
    ((squares / count - mean).max(0.0) / dim as f64).sqrt()
}

/// Rounds a row to integers. Returns the scale and the length of the residual.
fn to_int8(row: &[f32], out: &mut [i8]) -> (f64, f64) {
    let largest = largest(row);
    // A row too small for a scale is treated as zero: all of it is residual.
    let scale = if largest > f32::MIN_POSITIVE * 1024.0 { largest / TOP } else { 1.0 };
    let squares = Arch::new().dispatch(Round { row, scale, out });
    (scale.into(), squares.sqrt())
}

/// Rounds a row to integers in units of `scale` and returns the squared length of the residual.
struct Round<'a> {
    row: &'a [f32],
    scale: f32,
    out: &'a mut [i8],
}

impl WithSimd for Round<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        const LANES: usize = 16;
        let Self { row, scale, out } = self;
        let inverse = 1.0 / scale;
        let one = |x: f32, out: &mut i8| {
            let whole = (x * inverse).round_ties_even().clamp(-TOP, TOP);
            *out = whole as i8;
            let missed = f64::from(x) - f64::from(whole) * f64::from(scale);
            missed * missed
        };
        let mut squares = [0.0_f64; LANES];
        let (blocks, rest) = row.as_chunks::<LANES>();
        let (out_blocks, out_rest) = out.as_chunks_mut::<LANES>();
        for (row, out) in blocks.iter().zip(out_blocks) {
            for lane in 0..LANES {
                squares[lane] += one(row[lane], &mut out[lane]);
            }
        }
        squares.iter().sum::<f64>() + rest.iter().zip(out_rest).map(|(&x, out)| one(x, out)).sum::<f64>()
    }
}

fn norm_int8(row: &[i8]) -> f64 {
    let squares: i64 = row.iter().map(|&x| i64::from(i32::from(x) * i32::from(x))).sum();
    (squares as f64).sqrt()
}

fn largest(row: &[f32]) -> f32 {
    row.iter().fold(0.0, |largest, x| largest.max(x.abs()))
}

fn norm(row: &[f32]) -> f64 {
    bounds::dot(row, row).sqrt()
}

fn distance(a: &[f32], b: &[f32]) -> f64 {
    let squares = a.iter().zip(b).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2));
    squares.sum::<f64>().sqrt()
}
