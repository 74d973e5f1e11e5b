//! What is said of rewriting in the file of an experiment.

use serde::{Deserialize, Serialize};

use super::super::spec::{Grid, all};
use crate::Error;

/// Texts with authors are veiled or rewritten; attackers say who wrote them, and what is left of their meaning and use is measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StyleStudy {
    /// The test sets.
    pub data: Vec<String>,
    /// The most texts of each that attackers learn from.
    #[serde(default = "all")]
    pub train_rows: usize,
    /// The most texts of each that are released and attacked.
    #[serde(default = "all")]
    pub test_rows: usize,
    /// The merge radius of the memory of styles, which is built from the texts that attackers learn from.
    #[serde(default = "radius")]
    pub radius: f64,
    /// Whether what attackers learn from is treated in the same way too, for attackers who learn from that.
    #[serde(default)]
    pub informed: bool,
    /// Whether it is asked of each attacker if it recognises texts that stand out more often.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub risk: bool,
    /// The language model that rewrites: one that was pulled, or a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What is done to words, as in `[[text.grid]]`; `keep` leaves texts as they are.
    #[serde(default)]
    pub veils: Vec<Grid>,
    /// How texts are rewritten.
    #[serde(default)]
    pub rewrites: Vec<RewriteGrid>,
}

/// All combinations of what it lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RewriteGrid {
    /// The adapters of the language model: `pack` are those of the pack, `none` leaves it as it is, others are files.
    #[serde(default = "of_pack")]
    pub adapters: Vec<String>,
    /// Among so many candidates the best is chosen.
    #[serde(default = "one")]
    pub candidates: Vec<usize>,
}

fn radius() -> f64 {
    0.15
}

fn of_pack() -> Vec<String> {
    vec!["pack".to_owned()]
}

fn one() -> Vec<usize> {
    vec![1]
}

impl StyleStudy {
    pub(in super::super) fn check(&self) -> Result<(), Error> {
        if self.data.is_empty() || (self.veils.is_empty() && self.rewrites.is_empty()) {
            return Err(Error::format(
                "[style] needs data and at least one [[style.veils]] or [[style.rewrites]]",
            ));
        }
        if !self.rewrites.is_empty() && self.model.is_none() {
            return Err(Error::format("[[style.rewrites]] need a model, such as model = \"smollm2\""));
        }
        if !(self.radius.is_finite() && self.radius > 0.0) {
            return Err(Error::format("radius is above 0"));
        }
        if self.rewrites.iter().any(|grid| grid.adapters.is_empty() || grid.candidates.contains(&0)) {
            return Err(Error::format("[[style.rewrites]] name adapters, and candidates above 0"));
        }
        self.veils.iter().try_for_each(Grid::check)
    }
}
