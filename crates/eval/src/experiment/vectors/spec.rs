//! The part of an experiment's file about noise on vectors.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::defence::Defence;
use crate::Error;
use crate::attack::InversionSettings;
use crate::experiment::limits::no_limit;

/// Words by the name of their group.
pub type WordGroups = BTreeMap<String, Vec<String>>;

/// Noise is added to vectors of sentences. An attacker infers words from them, and cosines are
/// compared with human scores of pairs. For documents, the quality of search is measured instead;
/// for other texts, only the words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct VectorStudy {
    /// The test sets: sentence pairs, documents with queries, or texts with marks or labels.
    pub data: Vec<String>,
    /// The most pairs of each set.
    #[serde(default = "no_limit")]
    pub pair_rows: usize,
    /// The most texts of a set without pairs: the first documents, or random texts, those with
    /// sensitive words first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_rows: Option<usize>,
    /// The sensitive words of a set without marks; by default persons, places and organisations.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub words: BTreeMap<String, WordGroups>,
    /// Whether queries are noised too. By default they are clear.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub noisy_queries: bool,
    /// The scale of ε.
    #[serde(default)]
    pub scale: EpsilonScale,
    /// How strong the network is that infers words from vectors.
    #[serde(default)]
    pub attacker: AttackerStrength,
    /// The attackers that infer words from vectors. `leakage` and `found` are those of the strongest.
    #[serde(default = "usual")]
    pub attackers: Vec<AttackerName>,
    /// Which sentences the attacker knows.
    #[serde(default = "random")]
    pub splits: Vec<SplitName>,
    /// The share of sentences that masks and erasers learn from. The attacker does not know them. At 0
    /// defence and attacker learn from the same sentences, as in the paper.
    #[serde(default)]
    pub defence_share: f64,
    /// Attackers that also write whole sentences from vectors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inversion: Option<InversionStudy>,
    /// The least number of sentences that a sensitive word must occur in.
    #[serde(default = "frequent")]
    pub min_count: usize,
    /// The share of held-out sentences.
    #[serde(default = "unknown")]
    pub test_share: f64,
    /// The treatments of the vectors.
    pub grid: Vec<VectorGrid>,
}

/// All combinations of the listed values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct VectorGrid {
    /// `none`, `lapmech`, `purmech`, `gaussian`, `sparse`, `sparse-wb`, `axes` and `erase`; `flip` and `erase-flip`
    /// release signs, each flipped with a budget of its own; `remove`, `random` and `semantic` change the texts instead.
    pub defences: Vec<String>,
    /// Budgets, for defences with noise. `inf` is erasure without noise.
    #[serde(default)]
    pub epsilons: Vec<f64>,
    /// The price of similarity, for `erase`.
    #[serde(default = "price")]
    pub gammas: Vec<f64>,
    /// The number of principal axes that are kept, for `erase` and `axes`; 0 keeps all.
    #[serde(default = "all_axes")]
    pub axes: Vec<usize>,
    /// Whether erasers learn from all sensitive words, or from a random half. `found-untold` is about
    /// the other half.
    #[serde(default = "all_words")]
    pub told: Vec<Told>,
    /// The penalty of an open gate of a mask, for `sparse`.
    #[serde(default = "published")]
    pub lambdas: Vec<f64>,
    /// The least noise of a dimension as a share of the mean, for `sparse` and `sparse-wb`.
    #[serde(default = "nothing")]
    pub floors: Vec<f64>,
    /// Whether noisy coordinates are scaled afterwards by their share of signal.
    #[serde(default)]
    pub shrink: bool,
    /// The words that masks of `sparse` protect, and that are measured with other defences; by
    /// default all sensitive words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<MaskTarget>,
    /// Changes of the texts before they are embedded, for defences with noise: `kept`, `remove`,
    /// `random` and `semantic`. Erasers learn from sentences that were changed in the same way. By
    /// default texts are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
    /// The test sets that `erase` and `axes` learn from: `own`, which is the default, or another set with
    /// labels or pairs, and the names that detection finds in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learn_from: Vec<String>,
    /// How released vectors are stored; by default as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stores: Vec<StoreName>,
    /// What is done to the queries of a search; by default what the study says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<QueryName>,
}

/// How released vectors are stored. Rounding after noise costs no privacy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoreName {
    /// As numbers of 32 bits.
    Float,
    /// Each coordinate as one of 255 steps up to the largest of its vector.
    Int8,
    /// The sign of each coordinate.
    Binary,
}

impl StoreName {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Int8 => "int8",
            Self::Binary => "binary",
        }
    }
}

/// What is done to the queries of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueryName {
    /// They have no noise. Queries of an erased store are erased.
    Clear,
    /// They have no noise and are not erased.
    Raw,
    /// They have the same noise as the documents.
    Noisy,
}

impl QueryName {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Raw => "raw",
            Self::Noisy => "noisy",
        }
    }
}

/// An attacker that infers words from vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttackerName {
    /// A network.
    Mlc,
    /// A larger network that trains longer.
    Big,
    /// A comparison with known sentences, in closed form.
    Bayes,
    /// The mean of the probabilities of the others.
    Mean,
}

impl AttackerName {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Mlc => "mlc",
            Self::Big => "big",
            Self::Bayes => "bayes",
            Self::Mean => "mean",
        }
    }
}

/// Which sentences the attacker knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SplitName {
    /// A random choice, as in the paper. The other sentence of a pair is often known.
    Random,
    /// Whole groups: sentences that pairs connect, or near duplicates, are on one side.
    Groups,
}

