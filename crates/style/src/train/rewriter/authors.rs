//! The attribution model that computes rewards. It is never used to measure results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use inkveil_nn::layers::{Linear, log_softmax, softmax};
use inkveil_nn::train::{AdamW, AdamWSettings, Gradients};
use inkveil_nn::{Device, Scope, SplitMix, Tensor};
use rayon::prelude::*;

use crate::network::Standard;
use crate::surface::{surface, width};
use crate::{AuthorText, Error};

const STEPS: u64 = 400;
const BATCH: usize = 256;
const RATE: f64 = 2e-3;
/// One in this many texts of an author is held out to measure the model's accuracy.
const CHECKED: usize = 5;

/// Attributes texts to known authors: a linear model over patterns and features.
pub struct AuthorModel {
    standard: Standard,
    linear: Linear,
    authors: BTreeSet<String>,
    /// The accuracy on held-out texts.
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
        let rows: Vec<Vec<f32>> = seen.par_iter().map(|(text, _)| surface(text)).collect();
        let standard = Standard::of(&rows);
        let rows: Vec<Vec<f32>> = rows
            .into_par_iter()
            .map(|mut row| {
                standard.apply(&mut row);
                row
            })
            .collect();
        let device = Device::Cpu;
        let scope = Scope::trainable(None, &device, seed);
        let linear = Linear::new(&scope.enter("authors"), width(), authors.len(), true)?;
        let settings = AdamWSettings { weight_decay: 0.1, ..Default::default() };
        let mut optimiser = AdamW::new(scope.variables(), settings)?;
        let mut gradients = Gradients::new(scope.variables());
        let mut random = SplitMix::named(seed, "authors", &[]);
        for _ in 0..STEPS {
            let picked: Vec<usize> =
                (0..BATCH).map(|_| (random.next() % rows.len() as u64) as usize).collect();
            let values: Vec<f32> = picked.iter().flat_map(|&row| rows[row].iter().copied()).collect();
            let targets: Vec<u32> = picked.iter().map(|&row| seen[row].1).collect();
            let loss = cross_entropy(&linear, values, targets)?;
            gradients.add(&loss, 1.0)?;
            optimiser.step(&mut gradients, RATE)?;
        }
        let known = authors.iter().map(|(author, _)| (*author).to_owned()).collect();
        let mut model = Self { standard, linear, authors: known, accuracy: 0.0 };
        let texts: Vec<&str> = held.iter().map(|(text, _)| *text).collect();
        let answers = model.probabilities(&texts)?;
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

    /// Returns the uncertainty about the author of each text: the entropy of its answer divided by
    /// the largest possible one, from 0 to 1.
    ///
    /// # Errors
    /// If the model fails.
    pub fn uncertainty(&self, texts: &[&str]) -> Result<Vec<f64>, Error> {
        let highest = (self.authors() as f64).ln();
        let entropy = |row: &Vec<f32>| {
            let terms = row.iter().map(|&p| f64::from(p)).filter(|p| *p > 0.0).map(|p| -p * p.ln());
            (terms.sum::<f64>() / highest).clamp(0.0, 1.0)
        };
        Ok(self.probabilities(texts)?.iter().map(entropy).collect())
    }

    fn probabilities(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
        let mut all = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let rows: Vec<Vec<f32>> = batch
                .par_iter()
                .map(|text| {
                    let mut row = surface(text);
                    self.standard.apply(&mut row);
                    row
                })
                .collect();
            let rows = Tensor::from_vec(rows.concat(), (batch.len(), width()), &Device::Cpu)
                .map_err(inkveil_nn::Error::from)?;
            let found = softmax(&self.linear.forward(&rows)?.detach())?;
            all.extend(found.to_vec2::<f32>().map_err(inkveil_nn::Error::from)?);
        }
        Ok(all)
    }
}

fn cross_entropy(linear: &Linear, values: Vec<f32>, targets: Vec<u32>) -> Result<Tensor, inkveil_nn::Error> {
    let count = targets.len();
    let rows = Tensor::from_vec(values, (count, width()), &Device::Cpu)?;
    let targets = Tensor::from_vec(targets, (count, 1), &Device::Cpu)?;
    Ok(log_softmax(&linear.forward(&rows)?)?.gather(&targets, 1)?.mean_all()?.neg()?)
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
}
