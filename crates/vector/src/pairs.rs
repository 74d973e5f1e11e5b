//! Texts with a concept, and the same texts without it.

use std::fmt;

use inkveil_nn::SplitMix;

use crate::fit::Rows;
use crate::{ConceptFinder, Error};

/// The smallest number of rows on each side. With fewer a mask would reflect chance and not the
/// concept.
const FEWEST: usize = 50;

/// The counts of a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairCounts {
    /// All texts.
    pub texts: usize,
    /// Texts that mention the concept.
    pub with_concept: usize,
    /// Mentions in all texts.
    pub mentions: usize,
    /// Texts that consist of the concept alone. Without it nothing is left, so they make no pair.
    pub emptied: usize,
}

/// The pairs of a corpus as texts, before they are encoded.
pub struct PairTexts {
    /// The indices of the texts with the concept and other content.
    pub with: Vec<usize>,
    /// The same texts without the concept.
    pub without: Vec<String>,
    /// The counts of the corpus.
    pub counts: PairCounts,
}

impl PairTexts {
    /// Finds the concept in texts and removes it.
    ///
    /// # Errors
    /// If detection fails, or too few texts mention the concept.
    pub fn find(finder: &ConceptFinder, texts: &[&str]) -> Result<Self, Error> {
        let mut found = Self { with: Vec::new(), without: Vec::new(), counts: PairCounts::default() };
        found.counts.texts = texts.len();
        for (index, (text, mentions)) in texts.iter().zip(finder.find(texts)?).enumerate() {
            if mentions.is_empty() {
                continue;
            }
            found.counts.with_concept += 1;
            found.counts.mentions += mentions.len();
            let without = cut(text, &mentions);
            if without.is_empty() {
                found.counts.emptied += 1;
            } else {
                found.with.push(index);
                found.without.push(without);
            }
        }
        let usable = found.with.len();
        if usable < FEWEST {
            let name = finder.name();
            let what = match usable {
                0 => format!("none of {} texts mentions {name:?} together with other content", texts.len()),
                _ => format!(
                    "only {usable} of {} texts mention {name:?} together with other content",
                    texts.len()
                ),
            };
            return Err(Error::too_few(format!(
                "{what}; a mask needs at least {FEWEST}; give more texts, or a wider concept"
            )));
        }
        Ok(found)
    }
}

impl fmt::Debug for PairTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PairTexts").field("counts", &self.counts).finish_non_exhaustive()
    }
}

