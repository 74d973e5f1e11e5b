//! What the cells of one seed have in common: the split, the shapes of noise, the changed sentences.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use inkveil_nn::SentenceEncoder;
use inkveil_vector::{FitSettings, Pairs, attribution, fit, sigma};

use super::super::Bench;
use super::corpus::Corpus;
use super::defence::Defence;
use super::rewrite::Rewriter;
use super::{Reading, VectorStudy, told};
use crate::attack::{Base, Mlc, MlcSettings};
use crate::metrics::unit_rows;
use crate::{Error, Split};

/// Points on each line that gradients are integrated along.
const STEPS: usize = 16;

/// Sentences and their vectors.
pub(super) struct Subject<'a> {
    pub(super) study: &'a VectorStudy,
    pub(super) corpus: Corpus,
    encoder: &'a SentenceEncoder,
    pub(super) dim: usize,
    /// The clean vectors of all sentences.
    pub(super) vectors: Vec<f32>,
    /// Other sentences that attackers know, and their vectors.
    pub(super) others: (Vec<String>, Vec<f32>),
    /// What those begin from who write sentences.
    pub(super) base: Option<&'a Base>,
    /// Sentences that have sensitive words and other words too, and their vectors without the sensitive ones.
    without: (Vec<usize>, Vec<f32>),
}

impl<'a> Subject<'a> {
    pub(super) fn new(
        study: &'a VectorStudy,
        corpus: Corpus,
        others: Vec<String>,
        encoder: &'a SentenceEncoder,
        bench: &Bench<'a>,
    ) -> Result<Self, Error> {
        let vectors = encode(encoder, &corpus.texts)?;
        let (mut sentences, mut rest) = (Vec::new(), Vec::new());
        for (sentence, text) in corpus.texts.iter().enumerate() {
            let without = corpus.sensitive.without(sentence, text);
            if !corpus.sensitive.mentions()[sentence].is_empty() && without.chars().any(char::is_alphanumeric)
            {
                sentences.push(sentence);
                rest.push(without);
            }
        }
        let without = (sentences, encode(encoder, &rest)?);
        let other_vectors = encode(encoder, &others)?;
        Ok(Self {
            study,
            corpus,
            encoder,
            dim: encoder.width(),
            vectors,
            others: (others, other_vectors),
            base: bench.base,
            without,
        })
    }

    /// The vectors of texts, without noise.
    pub(super) fn embed(&self, texts: &[String]) -> Result<Vec<f32>, Error> {
        encode(self.encoder, texts)
    }

    /// How the attacker learns, and whether it noises what it learns from anew each time.
    pub(super) fn attacker(&self, seed: u64) -> (MlcSettings, bool) {
        let (settings, fresh) = match self.study.attacker {
            Reading::Strong => (MlcSettings::strong(), true),
            Reading::Published => (MlcSettings::default(), false),
        };
        (MlcSettings { seed, ..settings }, fresh)
    }
}

/// Unit vectors, row after row.
fn encode(encoder: &SentenceEncoder, texts: &[String]) -> Result<Vec<f32>, Error> {
    let views: Vec<&str> = texts.iter().map(String::as_str).collect();
    let rows: Vec<f32> = encoder.encode(&views)?.concat();
    match rows.iter().all(|x| x.is_finite()) {
        true => Ok(unit_rows(&rows, encoder.width())),
        false => Err(Error::argument("a sentence has no direction; this model does not suit")),
    }
}

/// What the cells of one seed have in common. It is made as it is needed.
pub(super) struct Seeded {
    pub(super) seed: u64,
    pub(super) split: Split,
    /// What masks and gradients say of dimensions, by defence and λ.
    gates: BTreeMap<(Defence, u64), Vec<f32>>,
    /// The vectors of changed sentences.
    changed: BTreeMap<Defence, Vec<f32>>,
}

impl Seeded {
    pub(super) fn new(subject: &Subject<'_>, seed: u64) -> Result<Self, Error> {
        let split = Split::new(subject.corpus.texts.len(), subject.study.test_share, seed)?;
        Ok(Self { seed, split, gates: BTreeMap::new(), changed: BTreeMap::new() })
    }

    /// The diagonal of Σ.
    pub(super) fn shape(
        &mut self,
        subject: &Subject<'_>,
        defence: Defence,
        lambda: f64,
        floor: f64,
    ) -> Result<Vec<f64>, Error> {
        let lambda = if defence == Defence::Sparse { lambda } else { 0.0 };
        let gates = match self.gates.entry((defence, lambda.to_bits())) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(open) => open.insert(match defence {
                Defence::Sparse => mask(subject, &self.split, lambda, self.seed)?,
                _ => gradients(subject, &self.split, self.seed)?,
            }),
        };
        sigma(gates, floor).map_err(told)
    }

    /// All vectors, with those of sentences that the defence changes in their place.
    pub(super) fn clean<'s>(
        &'s mut self,
        subject: &'s Subject<'_>,
        defence: Defence,
    ) -> Result<&'s [f32], Error> {
        if !defence.changes_text() {
            return Ok(&subject.vectors);
        }
        Ok(match self.changed.entry(defence) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(open) => open.insert(changed_vectors(subject, defence, self.seed)?),
        })
    }
}

/// A mask, learnt on the sentences that the attacker trains on.
fn mask(subject: &Subject<'_>, split: &Split, lambda: f64, seed: u64) -> Result<Vec<f32>, Error> {
    let dim = subject.dim;
    let (sentences, rest) = &subject.without;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for (&sentence, row) in sentences.iter().zip(rest.chunks_exact(dim)) {
        if split.train().binary_search(&sentence).is_ok() {
            with.extend_from_slice(&subject.vectors[sentence * dim..][..dim]);
            without.extend_from_slice(row);
        }
    }
    let pairs = Pairs::from_vectors(dim, with, without).map_err(told)?;
    let settings = FitSettings { lambda, seed, ..FitSettings::default() };
    Ok(fit(&pairs, &settings, &mut |_| true).map_err(told)?.gates)
}

/// Where an attacker who sees clean vectors looks.
fn gradients(subject: &Subject<'_>, split: &Split, seed: u64) -> Result<Vec<f32>, Error> {
    let sensitive = &subject.corpus.sensitive;
    let tokens = split.train_of(sensitive.tokens());
    let rows = split.train_rows(&subject.vectors, subject.dim);
    let (settings, _) = subject.attacker(seed);
    let mlc = Mlc::train(subject.dim, &rows, &tokens, sensitive.words().len(), &settings)?;
    attribution(mlc.network(), &mlc.inputs(&rows), &tokens, STEPS).map_err(told)
}

fn changed_vectors(subject: &Subject<'_>, defence: Defence, seed: u64) -> Result<Vec<f32>, Error> {
    let (corpus, dim) = (&subject.corpus, subject.dim);
    let rewriter = Rewriter::new(corpus);
    let has_mention = |&sentence: &usize| !corpus.sensitive.mentions()[sentence].is_empty();
    let sentences: Vec<usize> = (0..corpus.texts.len()).filter(has_mention).collect();
    let texts: Vec<String> =
        sentences.iter().map(|&sentence| rewriter.rewrite(defence, sentence, seed)).collect();
    let mut vectors = subject.vectors.clone();
    for (row, sentence) in encode(subject.encoder, &texts)?.chunks_exact(dim).zip(sentences) {
        vectors[sentence * dim..][..dim].copy_from_slice(row);
    }
    Ok(vectors)
}
