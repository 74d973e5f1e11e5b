//! What is known about a style encoder: how it was trained, and how far apart texts by one person are.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Error;

/// What was measured of a style encoder on authors it was not trained on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The version of the file's layout.
    pub version: u32,
    /// How many authors and texts it was trained on.
    pub trained_on: Counts,
    /// The authors and texts it was checked on.
    pub checked_on: Counts,
    /// The checksum of the training texts.
    pub corpus_sha256: String,
    /// The share of pairs that it puts into the right order: two texts by one author nearer than two by different ones.
    pub auc: f64,
    /// From cosine to probability.
    pub same_author: SameAuthor,
}

/// How many authors and texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Authors.
    pub authors: usize,
    /// Texts.
    pub texts: usize,
}

/// How likely two texts are by one person, given the cosine of their style vectors. It is a logistic curve, fitted on as many pairs by one author
/// as by two.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SameAuthor {
    /// What the cosine adds.
    pub slope: f64,
    /// What is there without it.
    pub offset: f64,
    /// The cosine at which as many pairs by one author lie below as pairs by two lie above.
    pub threshold: f64,
}

impl SameAuthor {
    /// The probability that both are by one person, if that is as likely as not beforehand.
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

    /// How many times likelier such a cosine is if both are by one person than if they are not.
    pub fn odds(&self, cosine: f64) -> f64 {
        (self.slope * cosine + self.offset).exp()
    }
}

/// The version of the file's layout.
pub(crate) const VERSION: u32 = 1;

impl Card {
    /// Reads a card.
    ///
    /// # Errors
    /// If it cannot be read or is none.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(|error| Error::io("read it", &error).of(path.display()))?;
        let wrong =
            |what: &str| Error::file(path, format!("{what}; it lies beside the style weights it belongs to"));
        let card: Self =
            serde_json::from_slice(&bytes).map_err(|_| wrong("not a card of a style encoder"))?;
        let SameAuthor { slope, offset, threshold } = card.same_author;
        let sound =
            slope.is_finite() && slope > 0.0 && offset.is_finite() && (-1.0..=1.0).contains(&threshold);
        match (card.version == VERSION, sound) {
            (false, _) => Err(wrong("a card of another version")),
            (_, false) => Err(wrong("its numbers are out of range")),
            _ => Ok(card),
        }
    }
}
