use super::MlcSettings;
use super::network::Network;
use crate::Error;
use crate::metrics::{Bootstrap, Estimate, Group};

/// Reads one attribute, say a topic or a gender, from a vector: the network of [`Mlc`](super::Mlc) with an output for each value, of
/// which the likeliest is taken.
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
    /// Trains on rows of `dim` numbers; `values` has the value of each row, as a number below `count`.
    ///
    /// # Errors
    /// If rows and values do not fit, or a setting makes no sense.
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

    /// The likeliest value of each of these rows; of equally likely ones the first.
    ///
    /// # Errors
    /// If the numbers make no whole rows.
    pub fn infer(&self, rows: &[f32]) -> Result<Vec<usize>, Error> {
        let mlp = self.network.mlp();
        let probabilities = self.network.probabilities(rows, rows.len() / mlp.inputs())?;
        let likeliest = |row: &[f32]| {
            let first = row.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
            first.map_or(0, |(value, _)| value)
        };
        Ok(probabilities.chunks_exact(mlp.outputs()).map(likeliest).collect())
    }

    /// How often the inferred value is the true one.
    ///
    /// # Errors
    /// If rows and values do not fit, or there are none.
    pub fn accuracy(&self, rows: &[f32], values: &[usize], bootstrap: &Bootstrap) -> Result<Estimate, Error> {
        let inferred = self.infer(rows)?;
        if inferred.len() != values.len() {
            return Err(Error::argument(format!("{} rows have {} values", inferred.len(), values.len())));
        }
        let right = |(a, b): (&usize, &usize)| Group { sum: f64::from(u8::from(a == b)), count: 1 };
        let groups: Vec<Group> = inferred.iter().zip(values).map(right).collect();
        bootstrap.mean(&groups).ok_or_else(|| Error::argument("there are no rows to attack"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused() {
        let settings = MlcSettings { hidden: vec![2], epochs: 1, ..MlcSettings::default() };
        assert!(AttributeInference::train(1, &[0.5], &[2], 2, &settings).is_err());
        let inference = AttributeInference::train(1, &[0.5], &[1], 2, &settings).unwrap();
        let accuracy =
            |rows: &[f32], values: &[usize]| inference.accuracy(rows, values, &Bootstrap::default());
        assert!(accuracy(&[0.5], &[1, 1]).is_err());
        assert!(accuracy(&[], &[]).is_err());
        assert!(accuracy(&[0.5, 0.1], &[1, 0]).is_ok());
    }
}
