//! The card of a style encoder: how it was trained, and how its cosines relate to authorship.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Error;

/// The measures of a style encoder on authors it was not trained on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EncoderCard {
    /// The version of the file's layout.
    pub version: u32,
    /// The authors and texts it was trained on.
    pub trained_on: AuthorCounts,
    /// The authors and texts it was checked on.
    pub checked_on: AuthorCounts,
    /// The checksum of the training texts.
    pub corpus_sha256: String,
    /// The probability that two texts by one author are nearer than two texts by different authors.
    pub auc: f64,
    /// The relation between the cosine and the probability of the same author.
    pub same_author: SameAuthor,
}

/// The number of authors and texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthorCounts {
    /// The number of authors.
    pub authors: usize,
    /// The number of texts.
    pub texts: usize,
}

/// The probability that two texts are by one author, given the cosine of their style vectors. It is
/// a logistic curve, fitted on equally many pairs by one author and by two.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SameAuthor {
    /// The coefficient of the cosine.
    pub slope: f64,
    /// The constant term.
    pub offset: f64,
    /// The cosine at which the error rates of both kinds of pairs are equal.
    pub threshold: f64,
}

impl EncoderCard {
    /// Returns the mean and the standard deviation of the cosine of two texts by one author. They follow from the curve
    /// and the AUC if both kinds of pairs are normal with one spread, which a logistic curve assumes.
    ///
    /// ```
    /// use inkveil_style::{AuthorCounts, EncoderCard, SameAuthor};
    ///
    /// let none = AuthorCounts { authors: 0, texts: 0 };
    /// let same_author = SameAuthor { slope: 10.0, offset: -4.0, threshold: 0.4 };
    /// let card = EncoderCard { version: 1, trained_on: none, checked_on: none, corpus_sha256: String::new(), auc: 0.76025, same_author };
    /// // Means one standard deviation apart: 0.35 and 0.45.
    /// let (mean, deviation) = card.same_author_cosines();
    /// assert!((mean - 0.45).abs() < 1e-3 && (deviation - 0.1).abs() < 1e-3);
    /// ```
    pub fn same_author_cosines(&self) -> (f64, f64) {
        let SameAuthor { slope, offset, .. } = self.same_author;
        let auc = self.auc.clamp(0.5, 0.999);
        // Tukey's approximation of the quantile of the normal distribution, good to 0.002.
        let quantile = 4.91 * (auc.powf(0.14) - (1.0 - auc).powf(0.14));
        let apart = std::f64::consts::SQRT_2 * quantile;
        let deviation = apart / slope;
        (-offset / slope + apart * deviation / 2.0, deviation)
    }
}

impl SameAuthor {
    /// Returns the probability that both texts are by one author, with a prior probability of one
    /// half.
    ///
    /// ```
    /// use inkveil_style::SameAuthor;
    ///
    /// let curve = SameAuthor { slope: 10.0, offset: -4.0, threshold: 0.4 };
    /// assert!((curve.probability(0.4) - 0.5).abs() < 1e-12);
    /// assert!(curve.probability(0.9) > 0.99);
    /// ```
    pub fn probability(&self, cosine: f64) -> f64 {
        1.0 / (1.0 + (-self.slope * cosine - self.offset).exp())
    }

    /// Returns the likelihood ratio of a cosine: by one author versus by two.
    pub fn odds(&self, cosine: f64) -> f64 {
        (self.slope * cosine + self.offset).exp()
    }
}

/// The version of the file's layout.
pub(crate) const VERSION: u32 = 1;

impl EncoderCard {
    /// Returns the content of its file.
    pub fn to_json(&self) -> String {
        // A structure of numbers and strings can always be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Opens a card.
    ///
    /// # Errors
    /// If it cannot be read or is not a card.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(|error| Error::io("read it", &error).of(path.display()))?;
        let wrong = |what: &str| {
            Error::file(path, format!("{what}; a card belongs to the style weights in the same folder"))
        };
        let card: Self =
            serde_json::from_slice(&bytes).map_err(|_| wrong("it is not a card of a style encoder"))?;
        let SameAuthor { slope, offset, threshold } = card.same_author;
        let sound =
            slope.is_finite() && slope > 0.0 && offset.is_finite() && (-1.0..=1.0).contains(&threshold);
        match (card.version == VERSION, sound) {
            (false, _) => Err(wrong("it is a card of another version")),
            (_, false) => Err(wrong("its numbers are out of range")),
            _ => Ok(card),
        }
    }
}
