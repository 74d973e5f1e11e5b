//! Batches: mechanisms over many rows, on all cores, without allocation per row.

use rayon::prelude::*;

use super::vector_mechanism::{OutputUse, VectorMechanism};
use crate::grid_rows::{narrow, wipe};
use crate::{Error, ErrorKind, GridRows, NoiseAddress, NoiseInput, NoiseKey, Secret};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// The number types of rows: `f32` and `f64`. Noise is always drawn and added in `f64`.
pub trait Real: sealed::Sealed + Copy + Send + Sync {
    /// Converts to `f64`, exactly.
    fn widen(self) -> f64;
    /// Converts to the nearest value of this type.
    fn narrow(value: f64) -> Self;
    /// Returns a row as the input that its noise is drawn for.
    fn input(row: &[Self]) -> RowInput<'_>;
}

/// A row as the input that its noise is drawn for.
pub enum RowInput<'r> {
    /// Of `f32`.
    Singles(&'r [f32]),
    /// Of `f64`.
    Doubles(&'r [f64]),
}

impl NoiseInput for RowInput<'_> {
    fn encode(&self, to: &mut dyn FnMut(&[u8])) {
        match self {
            Self::Singles(row) => row.encode(to),
            Self::Doubles(row) => row.encode(to),
        }
    }
}

impl std::fmt::Debug for RowInput<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RowInput(redacted)")
    }
}

impl Real for f32 {
    fn widen(self) -> f64 {
        f64::from(self)
    }
    fn narrow(value: f64) -> Self {
        value as f32
    }
    fn input(row: &[Self]) -> RowInput<'_> {
        RowInput::Singles(row)
    }
}

impl Real for f64 {
    fn widen(self) -> f64 {
        self
    }
    fn narrow(value: f64) -> Self {
        value
    }
    fn input(row: &[Self]) -> RowInput<'_> {
        RowInput::Doubles(row)
    }
}

/// Adds noise to every row of a row-major matrix for a release, in parallel. Row i has the address
/// `first` plus i records, so the result does not depend on batch sizes or threads. The noise also
/// depends on the row and on the mechanism (see [`NoiseKey`]): repeating a release repeats its
/// bytes, and another row or another budget gets fresh noise.
///
/// ```
/// use inkveil_privacy::{Epsilon, LaplaceL2, NoiseAddress, NoiseKey, release_rows};
///
/// let mechanism = LaplaceL2::new(2, Epsilon::new(10.0)?)?;
/// let mut rows = [0.1f32, 0.2, 0.3, 0.4]; // two rows
/// release_rows(&mechanism, &mut rows, NoiseAddress::record(0), &NoiseKey::fresh()?)?;
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
///
/// # Errors
/// Returns the error of the first invalid row with its record number, counted from 1. All rows are
/// then set to zero.
pub fn release_rows<'r, T: Real>(
    mechanism: &dyn VectorMechanism,
    rows: &'r mut [T],
    first: NoiseAddress,
    key: &NoiseKey,
) -> Result<GridRows<'r, T>, Error> {
    consecutive(mechanism, rows, first, OutputUse::Released, key)?;
    Ok(GridRows::snapped(rows, mechanism.dim(), mechanism.grid()))
}

/// As [`release_rows`], for rows that are decoded and dropped. They are not on a grid and must not
/// be released.
///
/// # Errors
/// As [`release_rows`].
pub fn perturb_rows<T: Real>(
    mechanism: &dyn VectorMechanism,
    rows: &mut [T],
    first: NoiseAddress,
    key: &NoiseKey,
) -> Result<(), Error> {
    consecutive(mechanism, rows, first, OutputUse::Decoded, key)
}

fn consecutive<T: Real>(
    mechanism: &dyn VectorMechanism,
    rows: &mut [T],
    first: NoiseAddress,
    output: OutputUse,
    key: &NoiseKey,
) -> Result<(), Error> {
    let count = (rows.len() / mechanism.dim().max(1)) as u64;
    if first.after(count).is_none() {
        wipe(rows);
        return Err(Error::parameter("the number of a record", "below 2^64", "larger"));
    }
    noise_rows(mechanism.dim(), rows, output, key, |index| {
        // No row is beyond the last one.
        (mechanism, first.after(index as u64).unwrap_or(first))
    })
}

/// As [`release_rows`], with a mechanism and an address for each row: tokens of different groups
/// and documents in one batch. Each row is on the grid of its mechanism, so that what is decoded
/// from it has the same slack.
///
/// # Errors
/// As [`release_rows`]; also if two rows have the same address.
pub fn perturb_rows_by<'m, T: Real>(
    dim: usize,
    rows: &mut [T],
    key: &NoiseKey,
    choose: impl Fn(usize) -> (&'m dyn VectorMechanism, NoiseAddress) + Sync,
) -> Result<(), Error> {
    let mut addresses: Vec<NoiseAddress> =
        (0..rows.len() / dim.max(1)).map(|index| choose(index).1).collect();
    addresses.sort_unstable();
    if addresses.windows(2).any(|pair| pair[0] == pair[1]) {
        wipe(rows);
        return Err(ErrorKind::AddressReused.into());
    }
    noise_rows(dim, rows, OutputUse::Released, key, choose)
}

fn noise_rows<'m, T: Real>(
    dim: usize,
    rows: &mut [T],
    output: OutputUse,
    key: &NoiseKey,
    choose: impl Fn(usize) -> (&'m dyn VectorMechanism, NoiseAddress) + Sync,
) -> Result<(), Error> {
    if dim == 0 || !rows.len().is_multiple_of(dim) {
        let found = rows.len();
        wipe(rows);
        return Err(ErrorKind::Dimension { expected: dim, found }.into());
    }
    let failure = rows
        .par_chunks_exact_mut(dim)
        .enumerate()
        .with_min_len(8)
        .map_init(
            || (key.stream(NoiseAddress::record(0), &()), Secret::new(vec![0.0; dim])),
            |(stream, wide), (index, row)| {
                let wide = wide.expose_mut();
                let (mechanism, address) = choose(index);
                key.reseat(stream, address, &(&mechanism.checksum()[..], T::input(row)));
                wide.iter_mut().zip(row.iter()).for_each(|(w, x)| *w = x.widen());
                let noised = mechanism.perturb(wide, output, stream);
                let narrowed = narrow(wide, row);
                noised.and(narrowed).map_err(|error| error.in_row(address.record_number()))
            },
        )
        .find_first(Result::is_err);
    match failure {
        None => Ok(()),
        Some(failure) => {
            wipe(rows);
            failure
        }
    }
}
