//! The file that describes an experiment.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{StyleStudy, VectorStudy};
use crate::Error;
use crate::attack::TokenAttacker;
use crate::data::SetSpec;
use crate::report::{PlotSpec, TableSpec};

/// What is measured, and how it is shown.
///
/// ```
/// use inkveil_eval::experiment::Experiment;
///
/// let text = r#"
/// name = "small"
/// title = "Two mechanisms on AG News"
/// seeds = [1, 2]
///
/// [text]
/// data = ["ag_news"]
/// test-rows = 200
///
/// [[text.grid]]
/// mechanisms = ["polar", "exponential"]
/// budgets = ["150,50,450,350"]
/// "#;
/// let experiment = Experiment::from_toml(text, "small.toml".as_ref())?;
/// assert_eq!(experiment.text.as_ref().unwrap().grid[0].mechanisms.len(), 2);
/// assert!(Experiment::from_toml("name = 3", "small.toml".as_ref()).is_err());
/// # Ok::<(), inkveil_eval::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Experiment {
    /// Its name: small letters, digits and hyphens.
    pub name: String,
    /// What it is about, for people.
    pub title: String,
    /// Every cell is measured once for each.
    pub seeds: Vec<u64>,
    /// What differs from the paper, and what the figures do not say.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The pack whose words are noised, or whose encoder makes vectors: one that was pulled, or a folder; `en` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// Test sets of its own, as [`Catalogue`](crate::data::Catalogue) describes them, beside those that are known by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sets: BTreeMap<String, SetSpec>,
    /// Words under noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<TextStudy>,
    /// Vectors under noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<VectorStudy>,
    /// Texts with authors, rewritten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<StyleStudy>,
    /// How cells become tables.
    #[serde(default)]
    pub tables: Vec<TableSpec>,
    /// How cells become pictures.
    #[serde(default)]
    pub plots: Vec<PlotSpec>,
    /// What the quick version does instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quick: Option<Quick>,
}

/// A smaller version of an experiment, to see that it works.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Quick {
    /// Texts to test on.
    pub test_rows: usize,
    /// Texts to train on.
    pub train_rows: usize,
    /// Texts whose words are attacked.
    pub attack_rows: usize,
    /// Questions that are asked.
    #[serde(default = "few")]
    pub question_rows: usize,
    /// Pairs of sentences.
    #[serde(default = "some")]
    pub pair_rows: usize,
}

/// Texts are veiled; a model trained on clear texts classifies them, or a language model answers questions about them, and attackers guess their
/// words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TextStudy {
    /// The test sets.
    pub data: Vec<String>,
    /// The most texts of each that are tested on.
    #[serde(default = "all")]
    pub test_rows: usize,
    /// The most texts of each that models are trained on.
    #[serde(default = "all")]
    pub train_rows: usize,
    /// The most texts whose words are attacked.
    #[serde(default = "attacked")]
    pub attack_rows: usize,
    /// `words` or `subword`; what the pack recommends if absent.
    #[serde(default)]
    pub lexicon: Option<String>,
    /// How ε becomes a concentration.
    #[serde(default = "reference")]
    pub calibration: String,
    /// Whether numbers and punctuation are noised too, a cosine of 0.5 decides what is needed, and `laplace-l1` decodes by distance, as in the
    /// published code.
    #[serde(default)]
    pub published: bool,
    /// What classifies.
    #[serde(default = "models")]
    pub models: Vec<TaskModel>,
    /// Who guesses words: `likelihood`, `unigram`, `language`, `neural`.
    #[serde(default)]
    pub attackers: Vec<String>,
    /// The language model that the neural attacker reads with: one that was pulled, or a folder or file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attack_model: Option<String>,
    /// The model that answers the questions of sets that have some: a model that was pulled, a file, or an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// The most questions of each that are asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question_rows: Option<usize>,
    /// What is done to texts.
    pub grid: Vec<Grid>,
}

