//! How far a rewrite may go.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::choose::{AttackWeights, FactRule, RewriteRules};
use super::settings::{Fallback, RewriteSettings};
use super::writer::DraftSettings;

/// How far a rewrite may go: the more of the meaning it may lose, the fewer attackers recognise its author.
///
/// ```
/// use inkveil_style::Strength;
///
/// assert!(Strength::Max.settings().rules.meaning < Strength::Light.settings().rules.meaning);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// Keeps most of the meaning and of the words.
    Light,
    /// The default.
    #[default]
    Balanced,
    /// Avoids the words of the original, and rewrites the rewrite once more.
    Strong,
    /// Avoids them more, and rewrites the rewrite twice more.
    Max,
}

impl Strength {
    /// All of them, from the weakest to the strongest.
    pub const ALL: [Self; 4] = [Self::Light, Self::Balanced, Self::Strong, Self::Max];

    /// Returns how candidates are drawn and chosen at this strength.
    pub fn settings(self) -> RewriteSettings {
        let base = RewriteSettings::default();
        let with = |count, rounds, passes, avoid, meaning, wording, attack| RewriteSettings {
            draft: DraftSettings { count, avoid, ..base.draft },
            rounds,
            passes,
            rules: RewriteRules { meaning, wording, attack, ..base.rules },
            ..base
        };
        let attack = |risk, found, ngrams| AttackWeights { risk, found, ngrams };
        match self {
            Self::Light => with(4, 2, 1, 0.0, 0.8, 0.5, attack(1.0, 0.25, 0.5)),
            Self::Balanced => base,
            Self::Strong => with(6, 2, 2, 1.5, 0.6, 2.0, attack(3.0, 1.0, 2.0)),
            Self::Max => with(8, 3, 3, 3.0, 0.5, 3.0, attack(4.0, 1.5, 3.0)),
        }
    }

    /// Returns the settings of this strength with what a user sets besides it.
    pub fn settings_with(self, overrides: &RewriteOverrides) -> RewriteSettings {
        let of_strength = self.settings();
        let RewriteSettings { draft, rounds, rules, fallback, .. } = of_strength;
        RewriteSettings {
            draft: DraftSettings {
                count: overrides.candidates.unwrap_or(draft.count),
                temperature: overrides.temperature.unwrap_or(draft.temperature),
                ..draft
            },
            rounds: overrides.rounds.unwrap_or(rounds),
            rules: RewriteRules {
                meaning: overrides.meaning.unwrap_or(rules.meaning),
                facts: overrides.facts.unwrap_or(rules.facts),
                ..rules
            },
            fallback: overrides.fallback.unwrap_or(fallback),
            ..of_strength
        }
    }
}

/// What a user sets besides a [`Strength`]. The strength sets what is none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RewriteOverrides {
    /// The number of candidates in a round.
    pub candidates: Option<usize>,
    /// The number of rounds.
    pub rounds: Option<usize>,
    /// The least share of the meaning.
    pub meaning: Option<f64>,
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// What is done about invented facts.
    pub facts: Option<FactRule>,
    /// What is done if no candidate is good enough.
    pub fallback: Option<Fallback>,
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Light => "light",
            Self::Balanced => "balanced",
            Self::Strong => "strong",
            Self::Max => "max",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_strength_is_valid_and_goes_farther_than_the_one_before() {
        assert_eq!(Strength::default().settings(), RewriteSettings::default());
        for strength in Strength::ALL {
            strength.settings().check().unwrap();
        }
        for pair in Strength::ALL.windows(2) {
            let [before, after] = [pair[0].settings(), pair[1].settings()];
            assert!(after.rules.meaning < before.rules.meaning);
            assert!(after.rules.wording > before.rules.wording);
            let [weak, strong] = [before.rules.attack, after.rules.attack];
            assert!(strong.risk > weak.risk && strong.found > weak.found && strong.ngrams > weak.ngrams);
            assert!(after.draft.avoid >= before.draft.avoid && after.passes >= before.passes);
        }
    }

    #[test]
    fn what_a_user_sets_is_kept_at_every_strength() {
        let overrides = RewriteOverrides {
            candidates: Some(3),
            meaning: Some(0.42),
            fallback: Some(Fallback::Keep),
            ..RewriteOverrides::default()
        };
        for strength in Strength::ALL {
            let (set, own) = (strength.settings_with(&overrides), strength.settings());
            assert_eq!((set.draft.count, set.rules.meaning, set.fallback), (3, 0.42, Fallback::Keep));
            assert_eq!(
                (set.rounds, set.passes, set.rules.attack),
                (own.rounds, own.passes, own.rules.attack)
            );
            assert_eq!(strength.settings_with(&RewriteOverrides::default()), own);
        }
    }
}
