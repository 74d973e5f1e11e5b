//! The part of an experiment's file about rewriting.

use inkveil_style::{AttackWeights, RewriteRules, RewriteSettings, Strength};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::experiment::limits::no_limit;
use crate::experiment::text::TextGrid;

/// Texts with authors are veiled or rewritten. Attackers name the authors, and the meaning and
/// utility that is left is measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StyleStudy {
    /// The test sets.
    pub data: Vec<String>,
    /// The most training texts of each set.
    #[serde(default = "no_limit")]
    pub train_rows: usize,
    /// The most released texts of each set.
    #[serde(default = "no_limit")]
    pub test_rows: usize,
    /// The merge radius of the memory of styles, which is built from the training texts.
    #[serde(default = "radius")]
    pub radius: f64,
    /// Whether the training texts are also treated, for attackers who train on treated texts.
    #[serde(default)]
    pub informed: bool,
    /// Whether to measure if attackers recognise texts that stand out more often.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub risk: bool,
    /// The language model that rewrites: the name of an installed model, or a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Treatments of words, as in `[[text.grid]]`; `keep` leaves texts unchanged.
    #[serde(default)]
    pub veils: Vec<TextGrid>,
    /// Ways of rewriting.
    #[serde(default)]
    pub rewrites: Vec<RewriteGrid>,
}

/// All combinations of the listed values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RewriteGrid {
    /// The adapters of the language model: `pack` are those of the pack, `none` uses none, other
    /// values are files.
    #[serde(default = "of_pack")]
    pub adapters: Vec<String>,
    /// The number of candidates of which the best is chosen.
    #[serde(default = "one")]
    pub candidates: Vec<usize>,
    /// The penalty for words of the source that a candidate keeps.
    #[serde(default = "default_wording")]
    pub wording: Vec<f64>,
    /// The strengths of `inkveil style rewrite`. If there are any, they set the candidates and everything else but the
    /// adapters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strengths: Vec<Strength>,
    /// How candidates are chosen at each strength.
    #[serde(default = "as_released", skip_serializing_if = "is_as_released")]
    pub choices: Vec<Choice>,
}

/// How the best of the candidates is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// By style, meaning and words, as before decision 058.
    Style,
    /// Also by the candidate's own risk and by what attackers use.
    Attackers,
    /// The same, and sentences of different candidates are mixed, as `inkveil style rewrite` does.
    Sentences,
}

impl Choice {
    /// The settings of a strength with this choice.
    pub(super) fn apply(self, settings: RewriteSettings) -> RewriteSettings {
        let rules = settings.rules;
        match self {
            Self::Style => RewriteSettings {
                mixed: false,
                rules: RewriteRules { attack: AttackWeights::NONE, ..rules },
                ..settings
            },
            Self::Attackers => RewriteSettings { mixed: false, ..settings },
            Self::Sentences => settings,
        }
    }

    /// The name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Style => "style",
            Self::Attackers => "attackers",
            Self::Sentences => "sentences",
        }
    }
}

fn as_released() -> Vec<Choice> {
    vec![Choice::Sentences]
}

fn is_as_released(choices: &[Choice]) -> bool {
    choices == [Choice::Sentences]
}

fn radius() -> f64 {
    0.15
}

fn of_pack() -> Vec<String> {
    vec!["pack".to_owned()]
}

fn default_wording() -> Vec<f64> {
    vec![inkveil_style::RewriteRules::default().wording]
}

fn one() -> Vec<usize> {
    vec![1]
}

impl StyleStudy {
    pub(in crate::experiment) fn check(&self) -> Result<(), Error> {
        if self.data.is_empty() || (self.veils.is_empty() && self.rewrites.is_empty()) {
            return Err(Error::format(
                "[style] needs data and at least one [[style.veils]] or [[style.rewrites]]",
            ));
        }
        if !self.rewrites.is_empty() && self.model.is_none() {
            return Err(Error::format("[[style.rewrites]] need a model, such as model = \"smollm2\""));
        }
        if !(self.radius.is_finite() && self.radius > 0.0) {
            return Err(Error::format("radius must be above 0"));
        }
        if self.rewrites.iter().any(|grid| {
            grid.adapters.is_empty()
                || grid.choices.is_empty()
                || grid.candidates.contains(&0)
                || !grid.wording.iter().all(|weight| weight.is_finite())
        }) {
            return Err(Error::format("[[style.rewrites]] need adapters, choices, and candidates above 0"));
        }
        self.veils.iter().try_for_each(TextGrid::check)
    }
}
