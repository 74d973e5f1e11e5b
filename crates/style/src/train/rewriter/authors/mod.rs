//! The attribution model that computes rewards. It is never used to measure results.

mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use self::view::{Reading, View};
use crate::{AuthorText, Error};

/// One in this many texts of an author is held out to measure the model's accuracy.
const CHECKED: usize = 5;

/// Attributes texts to known authors: linear models over patterns and features, and over n-grams. Attackers use both, so a
/// rewrite must make both uncertain.
pub struct AuthorModel {
    views: Vec<View>,
    authors: BTreeSet<String>,
    /// The accuracy of the mean of both on held-out texts.
    pub accuracy: f64,
}

impl AuthorModel {
    /// Trains a model on the `most` authors with most texts.
    ///
    /// # Errors
    /// If fewer than two authors have enough texts.
    pub fn train(texts: &[AuthorText], most: usize, seed: u64) -> Result<Self, Error> {
        let mut by_author: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for text in texts {
            by_author.entry(&text.author).or_default().push(&text.text);
        }
        let mut authors: Vec<(&str, Vec<&str>)> =
            by_author.into_iter().filter(|(_, texts)| texts.len() >= CHECKED).collect();
        authors.sort_by_key(|(_, texts)| std::cmp::Reverse(texts.len()));
        authors.truncate(most);
        if authors.len() < 2 {
            return Err(Error::too_few(format!(
                "only {} authors have {CHECKED} texts or more, but the reward needs at least 2; add texts",
                authors.len()
            )));
        }
        let of = |kept: fn(usize) -> bool| -> Vec<(&str, u32)> {
            let numbered = authors.iter().enumerate();
            numbered
                .flat_map(|(author, (_, texts))| {
                    let some = texts.iter().enumerate().filter(move |(index, _)| kept(*index));
                    some.map(move |(_, text)| (*text, author as u32))
                })
                .collect()
        };
        let (seen, held) = (of(|index| index % CHECKED != 0), of(|index| index % CHECKED == 0));
        let views = Reading::ALL
            .into_iter()
            .map(|reading| View::train(reading, &seen, authors.len(), seed))
            .collect::<Result<Vec<_>, _>>()?;
        let known = authors.iter().map(|(author, _)| (*author).to_owned()).collect();
        let mut model = Self { views, authors: known, accuracy: 0.0 };
        let texts: Vec<&str> = held.iter().map(|(text, _)| *text).collect();
        let mut answers = model.views[0].probabilities(&texts)?;
        for view in &model.views[1..] {
            for (sums, row) in answers.iter_mut().zip(view.probabilities(&texts)?) {
                sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            }
        }
        let right = answers.iter().zip(&held).filter(|(row, (_, author))| {
            let best = row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            best.map(|(index, _)| index as u32) == Some(*author)
        });
        model.accuracy = right.count() as f64 / held.len().max(1) as f64;
        Ok(model)
    }

    /// Returns the number of authors.
    pub fn authors(&self) -> usize {
        self.authors.len()
    }

    /// Returns whether it knows this author. It is uncertain about others in any case, so their
    /// texts teach nothing.
    pub fn knows(&self, author: &str) -> bool {
        self.authors.contains(author)
    }

    /// Returns the uncertainty about the author of each text: the entropy of an answer divided by the largest possible
    /// one, from 0 to 1, as a mean over both models.
    ///
    /// # Errors
    /// If the model fails.
    pub fn uncertainty(&self, texts: &[&str]) -> Result<Vec<f64>, Error> {
        let highest = (self.authors() as f64).ln();
        let mut all = vec![0.0; texts.len()];
        for view in &self.views {
            for (sum, row) in all.iter_mut().zip(view.probabilities(texts)?) {
                let terms = row.iter().map(|&p| f64::from(p)).filter(|p| *p > 0.0).map(|p| -p * p.ln());
                *sum += (terms.sum::<f64>() / highest).clamp(0.0, 1.0) / self.views.len() as f64;
            }
        }
        Ok(all)
    }
}

impl fmt::Debug for AuthorModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AuthorModel({} authors, accuracy {:.3})", self.authors(), self.accuracy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_authors_are_recognised_and_others_are_uncertain() {
        let habits =
            ["i guess it was ok lol, we went out", "Indeed; it was, one must admit, a fine evening."];
        let texts: Vec<AuthorText> = (0..40)
            .map(|n| AuthorText {
                author: format!("author {}", n % 2),
                topic: None,
                source: None,
                text: format!("{} {n} times, and then {}.", habits[n % 2], n * 7 % 11),
            })
            .collect();
        let model = AuthorModel::train(&texts, 10, 1).unwrap();
        assert_eq!((model.authors(), model.accuracy), (2, 1.0));
        assert!(model.knows("author 1") && !model.knows("author 2"));
        let open = model.uncertainty(&[habits[0], habits[1]]).unwrap();
        assert!(open.iter().all(|share| (0.0..0.5).contains(share)), "{open:?}");
        assert!(AuthorModel::train(&texts[..6], 10, 1).is_err());
    }

    #[test]
    fn words_alone_tell_authors_apart() {
        let subjects = ["kettle copper steam", "anchor harbour tide"];
        let texts: Vec<AuthorText> = (0..40)
            .map(|n| AuthorText {
                author: format!("author {}", n % 2),
                topic: None,
                source: None,
                text: format!("we saw the {} again", subjects[n % 2]),
            })
            .collect();
        let model = AuthorModel::train(&texts, 2, 1).unwrap();
        let open = model.uncertainty(&["we saw the kettle again", "we saw it again"]).unwrap();
        assert!(open[0] + 0.1 < open[1], "{open:?}");
    }
}
