//! The reward of a rewrite in training (section 3.5 of the paper).

use serde::{Deserialize, Serialize};

use crate::rewrite::{RewriteMeasures, RewriteSource};

/// How much less than the worst rewrite of its text an answer gets that is no rewrite.
const FAULT: f64 = 0.5;

/// The weights of the parts of the reward.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RewardSettings {
    /// The weight of privacy for a text without risk: the paper's w₀.
    pub base: f64,
    /// The increase of the weight of privacy with the risk of a text: the paper's α.
    pub sensitivity: f64,
    /// The weight of meaning: the paper's λ.
    pub utility: f64,
    /// The penalty for the share of the source's words and word pairs that are kept. The paper has none: its
    /// reward looks at style, and attackers use words.
    pub wording: f64,
    /// The penalty for a rewrite that invents facts or changes a negation; half of it for a single one.
    pub facts: f64,
    /// The share of meaning from which on it is rewarded: the paper's f, on our encoder's scale.
    pub floor: f64,
    /// The share of meaning above which there is no more reward. A copy keeps all of it and must
    /// not be the best rewrite.
    pub enough: f64,
    /// Whether the memory guides the style. If not, only the uncertainty of the attribution model
    /// counts.
    pub guided: bool,
    /// Whether the weight of privacy depends on the risk of a text. If not, it is the same for all.
    pub adaptive: bool,
}

impl Default for RewardSettings {
    fn default() -> Self {
        Self {
            base: 1.0,
            sensitivity: 1.0,
            utility: 1.0,
            wording: 1.0,
            facts: 1.0,
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
    /// The uncertainty of the attribution model about the author.
    pub uncertainty: f64,
    /// The distance from the source's style and, for outliers, the nearness to the reference.
    pub style: f64,
    /// Minus the share of entities that were kept.
    pub entities: f64,
    /// Minus the share of words and word pairs that were kept.
    #[serde(default)]
    pub wording: f64,
    /// Minus one for two or more invented facts, minus a half for one.
    #[serde(default)]
    pub facts: f64,
    /// The share of meaning that is kept, above the floor.
    pub meaning: f64,
    /// The weighted sum.
    pub total: f64,
}

impl RewardSettings {
    /// Returns the reward of a rewrite.
    pub fn reward(&self, source: &RewriteSource, measures: &RewriteMeasures, uncertainty: f64) -> Reward {
        let style = match (self.guided, source.outlier) {
            (false, _) => 0.0,
            (true, true) => measures.style_distance - measures.reference_distance,
            (true, false) => measures.style_distance,
        };
        let entities = -measures.entities_kept.unwrap_or(0.0);
        let wording = -measures.wording_kept;
        let facts = -(measures.invented.min(2) as f64) / 2.0;
        let kept = measures.meaning.min(self.enough);
        let meaning = ((kept - self.floor) / (1.0 - self.floor).max(1e-9)).max(0.0);
        // A constant weight is that of a text with medium risk, so that both kinds of run have the
        // same pressure.
        let risk = if self.adaptive { source.risk } else { 0.5 };
        let weight = self.base + self.sensitivity * risk;
        // A rewrite without the meaning gets no reward for its style.
        let privacy = match meaning > 0.0 {
            true => uncertainty + style + entities + self.wording * wording,
            false => entities.min(0.0),
        };
        let total = weight * privacy + self.utility * meaning + self.facts * facts;
        Reward { uncertainty, style, entities, wording, facts, meaning, total }
    }

    /// Returns the rewards of all rewrites of one text. What is no rewrite has none, and gets less than the worst of the
    /// others: rewards can be negative, and a policy must not learn to write nothing instead.
    pub(super) fn of_group(found: &[Option<Reward>]) -> Vec<Reward> {
        let worst = found.iter().flatten().map(|reward| reward.total).fold(0.0, f64::min);
        let fault = Reward { total: worst - FAULT, ..Reward::default() };
        found.iter().map(|reward| reward.unwrap_or(fault)).collect()
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
            wording_kept: 0.3,
            ngrams_kept: 0.3,
            invented: 1,
            lost: 0,
            mean_distance: 0.5,
            risk: 0.2,
            outlier: false,
            found: 0.5,
            link: None,
        }
    }

    #[test]
    fn rewards_follow_the_definition() {
        let settings = RewardSettings {
            base: 0.5,
            sensitivity: 0.5,
            floor: 0.8,
            enough: 0.9,
            utility: 3.0,
            wording: 0.0,
            facts: 0.0,
            ..RewardSettings::default()
        };
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
        let (outlier, usual) = (test_source(0.9, true), test_source(0.1, false));
        // (.5 + .5·.9)·(.7 + .6 − .4 − .5) + 3·(.9 − .8)/.2
        close(settings.reward(&outlier, &measures(0.9), 0.7).total, 0.95 * 0.4 + 1.5);
        // No reference, and a lower weight.
        close(settings.reward(&usual, &measures(0.9), 0.7).total, 0.55 * 0.8 + 1.5);
        let plain = RewardSettings { guided: false, adaptive: false, ..settings };
        close(plain.reward(&outlier, &measures(0.9), 0.7).total, 0.75 * 0.2 + 1.5);
        // Kept words and invented facts cost.
        let strict = RewardSettings { wording: 1.0, facts: 1.0, ..settings };
        close(strict.reward(&usual, &measures(0.9), 0.7).total, 0.55 * 0.5 + 1.5 - 0.5);
        // A copy gets no more reward for its meaning.
        close(settings.reward(&usual, &measures(1.0), 0.7).total, 0.55 * 0.8 + 1.5);
        // Without the meaning, style has no reward.
        close(settings.reward(&outlier, &measures(0.5), 0.7).total, 0.95 * -0.5);
    }

    #[test]
    fn nothing_is_worse_than_the_worst_rewrite() {
        let with = |total| Some(Reward { total, ..Reward::default() });
        let totals = |found: &[Option<Reward>]| -> Vec<f64> {
            RewardSettings::of_group(found).iter().map(|reward| reward.total).collect()
        };
        assert_eq!(totals(&[with(-0.75), None, with(0.25)]), [-0.75, -1.25, 0.25]);
        assert_eq!(totals(&[with(0.5), None]), [0.5, -0.5]);
        let all = totals(&[None, None]);
        assert_eq!(all[0], all[1], "nothing can be learnt from equal rewards");
    }
}
