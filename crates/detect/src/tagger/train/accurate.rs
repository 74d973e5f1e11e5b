//! Training of the accurate tier.

use std::path::Path;

use inkveil_nn::layers::{Linear, Lora};
use inkveil_nn::models::{Bert, BertConfig, TextModel, TokenBatch};
use inkveil_nn::{CASING_TABLE, CASINGS, Device, Scope, Tensor, Tokenizer, Weights, with_casings};
use rayon::prelude::*;

use super::labelled::LabelledText;
use super::loss::Loss;
use super::shuffle::Shuffle;
use super::steps::{EpochTexts, FORGET, Steps, TrainingPlan, TrainingProgress, save};
use crate::error::Error;
use crate::gazetteer::Gazetteer;
use crate::tagger::accurate::ends;
use crate::tagger::features::{DENSE, push_dense};
use crate::tagger::labels::LABELS;
use crate::tagger::tokens::{TokenWindow, windows};

/// The rank of the adapters. Alpha must equal it, because merging the adapters assumes that.
const RANK: usize = 32;

/// Trains adapters and a head on the encoder of the pack, and writes them in 8 bits.
///
/// # Errors
/// Fails if the pack cannot be opened, the device fails or the weights cannot be written.
pub fn train_accurate(
    pack: &Path,
    gazetteer: &Gazetteer,
    epoch_of: EpochTexts<'_>,
    plan: &TrainingPlan,
    out: &Path,
    report: &mut dyn FnMut(TrainingProgress),
) -> Result<(), Error> {
    let tokenizer = Tokenizer::open(pack)?;
    let ends = ends(&tokenizer)?;
    let config = BertConfig::open(pack)?;
    let weights = with_casings(&Weights::open(pack)?, &config)?;
    let config = BertConfig { types: CASINGS, ..config };
    let scope = Scope::trainable(Some(&weights), &plan.device, plan.seed);
    let model = Model::new(&scope, &config)?;
    let mut steps = Steps::new(&scope, plan, report)?;
    for epoch in 0..plan.epochs {
        if steps.is_over(plan) {
            break;
        }
        let texts = epoch_of(epoch);
        let rows: Vec<LabelledWindow> = texts
            .par_iter()
            .enumerate()
            .map(|(index, text)| {
                let random = Shuffle::new((plan.seed ^ epoch).wrapping_mul(31).wrapping_add(index as u64));
                rows(&tokenizer, ends, gazetteer, text, random)
            })
            .collect::<Result<Vec<_>, Error>>()?
            .into_iter()
            .flatten()
            .collect();
        let batches = batches(&rows, plan, epoch);
        steps.expect(plan, batches.len());
        for batch in batches {
            let batch: Vec<&LabelledWindow> = batch.iter().map(|&index| &rows[index]).collect();
            steps.begin()?;
            steps.finish(epoch, &model.loss(&batch, &plan.device)?)?;
            if steps.is_over(plan) {
                break;
            }
        }
        save(&scope, out)?;
    }
    Ok(())
}

/// A window with the labels of its words.
struct LabelledWindow {
    window: TokenWindow,
    dense: Vec<f32>,
    allowed: Vec<u64>,
    weights: Vec<f32>,
}

fn rows(
    tokenizer: &Tokenizer,
    ends: [u32; 2],
    gazetteer: &Gazetteer,
    text: &LabelledText,
    mut random: Shuffle,
) -> Result<Vec<LabelledWindow>, Error> {
    let (words, allowed) = text.words();
    let mut dense = Vec::new();
    push_dense(&mut dense, &text.text, &words, gazetteer, || random.chance(FORGET));
    let made = windows(tokenizer, ends, &text.text, &words)?.into_iter().map(|window| LabelledWindow {
        dense: dense[window.words.start * DENSE..window.words.end * DENSE].to_vec(),
        allowed: allowed[window.words.clone()].to_vec(),
        weights: allowed[window.words.clone()].iter().map(|&allowed| text.weight(allowed)).collect(),
        window,
    });
    Ok(made.collect())
}

/// Returns batches of windows of similar length, in random order.
fn batches(rows: &[LabelledWindow], plan: &TrainingPlan, epoch: u64) -> Vec<Vec<usize>> {
    let mut random = Shuffle::new(plan.seed ^ epoch << 32);
    let mut order = random.order(rows.len());
    for chunk in order.chunks_mut(4096) {
        chunk.sort_by_key(|&index| rows[index].window.ids.len());
    }
    // Memory is proportional to the tokens, with padding.
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut longest = usize::MAX;
    for index in order {
        let length = rows[index].window.ids.len();
        match batches.last_mut() {
            Some(batch) if (batch.len() + 1) * longest.max(length) <= plan.batch_words => {
                batch.push(index);
                longest = longest.max(length);
            }
            _ => {
                batches.push(vec![index]);
                longest = length;
            }
        }
    }
    random.order(batches.len()).into_iter().map(|index| std::mem::take(&mut batches[index])).collect()
}

struct Model {
    encoder: TextModel,
    head: Linear,
    width: usize,
}

impl Model {
    fn new(scope: &Scope, config: &BertConfig) -> Result<Self, Error> {
        // All small weights are trained too: casings, norms and biases.
        let small =
            scope.only(|name| name == CASING_TABLE || name.contains("LayerNorm") || name.ends_with(".bias"));
        let mut encoder = TextModel::Bert(Bert::new(&small, config)?);
        let lora = Lora { rank: RANK, alpha: RANK as f64, dropout: 0.0 };
        encoder.add_lora(scope, &lora, |_| true)?;
        let head = Linear::new(&scope.enter("head"), config.width + DENSE, LABELS, true)?;
        Ok(Model { encoder, head, width: config.width })
    }

    fn loss(&self, rows: &[&LabelledWindow], device: &Device) -> Result<Loss, inkveil_nn::Error> {
        let ids: Vec<&[u32]> = rows.iter().map(|row| row.window.ids.as_slice()).collect();
        let casings: Vec<Vec<u32>> =
            rows.iter().map(|row| row.window.casings.iter().copied().map(u32::from).collect()).collect();
        let batch = TokenBatch::new(&ids, 0)?.with_types(&casings)?;
        let states = self.encoder.hidden_states(&batch)?.reshape(((), self.width))?;
        let length = batch.length();
        let at = |(n, row): (usize, &&'_ LabelledWindow)| {
            row.window.firsts.iter().map(move |first| (n * length + first) as u32).collect::<Vec<_>>()
        };
        let picked: Vec<u32> = rows.iter().enumerate().flat_map(at).collect();
        let dense: Vec<f32> = rows.iter().flat_map(|row| row.dense.iter().copied()).collect();
        let allowed: Vec<u64> = rows.iter().flat_map(|row| row.allowed.iter().copied()).collect();
        let weights: Vec<f32> = rows.iter().flat_map(|row| row.weights.iter().copied()).collect();
        let count = picked.len();
        let states = states.index_select(&Tensor::from_vec(picked, count, device)?, 0)?;
        let inputs = Tensor::cat(&[states, Tensor::from_vec(dense, (count, DENSE), device)?], 1)?;
        Loss::of(&self.head.forward(&inputs)?, &allowed, &weights)
    }
}
