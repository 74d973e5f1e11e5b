//! Training of the fast tier.

use std::path::Path;

use inkveil_nn::{Scope, Tensor};
use rayon::prelude::*;

use super::super::features::Features;
use super::super::net::{REACH, WordNet};
use super::loss::Loss;
use super::{Epoch, FORGET, Labelled, Plan, Progress, Shuffle, Steps, save};
use crate::{Error, Gazetteer};

/// Trains the fast tagger and writes its weights in 8 bits.
pub fn train_fast(
    gazetteer: &Gazetteer,
    epoch_of: Epoch<'_>,
    plan: &Plan,
    out: &Path,
    report: &mut dyn FnMut(Progress),
) -> Result<(), Error> {
    let scope = Scope::trainable(None, &plan.device, plan.seed);
    let net = WordNet::new(&scope)?;
    let mut steps = Steps::new(&scope, plan, report)?;
    for epoch in 0..plan.epochs {
        let texts = epoch_of(epoch);
        let batches = batches(&texts, plan, epoch);
        steps.expect(plan, batches.len());
        // Features are made ahead, on all cores, some batches at a time.
        for group in batches.chunks(64) {
            let made: Vec<Batch> = group
                .par_iter()
                .map(|batch| Batch::of(&texts, batch, gazetteer, plan.seed ^ epoch))
                .collect();
            for batch in made {
                steps.begin()?;
                steps.finish(epoch, &batch.loss(&net, plan)?)?;
            }
        }
        save(&scope, out)?;
    }
    Ok(())
}

/// Batches of texts in random order. A word has about six bytes.
fn batches(texts: &[Labelled], plan: &Plan, epoch: u64) -> Vec<Vec<usize>> {
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

struct Batch {
    features: Features,
    rows: Vec<u32>,
    allowed: Vec<u64>,
}

impl Batch {
    fn of(texts: &[Labelled], indices: &[usize], gazetteer: &Gazetteer, seed: u64) -> Self {
        let mut batch = Batch { features: Features::default(), rows: Vec::new(), allowed: Vec::new() };
        for &index in indices {
            let text = &texts[index];
            let (words, allowed) = text.words();
            let mut random = Shuffle::new(seed.wrapping_mul(31).wrapping_add(index as u64));
            let from = batch.features.len() as u32;
            batch.rows.extend(from..from + words.len() as u32);
            batch.allowed.extend(allowed);
            batch.features.push(&text.text, &words, gazetteer, || random.chance(FORGET));
            batch.features.push_gap(REACH);
        }
        batch
    }

    fn loss(&self, net: &WordNet, plan: &Plan) -> Result<Loss, inkveil_nn::Error> {
        let rows = Tensor::from_slice(&self.rows, self.rows.len(), &plan.device)?;
        Loss::of(&net.forward(&self.features)?.index_select(&rows, 0)?, &self.allowed)
    }
}
