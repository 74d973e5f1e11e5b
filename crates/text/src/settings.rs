//! All settings of a text veil.

use std::fmt;

use inkveil_lexicon::{CasingPolicy, LexiconKind};
use inkveil_privacy::Epsilon;
use inkveil_surrogates::ShapeLevel;

use crate::mechanism::{MechanismSettings, NearestBy};
use crate::{
    AtZero, Budgets, Consistency, Decoding, Error, Group, Grouping, Identifiers, Links, Preset, Punctuation,
    TaskVector, Threshold,
};

/// The budget, in one of the forms that a user can give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Budget {
    /// A named preset.
    Preset(Preset),
    /// A base times 2 : 1 : 4 : 3.
    Base(Epsilon),
    /// One budget for each group.
    Each(Budgets),
    /// The same budget for every word: the baseline.
    Uniform(Epsilon),
    /// The budget at which a sensitive word survives unchanged with at most this probability. It is
    /// the budget of group 1; the others follow by 2 : 1 : 4 : 3.
    TargetSurvival(f64),
}

impl Budget {
    /// Whether sensitive words are replaced independently of what they are.
    pub(crate) fn replaces_sensitive(&self) -> bool {
        match self {
            Budget::Preset(preset) => preset.replaces_sensitive(),
            Budget::Each(budgets) => {
                [Group::SensitiveNeeded, Group::Sensitive].iter().all(|group| budgets.of(*group).is_zero())
            }
            Budget::Base(_) | Budget::Uniform(_) | Budget::TargetSurvival(_) => false,
        }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Budget::Preset(Preset::default())
    }
}

/// All settings of a text veil.
///
/// ```
/// use inkveil_text::{AtZero, Preset, TextSettings};
///
/// let mut settings = TextSettings::of(Preset::Strict);
/// settings.tasks.push("What helps against a sore knee?".to_owned());
/// settings.at_zero = AtZero::Surrogate;
/// ```
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct TextSettings {
    /// Words or subword tokens; `None` uses the pack's default.
    pub lexicon: Option<LexiconKind>,
    /// What the text is meant for. Each of several tasks counts separately. Without a task no word
    /// is needed.
    pub tasks: Vec<String>,
    /// How a task becomes a vector.
    pub task_vector: TaskVector,
    /// The relevance from which on a word is needed; `None` uses the pack's default.
    pub threshold: Option<Threshold>,
    /// What the groups depend on.
    pub grouping: Grouping,
    /// The budgets.
    pub budget: Budget,
    /// The mechanism that noises words.
    pub mechanism: MechanismSettings,
    /// How noised words become words of the lexicon. `None` decodes jointly if sensitive words are
    /// replaced, the mechanism is `polar` and the pack has a prior for the lexicon, and to the nearest
    /// word otherwise.
    pub decoding: Option<Decoding>,
    /// What replaces a unit whose budget is 0.
    pub at_zero: AtZero,
    /// How much of an original's format its surrogate keeps.
    pub shape: ShapeLevel,
    /// The scope within which the same original gets the same replacement.
    pub consistent: Consistency,
    /// Which surrogates belong together, if they are consistent.
    pub link: Links,
    /// Whether replacements can be restored with the pairs of
    /// [`Veiled::replacements`](crate::Veiled::replacements). Then different originals have
    /// different replacements, and no replacement occurs elsewhere in the released document. This needs
    /// consistent replacements; the default scope is then the document.
    pub restorable: bool,
    /// The treatment of numbers and codes.
    pub identifiers: Identifiers,
    /// The treatment of punctuation.
    pub punctuation: Punctuation,
    /// The upper and lower case of replacements.
    pub casing: CasingPolicy,
    /// The settings of detection.
    pub detect: inkveil_detect::Settings,
    /// Whether a text in which detection may have missed a name is searched again with the tier
    /// `accurate`.
    pub second_look: bool,
    /// Whether receipts state the true worst case of noised words beside the bound. It is computed over
    /// the whole vocabulary when the veil is opened, which takes tens of seconds. Only mechanisms that
    /// draw words directly can do this: `exponential`, `tem` and `randomized-response`.
    pub certify: bool,
}

