//! The terms of a veil in words: what the groups may spend, and what that promises.

use inkveil::privacy::{Guarantee, Metric};
use inkveil::{Budgets, Epsilon, Group, TextVeil, Threshold};

use super::counts::Counts;

/// The terms that all documents of a run share.
pub(super) struct Terms {
    pub(super) budgets: Budgets,
    /// What the parts of a text are called: `token` or `word`.
    pub(super) unit: &'static str,
    /// When a word is needed, in words.
    pub(super) needed_if: String,
    /// How words are noised, for example `polar, calibration paper`.
    mechanism: String,
    /// What is promised for a noised word of each group; nothing where the group's words are replaced or kept.
    promises: [Vec<Guarantee>; 4],
}

impl Terms {
    pub(super) fn of(veil: &TextVeil) -> anyhow::Result<Self> {
        let budgets = veil.budgets();
        let mut promises = [const { Vec::new() }; 4];
        for group in Group::ALL {
            let epsilon = budgets.of(group);
            if is_noise(epsilon) {
                let promise = veil.mechanism().guarantee(epsilon)?;
                // The form in which it is the budget itself, if there is one.
                let plain = promise.equivalents.into_iter().find(|other| other.epsilon() == epsilon);
                promises[group.number() - 1] = plain.map_or(promise.guarantees, |plain| vec![plain]);
            }
        }
        let settings = &veil.settings().mechanism;
        let name = settings.name.name();
        let mechanism = match name {
            "polar" | "polar-radial" => format!("{name}, calibration {}", settings.calibration),
            _ => name.to_owned(),
        };
        let needed_if = match veil.threshold() {
            Threshold::Cosine(cosine) => format!("its relevance is at least {cosine}"),
            Threshold::Quantile(share) => {
                format!("it is nearer to the task than {} % of the vocabulary", round(share * 100.0))
            }
        };
        let unit = match veil.lexicon().kind() {
            inkveil::lexicon::Kind::Subword => "token",
            inkveil::lexicon::Kind::Words => "word",
        };
        Ok(Self { budgets, unit, needed_if, mechanism, promises })
    }

    /// What becomes of the words of a group.
    pub(super) fn treatment(&self, group: Group) -> &'static str {
        match self.budgets.of(group) {
            epsilon if epsilon.is_zero() => "replaced without looking at them",
            epsilon if epsilon.is_infinite() => "kept as they are",
            _ => "noised: they become a word nearby, or stay by chance",
        }
    }

    /// What an ε means here; none if nothing is noised.
    pub(super) fn meaning(&self) -> Option<String> {
        let group = Group::ALL.into_iter().find(|group| !self.promise_of(*group).is_empty())?;
        let (budget, promise) = (self.budgets.of(group), self.promise_of(group));
        Some(match promise {
            [one] if one.epsilon() == budget => {
                format!("ε is {}, for each {} ({})", measure(one), one.unit(), self.mechanism)
            }
            _ => format!("a budget of {} gives {} ({})", budget.readable(), joined(promise), self.mechanism),
        })
    }

    /// The promise of a run, on one line.
    pub(super) fn promise(&self, counts: &Counts) -> String {
        let ways = counts.all();
        let mut parts = Vec::new();
        let noised = Group::ALL.into_iter().filter(|group| counts.of(*group).noised > 0);
        if let Some(group) = noised.max_by_key(|group| self.budgets.of(*group)) {
            parts.push(format!("noised: at most {} ({})", joined(self.promise_of(group)), self.mechanism));
        }
        if ways.replaced > 0 {
            parts.push("replaced: ε = 0".to_owned());
        }
        if ways.kept > 0 {
            parts.push("kept: no promise".to_owned());
        }
        if parts.is_empty() { "there were no words to veil".to_owned() } else { parts.join("; ") }
    }

    fn promise_of(&self, group: Group) -> &[Guarantee] {
        &self.promises[group.number() - 1]
    }
}

fn is_noise(epsilon: Epsilon) -> bool {
    !epsilon.is_zero() && !epsilon.is_infinite()
}

fn joined(promise: &[Guarantee]) -> String {
    promise.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")
}

/// What an ε is counted by.
fn measure(guarantee: &Guarantee) -> String {
    match (guarantee.within(), guarantee.metric()) {
        (Some(reach), metric) => format!("for inputs within {metric} distance {reach}"),
        (None, Metric::Discrete) => "for any two inputs (pure local differential privacy)".to_owned(),
        (None, metric) => format!("per unit of {metric} distance"),
    }
}

/// A number with as many digits as mean something.
pub(super) fn round(number: f64) -> f64 {
    // Adding zero turns −0 into 0.
    (number * 1000.0).round() / 1000.0 + 0.0
}

#[cfg(test)]
pub(super) mod samples {
    use inkveil::privacy::Unit;

    use super::*;

    /// Budgets 30, 0, inf, 90 of polar.
    pub(in crate::text) fn terms() -> Terms {
        let promise =
            |epsilon| vec![Guarantee::new(Metric::Chordal, Epsilon::new(epsilon).unwrap(), Unit::Token)];
        Terms {
            budgets: "30,0,inf,90".parse().unwrap(),
            unit: "token",
            needed_if: "its relevance is at least 0.5".to_owned(),
            mechanism: "polar, calibration paper".to_owned(),
            promises: [promise(30.0), Vec::new(), Vec::new(), promise(90.0)],
        }
    }
}

#[cfg(test)]
mod tests {
    use inkveil::{ReplacementReason, Treatment};

    use super::samples::terms;
    use super::*;
    use crate::text::explained::samples::{document, unit};

    #[test]
    fn the_promise_is_that_of_the_weakest_noise() {
        let mut counts = Counts::default();
        assert_eq!(terms().promise(&counts), "there were no words to veil");
        counts.add(&document(
            "abc",
            vec![
                unit(0..1, Group::SensitiveNeeded, Treatment::Noise),
                unit(1..2, Group::Neither, Treatment::Noise),
                unit(2..3, Group::Sensitive, Treatment::Replaced(ReplacementReason::Budget)),
            ],
        ));
        assert_eq!(
            terms().promise(&counts),
            "noised: at most ε = 90 per unit of chordal distance, for each token (polar, calibration paper); \
             replaced: ε = 0"
        );
    }

    #[test]
    fn an_epsilon_is_never_without_its_meaning() {
        let meaning = "ε is per unit of chordal distance, for each token (polar, calibration paper)";
        assert_eq!(terms().meaning().as_deref(), Some(meaning));
    }
}
