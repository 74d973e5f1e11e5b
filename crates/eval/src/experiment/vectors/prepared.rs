//! What the cells of a set share, and what the cells of one seed share.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use inkveil_nn::SentenceEncoder;
use inkveil_vector::{FitSettings, Pairs, attribution, fit, sigma};

use super::corpus::{Contrast, Corpus, Purpose};
use super::defence::Defence;
use super::queries::Queries;
use super::replacing::Replacer;
use super::spec::{AttackerStrength, VectorStudy};
use super::treatment::{Target, VectorTreatment};
use crate::attack::{BaseModel, Mlc, MlcSettings, WordFindings};
use crate::experiment::context::RunContext;
use crate::metrics::unit_rows;
use crate::{Error, Split};

/// The number of points of each integral of gradients.
const STEPS: usize = 16;

/// The sentences of a set and their vectors.
pub(super) struct PreparedCorpus<'a> {
    pub(super) study: &'a VectorStudy,
    pub(super) corpus: Corpus,
    encoder: &'a SentenceEncoder,
    pub(super) dim: usize,
    /// The clean vectors of all sentences.
    pub(super) vectors: Vec<f32>,
    /// Other sentences that attackers know, and their vectors.
    pub(super) others: (Vec<String>, Vec<f32>),
    /// The language model of attackers that write sentences.
    pub(super) base: Option<&'a BaseModel>,
    /// The queries, if texts are documents.
    pub(super) queries: Option<Queries>,
    /// Vectors with and without all sensitive words, if a mask needs them.
    contrasts: Contrasts,
}

/// Vectors of pieces with and without sensitive words, and the texts of the pieces.
#[derive(Default)]
struct Contrasts {
    texts: Vec<usize>,
    with: Vec<f32>,
    without: Vec<f32>,
}

impl<'a> PreparedCorpus<'a> {
    pub(super) fn new(
        study: &'a VectorStudy,
        corpus: Corpus,
        others: Vec<String>,
        encoder: &'a SentenceEncoder,
        context: &RunContext<'a>,
    ) -> Result<Self, Error> {
        let (dim, vectors) = (encoder.width(), encode(encoder, &corpus.texts)?);
        let queries = match &corpus.purpose {
            Purpose::Search(task) => {
                let asked: Vec<String> = task.queries.iter().map(|query| query.text.clone()).collect();
                Some(Queries::new(task, encode(encoder, &asked)?, &vectors, dim)?)
            }
            _ => None,
        };
        let other_vectors = encode(encoder, &others)?;
        let mut prepared = Self {
            study,
            corpus,
            encoder,
            dim,
            vectors,
            others: (others, other_vectors),
            base: context.base,
            queries,
            contrasts: Contrasts::default(),
        };
        if VectorTreatment::all(study, &[])?.iter().any(|cell| cell.defence == Defence::Sparse) {
            prepared.contrasts = prepared.contrast(prepared.corpus.contrasts(&|_| true))?;
        }
        Ok(prepared)
    }

    /// Encodes pieces. A piece that is a whole text has its vector already.
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

    /// Returns the vectors of texts without noise.
    pub(super) fn embed(&self, texts: &[String]) -> Result<Vec<f32>, Error> {
        encode(self.encoder, texts)
    }

    /// The settings of the attacker, and whether it adds new noise in every epoch.
    pub(super) fn attacker(&self, seed: u64) -> (MlcSettings, bool) {
        let (settings, new_noise) = match self.study.attacker {
            AttackerStrength::Strong => (MlcSettings::strong(), true),
            AttackerStrength::Published => (MlcSettings::default(), false),
        };
        (MlcSettings { seed, ..settings }, new_noise)
    }
}

/// Encodes texts as unit vectors, row after row.
fn encode(encoder: &SentenceEncoder, texts: &[String]) -> Result<Vec<f32>, Error> {
    let views: Vec<&str> = texts.iter().map(String::as_str).collect();
    let rows: Vec<f32> = encoder.encode(&views)?.concat();
    match rows.iter().all(|x| x.is_finite()) {
        true => Ok(unit_rows(&rows, encoder.width())),
        false => {
            Err(Error::argument("a sentence has a vector that is not finite; this model is not suitable"))
        }
    }
}

