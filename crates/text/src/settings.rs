//! Everything that can be chosen about a veil.

use std::fmt;

use inkveil_lexicon::{CasingPolicy, LexiconKind};
use inkveil_privacy::Epsilon;

use crate::mechanism::{Decoding, MechanismSettings};
use crate::{
    AtZero, Budgets, Consistency, Error, Grouping, Identifiers, Preset, Punctuation, TaskVector, Threshold,
};

/// How much may be given away, as a user says it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Budget {
    /// A preset.
    Preset(Preset),
    /// A base times 2 : 1 : 4 : 3.
    Base(Epsilon),
    /// One for each group.
    Each(Budgets),
    /// The same for every word: the baseline.
    Uniform(Epsilon),
    /// What lets a sensitive word come out as it was at most this often: group 1 gets that ε, the others follow by 2 : 1 : 4 : 3.
    TargetSurvival(f64),
}

impl Default for Budget {
    fn default() -> Self {
        Budget::Preset(Preset::default())
    }
}

/// Everything that can be chosen about a veil.
///
/// ```
/// use inkveil_text::{AtZero, Budget, Preset, TextSettings};
///
/// let mut settings = TextSettings::default();
/// settings.tasks.push("What helps against a sore knee?".to_owned());
/// settings.budget = Budget::Preset(Preset::Strict);
/// settings.at_zero = AtZero::Surrogate;
/// ```
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct TextSettings {
    /// Words or tokens; `None` takes what the pack recommends.
    pub lexicon: Option<LexiconKind>,
    /// What the text is for. Several tasks count each for itself; with none no word is needed.
    pub tasks: Vec<String>,
    /// What stands for a task.
    pub task_vector: TaskVector,
    /// From which relevance on a word is needed; `None` takes what the pack recommends.
    pub threshold: Option<Threshold>,
    /// What the groups are a function of.
    pub grouping: Grouping,
    /// How much may be given away.
    pub budget: Budget,
    /// How words are noised.
    pub mechanism: MechanismSettings,
    /// What is written where the budget is 0.
    pub at_zero: AtZero,
    /// Where the same is replaced by the same.
    pub consistent: Consistency,
    /// Whether what is replaced can be put back with the pairs of [`Veiled::replacements`](crate::Veiled::replacements): then different
    /// originals have different replacements, and none of these stands elsewhere in the document. This needs
    /// consistent replacements: without a scope, the document is it.
    pub restorable: bool,
    /// What becomes of numbers and codes.
    pub identifiers: Identifiers,
    /// What becomes of punctuation.
    pub punctuation: Punctuation,
    /// Upper and lower case of what is written.
    pub casing: CasingPolicy,
    /// What is sensitive.
    pub detect: inkveil_detect::Settings,
}

// Tasks may be private.
impl fmt::Debug for TextSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextSettings")
            .field("lexicon", &self.lexicon)
            .field("tasks", &self.tasks.len())
            .field("threshold", &self.threshold)
            .field("grouping", &self.grouping)
            .field("budget", &self.budget)
            .field("mechanism", &self.mechanism)
            .field("at_zero", &self.at_zero)
            .field("consistent", &self.consistent)
            .field("restorable", &self.restorable)
            .finish_non_exhaustive()
    }
}

impl TextSettings {
    /// The choices of the paper's published code: every token is noised, numbers and punctuation too, and what is needed is decided by a
    /// cosine of 0.5. `laplace-l1` decodes by distance there, not by cosine.
    pub fn as_published() -> Self {
        Self {
            lexicon: Some(LexiconKind::Subword),
            task_vector: TaskVector::Tokens,
            threshold: Some(Threshold::Cosine(0.5)),
            identifiers: Identifiers::Noise,
            punctuation: Punctuation::Noise,
            mechanism: MechanismSettings {
                calibration: inkveil_privacy::Calibration::Reference,
                decoding: Decoding::Euclidean,
                ..MechanismSettings::default()
            },
            ..Self::default()
        }
    }

    /// That the choices fit together.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if let Budget::TargetSurvival(share) = self.budget
            && !(share > 0.0 && share < 1.0)
        {
            return Err(Error::setting("the target of survival must be between 0 and 1, such as 0.05"));
        }
        if self.scope() != Consistency::None && matches!(self.at_zero, AtZero::Drop | AtZero::Fill) {
            let what = if self.restorable { "what can be restored" } else { "consistent replacements" };
            let how = self.at_zero.name();
            return Err(Error::setting(format!(
                "{what} must be written by mask or surrogate, and at-zero is {how}; choose one of the two"
            )));
        }
        Ok(())
    }

    /// Where the same is replaced by the same, after all.
    pub(crate) fn scope(&self) -> Consistency {
        match self.consistent {
            Consistency::None if self.restorable => Consistency::Document,
            scope => scope,
        }
    }
}
