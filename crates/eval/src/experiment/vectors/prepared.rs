//! What the cells of a set share, and what the cells of one seed share.

use std::collections::BTreeMap;

use inkveil_nn::linear::eigenvectors;
use inkveil_nn::{SentenceEncoder, SplitMix};
use inkveil_privacy::Erasure;
use inkveil_vector::{
    EraseSettings, Eraser, FitSettings, LabelSums, Moments, Pairs, attribution, fit, sigma,
};

use super::corpus::{Contrast, Corpus, Purpose};
use super::defence::Defence;
use super::queries::Queries;
use super::replacing::Replacer;
use super::shared::Shared;
use super::spec::{AttackerName, AttackerStrength, SplitName, Told, VectorStudy};
use super::treatment::{Target, VectorTreatment};
use crate::attack::{BaseModel, Mlc, MlcSettings, WordFindings};
use crate::experiment::context::RunContext;
use crate::metrics::unit_rows;
use crate::near_duplicates::{Groups, near_duplicates};
use crate::{Error, Split};

/// What is left after erasure is brought to length 1 unless it is shorter.
const SHORTEST: f64 = 0.5;
/// Words in fewer of the sentences that an eraser learns from are left out.
const LEAST_TEXTS: u64 = 2;

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
    /// The group of each text, if a split needs it.
    groups: Shared<(), Vec<usize>>,
    /// Other sets that defences learn from, by name.
    elsewhere: BTreeMap<String, Material>,
}

/// What an eraser learns from: vectors, and the words of each.
#[derive(Clone)]
struct Material {
    rows: Vec<f32>,
    words: Vec<Vec<usize>>,
}

