//! One defence at one ε with one seed: what is found with noisy vectors, and what can be read from them.

use std::collections::BTreeMap;
use std::fmt;

use inkveil_eval::metrics::{Bootstrap, neighbour_overlap};
use inkveil_eval::retrieval::{Task, read_entries, read_judgements};
use inkveil_eval::{Sensitive, Split};
use inkveil_privacy::{Epsilon, NoiseKey};
use inkveil_vector::{
    Bound, Concept, FitSettings, PairTexts, Pairs, VectorVeil, concepts_from_toml, fit, sigma,
};
use serde::Serialize;

use crate::options::Options;
use crate::vectors::Encoder;
use crate::{Outcome, attacker, pieces};

/// Results and neighbours that count.
const NEAREST: usize = 10;

/// What is done to vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Defence {
    None,
    /// Round noise.
    LapMech,
    /// Noise on the sphere.
    PurMech,
    /// Elliptical noise by a mask, shrunk.
    Sparse,
}

impl fmt::Display for Defence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::LapMech => "lapmech",
            Self::PurMech => "purmech",
            Self::Sparse => "sparse, shrunk",
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Cell {
    pub(crate) defence: Defence,
    /// The nominal ε, where there is noise.
    pub(crate) epsilon: Option<f64>,
    pub(crate) seed: u64,
}

impl Cell {
    pub(crate) fn all(options: &Options) -> Vec<Self> {
        let mut cells = Vec::new();
        for defence in [Defence::None, Defence::LapMech, Defence::PurMech, Defence::Sparse] {
            let epsilons: Vec<Option<f64>> = match defence {
                Defence::None => vec![None],
                _ => options.epsilons.iter().copied().map(Some).collect(),
            };
            for epsilon in epsilons {
                cells.extend((1..=options.seeds).map(|seed| Self { defence, epsilon, seed }));
            }
        }
        cells
    }
}

#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Record {
    #[serde(flatten)]
    pub(crate) cell: Cell,
    pub(crate) ndcg: f64,
    /// The share of the first results of clean vectors that are still among the first.
    pub(crate) results: f64,
    /// The share of each document's nearest that stay.
    pub(crate) neighbours: f64,
    pub(crate) leakage: Option<f64>,
}

pub(crate) struct Study {
    pub(crate) options: Options,
    task: Task,
    concept: Concept,
    sensitive: Sensitive,
    dim: usize,
    documents: Vec<f32>,
    queries: Vec<f32>,
    /// The results of clean vectors.
    clean: Vec<Vec<usize>>,
    pairs: Pairs,
}

impl Study {
    pub(crate) fn open(options: Options) -> Outcome<Self> {
        let judgements = read_judgements(&options.judgements)?;
        let task =
            Task::new(read_entries(&options.queries)?, read_entries(&options.documents)?, &judgements)?;
        let toml = std::fs::read_to_string(&options.concept)
            .map_err(|error| format!("{}: {error}", options.concept.display()))?;
        let mut concepts = concepts_from_toml(&toml, &options.concept)?;
        let concept = concepts.pop().filter(|_| concepts.is_empty()).ok_or("one concept at a time")?;
        let finder = concept.finder(Some(&options.detector))?;

        let texts: Vec<String> = task.documents.iter().map(|document| document.text.clone()).collect();
        let views: Vec<&str> = texts.iter().map(String::as_str).collect();
        let sensitive = Sensitive::in_spans(&views, &finder.spans(&views)?, options.least)?;
        let pieces: Vec<String> = views.iter().flat_map(|text| pieces::of(text)).collect();
        let views: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let found = PairTexts::find(&finder, &views)?;
        let with: Vec<String> = found.with.iter().map(|&piece| pieces[piece].clone()).collect();

        let encoder = Encoder::new(&options)?;
        let dim = encoder.dim();
        let pairs = Pairs::from_vectors(dim, encoder.vectors(&with)?, encoder.vectors(&found.without)?)?;
        let documents = encoder.vectors(&texts)?;
        let asked: Vec<String> = task.queries.iter().map(|query| query.text.clone()).collect();
        let queries = encoder.vectors(&asked)?;
        let clean = task.search(&queries, &documents, dim, NEAREST)?;
        Ok(Self { options, task, concept, sensitive, dim, documents, queries, clean, pairs })
    }

