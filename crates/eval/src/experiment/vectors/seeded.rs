//! What the cells of one seed have in common: the split, the shapes of noise, the changed sentences.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use inkveil_nn::SentenceEncoder;
use inkveil_vector::{FitSettings, Pairs, attribution, fit, sigma};

use super::super::Bench;
use super::corpus::{Contrast, Corpus, Task};
use super::defence::Defence;
use super::purpose::Queries;
use super::rewrite::Rewriter;
use super::target::Target;
use super::{Guarded, Reading, VectorStudy};
use crate::attack::{Base, Findings, Mlc, MlcSettings};
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
    /// What queries look for, if texts are documents.
    pub(super) queries: Option<Queries>,
    /// What tells texts with sensitive words from the same without them, if masks for all of these are asked for.
    contrasts: Contrasts,
}

/// Vectors with something sensitive and without it, and which texts they come from.
#[derive(Default)]
struct Contrasts {
    texts: Vec<usize>,
    with: Vec<f32>,
    without: Vec<f32>,
}

impl<'a> Subject<'a> {
    pub(super) fn new(
        study: &'a VectorStudy,
        corpus: Corpus,
        others: Vec<String>,
        encoder: &'a SentenceEncoder,
        bench: &Bench<'a>,
    ) -> Result<Self, Error> {
        let (dim, vectors) = (encoder.width(), encode(encoder, &corpus.texts)?);
        let queries = match &corpus.task {
            Task::Search(task) => {
                let asked: Vec<String> = task.queries.iter().map(|query| query.text.clone()).collect();
                Some(Queries::new(task, encode(encoder, &asked)?, &vectors, dim)?)
            }
            _ => None,
        };
        let other_vectors = encode(encoder, &others)?;
        let mut subject = Self {
            study,
            corpus,
            encoder,
            dim,
            vectors,
            others: (others, other_vectors),
            base: bench.base,
            queries,
            contrasts: Contrasts::default(),
        };
        if Guarded::all(study, &[])?.iter().any(|cell| cell.defence == Defence::Sparse) {
            subject.contrasts = subject.contrast(subject.corpus.contrasts(&|_| true))?;
        }
        Ok(subject)
    }

    /// A piece that is a whole text has its vector already.
    fn contrast(&self, pieces: Vec<Contrast>) -> Result<Contrasts, Error> {
        let whole = |piece: &Contrast| piece.piece.len() == self.corpus.texts[piece.text].len();
        let parts: Vec<String> = pieces
            .iter()
            .filter(|piece| !whole(piece))
            .map(|piece| self.corpus.texts[piece.text][piece.piece.clone()].to_owned())
            .collect();
        let parts = encode(self.encoder, &parts)?;
        let mut parts = parts.chunks_exact(self.dim);
        let mut with = Vec::with_capacity(pieces.len() * self.dim);
        for piece in &pieces {
            match whole(piece) {
                true => with.extend_from_slice(&self.vectors[piece.text * self.dim..][..self.dim]),
                false => with.extend_from_slice(parts.next().unwrap_or_default()),
            }
        }
        let texts = pieces.iter().map(|piece| piece.text).collect();
        let without: Vec<String> = pieces.into_iter().map(|piece| piece.without).collect();
        Ok(Contrasts { texts, with, without: encode(self.encoder, &without)? })
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
    /// What masks and gradients say of dimensions, by defence, λ and what they are for.
    gates: BTreeMap<(Defence, u64, Option<Target>), Vec<f32>>,
    /// The vectors of changed sentences.
    changed: BTreeMap<Defence, Vec<f32>>,
    /// What the attacker found, by what was done to vectors.
    pub(super) findings: Vec<(Guarded, Findings)>,
}

impl Seeded {
    pub(super) fn new(subject: &Subject<'_>, seed: u64) -> Result<Self, Error> {
        let split = Split::new(subject.corpus.texts.len(), subject.study.test_share, seed)?;
        Ok(Self { seed, split, gates: BTreeMap::new(), changed: BTreeMap::new(), findings: Vec::new() })
    }

    /// The diagonal of Σ.
    pub(super) fn shape(&mut self, subject: &Subject<'_>, cell: &Guarded) -> Result<Vec<f64>, Error> {
        let masked = cell.defence == Defence::Sparse;
        let lambda = cell.lambda.filter(|_| masked).unwrap_or(0.0);
        let target = cell.target.clone().filter(|_| masked);
        let gates = match self.gates.entry((cell.defence, lambda.to_bits(), target)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(open) => {
                let gates = match (cell.defence, &open.key().2) {
                    (Defence::Sparse, None) => {
                        mask(subject, &self.split, &subject.contrasts, lambda, self.seed)?
                    }
                    (Defence::Sparse, Some(target)) => {
                        let pieces = subject.corpus.contrasts(&target.hides(&subject.corpus)?);
                        mask(subject, &self.split, &subject.contrast(pieces)?, lambda, self.seed)?
                    }
                    _ => gradients(subject, &self.split, self.seed)?,
                };
                open.insert(gates)
            }
        };
        Ok(sigma(gates, cell.floor.unwrap_or(0.0))?)
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

/// A mask, learnt on the texts that the attacker trains on.
fn mask(
    subject: &Subject<'_>,
    split: &Split,
    contrasts: &Contrasts,
    lambda: f64,
    seed: u64,
) -> Result<Vec<f32>, Error> {
    let dim = subject.dim;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for (at, text) in contrasts.texts.iter().enumerate() {
        if split.train().binary_search(text).is_ok() {
            with.extend_from_slice(&contrasts.with[at * dim..][..dim]);
            without.extend_from_slice(&contrasts.without[at * dim..][..dim]);
        }
    }
    let pairs = Pairs::from_vectors(dim, with, without)?;
    let settings = FitSettings { lambda, seed, ..FitSettings::default() };
    Ok(fit(&pairs, &settings, &mut |_| true)?.gates)
}

/// Where an attacker who sees clean vectors looks.
fn gradients(subject: &Subject<'_>, split: &Split, seed: u64) -> Result<Vec<f32>, Error> {
    let sensitive = &subject.corpus.sensitive;
    let tokens = split.train_of(sensitive.tokens());
    let rows = split.train_rows(&subject.vectors, subject.dim);
    let (settings, _) = subject.attacker(seed);
    let mlc = Mlc::train(subject.dim, &rows, &tokens, sensitive.words().len(), &settings)?;
    Ok(attribution(mlc.network(), &mlc.inputs(&rows), &tokens, STEPS)?)
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
