//! How texts are rewritten.

use super::choose::RewriteRules;
use super::writer::DraftSettings;
use crate::Error;

/// How texts are rewritten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RewriteSettings {
    /// How candidates are sampled.
    pub draft: DraftSettings,
    /// How often candidates are sampled for a passage before giving up.
    pub rounds: usize,
    /// How often a passage is rewritten: 2 rewrites its best candidate once more. All candidates are compared with the
    /// original.
    pub passes: usize,
    /// Whether sentences of different candidates are also mixed, where they correspond to those of the original. A
    /// mixture keeps an original sentence only where the chosen candidate keeps it.
    pub mixed: bool,
    /// Which candidates are good enough, and which is best.
    pub rules: RewriteRules,
    /// What to do with a passage if no candidate is good enough.
    pub fallback: Fallback,
}

impl Default for RewriteSettings {
    fn default() -> Self {
        let draft = DraftSettings { count: 4, ..DraftSettings::default() };
        Self {
            draft,
            rounds: 2,
            passes: 1,
            mixed: true,
            rules: RewriteRules::default(),
            fallback: Fallback::Refuse,
        }
    }
}

impl RewriteSettings {
    /// # Errors
    /// If a number is out of range.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let wrong = |what: &str| Err(Error::setting(what));
        match self {
            s if !(0.0..=1.0).contains(&s.rules.meaning) => {
                wrong("the share of the meaning that must be kept is a number from 0 to 1")
            }
            s if !(0.0..=5.0).contains(&s.draft.temperature) => {
                wrong("the temperature is a number from 0 to 5")
            }
            s if ![s.rules.attack.risk, s.rules.attack.found, s.rules.attack.ngrams]
                .iter()
                .all(|w| w.is_finite()) =>
            {
                wrong("the weights of the choice must be numbers")
            }
            s if s.draft.count == 0 => wrong("a passage needs at least 1 candidate"),
            s if !(0.0..=20.0).contains(&s.draft.avoid) => {
                wrong("the penalty for words of the original is a number from 0 to 20")
            }
            s if s.passes == 0 => wrong("a passage is rewritten at least once"),
            s if s.rounds == 0 => wrong("candidates are sampled in at least 1 round"),
            _ => Ok(()),
        }
    }
}

/// What to do with a passage if no candidate is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// Refuse the whole text.
    Refuse,
    /// Take the candidate that invents least and keeps most of the meaning, as in the paper. If there is none, keep
    /// the passage.
    Closest,
    /// Keep the original passage, and with it its style.
    Keep,
}
