//! Batches: the same mechanisms over many rows, on all cores, with no allocation per row.

use rayon::prelude::*;

use super::{Fate, VectorMechanism};
use crate::{Error, ErrorKind, NoiseKey, NoiseStream, Purpose, Secret};

/// The address of one row's noise: the record it belongs to, its position there, and what the noise is for.
///
/// ```
/// use inkveil_privacy::{Place, Purpose};
///
/// // The second vector column of record 7.
/// let place = Place::record(7).position(1);
/// assert_eq!(place, Place::record(7).position(1).purpose(Purpose::NOISE));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    record: u64,
    position: u64,
    purpose: Purpose,
}

impl Place {
    /// The first position of a record, such as the row of a file, for the noise of a mechanism.
    pub fn record(record: u64) -> Self {
        Self { record, position: 0, purpose: Purpose::NOISE }
    }

    /// Another position in the record, such as a token's index or a column's.
    pub fn position(self, position: u64) -> Self {
        Self { position, ..self }
    }

    /// Noise for something else.
    pub fn purpose(self, purpose: Purpose) -> Self {
        Self { purpose, ..self }
    }

    /// The randomness of this place.
    pub fn stream(self, key: &NoiseKey) -> NoiseStream {
        key.stream(self.record, self.position, self.purpose)
    }
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

/// Perturbs every row of a row-major matrix, in parallel. Row i is at `first`, i records on, so the result does not depend on
/// batch sizes or threads. A key noises each place once (see [`NoiseKey`]): a second column of the same records needs another
/// position.
///
/// ```
/// use inkveil_privacy::{Epsilon, Fate, LaplaceL2, NoiseKey, Place, perturb_rows};
///
/// let mechanism = LaplaceL2::new(2, Epsilon::new(10.0)?)?;
/// let mut rows = [0.1f32, 0.2, 0.3, 0.4]; // two rows
/// perturb_rows(&mechanism, &mut rows, Place::record(0), Fate::Released, &NoiseKey::fresh()?)?;
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
///
/// # Errors
/// The error of the first bad row, naming its record, counted from 1. All rows are then zero.
pub fn perturb_rows<T: Real>(
    mechanism: &dyn VectorMechanism,
    rows: &mut [T],
    first: Place,
    fate: Fate,
    key: &NoiseKey,
) -> Result<(), Error> {
    let count = (rows.len() / mechanism.dim().max(1)) as u64;
    if first.record.checked_add(count).is_none() {
        wipe(rows);
        return Err(Error::parameter("the number of a record", "below 2^64", "larger"));
    }
    noise_rows(mechanism.dim(), rows, fate, key, |index| {
        (mechanism, Place { record: first.record.wrapping_add(index as u64), ..first })
    })
}

/// As [`perturb_rows`], with a mechanism and a place chosen for each row: tokens of different groups, and of different
/// documents, in one batch.
///
/// # Errors
/// As [`perturb_rows`]; also if two rows have the same place.
pub fn perturb_rows_by<'m, T: Real>(
    dim: usize,
    rows: &mut [T],
    fate: Fate,
    key: &NoiseKey,
    choose: impl Fn(usize) -> (&'m dyn VectorMechanism, Place) + Sync,
) -> Result<(), Error> {
    let mut places: Vec<Place> = (0..rows.len() / dim.max(1)).map(|index| choose(index).1).collect();
    places.sort_unstable();
    if places.windows(2).any(|pair| pair[0] == pair[1]) {
        wipe(rows);
        return Err(ErrorKind::PlaceReused.into());
    }
    noise_rows(dim, rows, fate, key, choose)
}

fn noise_rows<'m, T: Real>(
    dim: usize,
    rows: &mut [T],
    fate: Fate,
    key: &NoiseKey,
    choose: impl Fn(usize) -> (&'m dyn VectorMechanism, Place) + Sync,
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
                let (mechanism, Place { record, position, purpose }) = choose(index);
                key.reseat(stream, record, position, purpose);
                wide.iter_mut().zip(row.iter()).for_each(|(w, x)| *w = x.widen());
                let noised = mechanism.perturb(wide, fate, stream);
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

/// Rows that were not all noised hold input: none of it is handed back.
fn wipe<T: Real>(rows: &mut [T]) {
    rows.fill(T::narrow(0.0));
}