/// All combinations of what it lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Grid {
    /// Mechanisms by name; besides, `keep` leaves texts as they are, and `mask`, `drop` and `surrogate` replace what is sensitive.
    pub mechanisms: Vec<String>,
    /// How budgets are shared out.
    #[serde(default = "stamp")]
    pub allocations: Vec<Allocation>,
    /// Budgets of the four groups, such as `150,50,450,350`; not for `keep` and what replaces.
    #[serde(default)]
    pub budgets: Vec<String>,
    /// Cosines from which on a word is needed; what the pack recommends if there are none.
    #[serde(default)]
    pub thresholds: Vec<f64>,
}

/// How budgets are shared out among the groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Allocation {
    /// Each group has its own.
    Stamp,
    /// Every word has the mean of what it would have by `stamp`, over the words of the test texts.
    Uniform,
    /// Only what is sensitive is noised.
    PrivateOnly,
    /// Only what is sensitive and not needed is noised.
    PrivateLow,
    /// All is noised but what is needed and not sensitive.
    NotNeeded,
}

/// What classifies texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskModel {
    /// Logistic regression on the words of a text.
    Words,
    /// Logistic regression on the vector of the pack's sentence encoder, and on the words.
    Encoder,
    /// The pack's sentence encoder, tuned for the task.
    Tuned,
}

impl TaskModel {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Encoder => "encoder",
            Self::Tuned => "tuned",
        }
    }
}

impl Allocation {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stamp => "stamp",
            Self::Uniform => "uniform",
            Self::PrivateOnly => "private-only",
            Self::PrivateLow => "private-low",
            Self::NotNeeded => "not-needed",
        }
    }
}

/// The first and the last are left.
fn ends<T>(all: &mut Vec<T>) {
    if all.len() > 2 {
        all.drain(1..all.len() - 1);
    }
}

pub(super) fn all() -> usize {
    usize::MAX
}

fn few() -> usize {
    3
}

fn some() -> usize {
    300
}

fn attacked() -> usize {
    500
}

fn reference() -> String {
    "reference".to_owned()
}

fn models() -> Vec<TaskModel> {
    vec![TaskModel::Words]
}

fn stamp() -> Vec<Allocation> {
    vec![Allocation::Stamp]
}

/// The experiments that are known by name.
const KNOWN: [(&str, &str); 17] = [
    ("stamp-mechanisms", include_str!("known/stamp-mechanisms.toml")),
    ("stamp-published", include_str!("known/stamp-published.toml")),
    ("stamp-fantasy", include_str!("known/stamp-fantasy.toml")),
    ("stamp-squad", include_str!("known/stamp-squad.toml")),
    ("stamp-attackers", include_str!("known/stamp-attackers.toml")),
    ("stamp-allocations", include_str!("known/stamp-allocations.toml")),
    ("stamp-threshold", include_str!("known/stamp-threshold.toml")),
    ("stamp-frontier", include_str!("known/stamp-frontier.toml")),
    ("stamp-models", include_str!("known/stamp-models.toml")),
    ("sparse-defences", include_str!("known/sparse-defences.toml")),
    ("sparse-masks", include_str!("known/sparse-masks.toml")),
    ("sparse-inversion", include_str!("known/sparse-inversion.toml")),
    ("sparse-search", include_str!("known/sparse-search.toml")),
    ("sparse-groups", include_str!("known/sparse-groups.toml")),
    ("stampr-rewrite", include_str!("known/stampr-rewrite.toml")),
    ("stampr-attributes", include_str!("known/stampr-attributes.toml")),
    ("stampr-risk", include_str!("known/stampr-risk.toml")),
];

impl Experiment {
    /// The experiments that are known by name, in the order of the papers.
    ///
    /// # Errors
    /// Never, as a test shows.
    pub fn known() -> Result<Vec<Self>, Error> {
        KNOWN.iter().map(|(name, text)| Self::from_toml(text, Path::new(name))).collect()
    }