impl SplitName {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Groups => "groups",
        }
    }
}

/// The words that an eraser learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// All sensitive words.
    All,
    /// A random half of them.
    Half,
}

/// The words that a mask protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MaskTarget {
    /// All words of a group, for each group in turn.
    Group,
    /// The most frequent word of a group, for each group in turn.
    Word,
}

/// Attackers that write whole sentences from vectors: an inverter, and a corrector of its
/// sentences. They train on the sentences that the attacker knows and on other texts. Anyone can
/// compute vectors of other texts and add noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct InversionStudy {
    /// The language model that is fine-tuned: the name of an installed model, or a file.
    pub model: String,
    /// A test set of other texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<String>,
    /// The most other texts.
    #[serde(default = "many")]
    pub other_rows: usize,
    /// The most sentences of the set itself for training, and the most that are attacked; by
    /// default all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_rows: Option<usize>,
    /// The most sentences that are also attacked by a search without training; by default none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub guided_rows: usize,
    /// The training settings.
    #[serde(default)]
    pub settings: InversionSettings,
}

fn is_zero(rows: &usize) -> bool {
    *rows == 0
}

impl InversionStudy {
    /// Reduces the study for the quick version.
    pub(in crate::experiment) fn quick(&mut self) {
        (self.others, self.own_rows) = (None, Some(12));
        self.guided_rows = self.guided_rows.min(2);
        self.settings.epochs = 1;
        self.settings.batch = self.settings.batch.min(16);
        self.settings.rounds = self.settings.rounds.min(1);
        self.settings.longest = self.settings.longest.min(6);
    }
}

/// How the formal ε per unit of distance follows from the nominal ε.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EpsilonScale {
    /// They are equal.
    Strict,
    /// The formal ε is ε·√n, which fits the paper's figures.
    #[default]
    Root,
}

/// How strong the attacker on words is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttackerStrength {
    /// Standardised coordinates, a higher learning rate, and new noise each time a sentence is
    /// seen.
    #[default]
    Strong,
    /// As in the paper. With these settings the attacker learns nothing.
    Published,
}

impl EpsilonScale {
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

fn usual() -> Vec<AttackerName> {
    vec![AttackerName::Mlc, AttackerName::Bayes, AttackerName::Mean]
}

fn random() -> Vec<SplitName> {
    vec![SplitName::Random]
}

fn price() -> Vec<f64> {
    vec![0.7]
}

fn all_axes() -> Vec<usize> {
    vec![0]
}

fn all_words() -> Vec<Told> {
    vec![Told::All]
}

fn published() -> Vec<f64> {
    vec![1e-3]
}

fn nothing() -> Vec<f64> {
    vec![0.0]
}

/// The name of the set itself among those that defences learn from.
pub(super) const OWN: &str = "own";

/// The change of texts of this name; none if they are kept.
pub(super) fn text_change(name: &str) -> Result<Option<Defence>, Error> {
    if name == "kept" {
        return Ok(None);
    }
    let change = Defence::named(name).ok().filter(|defence| defence.changes_text());
    change.map(Some).ok_or_else(|| {
        Error::format(format!(
            "there is no change of texts {name:?}; known are kept, remove, random, semantic"
        ))
    })
}

impl VectorStudy {
    pub(in crate::experiment) fn check(&self) -> Result<(), Error> {
        if self.data.is_empty() || self.grid.is_empty() {
            return Err(Error::format("[vectors] needs data and at least one [[vectors.grid]]"));
        }
        if let Some(inversion) = &self.inversion {
            inversion.settings.check()?;
        }
        if let Some(set) = self.words.keys().find(|set| !self.data.contains(set)) {
            return Err(Error::format(format!("[vectors.words] names {set:?}, which is not in data")));
        }
        if self.attackers.is_empty() || self.attackers == [AttackerName::Mean] || self.splits.is_empty() {
            return Err(Error::format("[vectors] needs attackers, such as \"mlc\", and splits"));
        }
        if !(0.0..1.0 - self.test_share).contains(&self.defence_share) {
            return Err(Error::format("defence-share must leave sentences for the attacker"));
        }
        for grid in &self.grid {
            for name in &grid.defences {
                let defence = Defence::named(name)?;
                if defence.has_noise() && grid.epsilons.is_empty() {
                    return Err(Error::format(format!("{name} needs epsilons, such as epsilons = [10]")));
                }
                if (!defence.has_axes() || defence.flips())
                    && grid.epsilons.iter().any(|epsilon| epsilon.is_infinite())
                {
                    return Err(Error::format("only erase and axes can have an infinite ε"));
                }
            }
            for name in &grid.texts {
                let change = text_change(name)?;
                if change.is_some() && grid.learn_from.iter().any(|set| set != OWN) {
                    return Err(Error::format("changed texts can be learnt from the set itself only"));
                }
            }
            let positive = |values: &[f64], least: f64| values.iter().all(|x| x.is_finite() && *x >= least);
            let some = |values: &[f64]| values.iter().all(|x| *x >= 1e-6);
            if !(some(&grid.epsilons)
                && positive(&grid.gammas, 0.0)
                && positive(&grid.lambdas, 0.0)
                && positive(&grid.floors, 0.0))
            {
                return Err(Error::format(
                    "epsilons must be above 0, and gammas, lambdas and floors 0 or above",
                ));
            }
        }
        Ok(())
    }
}
