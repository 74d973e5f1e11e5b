//! The part of an experiment's file about noise on words.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::attack::TokenAttacker;
use crate::experiment::limits::no_limit;
use crate::{Error, OwnCommand};

/// Texts are veiled. A model trained on clear texts classifies them, or a language model answers
/// questions about them, and attackers guess their words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TextStudy {
    /// The test sets.
    pub data: Vec<String>,
    /// The most test texts of each set.
    #[serde(default = "no_limit")]
    pub test_rows: usize,
    /// The most training texts of each set.
    #[serde(default = "no_limit")]
    pub train_rows: usize,
    /// The most texts whose words are attacked.
    #[serde(default = "attacked")]
    pub attack_rows: usize,
    /// The lexicon, `words` or `subword`; by default the one that the pack recommends.
    #[serde(default)]
    pub lexicon: Option<String>,
    /// How ε determines the concentration of the noise.
    #[serde(default = "reference")]
    pub calibration: String,
    /// Whether to work like the published code: numbers and punctuation are noised too, words are
    /// needed from a cosine of 0.5, and `laplace-l1` decodes by distance.
    #[serde(default)]
    pub published: bool,
    /// The models that classify texts.
    #[serde(default = "models")]
    pub models: Vec<TaskModel>,
    /// The attackers on words: `likelihood`, `unigram`, `language`, `neural`, or names of commands.
    #[serde(default)]
    pub attackers: Vec<String>,
    /// The language model of the neural attacker: the name of an installed model, a folder or a
    /// file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attack_model: Option<String>,
    /// The model that answers the questions of test sets: the name of an installed model, a file,
    /// or an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// The most questions of each set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question_rows: Option<usize>,
    /// Whether to measure how texts read: the survival of ordinary, function and capitalised words,
    /// the perplexity under trigrams of training texts, and the attacker who sees noisy vectors.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reading: bool,
    /// Mechanisms and attackers of your own, by name: commands that read and write JSON lines.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub commands: BTreeMap<String, OwnCommand>,
    /// The treatments of the texts.
    pub grid: Vec<TextGrid>,
}

/// What replaces sensitive words or nothing, without a budget.
const PLAIN: [&str; 4] = ["keep", "mask", "drop", "surrogate"];

/// All combinations of the listed values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TextGrid {
    /// Mechanisms by name, or names of commands. In addition, `keep` leaves texts unchanged, and `mask`, `drop` and
    /// `surrogate` replace sensitive words.
    pub mechanisms: Vec<String>,
    /// How budgets are allocated.
    #[serde(default = "stamp")]
    pub allocations: Vec<Allocation>,
    /// Budgets of the four groups, such as `150,50,450,350`; not for `keep`, `mask`, `drop` and
    /// `surrogate`.
    #[serde(default)]
    pub budgets: Vec<String>,
    /// The cosines from which a word is needed; by default the one that the pack recommends.
    #[serde(default)]
    pub thresholds: Vec<f64>,
    /// The vector of the task: `tokens`, `weighted`, `sentence` or `context`; `weighted` by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub task_vectors: Vec<String>,
    /// The shares of the vocabulary, or with `context` of the text, that are not needed. Instead of `thresholds`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantiles: Vec<f64>,
    /// How noised words are decoded: `nearest`, as in the paper, or `joint`.
    #[serde(default = "nearest", skip_serializing_if = "is_nearest")]
    pub decodings: Vec<String>,
}

/// How budgets are allocated to the groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Allocation {
    /// Each group has its own budget.
    Stamp,
    /// Every word has the mean budget of `stamp` over the words of the test texts.
    Uniform,
    /// Only sensitive words are noised.
    PrivateOnly,
    /// Only sensitive words that are not needed are noised.
    PrivateLow,
    /// All words are noised except those that are needed and not sensitive.
    NotNeeded,
}

/// A model that classifies texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskModel {
    /// Logistic regression on the words of a text.
    Words,
    /// Logistic regression on the vector of the pack's sentence encoder and on the words.
    Encoder,
    /// The pack's sentence encoder, fine-tuned for the task.
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

fn attacked() -> usize {
    500
}

fn reference() -> String {
    "reference".to_owned()
}

