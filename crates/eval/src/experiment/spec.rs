//! The file of an experiment.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::style::StyleStudy;
use super::text::{TaskModel, TextStudy};
use super::vectors::VectorStudy;
use crate::Error;
use crate::data::SetSpec;
use crate::results::{PlotSpec, TableSpec};

/// What is measured, and how the results are shown.
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
    /// The name: lower-case letters, digits and hyphens.
    pub name: String,
    /// The title.
    pub title: String,
    /// The seeds. Every cell is measured once for each.
    pub seeds: Vec<u64>,
    /// What differs from the paper, and what the figures do not show.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The pack whose words are noised or whose encoder makes vectors: the name of an installed
    /// pack, or a folder. By default `en`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// Its own test sets, as [`Catalogue`](crate::data::Catalogue) describes them, in addition to
    /// the known ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sets: BTreeMap<String, SetSpec>,
    /// A study of noise on words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<TextStudy>,
    /// A study of noise on vectors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<VectorStudy>,
    /// A study of rewritten texts with authors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<StyleStudy>,
    /// The tables of the results.
    #[serde(default)]
    pub tables: Vec<TableSpec>,
    /// The plots of the results.
    #[serde(default)]
    pub plots: Vec<PlotSpec>,
    /// The limits of the quick version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quick: Option<QuickLimits>,
}

/// The limits of the quick version of an experiment, which shows that it works.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct QuickLimits {
    /// The most test texts.
    pub test_rows: usize,
    /// The most training texts.
    pub train_rows: usize,
    /// The most texts whose words are attacked.
    pub attack_rows: usize,
    /// The most questions.
    #[serde(default = "few")]
    pub question_rows: usize,
    /// The most pairs of sentences.
    #[serde(default = "some")]
    pub pair_rows: usize,
}

fn few() -> usize {
    3
}

fn some() -> usize {
    300
}

/// Keeps the first and the last value.
fn ends<T>(all: &mut Vec<T>) {
    if all.len() > 2 {
        all.drain(1..all.len() - 1);
    }
}

/// The known experiments.
const KNOWN: [(&str, &str); 22] = [
    ("stamp-mechanisms", include_str!("known/stamp-mechanisms.toml")),
    ("stamp-decoding", include_str!("known/stamp-decoding.toml")),
    ("stamp-decoding-squad", include_str!("known/stamp-decoding-squad.toml")),
    ("stamp-published", include_str!("known/stamp-published.toml")),
    ("stamp-fantasy", include_str!("known/stamp-fantasy.toml")),
    ("stamp-squad", include_str!("known/stamp-squad.toml")),
    ("stamp-attackers", include_str!("known/stamp-attackers.toml")),
    ("stamp-allocations", include_str!("known/stamp-allocations.toml")),
    ("stamp-threshold", include_str!("known/stamp-threshold.toml")),
    ("stamp-frontier", include_str!("known/stamp-frontier.toml")),
    ("stamp-models", include_str!("known/stamp-models.toml")),
    ("sparse-defences", include_str!("known/sparse-defences.toml")),
    ("sparse-erase", include_str!("known/sparse-erase.toml")),
    ("sparse-erase-search", include_str!("known/sparse-erase-search.toml")),
    ("sparse-masks", include_str!("known/sparse-masks.toml")),
    ("sparse-inversion", include_str!("known/sparse-inversion.toml")),
    ("sparse-search", include_str!("known/sparse-search.toml")),
    ("sparse-groups", include_str!("known/sparse-groups.toml")),
    ("stampr-rewrite", include_str!("known/stampr-rewrite.toml")),
    ("stampr-strengths", include_str!("known/stampr-strengths.toml")),
    ("stampr-attributes", include_str!("known/stampr-attributes.toml")),
    ("stampr-risk", include_str!("known/stampr-risk.toml")),
];

impl Experiment {
    /// Returns the known experiments, in the order of the papers.
    ///
    /// # Errors
    /// Never; a test reads all of them.
    pub fn known() -> Result<Vec<Self>, Error> {
        KNOWN.iter().map(|(name, text)| Self::from_toml(text, Path::new(name))).collect()
    }

