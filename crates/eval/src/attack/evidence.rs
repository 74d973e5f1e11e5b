//! The evidence of attackers on authorship, and its features.

use super::ngrams::{NgramSettings, Ngrams};
use super::scaling::Scaling;
use super::sparse::SparseRows;
use crate::Error;

/// What an attacker knows of some texts: the texts themselves, a vector of each, or both.
///
/// ```
/// use inkveil_eval::attack::Evidence;
///
/// let texts = ["first", "second"];
/// let vectors = [0.1, 0.2, 0.3, 0.4];
/// let evidence = Evidence::texts(&texts).with_vectors(2, &vectors);
/// assert_eq!(evidence.len()?, 2);
/// assert!(Evidence::texts(&texts).with_vectors(3, &vectors).len().is_err());
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    texts: Option<&'a [&'a str]>,
    /// The dimension, and rows of it.
    vectors: Option<(usize, &'a [f32])>,
}

impl<'a> Evidence<'a> {
    /// Texts only.
    pub fn texts(texts: &'a [&'a str]) -> Self {
        Self { texts: Some(texts), vectors: None }
    }

    /// A vector of `dim` numbers for each text.
    pub fn vectors(dim: usize, rows: &'a [f32]) -> Self {
        Self { texts: None, vectors: Some((dim, rows)) }
    }

    /// Adds a vector of `dim` numbers for each text.
    #[must_use]
    pub fn with_vectors(self, dim: usize, rows: &'a [f32]) -> Self {
        Self { vectors: Some((dim, rows)), ..self }
    }

    /// The number of texts.
    ///
    /// # Errors
    /// If the numbers of texts and vectors differ, or the numbers are not whole vectors.
    pub fn len(&self) -> Result<usize, Error> {
        let Some((dim, rows)) = self.vectors else { return Ok(self.texts.map_or(0, <[_]>::len)) };
        let count = self.texts.map_or_else(|| rows.len().checked_div(dim).unwrap_or(0), <[_]>::len);
        match dim > 0 && Some(rows.len()) == count.checked_mul(dim) {
            true => Ok(count),
            false => Err(Error::argument(format!(
                "{} numbers are not {count} vectors of {dim}, one for each text",
                rows.len()
            ))),
        }
    }

    /// Whether there are no texts.
    ///
    /// # Errors
    /// As [`len`](Self::len).
    pub fn is_empty(&self) -> Result<bool, Error> {
        self.len().map(|count| count == 0)
    }
}

impl std::fmt::Debug for Evidence<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let texts = self.texts.map_or(0, <[_]>::len);
        write!(f, "Evidence({texts} texts, vectors of {})", self.vectors.map_or(0, |(dim, _)| dim))
    }
}

/// Turns evidence into rows of features, with statistics of the training texts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FeatureExtractor {
    ngrams: Option<Ngrams>,
    /// The dimension and the scaling of vectors.
    vectors: Option<(usize, Scaling)>,
}

impl FeatureExtractor {
    /// Learns n-grams, vectors or both from training evidence.
    pub(super) fn learn(
        evidence: &Evidence<'_>,
        ngrams: Option<&NgramSettings>,
        vectors: bool,
    ) -> Result<Self, Error> {
        evidence.len()?;
        let learn = |settings| Ngrams::learn(needed(evidence.texts, "the texts")?, settings);
        let scale = || {
            let (dim, rows) = finite_vectors(evidence)?;
            Ok::<_, Error>((dim, Scaling::of(dim, rows)))
        };
        Ok(Self { ngrams: ngrams.map(learn).transpose()?, vectors: vectors.then(scale).transpose()? })
    }

    /// Returns the row of each text, n-grams first. Both parts have a length near 1, so that they
    /// have equal weight.
    pub(super) fn rows(&self, evidence: &Evidence<'_>) -> Result<SparseRows, Error> {
        evidence.len()?;
        let ngrams = self.ngrams.as_ref().map(|ngrams| {
            let texts = needed(evidence.texts, "the texts")?;
            Ok::<_, Error>(ngrams.rows(texts))
        });
        let vectors = self.vectors.as_ref().map(|(dim, scaling)| {
            let (given, rows) = finite_vectors(evidence)?;
            if given != *dim {
                return Err(Error::argument(format!("the vectors have {given} numbers instead of {dim}")));
            }
            let shrink = 1.0 / (*dim as f32).sqrt();
            let scaled: Vec<f32> = scaling.apply(rows).into_iter().map(|x| x * shrink).collect();
            SparseRows::from_dense(*dim, &scaled)
        });
        match (ngrams.transpose()?, vectors.transpose()?) {
            (Some(ngrams), Some(vectors)) => ngrams.beside(&vectors),
            (Some(rows), None) | (None, Some(rows)) => Ok(rows),
            (None, None) => Err(Error::argument("an attacker needs n-grams, vectors or both")),
        }
    }
}

fn finite_vectors<'a>(evidence: &Evidence<'a>) -> Result<(usize, &'a [f32]), Error> {
    let (dim, rows) = needed(evidence.vectors, "a vector of each text")?;
    match rows.iter().all(|x| x.is_finite()) {
        true => Ok((dim, rows)),
        false => Err(Error::argument("a vector has a number that is not finite; leave the text out")),
    }
}

fn needed<T>(given: Option<T>, what: &str) -> Result<T, Error> {
    given.ok_or_else(|| Error::argument(format!("this attacker needs {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_gram() -> NgramSettings {
        NgramSettings { least_texts: 1, ..NgramSettings::default() }
    }

    #[test]
    fn both_parts_have_equal_weight() {
        let texts = ["one thing", "and another"];
        let vectors = [1.0, 5.0, -1.0, 5.5];
        let evidence = Evidence::texts(&texts).with_vectors(2, &vectors);
        let features = FeatureExtractor::learn(&evidence, Some(&every_gram()), true).unwrap();
        let rows = features.rows(&evidence).unwrap();
        let of_vectors: f32 =
            rows.row(0).iter().filter(|(column, _)| column + 2 >= rows.dim()).map(|(_, x)| x * x).sum();
        assert!((of_vectors - 1.0).abs() < 1e-5 && (rows.row(0).square() - 2.0).abs() < 1e-5);
    }

    #[test]
    fn missing_evidence_is_named() {
        let texts = ["one thing"];
        let of = |evidence: Evidence<'_>, ngrams: bool, vectors| {
            let settings = every_gram();
            FeatureExtractor::learn(&evidence, ngrams.then_some(&settings), vectors)
                .and_then(|r| r.rows(&evidence))
        };
        let error = of(Evidence::texts(&texts), true, true).unwrap_err();
        assert_eq!(error.to_string(), "this attacker needs a vector of each text");
        assert!(of(Evidence::vectors(1, &[1.0]), true, false).is_err());
        assert!(of(Evidence::vectors(2, &[1.0]), false, true).is_err());
        assert!(of(Evidence::vectors(0, &[]), false, true).is_err());
        assert!(of(Evidence::vectors(1, &[f32::INFINITY]), false, true).is_err());
        assert!(of(Evidence::texts(&texts), false, false).is_err());
        assert!(of(Evidence::texts(&texts), true, false).is_ok());
        let features = FeatureExtractor::learn(&Evidence::vectors(1, &[1.0]), None, true).unwrap();
        assert!(features.rows(&Evidence::vectors(2, &[1.0, 1.0])).is_err());
        assert!(features.rows(&Evidence::vectors(1, &[f32::NAN])).is_err());
    }
}