    pub(crate) fn summary(&self) -> String {
        format!(
            "{} queries, {} documents of {} dimensions; concept {} ({}): {} pairs of pieces, {} words that are attacked",
            self.task.queries.len(),
            self.task.documents.len(),
            self.dim,
            self.concept.name,
            self.concept.summary(),
            self.pairs.len(),
            self.attacked().map_or(0, |sensitive| sensitive.words().len()),
        )
    }

    /// The words that the attacker looks for, if there is one.
    pub(crate) fn attacked(&self) -> Option<&Sensitive> {
        Some(&self.sensitive).filter(|sensitive| self.options.least > 0 && !sensitive.words().is_empty())
    }

    pub(crate) fn gates(&self, seed: u64) -> Outcome<Vec<f32>> {
        let fitted = fit(&self.pairs, &FitSettings { seed, ..FitSettings::default() }, &mut |_| true)?;
        let open = fitted.gates.iter().filter(|gate| **gate > 0.5).count();
        eprintln!("mask of seed {seed}: {open} of {} gates open", self.dim);
        Ok(fitted.gates)
    }

    pub(crate) fn measure(&self, cell: &Cell, gates: &BTreeMap<u64, Vec<f32>>) -> Outcome<Record> {
        let gates = gates.get(&cell.seed).ok_or("a seed has no mask")?;
        let veil = self.veil(cell, gates)?;
        let (mut documents, mut queries) = (self.documents.clone(), self.queries.clone());
        if let Some(veil) = &veil {
            let key = NoiseKey::insecure_from_seed(cell.seed);
            veil.apply(&mut documents, 0, &key)?;
            if self.options.both {
                veil.apply(&mut queries, self.task.documents.len() as u64, &key)?;
            }
        }
        let results = self.task.search(&queries, &documents, self.dim, NEAREST)?;
        let kept = |(old, new): (&Vec<usize>, &Vec<usize>)| {
            old.iter().filter(|document| new.contains(document)).count() as f64 / old.len() as f64
        };
        let shares = self.clean.iter().zip(&results).map(kept);
        Ok(Record {
            cell: *cell,
            ndcg: self.task.ndcg(&results, NEAREST),
            results: shares.sum::<f64>() / results.len() as f64,
            neighbours: neighbour_overlap(&self.documents, &documents, self.dim, NEAREST)?,
            leakage: self
                .attacked()
                .map(|words| self.leakage(words, veil.as_ref(), cell.seed))
                .transpose()?,
        })
    }

    fn veil(&self, cell: &Cell, gates: &[f32]) -> Outcome<Option<VectorVeil>> {
        let Some(nominal) = cell.epsilon else { return Ok(None) };
        let epsilon = Epsilon::new(nominal * (self.dim as f64).sqrt())?;
        let veil = match cell.defence {
            Defence::None => return Ok(None),
            Defence::LapMech => VectorVeil::round(self.dim, epsilon)?,
            Defence::PurMech => VectorVeil::turning(self.dim, epsilon)?,
            Defence::Sparse => {
                let squares: Vec<f64> =
                    self.pairs.mean_squares().iter().map(|&square| square.into()).collect();
                VectorVeil::elliptical(epsilon, sigma(gates, 0.0)?)?.shrink_after(&squares)?
            }
        };
        Ok(Some(veil.bound(Bound::Unit)?))
    }

    /// The share of the concept's words in held-out documents that the attacker thinks likelier than not.
    fn leakage(&self, words: &Sensitive, veil: Option<&VectorVeil>, seed: u64) -> Outcome<f64> {
        let split = Split::new(self.task.documents.len(), 0.2, seed)?;
        let findings = attacker::attack(&self.documents, self.dim, words, &split, veil, seed)?;
        let exposure = findings.exposure(&Bootstrap::default(), |_| true);
        Ok(exposure.ok_or("no held-out document has a word of the concept")?.leakage.mean)
    }
}
