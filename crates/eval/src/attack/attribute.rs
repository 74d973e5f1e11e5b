//! Inference of attributes from vectors.

use super::linear::highest;
use super::network::{MlcSettings, Network};
use crate::Error;
use crate::metrics::{self, Bootstrap, Estimate, ValueSum};

/// Infers one attribute, for example a topic or a gender, from a vector. It is the network of
/// [`Mlc`](super::Mlc) with an output for each value; the most likely value wins.
///
/// For texts, use [`AuthorAttack`](super::AuthorAttack) with attribute values instead of authors.
/// In both cases no person should have texts on both sides of the split, or the attack recognises
/// the person instead of the attribute; see
/// [`AuthorCorpus::split_authors`](crate::AuthorCorpus::split_authors).
///
/// ```
/// use inkveil_eval::attack::{AttributeInference, MlcSettings};
/// use inkveil_eval::metrics::Bootstrap;
///
/// let mut settings = MlcSettings::default();
/// (settings.hidden, settings.epochs, settings.rate) = (vec![8], 300, 0.02);
/// let rows = [1.0, 0.0, 0.0, 1.0, -1.0, 0.0];
/// let inference = AttributeInference::train(2, &rows, &[0, 1, 2], 3, &settings)?;
/// let accuracy = inference.accuracy(&rows, &[0, 1, 2], &Bootstrap::default())?;
/// assert_eq!(accuracy.mean, 1.0);
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeInference {
    network: Network,
}

impl AttributeInference {
    /// Trains on rows of `dim` numbers. `values` has the value of each row, a number below `count`.
    ///
    /// # Errors
    /// If rows and values do not fit, or a setting is invalid.
    pub fn train(
        dim: usize,
        rows: &[f32],
        values: &[usize],
        count: usize,
        settings: &MlcSettings,
    ) -> Result<Self, Error> {
        let truths: Vec<[usize; 1]> = values.iter().map(|&value| [value]).collect();
        Ok(Self { network: Network::train(dim, rows, count, &truths, settings)? })
    }

    /// Returns the most likely value of each row; the first of equal ones.
    ///
    /// # Errors
    /// If the numbers are not a whole number of rows.
    pub fn infer(&self, rows: &[f32]) -> Result<Vec<usize>, Error> {
        let mlp = self.network.mlp();
        let probabilities = self.network.probabilities(rows, rows.len() / mlp.inputs())?;
        Ok(probabilities.chunks_exact(mlp.outputs()).map(highest).collect())
    }

    /// Returns how often the inferred value is correct.
    ///
    /// # Errors
    /// If rows and values do not fit, or there are none.
    pub fn accuracy(&self, rows: &[f32], values: &[usize], bootstrap: &Bootstrap) -> Result<Estimate, Error> {
        let hits: Vec<ValueSum> =
            self.pairs(rows, values)?.into_iter().map(|(a, b)| ValueSum::of_hit(a == b)).collect();
        bootstrap.mean(&hits).ok_or_else(nothing)
    }

    /// Returns the mean F1 of all values. If one value is frequent, always guessing it gives a high
    /// accuracy but a low F1.
    ///
    /// # Errors
    /// If rows and values do not fit, or there are none.
    pub fn macro_f1(&self, rows: &[f32], values: &[usize]) -> Result<f64, Error> {
        metrics::macro_f1(&self.pairs(rows, values)?).ok_or_else(nothing)
    }

    /// The true value of each row and the inferred one.
    fn pairs(&self, rows: &[f32], values: &[usize]) -> Result<Vec<(usize, usize)>, Error> {
        let inferred = self.infer(rows)?;
        match inferred.len() == values.len() {
            true => Ok(values.iter().copied().zip(inferred).collect()),
            false => Err(Error::argument(format!("{} rows have {} values", inferred.len(), values.len()))),
        }
    }
}

fn nothing() -> Error {
    Error::argument("there are no rows to attack")
}

/// Returns the range of a number, for example of an age: how many of the ascending `edges` it has
/// reached.
///
/// ```
/// use inkveil_eval::attack::range_of;
///
/// // Below 30, from 30, from 50.
/// assert_eq!([29.9, 30.0, 71.0].map(|age| range_of(age, &[30.0, 50.0])), [0, 1, 2]);
/// ```
pub fn range_of(number: f64, edges: &[f64]) -> usize {
    edges.iter().filter(|&&edge| number >= edge).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_arguments_are_refused() {
        let settings = MlcSettings { hidden: vec![2], epochs: 1, ..MlcSettings::default() };
        assert!(AttributeInference::train(1, &[0.5], &[2], 2, &settings).is_err());
        let inference = AttributeInference::train(1, &[0.5], &[1], 2, &settings).unwrap();
        let accuracy =
            |rows: &[f32], values: &[usize]| inference.accuracy(rows, values, &Bootstrap::default());
        assert!(accuracy(&[0.5], &[1, 1]).is_err());
        assert!(accuracy(&[], &[]).is_err());
        assert!(accuracy(&[0.5, 0.1], &[1, 0]).is_ok());
        assert!(inference.macro_f1(&[0.5], &[1, 1]).is_err() && inference.macro_f1(&[], &[]).is_err());
    }

    #[test]
    fn guessing_the_frequent_value_has_a_low_f1() {
        // The rows carry no information: nine in ten have the value 0.
        let (rows, values) = ([1.0; 20], [[0; 9].as_slice(), &[1]].concat().repeat(2));
        let settings = MlcSettings { hidden: vec![4], epochs: 60, rate: 0.05, ..MlcSettings::default() };
        let inference = AttributeInference::train(1, &rows, &values, 2, &settings).unwrap();
        let accuracy = inference.accuracy(&rows, &values, &Bootstrap::default()).unwrap();
        assert_eq!(accuracy.mean, 0.9);
        // F1 of 2·18/(18 + 20) and of 0.
        let f1 = inference.macro_f1(&rows, &values).unwrap();
        assert!((f1 - 18.0 / 38.0).abs() < 1e-12, "{f1}");
    }
}
