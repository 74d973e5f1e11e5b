//! Linkage of released texts to originals, and membership inference.

use std::fmt;

use super::sparse::SparseRows;
use crate::Error;
use crate::metrics::{auc, unit_rows};

/// The similarities of released texts to originals, as a black-box ranker computes them.
///
/// The first originals are those of the released texts, in the same order. Other originals may
/// follow.
///
/// ```
/// use inkveil_eval::attack::{NgramSettings, Ngrams, Similarities};
///
/// let originals = ["the cat sat on the mat", "we drank some green tea", "nobody heard of this one"];
/// let released = ["a cat sat on a mat", "they drank green tea"];
/// let mut settings = NgramSettings::default();
/// settings.least_texts = 1; // few texts share few features
/// let ngrams = Ngrams::learn(&originals, &settings)?;
/// let similar = Similarities::of_rows(&ngrams.rows(&released), &ngrams.rows(&originals))?;
/// assert_eq!(similar.exposure(), Some(1.0)); // both originals are found
/// assert_eq!(similar.membership(), Some(1.0)); // the third original is less similar to every released text
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Similarities {
    released: usize,
    originals: usize,
    /// Cosines, a row for each released text.
    cosines: Vec<f32>,
}

impl Similarities {
    /// Compares by the cosine of vectors of `dim` numbers, for example of a sentence encoder.
    ///
    /// # Errors
    /// If the numbers are not whole vectors, one is not finite, or there are fewer originals than
    /// released texts.
    pub fn of_vectors(dim: usize, released: &[f32], originals: &[f32]) -> Result<Self, Error> {
        let (released, originals) = (units(dim, released)?, units(dim, originals)?);
        let mut cosines = Vec::new();
        for row in released.chunks_exact(dim) {
            let cosine = |other: &[f32]| row.iter().zip(other).map(|(x, y)| x * y).sum::<f32>();
            cosines.extend(originals.chunks_exact(dim).map(cosine));
        }
        Self::new(released.len() / dim, originals.len() / dim, cosines)
    }

    /// Compares by the cosine of sparse rows, for example of [`Ngrams`](super::Ngrams). The
    /// attacker knows the originals, so the vocabulary should come from them.
    ///
    /// # Errors
    /// If the rows have different dimensions, a number is not finite, or there are fewer originals
    /// than released texts.
    pub fn of_rows(released: &SparseRows, originals: &SparseRows) -> Result<Self, Error> {
        if released.dim() != originals.dim() || !released.is_finite() || !originals.is_finite() {
            return Err(Error::argument(format!(
                "rows of {} and of {} numbers cannot be compared, or a number is not finite",
                released.dim(),
                originals.dim()
            )));
        }
        let lengths: Vec<f32> = originals.iter().map(|row| row.square().sqrt()).collect();
        let (mut cosines, mut dense) = (Vec::new(), vec![0f32; released.dim()]);
        for row in released.iter() {
            // A dense row is multiplied with many sparse rows.
            let length = row.square().sqrt();
            row.iter().for_each(|(column, value)| dense[column] = value);
            cosines.extend(originals.iter().zip(&lengths).map(|(other, other_length)| {
                let dot = other.iter().map(|(column, value)| dense[column] * value).sum::<f32>();
                if dot == 0.0 { 0.0 } else { dot / (length * other_length) }
            }));
            row.iter().for_each(|(column, _)| dense[column] = 0.0);
        }
        Self::new(released.len(), originals.len(), cosines)
    }

    fn new(released: usize, originals: usize, cosines: Vec<f32>) -> Result<Self, Error> {
        match released <= originals {
            true => Ok(Self { released, originals, cosines }),
            false => Err(Error::argument(format!(
                "{released} released texts have {originals} originals; give the original of each, in the same order"
            ))),
        }
    }

    /// The privacy exposure index: the share of released texts whose own original is the most
    /// similar one. Ties count as a random choice. None if nothing was released.
    pub fn exposure(&self) -> Option<f64> {
        let found = |(index, row): (usize, &[f32])| {
            let row = &row[..self.released];
            let own = row[index];
            match row.iter().any(|&other| other > own) {
                true => 0.0,
                false => 1.0 / row.iter().filter(|&&other| other == own).count().max(1) as f64,
            }
        };
        let rows = self.cosines.chunks_exact(self.originals.max(1));
        (self.released > 0).then(|| rows.enumerate().map(found).sum::<f64>() / self.released as f64)
    }

