//! Texts as the attackers on authors see them.

use std::fmt;

use super::{Attacker, Evidence};
use crate::Error;

/// Texts with the style vector and the sentence vector of each: all that any attacker on authors looks at.
///
/// ```
/// use inkveil_eval::attack::{Attacker, Views};
///
/// // Style vectors of two numbers and sentence vectors of one.
/// let views = Views::new(vec!["Well...", "NO!"], (2, vec![1.0, 0.0, 0.0, 1.0]), (1, vec![0.3, 0.4]))?;
/// assert_eq!(views.evidence(Attacker::NgramSvm).len()?, 2);
/// assert_eq!(views.style_of(1), [0.0, 1.0]);
///
/// let twice = views.followed_by(&views.chosen(&[1]))?;
/// assert_eq!(twice.texts(), ["Well...", "NO!", "NO!"]);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Views<'a> {
    texts: Vec<&'a str>,
    /// The dimension, and a row of it for each text.
    style: (usize, Vec<f32>),
    sentence: (usize, Vec<f32>),
}

impl<'a> Views<'a> {
    /// Puts texts and vectors together. Vectors are given as their dimension and the rows one after the other.
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

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
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

    /// What an attacker looks at.
    pub fn evidence(&self, attacker: Attacker) -> Evidence<'_> {
        match attacker {
            Attacker::NgramSvm => Evidence::texts(&self.texts),
            Attacker::StyleLogistic => Evidence::vectors(self.style.0, &self.style.1),
            Attacker::AuthorClassifier => {
                Evidence::texts(&self.texts).with_vectors(self.sentence.0, &self.sentence.1)
            }
        }
    }

    /// Some of the texts, in the order given. Those that are not there are left out.
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

    /// These texts and then others.
    ///
    /// # Errors
    /// If the vectors of the others have other dimensions.
    pub fn followed_by(&self, others: &Self) -> Result<Self, Error> {
        let mut all = self.clone();
        if (all.style.0, all.sentence.0) != (others.style.0, others.sentence.0) {
            return Err(Error::argument(
                "the vectors of some texts have other dimensions than those of others; encode all texts alike",
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
    fn vectors_go_with_their_texts() {
        let chosen = three().chosen(&[2, 0, 9]);
        assert_eq!(chosen.texts(), ["c", "a"]);
        assert_eq!(chosen.style(), (1, [3.0, 1.0].as_slice()));
        assert_eq!(chosen.sentence_of(0), [3.0, 3.5]);
        assert!(chosen.sentence_of(2).is_empty());
        assert!(three().chosen(&[]).is_empty());
        for attacker in Attacker::ALL {
            assert_eq!(three().evidence(attacker).len().unwrap(), 3);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(Views::new(vec!["a"], (1, vec![1.0, 2.0]), (1, vec![1.0])).is_err());
        assert!(Views::new(vec!["a"], (1, vec![1.0]), (0, vec![])).is_err());
        let other = Views::new(vec!["a"], (2, vec![1.0, 2.0]), (2, vec![1.0, 2.0])).unwrap();
        assert!(three().followed_by(&other).is_err());
        assert!(!format!("{other:?}").contains('"'));
    }
}