    /// Reads an experiment; `file` is named in errors.
    ///
    /// # Errors
    /// If it is not TOML, says something that no experiment has, or contradicts itself.
    pub fn from_toml(text: &str, file: &Path) -> Result<Self, Error> {
        let experiment: Self =
            toml::from_str(text).map_err(|error| Error::format(error.to_string()).in_file(file))?;
        experiment.check().map_err(|error| error.in_file(file))?;
        Ok(experiment)
    }

    /// The experiment as a file says it.
    ///
    /// # Errors
    /// If a number in it cannot be written.
    pub fn to_toml(&self) -> Result<String, Error> {
        toml::to_string(self).map_err(|error| Error::argument(error.to_string()))
    }

    /// The smaller version, to see that it works: one seed, fewer texts, the first and the last of several budgets. Its figures say little.
    #[must_use]
    pub fn quick(mut self) -> Self {
        self.seeds.truncate(1);
        let quick = self.quick.clone().unwrap_or(Quick {
            test_rows: 150,
            train_rows: 1500,
            attack_rows: 40,
            question_rows: few(),
            pair_rows: some(),
        });
        if let Some(text) = &mut self.text {
            text.test_rows = text.test_rows.min(quick.test_rows);
            text.train_rows = text.train_rows.min(quick.train_rows);
            text.attack_rows = text.attack_rows.min(quick.attack_rows);
            if text.models.contains(&TaskModel::Tuned) {
                // An encoder is tuned for each set.
                text.data.truncate(1);
            }
            for grid in &mut text.grid {
                ends(&mut grid.budgets);
                ends(&mut grid.thresholds);
            }
            text.question_rows = Some(quick.question_rows.min(text.question_rows.unwrap_or(usize::MAX)));
        }
        if let Some(vectors) = &mut self.vectors {
            vectors.pair_rows = vectors.pair_rows.min(quick.pair_rows);
            vectors.text_rows = Some(vectors.text_rows.unwrap_or(usize::MAX).min(quick.pair_rows));
            vectors.min_count = vectors.min_count.min(quick.pair_rows / 60).max(2);
            vectors.data.truncate(1);
            vectors.words.retain(|set, _| vectors.data.contains(set));
            // A mask is learnt for each group.
            vectors.grid.iter_mut().for_each(|grid| grid.targets.truncate(1));
            if let Some(inversion) = &mut vectors.inversion {
                inversion.quick();
                // In each cell two language models learn.
                vectors.grid.truncate(2);
                vectors.grid.iter_mut().for_each(|grid| grid.epsilons.truncate(1));
            }
        }
        if let Some(style) = &mut self.style {
            style.train_rows = style.train_rows.min(quick.train_rows);
            style.test_rows = style.test_rows.min(quick.test_rows);
            // A language model takes seconds for each text.
            style.data.truncate(1);
        }
        self.notes.insert(
            0,
            "Quick version: one seed, few texts and few budgets, to see that it works.".to_owned(),
        );
        self
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || !self.name.chars().all(plain) {
            return Err(Error::format(
                "the name of an experiment is made of small letters, digits and hyphens",
            ));
        }
        if self.seeds.is_empty() {
            return Err(Error::format("an experiment needs a seed, such as seeds = [1]"));
        }
        if self.text.is_none() && self.vectors.is_none() && self.style.is_none() {
            return Err(Error::format("nothing is measured; add a table [text], [vectors] or [style]"));
        }
        self.text.as_ref().map_or(Ok(()), TextStudy::check)?;
        self.vectors.as_ref().map_or(Ok(()), VectorStudy::check)?;
        self.style.as_ref().map_or(Ok(()), StyleStudy::check)
    }
}

impl TextStudy {
    /// What does this to words and nothing else.
    pub(super) fn veiling(grid: Vec<Grid>) -> Self {
        Self {
            data: Vec::new(),
            test_rows: all(),
            train_rows: all(),
            attack_rows: attacked(),
            lexicon: None,
            calibration: reference(),
            published: false,
            models: models(),
            attackers: Vec::new(),
            attack_model: None,
            reader: None,
            question_rows: None,
            grid,
        }
    }

