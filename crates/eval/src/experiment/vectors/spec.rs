//! What is said of vectors under noise in the file of an experiment.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::defence::Defence;
use super::target::Target;
use crate::Error;
use crate::attack::InversionSettings;

/// Words, by the name of the group that they belong to.
pub type Groups = BTreeMap<String, Vec<String>>;

/// Vectors of sentences are noised; an attacker reads words from them, and cosines are held against what people say of pairs. Vectors of documents
/// are searched instead; of other texts only the words count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct VectorStudy {
    /// The sets of sentence pairs, of documents with queries, or of texts with marks or labels.
    pub data: Vec<String>,
    /// The most pairs of each.
    #[serde(default = "super::super::spec::all")]
    pub pair_rows: usize,
    /// The most texts of each that has no pairs: the first documents, or any texts, those with sensitive words first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_rows: Option<usize>,
    /// Which words of a set are sensitive, where they are not marked; persons, places and organisations if there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub words: BTreeMap<String, Groups>,
    /// Whether queries are noised too. Without it they are clear, as the owner of documents may send his own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub noisy_queries: bool,
    /// What ε means.
    #[serde(default)]
    pub scale: Scale,
    /// Who reads words from vectors.
    #[serde(default)]
    pub attacker: Reading,
    /// Who writes whole sentences from vectors, besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inversion: Option<Inversion>,
    /// Words in fewer sentences are not looked for.
    #[serde(default = "frequent")]
    pub min_count: usize,
    /// The share of sentences that the attacker does not know.
    #[serde(default = "unknown")]
    pub test_share: f64,
    /// What is done to vectors.
    pub grid: Vec<VectorGrid>,
}

/// All combinations of what it lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct VectorGrid {
    /// `none`, `lapmech`, `purmech`, `sparse`, `sparse-wb`; `remove`, `random` and `semantic` change the texts instead.
    pub defences: Vec<String>,
    /// Budgets, for those that noise.
    #[serde(default)]
    pub epsilons: Vec<f64>,
    /// What an open gate costs a mask, for `sparse`.
    #[serde(default = "published")]
    pub lambdas: Vec<f64>,
    /// The least noise of a dimension, as a share of the mean, for `sparse` and `sparse-wb`.
    #[serde(default = "nothing")]
    pub floors: Vec<f64>,
    /// Whether what is noised is weighed afterwards by how much of it is signal.
    #[serde(default)]
    pub shrink: bool,
    /// What masks of `sparse` are for, and which words are looked at with any other defence; all that is sensitive if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Aim>,
}

impl VectorGrid {
    pub(super) fn targets(&self, groups: &[String]) -> Vec<Option<Target>> {
        if self.targets.is_empty() {
            return vec![None];
        }
        let of = |aim: &Aim| -> Vec<Option<Target>> {
            let each = |target: fn(String) -> Target| groups.iter().cloned().map(target).map(Some).collect();
            match aim {
                Aim::Group => each(Target::Group),
                Aim::Word => each(Target::Word),
            }
        };
        self.targets.iter().flat_map(of).collect()
    }
}

/// What a mask is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aim {
    /// All words of a group, for each group in turn.
    Group,
    /// The commonest word of a group, for each group in turn.
    Word,
}

/// Who writes whole sentences from vectors: an inverter, and a corrector of what it writes. They learn from the sentences that the attacker knows, and
/// from any others: everybody can give these vectors, and noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Inversion {
    /// The language model that they begin from: one that was pulled, or a file.
    pub model: String,
    /// A set of other texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<String>,
    /// The most of these.
    #[serde(default = "many")]
    pub other_rows: usize,
    /// The most sentences of the set itself that they learn from, and the most that they attack; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_rows: Option<usize>,
    /// How they learn.
    #[serde(default)]
    pub settings: InversionSettings,
}

impl Inversion {
    /// The smaller version.
    pub(in super::super) fn quick(&mut self) {
        (self.others, self.own_rows) = (None, Some(12));
        self.settings.epochs = 1;
        self.settings.batch = self.settings.batch.min(16);
        self.settings.rounds = self.settings.rounds.min(1);
        self.settings.longest = self.settings.longest.min(6);
    }
}

/// How the formal ε, for each unit of distance, follows from the one that is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// It is ε.
    Strict,
    /// It is ε·√n, which is what the paper's figures fit.
    #[default]
    Root,
}

/// Who reads words from vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// Standardised coordinates, a higher rate, fresh noise every time a sentence is seen.
    #[default]
    Strong,
    /// As in the paper, where it learns nothing.
    Published,
}

impl Scale {
    pub(super) fn formal(self, nominal: f64, dim: usize) -> f64 {
        match self {
            Self::Strict => nominal,
            Self::Root => nominal * (dim as f64).sqrt(),
        }
    }
}

fn many() -> usize {
    20_000
}

fn frequent() -> usize {
    10
}

fn unknown() -> f64 {
    0.2
}

fn published() -> Vec<f64> {
    vec![1e-3]
}

fn nothing() -> Vec<f64> {
    vec![0.0]
}

impl VectorStudy {
    pub(in super::super) fn check(&self) -> Result<(), Error> {
        if self.data.is_empty() || self.grid.is_empty() {
            return Err(Error::format("[vectors] needs data and at least one [[vectors.grid]]"));
        }
        if let Some(inversion) = &self.inversion {
            inversion.settings.check()?;
        }
        if let Some(set) = self.words.keys().find(|set| !self.data.contains(set)) {
            return Err(Error::format(format!("[vectors.words] names {set:?}, which is not in data")));
        }
        for grid in &self.grid {
            for name in &grid.defences {
                let defence = Defence::named(name)?;
                if defence.has_noise() && grid.epsilons.is_empty() {
                    return Err(Error::format(format!("{name} needs epsilons, such as epsilons = [10]")));
                }
            }
            let positive = |values: &[f64], least: f64| values.iter().all(|x| x.is_finite() && *x >= least);
            if !(positive(&grid.epsilons, 1e-6)
                && positive(&grid.lambdas, 0.0)
                && positive(&grid.floors, 0.0))
            {
                return Err(Error::format("epsilons are above 0, lambdas and floors 0 or above"));
            }
        }
        Ok(())
    }
}