/// Returns the text without some ranges, and without the white space that they would leave.
fn cut(text: &str, parts: &[std::ops::Range<usize>]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for part in parts {
        kept.push_str(text.get(end..part.start).unwrap_or_default());
        kept.push(' ');
        end = part.end;
    }
    kept.push_str(text.get(end..).unwrap_or_default());
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Vectors with a concept and vectors without it, to learn a mask from.
///
/// ```
/// use inkveil_vector::Pairs;
///
/// let pairs = Pairs::from_vectors(2, vec![0.5; 200], vec![0.1; 200])?;
/// assert_eq!((pairs.len(), pairs.dim()), (100, 2));
/// # Ok::<(), inkveil_vector::Error>(())
/// ```
pub struct Pairs {
    dim: usize,
    positive: Vec<f32>,
    negative: Vec<f32>,
    matched: bool,
}

impl Pairs {
    /// Returns pairs: row i of `negative` is row i of `positive` without the concept.
    ///
    /// # Errors
    /// If the numbers do not make whole rows, are not finite, do not make pairs, or are too few.
    pub fn from_vectors(dim: usize, positive: Vec<f32>, negative: Vec<f32>) -> Result<Self, Error> {
        if positive.len() != negative.len() {
            return Err(Error::shape("every vector with the concept needs its counterpart without it"));
        }
        Self::new(dim, positive, negative, true)
    }

    /// Returns vectors that are labelled as with and without the concept. They are of different
    /// texts, so the mask may also learn other differences between the two sides.
    ///
    /// # Errors
    /// If the numbers do not make whole rows, are not finite, or are too few on either side.
    pub fn from_labels(dim: usize, positive: Vec<f32>, negative: Vec<f32>) -> Result<Self, Error> {
        Self::new(dim, positive, negative, false)
    }

    fn new(dim: usize, positive: Vec<f32>, negative: Vec<f32>, matched: bool) -> Result<Self, Error> {
        for (rows, side) in [(&positive, "with"), (&negative, "without")] {
            if dim == 0 || !rows.len().is_multiple_of(dim) {
                return Err(Error::shape(format!("{} numbers do not make whole rows of {dim}", rows.len())));
            }
            if let Some(place) = rows.iter().position(|x| !x.is_finite()) {
                return Err(Error::shape(format!(
                    "row {} {side} the concept has a value that is not a finite number",
                    place / dim + 1
                )));
            }
            let count = rows.len() / dim;
            if count < FEWEST {
                return Err(Error::too_few(format!(
                    "there are {count} vectors {side} the concept; a mask needs at least {FEWEST} on both sides"
                )));
            }
        }
        Ok(Self { dim, positive, negative, matched })
    }

    /// Returns the dimension of the vectors.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Returns the number of vectors with the concept.
    pub fn len(&self) -> usize {
        self.positive.len() / self.dim
    }

    /// Returns whether there are none, which is never the case.
    pub fn is_empty(&self) -> bool {
        self.positive.is_empty()
    }

    /// Returns whether row i without the concept is the counterpart of row i with it.
    pub fn is_matched(&self) -> bool {
        self.matched
    }

    /// Returns a vector with the concept.
    pub fn positive(&self, index: usize) -> &[f32] {
        &self.positive[index * self.dim..][..self.dim]
    }

    /// Returns a vector without the concept.
    pub fn negative(&self, index: usize) -> &[f32] {
        &self.negative[index * self.dim..][..self.dim]
    }

    /// Returns the mean square of every dimension, over all vectors.
    pub fn mean_squares(&self) -> Vec<f32> {
        let count = (self.positive.len() + self.negative.len()) as f64 / self.dim as f64;
        let mut sums = vec![0.0; self.dim];
        for row in self.positive.chunks_exact(self.dim).chain(self.negative.chunks_exact(self.dim)) {
            sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum += f64::from(x) * f64::from(x));
        }
        sums.into_iter().map(|sum| (sum / count) as f32).collect()
    }

    /// Returns the factor that scales coordinates to a root mean square of 1.
    pub(crate) fn scale(&self) -> f32 {
        let mean = self.mean_squares().iter().sum::<f32>() / self.dim as f32;
        if mean > 0.0 { mean.sqrt().recip() } else { 1.0 }
    }

    /// Returns the indices of training rows and of held-out rows. The two halves of a pair stay
    /// together.
    pub(crate) fn split(&self, held_out: f64, seed: u64) -> (Rows, Rows) {
        let mut random = SplitMix::named(seed, "held out", &[]);
        let mut parts = |count: usize| {
            let mut order: Vec<usize> = (0..count).collect();
            random.shuffle(&mut order);
            let rest = order.split_off((count as f64 * held_out) as usize);
            (rest, order)
        };
        let (positive, positive_out) = parts(self.len());
        let (negative, negative_out) = match self.matched {
            true => (positive.clone(), positive_out.clone()),
            false => parts(self.negative.len() / self.dim),
        };
        (Rows { positive, negative }, Rows { positive: positive_out, negative: negative_out })
    }
}

impl fmt::Debug for Pairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pairs").field("len", &self.len()).field("dim", &self.dim).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_parts_leave_no_gap() {
        assert_eq!(cut("Ana went to Lyon.", &[0..3, 12..16]), "went to .");
        assert_eq!(cut("Ana", std::slice::from_ref(&(0..3))), "");
        assert_eq!(cut("nothing  here", &[]), "nothing here");
    }

    #[test]
    fn pairs_must_match() {
        assert!(Pairs::from_vectors(2, vec![0.0; 200], vec![0.0; 198]).is_err());
        assert!(Pairs::from_vectors(0, vec![], vec![]).is_err());
        assert!(Pairs::from_vectors(3, vec![0.0; 200], vec![0.0; 200]).is_err());
        assert!(Pairs::from_vectors(2, vec![0.0; 20], vec![0.0; 20]).is_err());
        let error = Pairs::from_vectors(2, vec![f32::NAN; 200], vec![0.0; 200]).unwrap_err();
        assert!(error.to_string().contains("row 1 with the concept"));
        assert!(Pairs::from_labels(2, vec![0.0; 200], vec![0.0; 120]).is_ok());
    }

    #[test]
    fn halves_of_a_pair_are_held_out_together() {
        let pairs = Pairs::from_vectors(1, vec![0.0; 100], vec![1.0; 100]).unwrap();
        let (train, out) = pairs.split(0.25, 7);
        assert_eq!((train.positive.len(), out.positive.len()), (75, 25));
        assert!(train.positive == train.negative && out.positive == out.negative);
        assert!(out.positive.iter().all(|index| !train.positive.contains(index)));
    }
}
