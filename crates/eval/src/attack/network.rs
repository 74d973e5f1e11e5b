//! The network of attackers on vectors.

use inkveil_nn::{Mlp, MlpTraining, SplitMix};

use super::scaling::Scaling;
use crate::Error;

/// The settings of an attacker's network. The default is that of SPARSE's authors (Appendix I.3);
/// [`strong`](Self::strong) finds more.
///
/// ```
/// use inkveil_eval::attack::MlcSettings;
///
/// let mut settings = MlcSettings::default();
/// assert_eq!((settings.hidden.as_slice(), settings.epochs), (&[512, 256, 128][..], 20));
/// settings.epochs = 5;
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MlcSettings {
    /// The widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// The number of epochs.
    pub epochs: usize,
    /// The number of rows in a step.
    pub batch: usize,
    /// The learning rate of Adam.
    pub rate: f32,
    /// Whether every coordinate is standardised to mean 0 and variance 1 over the training rows.
    pub standardise: bool,
    /// Determines the initial weights and the order of rows.
    pub seed: u64,
}

impl Default for MlcSettings {
    fn default() -> Self {
        Self { hidden: vec![512, 256, 128], epochs: 20, batch: 64, rate: 1e-4, standardise: false, seed: 0 }
    }
}

impl MlcSettings {
    /// A stronger attacker: standardised coordinates and ten times the learning rate.
    ///
    /// On a few thousand unit vectors the published settings hardly train the network, and every
    /// defence seems safe. Measure defences against this attacker.
    pub fn strong() -> Self {
        Self { rate: 1e-3, standardise: true, ..Self::default() }
    }

    /// A larger network that trains three times as long.
    pub fn big() -> Self {
        Self { hidden: vec![1024, 512], epochs: 60, rate: 5e-4, ..Self::strong() }
    }
}

/// A trained network, and the scaling of its inputs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Network {
    mlp: Mlp,
    scaling: Option<Scaling>,
}

impl Network {
    /// Trains on rows of `dim` numbers. `truths` has the outputs that are 1 for each row.
    pub(super) fn train(
        dim: usize,
        rows: &[f32],
        outputs: usize,
        truths: &[impl AsRef<[usize]>],
        settings: &MlcSettings,
    ) -> Result<Self, Error> {
        check_rows(dim, rows, truths.len())?;
        if truths.iter().any(|truth| truth.as_ref().iter().any(|&output| output >= outputs)) {
            return Err(Error::argument(format!("a row has an output that is not below {outputs}")));
        }
        if truths.is_empty() || settings.batch == 0 || !(settings.rate > 0.0 && settings.rate.is_finite()) {
            return Err(Error::argument(
                "training needs rows, a batch size above 0 and a positive learning rate",
            ));
        }
        let scaling = settings.standardise.then(|| Scaling::of(dim, rows));
        let scaled = scaling.as_ref().map(|scaling| scaling.apply(rows));
        let rows = scaled.as_deref().unwrap_or(rows);
        let widths = [&[dim], settings.hidden.as_slice(), &[outputs]].concat();
        let mut training = MlpTraining::new(Mlp::new(&widths, settings.seed)?, settings.rate);
        let (mut inputs, mut targets) = (Vec::new(), Vec::new());
        let mut order: Vec<usize> = (0..truths.len()).collect();
        for epoch in 0..settings.epochs {
            SplitMix::named(settings.seed, "batches", &[epoch as u64]).shuffle(&mut order);
            for batch in order.chunks(settings.batch) {
                inputs.clear();
                targets.clear();
                targets.resize(batch.len() * outputs, 0.0);
                for (target, &row) in targets.chunks_exact_mut(outputs).zip(batch) {
                    inputs.extend_from_slice(&rows[row * dim..(row + 1) * dim]);
                    truths[row].as_ref().iter().for_each(|&output| target[output] = 1.0);
                }
                training.step(&inputs, &targets)?;
            }
        }
        Ok(Self { mlp: training.into_mlp(), scaling })
    }

    pub(super) fn mlp(&self) -> &Mlp {
        &self.mlp
    }

    /// The rows as inputs of the network.
    pub(super) fn inputs(&self, rows: &[f32]) -> Vec<f32> {
        self.scaling.as_ref().map_or_else(|| rows.to_vec(), |scaling| scaling.apply(rows))
    }

    /// The probabilities of all outputs for each of `count` rows.
    pub(super) fn probabilities(&self, rows: &[f32], count: usize) -> Result<Vec<f32>, Error> {
        check_rows(self.mlp.inputs(), rows, count)?;
        Ok(self.mlp.probabilities(&self.inputs(rows))?)
    }
}

fn check_rows(dim: usize, rows: &[f32], count: usize) -> Result<(), Error> {
    match dim > 0 && Some(rows.len()) == dim.checked_mul(count) {
        true => Ok(()),
        false => Err(Error::argument(format!("{} numbers are not {count} rows of {dim}", rows.len()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_arguments_are_refused() {
        let settings = MlcSettings::default();
        let train = |rows: &[f32], truths: &[Vec<usize>], settings: &MlcSettings| {
            Network::train(2, rows, 3, truths, settings).map(drop)
        };
        assert!(train(&[0.0; 3], &[vec![0]], &settings).is_err());
        assert!(train(&[0.0; 2], &[vec![3]], &settings).is_err());
        assert!(train(&[], &[], &settings).is_err());
        assert!(train(&[0.0; 2], &[vec![0]], &MlcSettings { batch: 0, ..settings.clone() }).is_err());
        assert!(train(&[0.0; 2], &[vec![0]], &MlcSettings { rate: f32::NAN, ..settings }).is_err());
    }
}
