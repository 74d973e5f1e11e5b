//! Training of the fast tier.

use std::path::Path;

use inkveil_nn::{Scope, Tensor};
use rayon::prelude::*;

use super::labelled::LabelledText;
use super::loss::Loss;
use super::shuffle::Shuffle;
use super::start::start_words;
use super::steps::{EpochTexts, FORGET, Steps, TrainingPlan, TrainingProgress, save};
use crate::error::Error;
use crate::gazetteer::Gazetteer;
use crate::tagger::features::Features;
use crate::tagger::net::{REACH, WordNet};

/// Trains the fast tagger and writes its weights in 8 bits. Its table of words starts with what the encoder
/// of the pack knows about them.
///
/// # Errors
/// Fails if the pack cannot be opened, the device fails or the weights cannot be written.
pub fn train_fast(
    pack: &Path,
    gazetteer: &Gazetteer,
    epoch_of: EpochTexts<'_>,
    plan: &TrainingPlan,
    out: &Path,
    report: &mut dyn FnMut(TrainingProgress),
) -> Result<(), Error> {
    let scope = Scope::trainable(None, &plan.device, plan.seed);
    let net = WordNet::new(&scope)?;
    start_words(&scope, pack)?;
    let mut steps = Steps::new(&scope, plan, report)?;
    for epoch in 0..plan.epochs {
        if steps.is_over(plan) {
            break;
        }
        let texts = epoch_of(epoch);
        let batches = batches(&texts, plan, epoch);
        steps.expect(plan, batches.len());
        // Features of some batches are computed ahead, on all cores.
        for group in batches.chunks(64) {
            let made: Vec<Batch> = group
                .par_iter()
                .map(|batch| Batch::of(&texts, batch, gazetteer, plan.seed ^ epoch))
                .collect();
            for batch in made {
                steps.begin()?;
                steps.finish(epoch, &batch.loss(&net, plan)?)?;
            }
            if steps.is_over(plan) {
                break;
            }
        }
        save(&scope, out)?;
    }
    Ok(())
}

/// Returns batches of texts in random order. A word has about six bytes.
fn batches(texts: &[LabelledText], plan: &TrainingPlan, epoch: u64) -> Vec<Vec<usize>> {
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut bytes = usize::MAX;
    for index in Shuffle::new(plan.seed ^ epoch << 32).order(texts.len()) {
        match batches.last_mut() {
            Some(batch) if bytes <= plan.batch_words * 6 => batch.push(index),
            _ => {
                batches.push(vec![index]);
                bytes = 0;
            }
        }
        bytes += texts[index].text.len();
    }
    batches
}

#[derive(Default)]
struct Batch {
    features: Features,
    rows: Vec<u32>,
    allowed: Vec<u64>,
    weights: Vec<f32>,
}

impl Batch {
    fn of(texts: &[LabelledText], indices: &[usize], gazetteer: &Gazetteer, seed: u64) -> Self {
        let mut batch = Batch::default();
        for &index in indices {
            let text = &texts[index];
            let (words, allowed) = text.words();
            let mut random = Shuffle::new(seed.wrapping_mul(31).wrapping_add(index as u64));
            let from = batch.features.len() as u32;
            batch.rows.extend(from..from + words.len() as u32);
            batch.weights.extend(allowed.iter().map(|&allowed| text.weight(allowed)));
            batch.allowed.extend(allowed);
            batch.features.push(&text.text, &words, gazetteer, || random.chance(FORGET));
            batch.features.push_gap(REACH);
        }
        batch
    }

    fn loss(&self, net: &WordNet, plan: &TrainingPlan) -> Result<Loss, inkveil_nn::Error> {
        let rows = Tensor::from_slice(&self.rows, self.rows.len(), &plan.device)?;
        Loss::of(&net.forward(&self.features)?.index_select(&rows, 0)?, &self.allowed, &self.weights)
    }
}
