//! What one seed needs before its cells can run: the split, the shapes of noise, the changed sentences.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use inkveil_eval::Split;
use inkveil_eval::attack::Mlc;
use inkveil_vector::{FitSettings, Pairs, attribution, fit, sigma};

use crate::cell::Cell;
use crate::defence::Defence;
use crate::parallel;
use crate::rewrite::Rewriter;
use crate::vectors::Encoder;
use crate::{Outcome, Study};

/// Points on each line that gradients are integrated along.
const STEPS: usize = 16;

pub(crate) struct Trial {
    pub(crate) split: Split,
    /// The diagonals of Σ, by the name of their defence.
    pub(crate) shapes: BTreeMap<String, Vec<f64>>,
    /// The vectors of changed sentences, by the name of their defence.
    pub(crate) changed: BTreeMap<String, Vec<f32>>,
}

impl Trial {
    /// Prepares every seed that has open cells.
    pub(crate) fn prepare(study: &Study, encoder: &Encoder, open: &[Cell]) -> Outcome<BTreeMap<u64, Self>> {
        let mut trials = BTreeMap::new();
        for seed in open.iter().map(|cell| cell.seed).collect::<BTreeSet<_>>() {
            let split = Split::new(study.corpus.texts.len(), study.options.test_share, seed)?;
            trials.insert(seed, Self { split, shapes: BTreeMap::new(), changed: BTreeMap::new() });
        }
        let of_kind = |wanted: fn(Defence) -> bool| {
            let mut jobs: Vec<(u64, Defence)> = Vec::new();
            for cell in open.iter().filter(|cell| wanted(cell.defence)) {
                if !jobs.contains(&(cell.seed, cell.defence)) {
                    jobs.push((cell.seed, cell.defence));
                }
            }
            jobs
        };
        for (seed, defence) in of_kind(Defence::changes_text) {
            let vectors = changed_vectors(study, encoder, defence, seed)?;
            if let Some(trial) = trials.get_mut(&seed) {
                trial.changed.insert(defence.to_string(), vectors);
            }
        }
        let shaped = of_kind(|defence| matches!(defence, Defence::Sparse { .. } | Defence::SparseWb));
        let without = match shaped.is_empty() {
            true => Without::default(),
            false => Without::of(study, encoder)?,
        };
        let mut shapes = Vec::new();
        let work = |&(seed, defence): &(u64, Defence)| match (defence, &trials[&seed].split) {
            (Defence::Sparse { lambda }, split) => mask(study, &without, split, lambda, seed),
            (_, split) => gradients(study, split, seed),
        };
        parallel::each(&shaped, work, |&(seed, defence), gates| {
            shapes.push((seed, defence, sigma(&gates, study.options.floor)?));
            Ok(())
        })?;
        for (seed, defence, shape) in shapes {
            if let Some(trial) = trials.get_mut(&seed) {
                trial.shapes.insert(defence.to_string(), shape);
            }
        }
        Ok(trials)
    }
}

/// Sentences without their sensitive words.
#[derive(Default)]
pub(crate) struct Without {
    /// Those that have some, and other words too.
    sentences: Vec<usize>,
    vectors: Vec<f32>,
}

impl Without {
    pub(crate) fn of(study: &Study, encoder: &Encoder) -> Outcome<Self> {
        let (texts, sensitive) = (&study.corpus.texts, &study.corpus.sensitive);
        let (mut sentences, mut rest) = (Vec::new(), Vec::new());
        for (sentence, text) in texts.iter().enumerate() {
            let without = sensitive.without(sentence, text);
            if !sensitive.mentions()[sentence].is_empty() && without.chars().any(char::is_alphanumeric) {
                sentences.push(sentence);
                rest.push(without);
            }
        }
        Ok(Self { sentences, vectors: encoder.vectors(&rest)? })
    }

    /// Vectors with and without, of those sentences that may be learnt from, over and over until there are `least`.
    pub(crate) fn pairs(
        &self,
        study: &Study,
        chosen: impl Fn(usize) -> bool,
        least: usize,
    ) -> Outcome<Pairs> {
        let dim = study.dim;
        let usable: Vec<usize> = (0..self.sentences.len()).filter(|&at| chosen(self.sentences[at])).collect();
        let count = usable.len().max(if usable.is_empty() { 0 } else { least });
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for &at in usable.iter().cycle().take(count) {
            with.extend_from_slice(&study.vectors[self.sentences[at] * dim..][..dim]);
            without.extend_from_slice(&self.vectors[at * dim..][..dim]);
        }
        Ok(Pairs::from_vectors(dim, with, without)?)
    }
}

/// A mask, learnt on the sentences that the attacker trains on.
fn mask(study: &Study, without: &Without, split: &Split, lambda: f64, seed: u64) -> Outcome<Vec<f32>> {
    let start = Instant::now();
    let pairs = without.pairs(study, |sentence| split.train().binary_search(&sentence).is_ok(), 0)?;
    let fitted = fit(&pairs, &FitSettings { lambda, seed, ..FitSettings::default() }, &mut |_| true)?;
    let open = fitted.gates.iter().filter(|gate| **gate > 0.5).count();
    let told = fitted.curve.last().and_then(|epoch| epoch.accuracy).unwrap_or(f64::NAN);
    eprintln!(
        "mask λ={lambda} seed {seed}: {} pairs, {open} of {} gates open, {:.1} % told apart, {:.1} s",
        pairs.len(),
        study.dim,
        100.0 * told,
        start.elapsed().as_secs_f64()
    );
    Ok(fitted.gates)
}

/// Where an attacker who sees clean vectors looks.
fn gradients(study: &Study, split: &Split, seed: u64) -> Outcome<Vec<f32>> {
    let start = Instant::now();
    let tokens = split.train_of(study.corpus.sensitive.tokens());
    let rows = split.train_rows(&study.vectors, study.dim);
    let mut settings = study.options.attacker.clone();
    settings.seed = seed;
    let mlc = Mlc::train(study.dim, &rows, &tokens, study.corpus.sensitive.words().len(), &settings)?;
    let scores = attribution(mlc.network(), &mlc.inputs(&rows), &tokens, STEPS)?;
    eprintln!("gradients seed {seed}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(scores)
}

/// All vectors, with those of sentences that the defence changes in their place.
fn changed_vectors(study: &Study, encoder: &Encoder, defence: Defence, seed: u64) -> Outcome<Vec<f32>> {
    let corpus = &study.corpus;
    let rewriter = Rewriter::new(corpus);
    let has_mention = |&sentence: &usize| !corpus.sensitive.mentions()[sentence].is_empty();
    let sentences: Vec<usize> = (0..corpus.texts.len()).filter(has_mention).collect();
    let texts: Vec<String> =
        sentences.iter().map(|&sentence| rewriter.rewrite(defence, sentence, seed)).collect();
    let mut vectors = study.vectors.clone();
    for (row, sentence) in encoder.vectors(&texts)?.chunks_exact(study.dim).zip(sentences) {
        vectors[sentence * study.dim..][..study.dim].copy_from_slice(row);
    }
    Ok(vectors)
}
