//! What an ε means for someone who guesses, and what other mechanisms would need.

use serde::{Deserialize, Serialize};

use crate::{Epsilon, Metric};

/// How sure someone can be who suspects one of two inputs, each equally likely, and sees the release.
/// One half means that the release says nothing about the two.
///
/// A loss L bounds the ratio of the two probabilities of the release by e^L. With equal chances before,
/// the larger chance after is at most e^L/(1 + e^L) = 1/(1 + e^−L).
///
/// ```
/// use inkveil_privacy::{Certainty, Epsilon};
///
/// assert_eq!(Certainty::after(Epsilon::ZERO), 0.5);
/// assert!((Certainty::after(Epsilon::new(3.0)?) - 0.953).abs() < 1e-3);
/// assert_eq!(Certainty::after(Epsilon::INFINITE), 1.0);
/// # Ok::<(), inkveil_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certainty {
    /// For two inputs at the typical distance to the nearest neighbour, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<f64>,
    /// For the two inputs that are farthest apart, if there is a bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<f64>,
}

impl Certainty {
    /// Returns the largest chance after a loss.
    pub fn after(loss: Epsilon) -> f64 {
        1.0 / (1.0 + (-loss.get()).exp())
    }

    pub(super) fn of(typical_loss: Option<Epsilon>, worst_case: Option<Epsilon>) -> Self {
        Self { typical: typical_loss.map(Self::after), worst: worst_case.map(Self::after) }
    }
}

/// The budget with which another mechanism keeps as many words unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// The name of the mechanism.
    pub mechanism: String,
    /// The distance that its ε is measured in.
    pub metric: Metric,
    /// Its budget.
    pub epsilon: Epsilon,
    /// Its ε·D of one unit, if the inputs are bounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_case_epsilon: Option<Epsilon>,
}

/// The chance from which on a bound excludes nothing that matters.
pub(super) const NEARLY_ALL: f64 = 0.9999;

/// Returns a chance in per cent for people. A finite loss is never shown as 100 %.
pub(super) fn per_cent(chance: f64) -> String {
    match chance * 100.0 {
        _ if chance > NEARLY_ALL => "over 99.99 %".to_owned(),
        most if most > 99.0 => format!("{most:.2} %"),
        share => format!("{share:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_readable() {
        let shown = [0.5, 0.9, 0.9912, 0.99995, 1.0].map(per_cent);
        assert_eq!(shown, ["50 %", "90 %", "99.12 %", "over 99.99 %", "over 99.99 %"]);
    }
}