// Shows no task, because tasks may be private.
impl fmt::Debug for TextSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextSettings")
            .field("lexicon", &self.lexicon)
            .field("tasks", &self.tasks.len())
            .field("threshold", &self.threshold)
            .field("grouping", &self.grouping)
            .field("budget", &self.budget)
            .field("mechanism", &self.mechanism)
            .field("decoding", &self.decoding)
            .field("at_zero", &self.at_zero)
            .field("shape", &self.shape)
            .field("consistent", &self.consistent)
            .field("link", &self.link)
            .field("restorable", &self.restorable)
            .field("certify", &self.certify)
            .finish_non_exhaustive()
    }
}

impl TextSettings {
    /// Returns the settings of a preset.
    ///
    /// ```
    /// use inkveil_text::{AtZero, Preset, TextSettings};
    ///
    /// assert_eq!(TextSettings::of(Preset::Prompt).at_zero, AtZero::Surrogate);
    /// ```
    pub fn of(preset: Preset) -> Self {
        let mut settings = Self::default();
        settings.apply(preset);
        settings
    }

    /// Replaces the settings that a preset decides.
    pub fn apply(&mut self, preset: Preset) {
        self.budget = Budget::Preset(preset);
        (self.at_zero, self.consistent, self.link, self.detect.tier) = preset.replacements();
        self.second_look = preset == Preset::Corpus;
    }

    /// Makes an original keep its replacement in all texts of a conversation, and replacements restorable.
    pub fn for_conversation(mut self) -> Self {
        (self.consistent, self.restorable) = (Consistency::Job, true);
        self
    }

    /// Whether these settings fit a conversation: see [`for_conversation`](Self::for_conversation).
    pub fn fit_conversation(&self) -> bool {
        self.consistent == Consistency::Job && self.restorable
    }

    /// Returns the settings of detection in this veil. Two presets keep words such as "mother" and "husband",
    /// which nearly every text has, unless the user names the kind.
    pub(crate) fn detection(&self) -> inkveil_detect::Settings {
        let mut detect = self.detect.clone();
        if let Budget::Preset(Preset::Prompt | Preset::Corpus) = self.budget
            && detect.only.is_none()
        {
            detect.disabled.insert(inkveil_detect::Kind::Family);
        }
        detect
    }

    /// Returns the settings of the paper's published code. Every token is noised, including numbers
    /// and punctuation. A word is needed from a cosine of 0.5. `laplace-l1` decodes by distance and
    /// not by cosine.
    pub fn as_published() -> Self {
        Self {
            lexicon: Some(LexiconKind::Subword),
            task_vector: TaskVector::Tokens,
            threshold: Some(Threshold::Cosine(0.5)),
            identifiers: Identifiers::Noise,
            punctuation: Punctuation::Noise,
            mechanism: MechanismSettings {
                calibration: inkveil_privacy::Calibration::Reference,
                nearest_by: NearestBy::Euclidean,
                ..MechanismSettings::default()
            },
            decoding: Some(Decoding::Nearest),
            ..Self::default()
        }
    }

    /// Checks that the settings do not contradict each other.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if let Budget::TargetSurvival(share) = self.budget
            && !(share > 0.0 && share < 1.0)
        {
            return Err(Error::setting("the target of survival must lie between 0 and 1, for example 0.05"));
        }
        if self.scope() != Consistency::None && matches!(self.at_zero, AtZero::Drop | AtZero::Fill) {
            let what = if self.restorable { "restorable replacements" } else { "consistent replacements" };
            let how = self.at_zero.name();
            return Err(Error::setting(format!(
                "{what} need at-zero = mask or surrogate, but at-zero is {how}"
            )));
        }
        Ok(())
    }

    /// Returns which replacements are linked. Only consistent surrogates and placeholders are. A
    /// placeholder has no value that could move.
    pub(crate) fn links(&self) -> Links {
        match (self.at_zero, self.scope()) {
            (_, Consistency::None) | (AtZero::Drop | AtZero::Fill, _) => Links::None,
            (AtZero::Surrogate, _) => self.link,
            (AtZero::Mask, _) if self.link == Links::None => Links::None,
            (AtZero::Mask, _) => Links::Names,
        }
    }

    /// Returns the scope of consistency, which restorable replacements need.
    pub(crate) fn scope(&self) -> Consistency {
        match self.consistent {
            Consistency::None if self.restorable => Consistency::Document,
            scope => scope,
        }
    }
}
