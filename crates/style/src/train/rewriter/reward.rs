//! What a rewrite earns in training (section 3.5 of the paper).

use serde::{Deserialize, Serialize};

use crate::rewrite::{RewriteMeasures, RewriteSource};

/// How the parts of the reward are weighed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RewardSettings {
    /// The weight of privacy for a text of no risk: the paper's w₀.
    pub base: f64,
    /// How much the risk of a text adds to it: the paper's α.
    pub sensitivity: f64,
    /// The weight of meaning: the paper's λ.
    pub utility: f64,
    /// Meaning earns from here on: the paper's f, on our encoder's scale.
    pub floor: f64,
    /// More meaning than this earns no more: a copy keeps all of it, and must not be the best rewrite.
    pub enough: f64,
    /// Whether the memory guides the style, or only the uncertainty of the attribution model counts.
    pub guided: bool,
    /// Whether the weight of privacy follows the risk of a text, or is the same for all.
    pub adaptive: bool,
}

impl Default for RewardSettings {
    fn default() -> Self {
        Self {
            base: 1.0,
            sensitivity: 1.0,
            utility: 1.0,
            floor: 0.6,
            enough: 0.85,
            guided: true,
            adaptive: true,
        }
    }
}

/// The parts of a reward, and their sum.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Reward {
    /// How open it is who wrote the text.
    pub uncertainty: f64,
    /// Distance from the source's style, and for outliers nearness to the reference.
    pub style: f64,
    /// Minus the share of entities that were kept.
    pub entities: f64,
    /// What is kept of the meaning, above the floor.
    pub meaning: f64,
    /// All of it, weighed.
    pub total: f64,
}

impl RewardSettings {
    /// What a rewrite earns. One without measures, which is no rewrite at all, earns nothing.
    pub fn reward(
        &self,
        source: &RewriteSource,
        measures: Option<&RewriteMeasures>,
        uncertainty: f64,
    ) -> Reward {
        let Some(measures) = measures else { return Reward::default() };
        let style = match (self.guided, source.outlier) {
            (false, _) => 0.0,
            (true, true) => measures.style_distance - measures.reference_distance,
            (true, false) => measures.style_distance,
        };
        let entities = -measures.entities_kept.unwrap_or(0.0);
        let kept = measures.meaning.min(self.enough);
        let meaning = ((kept - self.floor) / (1.0 - self.floor).max(1e-9)).max(0.0);
        // Where all weigh the same it is what a text of middling risk weighs, so that both kinds of run press equally hard.
        let risk = if self.adaptive { source.risk } else { 0.5 };
        let weight = self.base + self.sensitivity * risk;
        // What has lost its meaning cannot earn by its style.
        let privacy = if meaning > 0.0 { uncertainty + style + entities } else { entities.min(0.0) };
        let total = weight * privacy + self.utility * meaning;
        Reward { uncertainty, style, entities, meaning, total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::test_source;

    fn measures(meaning: f64) -> RewriteMeasures {
        RewriteMeasures {
            style_distance: 0.6,
            reference_distance: 0.4,
            meaning,
            entities_kept: Some(0.5),
            mean_distance: 0.5,
            risk: 0.2,
            outlier: false,
        }
    }

    #[test]
    fn rewards_are_those_of_the_definition() {
        let settings = RewardSettings {
            base: 0.5,
            sensitivity: 0.5,
            floor: 0.8,
            enough: 0.9,
            utility: 3.0,
            ..RewardSettings::default()
        };
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
        let (outlier, usual) = (test_source(0.9, true), test_source(0.1, false));
        // (.5 + .5·.9)·(.7 + .6 − .4 − .5) + 3·(.9 − .8)/.2
        close(settings.reward(&outlier, Some(&measures(0.9)), 0.7).total, 0.95 * 0.4 + 1.5);
        // No pull to the reference, and less pressure.
        close(settings.reward(&usual, Some(&measures(0.9)), 0.7).total, 0.55 * 0.8 + 1.5);
        let plain = RewardSettings { guided: false, adaptive: false, ..settings };
        close(plain.reward(&outlier, Some(&measures(0.9)), 0.7).total, 0.75 * 0.2 + 1.5);
        // A copy earns no more by its meaning.
        close(settings.reward(&usual, Some(&measures(1.0)), 0.7).total, 0.55 * 0.8 + 1.5);
        // Without the meaning, style earns nothing; without a rewrite, nothing does.
        close(settings.reward(&outlier, Some(&measures(0.5)), 0.7).total, 0.95 * -0.5);
        assert_eq!(settings.reward(&outlier, None, 0.7), Reward::default());
    }
}