fn models() -> Vec<TaskModel> {
    vec![TaskModel::Words]
}

/// The decoding of the paper.
pub(super) const NEAREST: &str = "nearest";

fn nearest() -> Vec<String> {
    vec![NEAREST.to_owned()]
}

fn is_nearest(decodings: &[String]) -> bool {
    decodings == [NEAREST]
}

fn stamp() -> Vec<Allocation> {
    vec![Allocation::Stamp]
}

impl TextStudy {
    /// A study that only applies these treatments.
    pub(in crate::experiment) fn of_grid(grid: Vec<TextGrid>) -> Self {
        Self {
            data: Vec::new(),
            test_rows: no_limit(),
            train_rows: no_limit(),
            attack_rows: attacked(),
            lexicon: None,
            calibration: reference(),
            published: false,
            models: models(),
            attackers: Vec::new(),
            attack_model: None,
            reader: None,
            question_rows: None,
            reading: false,
            commands: BTreeMap::new(),
            grid,
        }
    }

    pub(in crate::experiment) fn check(&self) -> Result<(), Error> {
        if self.data.is_empty() || self.grid.is_empty() || self.models.is_empty() {
            return Err(Error::format("[text] needs data, models and at least one [[text.grid]]"));
        }
        for name in self.commands.keys() {
            let is_taken = PLAIN.contains(&name.as_str())
                || name.parse::<TokenAttacker>().is_ok()
                || name.parse::<inkveil_text::mechanism::MechanismName>().is_ok();
            if is_taken {
                return Err(Error::format(format!("commands: {name} is a mechanism or attacker of inkveil")));
            }
        }
        let mut has_neural = false;
        for attacker in self.attackers.iter().filter(|name| !self.commands.contains_key(*name)) {
            has_neural |= attacker.parse::<TokenAttacker>()? == TokenAttacker::Neural;
        }
        if has_neural != self.attack_model.is_some() {
            return Err(Error::format("attack-model is for the neural attacker, which needs it"));
        }
        self.lexicon()?;
        self.calibration
            .parse::<inkveil_privacy::Calibration>()
            .map_err(|error| invalid("calibration", error))?;
        for grid in &self.grid {
            grid.check_with(&self.commands)?;
        }
        Ok(())
    }

    pub(super) fn lexicon(&self) -> Result<Option<inkveil_lexicon::LexiconKind>, Error> {
        match self.lexicon.as_deref() {
            None => Ok(None),
            Some("words") => Ok(Some(inkveil_lexicon::LexiconKind::Words)),
            Some("subword") => Ok(Some(inkveil_lexicon::LexiconKind::Subword)),
            Some(_) => Err(Error::format("lexicon must be words or subword")),
        }
    }
}

impl TextGrid {
    pub(in crate::experiment) fn check(&self) -> Result<(), Error> {
        self.check_with(&BTreeMap::new())
    }

    fn check_with(&self, commands: &BTreeMap<String, OwnCommand>) -> Result<(), Error> {
        // Commands get the budgets, if there are any.
        for mechanism in self.mechanisms.iter().filter(|name| !commands.contains_key(*name)) {
            let noises = !PLAIN.contains(&mechanism.as_str());
            if noises {
                mechanism
                    .parse::<inkveil_text::mechanism::MechanismName>()
                    .map_err(|error| invalid("mechanisms", error))?;
            }
            if noises == self.budgets.is_empty() {
                return Err(Error::format(format!(
                    "budgets are for mechanisms that add noise, and each of these needs them: {mechanism}"
                )));
            }
        }
        if !self.thresholds.is_empty() && !self.quantiles.is_empty() {
            return Err(Error::format("a grid has thresholds or quantiles, not both"));
        }
        for name in &self.task_vectors {
            name.parse::<inkveil_text::TaskVector>().map_err(|error| invalid("task-vectors", error))?;
        }
        for budgets in &self.budgets {
            budgets.parse::<inkveil_text::Budgets>().map_err(|error| invalid("budgets", error))?;
        }
        Ok(())
    }
}

/// A value that cannot be read. The values of experiments are no secrets, so the message quotes the
/// reason.
fn invalid(key: &str, error: impl std::fmt::Display) -> Error {
    Error::format(format!("{key}: {error}"))
}