/// What decides which eraser is fitted: γ, the words, the change of texts and the set.
type Learning = (u64, Told, Option<Defence>, Option<String>);

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
        elsewhere: Vec<(String, Corpus)>,
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
            groups: Shared::default(),
            elsewhere: BTreeMap::new(),
        };
        for (name, other) in elsewhere {
            let (rows, words) = (encode(encoder, &other.texts)?, other.sensitive.tokens().to_vec());
            prepared.elsewhere.insert(name, Material { rows, words });
        }
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

    /// The clean vectors of some sentences.
    fn rows(&self, some: &[usize]) -> Vec<f32> {
        some.iter().flat_map(|&text| &self.vectors[text * self.dim..][..self.dim]).copied().collect()
    }

    /// The group of each text: sentences that pairs connect, or near duplicates.
    fn groups(&self) -> Result<std::sync::Arc<Vec<usize>>, Error> {
        self.groups.get((), || match &self.corpus.purpose {
            Purpose::Pairs(pairs) => {
                let mut groups = Groups::new(self.corpus.texts.len());
                pairs.iter().for_each(|&(first, second, _)| groups.join(first, second));
                Ok(groups.numbers())
            }
            _ => Ok(near_duplicates(&self.vectors, self.dim)?.0),
        })
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

/// What the cells of one seed and split share, computed when needed.
pub(super) struct SeedState {
    pub(super) seed: u64,
    /// The sentences that the attacker knows, and those that are attacked.
    pub(super) split: Split,
    /// The sentences that masks and erasers learn from.
    public: Vec<usize>,
    /// The words that an eraser of half of the words does not learn from.
    untold: Vec<bool>,
    /// The gates of masks and gradients, by defence, λ and target.
    gates: Shared<(Defence, u64, Option<Target>), Vec<f32>>,
    /// The erasers.
    erasers: Shared<Learning, Eraser>,
    /// The maps of erasers and principal axes, by defence and axes too.
    maps: Shared<(Defence, usize, Learning), Erasure>,
    /// The vectors of changed sentences.
    changed: Shared<Defence, Vec<f32>>,
    /// The attackers' findings, by treatment.
    pub(super) findings: Shared<String, Vec<(AttackerName, WordFindings)>>,
}

impl SeedState {
    pub(super) fn new(prepared: &PreparedCorpus<'_>, kind: SplitName, seed: u64) -> Result<Self, Error> {
        let (study, count) = (prepared.study, prepared.corpus.texts.len());
        let groups = match kind {
            SplitName::Random => None,
            SplitName::Groups => Some(prepared.groups()?),
        };
        let groups = groups.as_ref().map(|groups| groups.as_slice());
        let split = match groups {
            None => Split::new(count, study.test_share, seed)?,
            Some(groups) => Split::by_groups(groups, study.test_share, seed)?,
        };
        let (public, split) = match study.defence_share > 0.0 {
            true => split.take(study.defence_share, groups, seed)?,
            false => (split.train().to_vec(), split),
        };
        let words = prepared.corpus.sensitive.words().len();
        let mut order: Vec<usize> = (0..words).collect();
        SplitMix::named(seed, "untold words", &[]).shuffle(&mut order);
        let mut untold = vec![false; words];
        order.iter().take(words / 2).for_each(|&word| untold[word] = true);
        Ok(Self {
            seed,
            split,
            public,
            untold,
            gates: Shared::default(),
            erasers: Shared::default(),
            maps: Shared::default(),
            changed: Shared::default(),
            findings: Shared::default(),
        })
    }

    /// Whether an eraser of half of the words does not learn from this one.
    pub(super) fn is_untold(&self, word: usize) -> bool {
        self.untold.get(word).copied().unwrap_or(false)
    }

    /// The diagonal of Σ.
    pub(super) fn shape(
        &self,
        prepared: &PreparedCorpus<'_>,
        cell: &VectorTreatment,
    ) -> Result<Vec<f64>, Error> {
        let masked = cell.defence == Defence::Sparse;
        let lambda = cell.lambda.filter(|_| masked).unwrap_or(0.0);
        let target = cell.target.clone().filter(|_| masked);
        let gates = self.gates.get((cell.defence, lambda.to_bits(), target.clone()), || {
            match (cell.defence, &target) {
                (Defence::Sparse, None) => {
                    mask(prepared, &self.public, &prepared.contrasts, lambda, self.seed)
                }
                (Defence::Sparse, Some(target)) => {
                    let pieces = prepared.corpus.contrasts(&target.hides(&prepared.corpus)?);
                    mask(prepared, &self.public, &prepared.contrast(pieces)?, lambda, self.seed)
                }
                _ => gradients(prepared, &self.public, self.seed),
            }
        })?;
        Ok(sigma(&gates, cell.floor.unwrap_or(0.0))?)
    }

    /// The map of an eraser, or of principal axes.
    pub(super) fn erasure(
        &self,
        prepared: &PreparedCorpus<'_>,
        cell: &VectorTreatment,
    ) -> Result<Erasure, Error> {
        let (gamma, axes) = (cell.gamma.unwrap_or(0.0), cell.axes.unwrap_or(0));
        let learning: Learning = (gamma.to_bits(), cell.told, cell.text, cell.learn_from.clone());
        let map = self.maps.get((cell.defence, axes, learning.clone()), || match cell.defence {
            defence if defence.erases() => {
                let eraser = self.erasers.get(learning.clone(), || self.eraser(prepared, &learning))?;
                Ok(Eraser::erasure(&[&eraser], Some(axes).filter(|axes| *axes > 0), SHORTEST)?)
            }
            _ => principal_axes(&self.material(prepared, &learning)?.rows, prepared.dim, axes),
        })?;
        Ok((*map).clone())
    }

    /// What a defence learns from: sentences that attackers do not know, or another set. The owner of
    /// the texts changes these sentences as the others. Labels stay those of the originals, so that an
    /// eraser also removes what the rest of a changed sentence tells.
    fn material(
        &self,
        prepared: &PreparedCorpus<'_>,
        (_, told, text, set): &Learning,
    ) -> Result<Material, Error> {
        if let Some(set) = set {
            let missing = || Error::argument("a set that defences learn from was not read");
            return prepared.elsewhere.get(set).cloned().ok_or_else(missing);
        }
        let (clean, dim) = (self.clean(prepared, *text)?, prepared.dim);
        let rows = self.public.iter().flat_map(|&text| &clean[text * dim..][..dim]).copied().collect();
        let known = |word: &&usize| *told == Told::All || !self.is_untold(**word);
        let tokens = prepared.corpus.sensitive.tokens();
        let of_text = |&text: &usize| tokens[text].iter().filter(known).copied().collect();
        Ok(Material { rows, words: self.public.iter().map(of_text).collect() })
    }

    fn eraser(&self, prepared: &PreparedCorpus<'_>, learning: &Learning) -> Result<Eraser, Error> {
        let (dim, gamma) = (prepared.dim, f64::from_bits(learning.0));
        let (mut moments, mut labels) = (Moments::new(dim), LabelSums::new(dim));
        let Material { rows, words } = self.material(prepared, learning)?;
        moments.add(&rows)?;
        let names = |words: &Vec<usize>| words.iter().map(usize::to_string).collect::<Vec<String>>();
        labels.add(&rows, &words.iter().map(names).collect::<Vec<_>>())?;
        let settings = EraseSettings { gamma, least_texts: LEAST_TEXTS, ..EraseSettings::default() };
        Ok(Eraser::fit(&moments, &labels, &settings)?)
    }

    /// All vectors without noise; sentences that are changed are encoded again.
    pub(super) fn clean(
        &self,
        prepared: &PreparedCorpus<'_>,
        change: Option<Defence>,
    ) -> Result<Vec<f32>, Error> {
        let Some(defence) = change else { return Ok(prepared.vectors.clone()) };
        let changed = self.changed.get(defence, || changed_vectors(prepared, defence, self.seed))?;
        Ok((*changed).clone())
    }
}

/// The first principal axes of sentences, as a map that erases nothing else.
fn principal_axes(public: &[f32], dim: usize, axes: usize) -> Result<Erasure, Error> {
    let mut moments = Moments::new(dim);
    moments.add(public)?;
    let (_, vectors) = eigenvectors(moments.covariance(), dim)?;
    let axes = if axes == 0 { dim } else { axes.min(dim) };
    let rows = vectors[..axes * dim].to_vec();
    Ok(Erasure::new(dim, rows.clone(), vec![0.0; axes], rows, SHORTEST, &[])?)
}

/// Fits a mask on some sentences.
fn mask(
    prepared: &PreparedCorpus<'_>,
    public: &[usize],
    contrasts: &Contrasts,
    lambda: f64,
    seed: u64,
) -> Result<Vec<f32>, Error> {
    let dim = prepared.dim;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for (at, text) in contrasts.texts.iter().enumerate() {
        if public.binary_search(text).is_ok() {
            with.extend_from_slice(&contrasts.with[at * dim..][..dim]);
            without.extend_from_slice(&contrasts.without[at * dim..][..dim]);
        }
    }
    let pairs = Pairs::from_vectors(dim, with, without)?;
    let settings = FitSettings { lambda, seed, ..FitSettings::default() };
    Ok(fit(&pairs, &settings, &mut |_| true)?.gates)
}

/// The dimensions that an attacker on clean vectors uses.
fn gradients(prepared: &PreparedCorpus<'_>, public: &[usize], seed: u64) -> Result<Vec<f32>, Error> {
    let sensitive = &prepared.corpus.sensitive;
    let tokens: Vec<Vec<usize>> = public.iter().map(|&text| sensitive.tokens()[text].clone()).collect();
    let rows = prepared.rows(public);
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
