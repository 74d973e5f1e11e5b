//! How far a rewrite may go.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::choose::RewriteRules;
use super::settings::RewriteSettings;
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
        let with = |count, rounds, passes, avoid, meaning, wording| RewriteSettings {
            draft: DraftSettings { count, avoid, ..base.draft },
            rounds,
            passes,
            rules: RewriteRules { meaning, wording, ..base.rules },
            ..base
        };
        match self {
            Self::Light => with(4, 2, 1, 0.0, 0.8, 0.5),
            Self::Balanced => base,
            Self::Strong => with(6, 2, 2, 1.5, 0.6, 2.0),
            Self::Max => with(8, 3, 3, 3.0, 0.5, 3.0),
        }
    }
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
            assert!(after.draft.avoid >= before.draft.avoid && after.passes >= before.passes);
        }
    }
}
