//! Batches: mechanisms over many rows, on all cores, without allocation per row.

use rayon::prelude::*;

use super::vector_mechanism::{OutputUse, VectorMechanism};
use crate::{Error, ErrorKind, NoiseKey, NoiseStream, Purpose, Secret};

/// The address of one row's noise: the record, the position in the record, and the purpose of the
/// noise.
///
/// ```
/// use inkveil_privacy::{NoiseAddress, Purpose};
///
/// // The second vector column of record 7.
/// let address = NoiseAddress::record(7).position(1);
/// assert_eq!(address, NoiseAddress::record(7).position(1).purpose(Purpose::NOISE));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoiseAddress {
    record: u64,
    position: u64,
    purpose: Purpose,
}

impl NoiseAddress {
    /// The first position of a record, such as a row of a file, for the noise of a mechanism.
    pub fn record(record: u64) -> Self {
        Self { record, position: 0, purpose: Purpose::NOISE }
    }

    /// Returns another position in the record, such as the index of a token or a column.
    pub fn position(self, position: u64) -> Self {
        Self { position, ..self }
    }

    /// Returns the same address for another purpose.
    pub fn purpose(self, purpose: Purpose) -> Self {
        Self { purpose, ..self }
    }

    /// Returns the stream of this address.
    pub fn stream(self, key: &NoiseKey) -> NoiseStream {
        key.stream(self.record, self.position, self.purpose)
    }
}

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

/// Perturbs every row of a row-major matrix, in parallel. Row i has the address `first` plus i
/// records, so the result does not depend on batch sizes or threads. A key must use each address
/// only once (see [`NoiseKey`]): a second column of the same records needs another position.
///
/// ```
/// use inkveil_privacy::{Epsilon, LaplaceL2, NoiseAddress, NoiseKey, OutputUse, perturb_rows};
///
/// let mechanism = LaplaceL2::new(2, Epsilon::new(10.0)?)?;
/// let mut rows = [0.1f32, 0.2, 0.3, 0.4]; // two rows
/// perturb_rows(&mechanism, &mut rows, NoiseAddress::record(0), OutputUse::Released, &NoiseKey::fresh()?)?;
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
///
/// # Errors
/// Returns the error of the first invalid row with its record number, counted from 1. All rows are
/// then set to zero.
pub fn perturb_rows<T: Real>(
    mechanism: &dyn VectorMechanism,
    rows: &mut [T],
    first: NoiseAddress,
    output: OutputUse,
    key: &NoiseKey,
) -> Result<(), Error> {
    let count = (rows.len() / mechanism.dim().max(1)) as u64;
    if first.record.checked_add(count).is_none() {
        wipe(rows);
        return Err(Error::parameter("the number of a record", "below 2^64", "larger"));
    }
    noise_rows(mechanism.dim(), rows, output, key, |index| {
        (mechanism, NoiseAddress { record: first.record.wrapping_add(index as u64), ..first })
    })
}

/// As [`perturb_rows`], with a mechanism and an address for each row: tokens of different groups
/// and documents in one batch.
///
/// # Errors
/// As [`perturb_rows`]; also if two rows have the same address.
pub fn perturb_rows_by<'m, T: Real>(
    dim: usize,
    rows: &mut [T],
    output: OutputUse,
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
    noise_rows(dim, rows, output, key, choose)
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
            || (key.stream(0, 0, Purpose::NOISE), Secret::new(vec![0.0; dim])),
            |(stream, wide), (index, row)| {
                let wide = wide.expose_mut();
                let (mechanism, NoiseAddress { record, position, purpose }) = choose(index);
                key.reseat(stream, record, position, purpose);
                wide.iter_mut().zip(row.iter()).for_each(|(w, x)| *w = x.widen());
                let noised = mechanism.perturb(wide, output, stream);
                row.iter_mut().zip(wide.iter()).for_each(|(x, w)| *x = T::narrow(*w));
                let fits = row.iter().fold(true, |fits, x| fits & x.widen().is_finite());
                let narrowed = if fits { Ok(()) } else { Err(ErrorKind::Overflow.into()) };
                noised.and(narrowed).map_err(|error| error.in_row(record))
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

/// After an error some rows may still hold input, so all of them are cleared.
fn wipe<T: Real>(rows: &mut [T]) {
    rows.fill(T::narrow(0.0));
}
