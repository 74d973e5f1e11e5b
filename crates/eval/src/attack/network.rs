//! The network that attackers share.

use inkveil_nn::{Mlp, MlpTraining, SplitMix};

use super::scaling::Scaling;
use crate::Error;

/// How an attacker's network is built and trained. By default as SPARSE's authors train theirs (their Appendix I.3);
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
    /// How often every row is seen.
    pub epochs: usize,
    /// Rows in a step.
    pub batch: usize,
    /// The learning rate of Adam.
    pub rate: f32,
    /// Whether every coordinate is first brought to mean 0 and variance 1 over the training rows.
    pub standardise: bool,
    /// The first weights and the order of rows follow from it.
    pub seed: u64,
}

impl Default for MlcSettings {
    fn default() -> Self {
        Self { hidden: vec![512, 256, 128], epochs: 20, batch: 64, rate: 1e-4, standardise: false, seed: 0 }
    }
}

impl MlcSettings {
    /// An attacker who learns faster: from standardised coordinates, at ten times the rate.
    ///
    /// On a few thousand unit vectors the published settings hardly move the network from where it begins, and everything seems safe. A
    /// defence should be measured against this one.
    pub fn strong() -> Self {
        Self { rate: 1e-3, standardise: true, ..Self::default() }
    }
}

/// A trained network and what it does to rows before it sees them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Network {
    mlp: Mlp,
    scaling: Option<Scaling>,
}

impl Network {
    /// Trains on rows of `dim` numbers; `truths` has the outputs that are 1 for each row.
    pub(super) fn train(
        dim: usize,
        rows: &[f32],
        outputs: usize,
        truths: &[impl AsRef<[usize]>],
        settings: &MlcSettings,
    ) -> Result<Self, Error> {
        check_rows(dim, rows, truths.len())?;
        if truths.iter().any(|truth| truth.as_ref().iter().any(|&output| output >= outputs)) {
            return Err(Error::argument(format!("there are {outputs} outputs; a row has one beyond them")));
        }
        if truths.is_empty() || settings.batch == 0 || !(settings.rate > 0.0 && settings.rate.is_finite()) {
            return Err(Error::argument(
                "training needs some rows, some rows in a batch and a positive learning rate",
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

    /// The rows as the network sees them.
    pub(super) fn inputs(&self, rows: &[f32]) -> Vec<f32> {
        self.scaling.as_ref().map_or_else(|| rows.to_vec(), |scaling| scaling.apply(rows))
    }

    /// The probabilities of all outputs, for each of `count` rows.
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
    fn what_does_not_fit_is_refused() {
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