    fn check(&self) -> Result<(), Error> {
        if self.data.is_empty() || self.grid.is_empty() || self.models.is_empty() {
            return Err(Error::format("[text] needs data, models and at least one [[text.grid]]"));
        }
        let mut reads = false;
        for attacker in &self.attackers {
            reads |= attacker.parse::<TokenAttacker>()? == TokenAttacker::Neural;
        }
        if reads != self.attack_model.is_some() {
            return Err(Error::format("the neural attacker needs attack-model, and nobody else does"));
        }
        self.lexicon()?;
        self.calibration
            .parse::<inkveil_privacy::Calibration>()
            .map_err(|error| Error::format(error.to_string()))?;
        for grid in &self.grid {
            grid.check()?;
        }
        Ok(())
    }

    pub(super) fn lexicon(&self) -> Result<Option<inkveil_lexicon::LexiconKind>, Error> {
        match self.lexicon.as_deref() {
            None => Ok(None),
            Some("words") => Ok(Some(inkveil_lexicon::LexiconKind::Words)),
            Some("subword") => Ok(Some(inkveil_lexicon::LexiconKind::Subword)),
            Some(_) => Err(Error::format("lexicon is words or subword")),
        }
    }
}

impl Grid {
    pub(super) fn check(&self) -> Result<(), Error> {
        for mechanism in &self.mechanisms {
            let noises = !["keep", "mask", "drop", "surrogate"].contains(&mechanism.as_str());
            if noises {
                mechanism
                    .parse::<inkveil_text::MechanismName>()
                    .map_err(|error| Error::format(error.to_string()))?;
            }
            if noises == self.budgets.is_empty() {
                return Err(Error::format(format!(
                    "budgets are for mechanisms that noise words, and these need some: {mechanism}"
                )));
            }
        }
        for budgets in &self.budgets {
            budgets.parse::<inkveil_text::Budgets>().map_err(|error| Error::format(error.to_string()))?;
        }
        Ok(())
    }
}

/// The coordinates of a cell.
pub(super) fn coordinates(pairs: &[(&str, String)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_experiments_can_be_read_and_written() {
        for (name, text) in KNOWN {
            let experiment = Experiment::from_toml(text, Path::new(name)).unwrap();
            assert_eq!(experiment.name, name);
            let written = experiment.to_toml().unwrap();
            assert_eq!(Experiment::from_toml(&written, Path::new(name)).unwrap(), experiment);
        }
    }

    #[test]
    fn a_quick_version_has_the_ends_of_what_is_long() {
        for experiment in Experiment::known().unwrap() {
            let quick = experiment.clone().quick();
            assert!(quick.check().is_ok(), "{}", experiment.name);
            let (Some(whole), Some(text)) = (experiment.text, quick.text) else { continue };
            assert!(text.test_rows <= 150 && text.question_rows.is_some_and(|rows| rows <= 3));
            for (whole, grid) in whole.grid.iter().zip(&text.grid) {
                assert_eq!(grid.budgets.first(), whole.budgets.first());
                assert_eq!(grid.budgets.last(), whole.budgets.last());
                assert!(grid.budgets.len() <= 2 && grid.thresholds.len() <= 2);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let small = |grid: &str| {
            let text = format!(
                "name = \"a\"\ntitle = \"A\"\nseeds = [1]\n[text]\ndata = [\"x\"]\n[[text.grid]]\n{grid}"
            );
            Experiment::from_toml(&text, Path::new("a.toml")).err().map(|error| error.to_string())
        };
        assert_eq!(small("mechanisms = [\"keep\"]"), None);
        let said = small("mechanisms = [\"poler\"]\nbudgets = [\"1,1,1,1\"]").unwrap();
        assert!(said.contains("poler") && said.contains("polar"), "{said}");
        assert!(small("mechanisms = [\"polar\"]").unwrap().contains("budgets"));
        assert!(small("mechanisms = [\"polar\"]\nbudgets = [\"1,1\"]").is_some());
        assert!(small("mechanism = [\"polar\"]").unwrap().contains("line 7"));
    }
}
