//! Batches: the same mechanisms over many rows, on all cores, with no allocation per row.

use rayon::prelude::*;

use super::VectorMechanism;
use crate::{Error, ErrorKind, Grid, NoiseKey, Purpose, Secret};

/// The address of one row's noise: the record it belongs to and its position there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The record, such as the row of a file.
    pub record: u64,
    /// The position in the record, such as a token's index.
    pub position: u64,
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// The number types rows may have: `f32` and `f64`. Noise is always drawn and added in `f64`.
pub trait Real: sealed::Sealed + Copy + Send + Sync {
    /// As `f64`, exactly.
    fn widen(self) -> f64;
    /// The nearest value of this type.
    fn narrow(value: f64) -> Self;
}

impl Real for f32 {
    fn widen(self) -> f64 {
        f64::from(self)
    }
    fn narrow(value: f64) -> Self {
        value as f32
    }
}

impl Real for f64 {
    fn widen(self) -> f64 {
        self
    }
    fn narrow(value: f64) -> Self {
        value
    }
}

/// Perturbs every row of a row-major matrix, in parallel. Row i is record `first_record + i` of the key, so the
/// result does not depend on batch sizes or threads. A key noises each record once: see [`NoiseKey`].
///
/// ```
/// use inkveil_privacy::{Epsilon, LaplaceL2, NoiseKey, VectorMechanism, perturb_rows};
///
/// let mechanism = LaplaceL2::new(2, Epsilon::new(10.0)?)?;
/// let mut rows = [0.1f32, 0.2, 0.3, 0.4]; // two rows
/// perturb_rows(&mechanism, &mut rows, 0, mechanism.grid(), &NoiseKey::fresh()?)?;
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
///
/// # Errors
/// The error of the first bad row, naming it (`first_record` + its index, counted from 1). The rows then hold
/// nothing meaningful and must not be released.
pub fn perturb_rows<T: Real>(
    mechanism: &dyn VectorMechanism,
    rows: &mut [T],
    first_record: u64,
    grid: Option<Grid>,
    key: &NoiseKey,
) -> Result<(), Error> {
    perturb_rows_by(mechanism.dim(), rows, grid, key, |index| {
        (mechanism, Place { record: first_record.wrapping_add(index as u64), position: 0 })
    })
}

/// As [`perturb_rows`], with a mechanism and a place chosen for each row: tokens of different groups, and of
/// different documents, in one batch.
///
/// # Errors
/// As [`perturb_rows`]; the row named is the record's number, counted from 1.
pub fn perturb_rows_by<'m, T: Real>(
    dim: usize,
    rows: &mut [T],
    grid: Option<Grid>,
    key: &NoiseKey,
    choose: impl Fn(usize) -> (&'m dyn VectorMechanism, Place) + Sync,
) -> Result<(), Error> {
    if dim == 0 || !rows.len().is_multiple_of(dim) {
        return Err(ErrorKind::Dimension { expected: dim, found: rows.len() }.into());
    }
    let failure = rows
        .par_chunks_exact_mut(dim)
        .enumerate()
        .with_min_len(8)
        .map_init(
            || (key.stream(0, 0, Purpose::NOISE), Secret::new(vec![0.0; dim])),
            |(stream, wide), (index, row)| {
                let wide = wide.expose_mut();
                let (mechanism, place) = choose(index);
                key.reseat(stream, place.record, place.position, Purpose::NOISE);
                wide.iter_mut().zip(row.iter()).for_each(|(w, x)| *w = x.widen());
                mechanism
                    .perturb(wide, grid, stream)
                    .map_err(|error| error.in_row(place.record.wrapping_add(1)))?;
                row.iter_mut().zip(wide.iter()).for_each(|(x, w)| *x = T::narrow(*w));
                Ok(())
            },
        )
        .find_first(Result::is_err);
    failure.unwrap_or(Ok(()))
}
