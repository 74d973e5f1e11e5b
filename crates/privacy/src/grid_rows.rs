//! Rows of numbers that only a grid can make.

use std::fmt;

use rayon::prelude::*;

use crate::{Error, ErrorKind, Grid, Real, Secret};

/// Rows whose numbers are multiples of a public step: the only vectors that may be released.
///
/// There are three ways to get them: [`release_rows`](crate::release_rows) adds noise,
/// [`GridRows::without_noise`] rounds numbers that are released as they are (ε = ∞), and
/// [`GridRows::then`] changes rows that are on a grid already. Each snaps every number in its last
/// step. Writers of releases take this type and no other.
///
/// ```
/// use inkveil_privacy::{Epsilon, Grid, LaplaceL2, NoiseAddress, NoiseKey, release_rows};
///
/// let mechanism = LaplaceL2::new(2, Epsilon::new(10.0)?)?;
/// let mut rows = [0.1f32, 0.2, 0.3, 0.4]; // two rows
/// let released = release_rows(&mechanism, &mut rows, NoiseAddress::record(0), &NoiseKey::fresh()?)?;
/// let grid = released.grid();
/// assert!(released.values().iter().all(|x| grid.contains(f64::from(*x))));
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
pub struct GridRows<'r, T: Real> {
    values: &'r mut [T],
    dim: usize,
    grid: Grid,
}

impl<'r, T: Real> GridRows<'r, T> {
    /// Rows that a mechanism has snapped.
    pub(crate) fn snapped(values: &'r mut [T], dim: usize, grid: Grid) -> Self {
        Self { values, dim, grid }
    }

    /// Rounds rows that are released without noise to [`Grid::WITHOUT_NOISE`].
    ///
    /// # Errors
    /// If the numbers are not whole rows, or one is beyond the reach of the grid.
    pub fn without_noise(values: &'r mut [T], dim: usize) -> Result<Self, Error> {
        Self { values, dim, grid: Grid::WITHOUT_NOISE }.then(Grid::WITHOUT_NOISE, |_| ())
    }

    /// Changes each row by a function of released numbers and public constants, and snaps the
    /// result to `grid`. The input is not used again, so this costs no privacy.
    ///
    /// # Errors
    /// If the numbers are not whole rows, or a result is beyond the reach of the grid. All rows are
    /// then set to zero.
    pub fn then(self, grid: Grid, change: impl Fn(&mut [f64]) + Sync) -> Result<Self, Error> {
        let Self { values, dim, .. } = self;
        if dim == 0 || !values.len().is_multiple_of(dim) {
            let found = values.len();
            wipe(values);
            return Err(ErrorKind::Dimension { expected: dim, found }.into());
        }
        let failed = values
            .par_chunks_exact_mut(dim)
            .with_min_len(8)
            .map_init(
                || Secret::new(vec![0.0; dim]),
                |wide, row| {
                    let wide = wide.expose_mut();
                    wide.iter_mut().zip(row.iter()).for_each(|(w, x)| *w = x.widen());
                    change(wide);
                    grid.snap_row(wide)?;
                    narrow(wide, row)
                },
            )
            .find_first(Result::is_err);
        match failed {
            Some(Err(error)) => {
                wipe(values);
                Err(error)
            }
            _ => Ok(Self { values, dim, grid }),
        }
    }

    /// Each row alone.
    pub fn rows(&mut self) -> impl Iterator<Item = GridRows<'_, T>> {
        let (dim, grid) = (self.dim, self.grid);
        self.values.chunks_exact_mut(dim.max(1)).map(move |values| GridRows { values, dim, grid })
    }

    /// The numbers, row after row.
    pub fn values(&self) -> &[T] {
        self.values
    }

    /// The length of each row.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The grid of the numbers.
    pub fn grid(&self) -> Grid {
        self.grid
    }
}

impl<T: Real> fmt::Debug for GridRows<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GridRows({} numbers on {})", self.values.len(), self.grid)
    }
}

/// Stores a row in its own type. Numbers on a grid stay on it: where the type is coarser than the
/// grid, its spacing is a multiple of the step.
pub(crate) fn narrow<T: Real>(wide: &[f64], row: &mut [T]) -> Result<(), Error> {
    row.iter_mut().zip(wide).for_each(|(x, w)| *x = T::narrow(*w));
    match row.iter().fold(true, |fits, x| fits & x.widen().is_finite()) {
        true => Ok(()),
        false => Err(ErrorKind::Overflow.into()),
    }
}

/// After an error some rows may still hold input, so all of them are cleared.
pub(crate) fn wipe<T: Real>(rows: &mut [T]) {
    rows.fill(T::narrow(0.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_change_ends_on_the_grid(
            row in prop::collection::vec(-1e3..1e3f64, 1..20), exponent in -30..5i32, factor in 0.0..1.0f64,
        ) {
            let (mut doubles, mut singles) = (row.clone(), row.iter().map(|x| *x as f32).collect::<Vec<_>>());
            let dim = row.len();
            let grid = Grid::new(exponent).unwrap();
            let kept = GridRows::without_noise(&mut doubles, dim).unwrap();
            prop_assert!(kept.values().iter().all(|x| Grid::WITHOUT_NOISE.contains(*x)));
            let changed = kept.then(grid, |row| row.iter_mut().for_each(|x| *x *= factor)).unwrap();
            prop_assert!(changed.values().iter().all(|x| grid.contains(*x)));
            let narrow = GridRows::without_noise(&mut singles, dim).unwrap();
            let narrow = narrow.then(grid, |row| row.iter_mut().for_each(|x| *x *= factor)).unwrap();
            prop_assert!(narrow.values().iter().all(|x| grid.contains(f64::from(*x))));
        }
    }

    #[test]
    fn rows_that_cannot_be_snapped_are_cleared() {
        let mut rows = [1.0, f64::NAN];
        assert!(GridRows::without_noise(&mut rows, 1).is_err());
        assert_eq!(rows, [0.0; 2]);
        let mut rows = [1.0, 1e30];
        assert!(GridRows::without_noise(&mut rows, 2).is_err());
        assert!(GridRows::without_noise(&mut [1.0; 3], 2).is_err());
    }
}