/// What the cells of one seed share, computed when needed.
pub(super) struct SeedState {
    pub(super) seed: u64,
    pub(super) split: Split,
    /// The gates of masks and gradients, by defence, λ and target.
    gates: BTreeMap<(Defence, u64, Option<Target>), Vec<f32>>,
    /// The vectors of changed sentences.
    changed: BTreeMap<Defence, Vec<f32>>,
    /// The attacker's findings, by treatment.
    pub(super) findings: Vec<(VectorTreatment, WordFindings)>,
}

impl SeedState {
    pub(super) fn new(prepared: &PreparedCorpus<'_>, seed: u64) -> Result<Self, Error> {
        let split = Split::new(prepared.corpus.texts.len(), prepared.study.test_share, seed)?;
        Ok(Self { seed, split, gates: BTreeMap::new(), changed: BTreeMap::new(), findings: Vec::new() })
    }

    /// The diagonal of Σ.
    pub(super) fn shape(
        &mut self,
        prepared: &PreparedCorpus<'_>,
        cell: &VectorTreatment,
    ) -> Result<Vec<f64>, Error> {
        let masked = cell.defence == Defence::Sparse;
        let lambda = cell.lambda.filter(|_| masked).unwrap_or(0.0);
        let target = cell.target.clone().filter(|_| masked);
        let gates = match self.gates.entry((cell.defence, lambda.to_bits(), target)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(open) => {
                let gates = match (cell.defence, &open.key().2) {
                    (Defence::Sparse, None) => {
                        mask(prepared, &self.split, &prepared.contrasts, lambda, self.seed)?
                    }
                    (Defence::Sparse, Some(target)) => {
                        let pieces = prepared.corpus.contrasts(&target.hides(&prepared.corpus)?);
                        mask(prepared, &self.split, &prepared.contrast(pieces)?, lambda, self.seed)?
                    }
                    _ => gradients(prepared, &self.split, self.seed)?,
                };
                open.insert(gates)
            }
        };
        Ok(sigma(gates, cell.floor.unwrap_or(0.0))?)
    }

    /// All vectors without noise; sentences that the defence changes are encoded again.
    pub(super) fn clean<'s>(
        &'s mut self,
        prepared: &'s PreparedCorpus<'_>,
        defence: Defence,
    ) -> Result<&'s [f32], Error> {
        if !defence.changes_text() {
            return Ok(&prepared.vectors);
        }
        Ok(match self.changed.entry(defence) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(open) => open.insert(changed_vectors(prepared, defence, self.seed)?),
        })
    }
}

/// Fits a mask on the training texts of the attacker.
fn mask(
    prepared: &PreparedCorpus<'_>,
    split: &Split,
    contrasts: &Contrasts,
    lambda: f64,
    seed: u64,
) -> Result<Vec<f32>, Error> {
    let dim = prepared.dim;
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

/// The dimensions that an attacker on clean vectors uses.
fn gradients(prepared: &PreparedCorpus<'_>, split: &Split, seed: u64) -> Result<Vec<f32>, Error> {
    let sensitive = &prepared.corpus.sensitive;
    let tokens = split.train_of(sensitive.tokens());
    let rows = split.train_rows(&prepared.vectors, prepared.dim);
    let (settings, _) = prepared.attacker(seed);
    let mlc = Mlc::train(prepared.dim, &rows, &tokens, sensitive.words().len(), &settings)?;
    Ok(attribution(mlc.network(), &mlc.inputs(&rows), &tokens, STEPS)?)
}

fn changed_vectors(prepared: &PreparedCorpus<'_>, defence: Defence, seed: u64) -> Result<Vec<f32>, Error> {
    let (corpus, dim) = (&prepared.corpus, prepared.dim);
    let replacer = Replacer::new(corpus);
    let has_mention = |&sentence: &usize| !corpus.sensitive.mentions()[sentence].is_empty();
    let sentences: Vec<usize> = (0..corpus.texts.len()).filter(has_mention).collect();
    let texts: Vec<String> =
        sentences.iter().map(|&sentence| replacer.replace(defence, sentence, seed)).collect();
    let mut vectors = prepared.vectors.clone();
    for (row, sentence) in encode(prepared.encoder, &texts)?.chunks_exact(dim).zip(sentences) {
        vectors[sentence * dim..][..dim].copy_from_slice(row);
    }
    Ok(vectors)
}
