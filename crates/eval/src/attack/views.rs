//! Texts with their vectors, for attackers on authorship.

use std::fmt;

use super::author::AuthorAttacker;
use super::evidence::Evidence;
use crate::Error;

/// Texts with the style vector and the sentence vector of each: the evidence of every attacker on
/// authorship.
///
/// ```
/// use inkveil_eval::attack::{AuthorAttacker, Views};
///
/// // Style vectors of two numbers and sentence vectors of one.
/// let views = Views::new(vec!["Well...", "NO!"], (2, vec![1.0, 0.0, 0.0, 1.0]), (1, vec![0.3, 0.4]))?;
/// assert_eq!(views.evidence(AuthorAttacker::NgramSvm).len()?, 2);
/// assert_eq!(views.style_of(1), [0.0, 1.0]);
///
/// let twice = views.followed_by(&views.chosen(&[1]))?;
/// assert_eq!(twice.texts(), ["Well...", "NO!", "NO!"]);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Views<'a> {
    texts: Vec<&'a str>,
    /// The dimension, and a row for each text.
    style: (usize, Vec<f32>),
    sentence: (usize, Vec<f32>),
}

impl<'a> Views<'a> {
    /// Combines texts and vectors. Vectors are given as their dimension and rows, one after the
    /// other.
    ///
    /// # Errors
    /// If there is not one vector of each kind for each text.
    pub fn new(
        texts: Vec<&'a str>,
        style: (usize, Vec<f32>),
        sentence: (usize, Vec<f32>),
    ) -> Result<Self, Error> {
        for (dim, rows) in [&style, &sentence] {
            Evidence::texts(&texts).with_vectors(*dim, rows).len()?;
        }
        Ok(Self { texts, style, sentence })
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are no texts.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The texts.
    pub fn texts(&self) -> &[&'a str] {
        &self.texts
    }

    /// The dimension of the style vectors, and all of them one after the other.
    pub fn style(&self) -> (usize, &[f32]) {
        (self.style.0, &self.style.1)
    }

    /// The dimension of the sentence vectors, and all of them one after the other.
    pub fn sentence(&self) -> (usize, &[f32]) {
        (self.sentence.0, &self.sentence.1)
    }

    /// The style vector of a text; empty if there is no such text.
    pub fn style_of(&self, text: usize) -> &[f32] {
        row(&self.style, text)
    }

    /// The sentence vector of a text; empty if there is no such text.
    pub fn sentence_of(&self, text: usize) -> &[f32] {
        row(&self.sentence, text)
    }

    /// The evidence of an attacker.
    pub fn evidence(&self, attacker: AuthorAttacker) -> Evidence<'_> {
        match attacker {
            AuthorAttacker::NgramSvm => Evidence::texts(&self.texts),
            AuthorAttacker::StyleLogistic => Evidence::vectors(self.style.0, &self.style.1),
            AuthorAttacker::AuthorClassifier => {
                Evidence::texts(&self.texts).with_vectors(self.sentence.0, &self.sentence.1)
            }
        }
    }

    /// Some of the texts, in this order. Positions without a text are left out.
    pub fn chosen(&self, texts: &[usize]) -> Self {
        let there: Vec<usize> = texts.iter().copied().filter(|&text| text < self.len()).collect();
        let rows = |of: &(usize, Vec<f32>)| {
            (of.0, there.iter().flat_map(|&text| row(of, text)).copied().collect::<Vec<f32>>())
        };
        Self {
            texts: there.iter().map(|&text| self.texts[text]).collect(),
            style: rows(&self.style),
            sentence: rows(&self.sentence),
        }
    }

    /// These texts followed by others.
    ///
    /// # Errors
    /// If the vectors have different dimensions.
    pub fn followed_by(&self, others: &Self) -> Result<Self, Error> {
        let mut all = self.clone();
        if (all.style.0, all.sentence.0) != (others.style.0, others.sentence.0) {
            return Err(Error::argument(
                "texts have vectors of different dimensions; use the same encoders for all texts",
            ));
        }
        all.texts.extend_from_slice(&others.texts);
        all.style.1.extend_from_slice(&others.style.1);
        all.sentence.1.extend_from_slice(&others.sentence.1);
        Ok(all)
    }
}

fn row((dim, rows): &(usize, Vec<f32>), index: usize) -> &[f32] {
    rows.chunks_exact((*dim).max(1)).nth(index).unwrap_or_default()
}

/// The texts are private.
impl fmt::Debug for Views<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Views({} texts, vectors of {} and {})", self.len(), self.style.0, self.sentence.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Views<'static> {
        Views::new(vec!["a", "b", "c"], (1, vec![1.0, 2.0, 3.0]), (2, vec![1.0, 1.5, 2.0, 2.5, 3.0, 3.5]))
            .unwrap()
    }

    #[test]
    fn vectors_stay_with_their_texts() {
        let chosen = three().chosen(&[2, 0, 9]);
        assert_eq!(chosen.texts(), ["c", "a"]);
        assert_eq!(chosen.style(), (1, [3.0, 1.0].as_slice()));
        assert_eq!(chosen.sentence_of(0), [3.0, 3.5]);
        assert!(chosen.sentence_of(2).is_empty());
        assert!(three().chosen(&[]).is_empty());
        for attacker in AuthorAttacker::ALL {
            assert_eq!(three().evidence(attacker).len().unwrap(), 3);
        }
    }

    #[test]
    fn invalid_arguments_are_refused() {
        assert!(Views::new(vec!["a"], (1, vec![1.0, 2.0]), (1, vec![1.0])).is_err());
        assert!(Views::new(vec!["a"], (1, vec![1.0]), (0, vec![])).is_err());
        let other = Views::new(vec!["a"], (2, vec![1.0, 2.0]), (2, vec![1.0, 2.0])).unwrap();
        assert!(three().followed_by(&other).is_err());
        assert!(!format!("{other:?}").contains('"'));
    }
}