    /// Reads an experiment; `file` is named in errors.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key, or contradicts itself.
    pub fn from_toml(text: &str, file: &Path) -> Result<Self, Error> {
        let experiment: Self =
            toml::from_str(text).map_err(|error| Error::format(error.to_string()).in_file(file))?;
        experiment.check().map_err(|error| error.in_file(file))?;
        Ok(experiment)
    }

    /// Finds a known experiment by its name, or reads a file.
    ///
    /// # Errors
    /// If there is no such experiment, or the file cannot be read.
    pub fn find(name: &str) -> Result<Self, Error> {
        let path = Path::new(name);
        if path.extension().is_some() || path.components().count() > 1 {
            let read = std::fs::read_to_string(path);
            let text =
                read.map_err(|error| Error::argument(format!("cannot read {name}")).caused_by(error))?;
            return Self::from_toml(&text, path);
        }
        let known = Self::known()?;
        if let Some(experiment) = known.iter().find(|experiment| experiment.name == name) {
            return Ok(experiment.clone());
        }
        let names: Vec<&str> = known.iter().map(|experiment| experiment.name.as_str()).collect();
        Err(Error::argument(format!(
            "there is no experiment {name:?}; known are {}, and any file that ends in .toml",
            names.join(", ")
        )))
    }

    /// Returns the experiment as TOML.
    ///
    /// # Errors
    /// If a number cannot be written.
    pub fn to_toml(&self) -> Result<String, Error> {
        toml::to_string(self)
            .map_err(|error| Error::argument("the experiment cannot be written").caused_by(error))
    }

    /// Returns the quick version, which shows that the experiment works: one seed, fewer texts, the
    /// first and the last budget. Its figures are not reliable.
    #[must_use]
    pub fn quick(mut self) -> Self {
        self.seeds.truncate(1);
        let quick = self.quick.clone().unwrap_or(QuickLimits {
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
                // An encoder is fine-tuned for each set.
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
            // A mask is fitted for each group.
            vectors.grid.iter_mut().for_each(|grid| grid.targets.truncate(1));
            if let Some(inversion) = &mut vectors.inversion {
                inversion.quick();
                // Each cell fine-tunes two language models.
                vectors.grid.truncate(2);
                vectors.grid.iter_mut().for_each(|grid| grid.epsilons.truncate(1));
            }
        }
        if let Some(style) = &mut self.style {
            style.train_rows = style.train_rows.min(quick.train_rows);
            style.test_rows = style.test_rows.min(quick.test_rows);
            // A language model needs seconds for each text.
            style.data.truncate(1);
        }
        self.notes.insert(
            0,
            "Quick version: one seed, few texts and few budgets. It shows that the experiment works."
                .to_owned(),
        );
        self
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || !self.name.chars().all(plain) {
            return Err(Error::format(
                "the name of an experiment has lower-case letters, digits and hyphens only",
            ));
        }
        if self.seeds.is_empty() {
            return Err(Error::format("an experiment needs a seed, such as seeds = [1]"));
        }
        if self.text.is_none() && self.vectors.is_none() && self.style.is_none() {
            return Err(Error::format(
                "the experiment measures nothing; add a table [text], [vectors] or [style]",
            ));
        }
        self.text.as_ref().map_or(Ok(()), TextStudy::check)?;
        self.vectors.as_ref().map_or(Ok(()), VectorStudy::check)?;
        self.style.as_ref().map_or(Ok(()), StyleStudy::check)
    }
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
    fn a_quick_version_keeps_the_first_and_the_last_budget() {
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
    fn invalid_experiments_are_refused() {
        let small = |grid: &str| {
            let text = format!(
                "name = \"a\"\ntitle = \"A\"\nseeds = [1]\n[text]\ndata = [\"x\"]\n[[text.grid]]\n{grid}"
            );
            Experiment::from_toml(&text, Path::new("a.toml")).err().map(|error| error.to_string())
        };
        assert_eq!(small("mechanisms = [\"keep\"]"), None);
        let error = small("mechanisms = [\"poler\"]\nbudgets = [\"1,1,1,1\"]").unwrap();
        assert!(error.contains("poler") && error.contains("polar"), "{error}");
        assert!(small("mechanisms = [\"polar\"]").unwrap().contains("budgets"));
        assert!(small("mechanisms = [\"polar\"]\nbudgets = [\"1,1\"]").is_some());
        assert!(small("mechanism = [\"polar\"]").unwrap().contains("line 7"));
    }
}