    /// Membership inference: how well the highest similarity to a released text separates the
    /// released originals from the others, as the area under the ROC curve. None if there are no
    /// others.
    pub fn membership(&self) -> Option<f64> {
        let mut highest = vec![f32::NEG_INFINITY; self.originals];
        for row in self.cosines.chunks_exact(self.originals.max(1)) {
            highest.iter_mut().zip(row).for_each(|(highest, &cosine)| *highest = highest.max(cosine));
        }
        let scores: Vec<f64> = highest.into_iter().map(f64::from).collect();
        let (members, others) = scores.split_at(self.released);
        auc(members, others)
    }
}

/// Vectors of length 1; a vector of zeros stays unchanged.
fn units(dim: usize, rows: &[f32]) -> Result<Vec<f32>, Error> {
    if dim == 0 || !rows.len().is_multiple_of(dim) || !rows.iter().all(|x| x.is_finite()) {
        return Err(Error::argument(format!("{} numbers are not finite vectors of {dim}", rows.len())));
    }
    Ok(unit_rows(rows, dim))
}

impl fmt::Debug for Similarities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Similarities({} released texts, {} originals)", self.released, self.originals)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NgramSettings, Ngrams};
    use super::*;

    #[test]
    fn the_lengths_of_rows_do_not_matter() {
        let dense = [3.0, 0.0, 0.0, 1.0, -1.0, 0.2, 1.0, 0.3];
        let rows = |dense: &[f32]| SparseRows::from_dense(2, dense).unwrap();
        let sparse = Similarities::of_rows(&rows(&dense[..4]), &rows(&dense)).unwrap();
        let vectors = Similarities::of_vectors(2, &dense[..4], &dense).unwrap();
        let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
        assert!(sparse.cosines.iter().zip(&vectors.cosines).all(close));
    }

    #[test]
    fn hand_computed_values() {
        // The first is found, the second is confused with the first.
        let released = [1.0, 0.1, 2.0, 0.5];
        let originals = [3.0, 0.0, 0.0, 1.0, -1.0, 0.2, 1.0, 0.3];
        let similar = Similarities::of_vectors(2, &released, &originals).unwrap();
        assert_eq!(similar.exposure(), Some(0.5));
        // The members' highest are 0.995 and 0.243, the others' −0.88 and 0.999: two of four pairs.
        assert_eq!(similar.membership(), Some(0.5));
        assert!(!format!("{similar:?}").contains("0.9"));
    }

    #[test]
    fn ties_count_as_a_random_choice() {
        let rows = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0];
        let similar = Similarities::of_vectors(2, &rows, &rows).unwrap();
        assert_eq!(similar.exposure(), Some(2.0 / 3.0));
        assert_eq!(similar.membership(), None);
    }

    #[test]
    fn rare_words_link_texts() {
        let originals = ["the old bridge fell", "the old house burnt", "the new bridge held", "a quiet day"];
        let released = ["It FELL, the bridge.", "It BURNT, the house."];
        let settings = NgramSettings { least_texts: 1, fold_case: true, ..NgramSettings::default() };
        let ngrams = Ngrams::learn(&originals, &settings).unwrap();
        let rows = |released: &[&str]| {
            Similarities::of_rows(&ngrams.rows(released), &ngrams.rows(&originals)).unwrap()
        };
        let similar = rows(&released);
        assert_eq!((similar.exposure(), similar.membership()), (Some(1.0), Some(1.0)));
        let nothing = rows(&["§§", "¶¶"]);
        assert_eq!((nothing.exposure(), nothing.membership()), (Some(0.5), Some(0.5)));
    }

    #[test]
    fn invalid_arguments_are_refused() {
        assert!(Similarities::of_vectors(2, &[1.0; 3], &[1.0; 4]).is_err());
        assert!(Similarities::of_vectors(0, &[], &[]).is_err());
        assert!(Similarities::of_vectors(1, &[f32::NAN], &[1.0]).is_err());
        assert!(Similarities::of_vectors(1, &[1.0, 1.0], &[1.0]).is_err());
        let rows = |dim: usize, values: &[f32]| SparseRows::from_dense(dim, values).unwrap();
        assert!(Similarities::of_rows(&rows(1, &[1.0, 1.0]), &rows(1, &[1.0])).is_err());
        assert!(Similarities::of_rows(&rows(1, &[1.0, 1.0]), &rows(2, &[1.0, 1.0])).is_err());
        assert!(Similarities::of_rows(&rows(1, &[f32::INFINITY]), &rows(1, &[1.0])).is_err());
        assert_eq!(Similarities::of_vectors(1, &[], &[1.0]).unwrap().exposure(), None);
    }
}
