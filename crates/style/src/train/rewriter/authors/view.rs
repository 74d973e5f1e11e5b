//! What a part of the attribution model reads in a text, and the linear model over it.

use inkveil_nn::layers::{Linear, log_softmax, softmax};
use inkveil_nn::train::{AdamW, AdamWSettings, Gradients};
use inkveil_nn::{Device, Error, Scope, SplitMix, Tensor};
use rayon::prelude::*;

use crate::network::{Standard, normalise};
use crate::ngrams::{BUCKETS, bucketed};
use crate::surface::{surface, width};

const STEPS: u64 = 400;
const BATCH: usize = 256;
const RATE: f64 = 2e-3;

/// What is read in a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reading {
    /// Patterns and features, as the style encoder reads them.
    Surface,
    /// N-grams of characters and words, weighed by how rare they are, as attackers read them.
    Ngrams,
}

/// A linear model over one reading of texts.
pub(super) struct View {
    scaling: Scaling,
    linear: Linear,
}

/// How the numbers of a text are scaled, learnt from the texts of the run.
enum Scaling {
    Standard(Standard),
    /// The inverse document frequency of each bucket.
    Rarity(Vec<f32>),
}

impl View {
    /// Learns from texts with the number of their author, of whom there are `authors`.
    pub(super) fn train(
        reading: Reading,
        texts: &[(&str, u32)],
        authors: usize,
        seed: u64,
    ) -> Result<Self, Error> {
        let mut rows: Vec<Vec<f32>> = texts.par_iter().map(|(text, _)| reading.row(text)).collect();
        let scaling = reading.scaling(&rows);
        rows.par_iter_mut().for_each(|row| scaling.apply(row));
        let device = Device::Cpu;
        let scope = Scope::trainable(None, &device, seed);
        let linear = Linear::new(&scope.enter("authors"), reading.width(), authors, true)?;
        let settings = AdamWSettings { weight_decay: 0.1, ..Default::default() };
        let mut optimiser = AdamW::new(scope.variables(), settings)?;
        let mut gradients = Gradients::new(scope.variables());
        let mut random = SplitMix::named(seed, "authors", &[]);
        let batch = BATCH.min(rows.len());
        for _ in 0..STEPS {
            let picked: Vec<usize> =
                (0..batch).map(|_| (random.next() % rows.len() as u64) as usize).collect();
            let values: Vec<f32> = picked.iter().flat_map(|&row| rows[row].iter().copied()).collect();
            let targets: Vec<u32> = picked.iter().map(|&row| texts[row].1).collect();
            let rows = Tensor::from_vec(values, (batch, reading.width()), &device)?;
            let targets = Tensor::from_vec(targets, (batch, 1), &device)?;
            let loss = log_softmax(&linear.forward(&rows)?)?.gather(&targets, 1)?.mean_all()?.neg()?;
            gradients.add(&loss, 1.0)?;
            optimiser.step(&mut gradients, RATE)?;
        }
        Ok(Self { scaling, linear })
    }

    /// Returns the probability of each author, for each text.
    pub(super) fn probabilities(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
        let reading = self.scaling.reading();
        let mut all = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let rows: Vec<Vec<f32>> = batch
                .par_iter()
                .map(|text| {
                    let mut row = reading.row(text);
                    self.scaling.apply(&mut row);
                    row
                })
                .collect();
            let rows = Tensor::from_vec(rows.concat(), (batch.len(), reading.width()), &Device::Cpu)?;
            all.extend(softmax(&self.linear.forward(&rows)?.detach())?.to_vec2::<f32>()?);
        }
        Ok(all)
    }
}

impl Reading {
    pub(super) const ALL: [Self; 2] = [Self::Surface, Self::Ngrams];

    fn width(self) -> usize {
        match self {
            Self::Surface => width(),
            Self::Ngrams => BUCKETS,
        }
    }

    fn row(self, text: &str) -> Vec<f32> {
        match self {
            Self::Surface => surface(text),
            Self::Ngrams => bucketed(text),
        }
    }

    fn scaling(self, rows: &[Vec<f32>]) -> Scaling {
        match self {
            Self::Surface => Scaling::Standard(Standard::of(rows)),
            Self::Ngrams => {
                let mut with = vec![0u32; BUCKETS];
                for row in rows {
                    with.iter_mut().zip(row).for_each(|(count, value)| *count += u32::from(*value > 0.0));
                }
                let all = 1.0 + rows.len() as f32;
                Scaling::Rarity(with.iter().map(|&count| 1.0 + (all / (1.0 + count as f32)).ln()).collect())
            }
        }
    }
}

impl Scaling {
    fn reading(&self) -> Reading {
        match self {
            Self::Standard(_) => Reading::Surface,
            Self::Rarity(_) => Reading::Ngrams,
        }
    }

    fn apply(&self, row: &mut [f32]) {
        match self {
            Self::Standard(standard) => standard.apply(row),
            Self::Rarity(rarity) => {
                row.iter_mut().zip(rarity).for_each(|(value, weight)| *value *= weight);
                normalise(row);
            }
        }
    }
}
