//! Labels of texts: which words of a concept each text has.

use std::collections::BTreeMap;
use std::fmt;

use inkveil_detect::Span;
use unicode_segmentation::UnicodeSegmentation;

use crate::Error;

/// Words inside names that tell nothing by themselves.
const FUNCTION_WORDS: [&str; 20] = [
    "an", "and", "at", "by", "da", "de", "del", "der", "di", "du", "el", "for", "in", "la", "le", "of", "on",
    "the", "to", "von",
];

/// The most labels that are counted at once. Rare ones are forgotten when there are more.
const MOST_LABELS: usize = 20_000;

/// Returns the distinct words in spans of a text, in lower case. Words of one letter and function
/// words are left out.
///
/// ```
/// use inkveil_vector::{Concept, label_words};
///
/// let mut concept = Concept::named("banks");
/// concept.words = vec!["Bank of Oslo".to_owned()];
/// let text = "The Bank of Oslo closed.";
/// let spans = concept.finder(None)?.spans(&[text])?;
/// assert_eq!(label_words(text, &spans[0]), ["bank", "oslo"]);
/// # Ok::<(), inkveil_vector::Error>(())
/// ```
pub fn label_words(text: &str, spans: &[Span]) -> Vec<String> {
    let inside = spans.iter().filter_map(|span| text.get(span.range()));
    let words = inside.flat_map(str::unicode_words).map(str::to_lowercase);
    let mut words: Vec<String> =
        words.filter(|word| word.chars().count() > 1 && !FUNCTION_WORDS.contains(&word.as_str())).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The sums of the vectors of texts with each label. Memory is bounded, whatever the number of texts.
///
/// Labels may be private words. They are in no debug output, and an eraser does not hold them.
#[derive(Clone)]
pub struct LabelSums {
    dim: usize,
    sums: BTreeMap<String, LabelSum>,
    /// The number of texts with any label.
    texts: u64,
    most: usize,
}

#[derive(Clone)]
pub(crate) struct LabelSum {
    pub(crate) count: u64,
    pub(crate) sum: Vec<f64>,
}

impl LabelSums {
    /// No texts yet, with vectors of this dimension.
    pub fn new(dim: usize) -> Self {
        Self { dim, sums: BTreeMap::new(), texts: 0, most: MOST_LABELS }
    }

    /// Adds texts: their vectors, row after row, and the labels of each.
    ///
    /// # Errors
    /// If there is not one vector for each list of labels.
    pub fn add(&mut self, rows: &[f32], labels: &[Vec<String>]) -> Result<(), Error> {
        if rows.len() != labels.len() * self.dim {
            return Err(Error::shape(format!(
                "{} numbers do not make {} vectors of {} dimensions",
                rows.len(),
                labels.len(),
                self.dim
            )));
        }
        for (row, labels) in rows.chunks_exact(self.dim.max(1)).zip(labels) {
            self.texts += u64::from(!labels.is_empty());
            for label in labels {
                if !self.sums.contains_key(label) {
                    self.sums.insert(label.clone(), LabelSum { count: 0, sum: vec![0.0; self.dim] });
                }
                if let Some(one) = self.sums.get_mut(label) {
                    one.count += 1;
                    one.sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += f64::from(*x));
                }
            }
            self.forget_rare();
        }
        Ok(())
    }

    /// Forgets the rarest labels if there are too many.
    fn forget_rare(&mut self) {
        let mut least = 1;
        while self.sums.len() > self.most {
            self.sums.retain(|_, one| one.count > least);
            least *= 2;
        }
    }

    /// The number of texts with any label.
    pub fn texts(&self) -> u64 {
        self.texts
    }

    /// The number of labels in at least `least` texts.
    pub fn frequent(&self, least: u64) -> usize {
        self.at_least(least).count()
    }

    pub(crate) fn at_least(&self, least: u64) -> impl Iterator<Item = &LabelSum> {
        self.sums.values().filter(move |one| one.count >= least.max(1))
    }

    pub(crate) fn dim(&self) -> usize {
        self.dim
    }
}

impl fmt::Debug for LabelSums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LabelSums({} labels in {} texts)", self.sums.len(), self.texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_labels_are_forgotten_and_frequent_ones_stay() {
        let mut sums = LabelSums { most: 10, ..LabelSums::new(1) };
        for text in 0..100 {
            sums.add(&[1.0], &[vec!["often".to_owned(), format!("once {text}")]]).unwrap();
        }
        assert!(sums.sums.len() <= 11);
        assert_eq!((sums.frequent(100), sums.texts()), (1, 100));
        assert_eq!(sums.sums["often"].sum, [100.0]);
        assert!(!format!("{sums:?}").contains("often"));
        assert!(sums.add(&[1.0, 2.0], &[vec![]]).is_err());
    }
}
