//! The terms of a veil in words: the budgets of the groups, and the guarantees they give.

use inkveil_lexicon::LexiconKind;
use inkveil_privacy::{Epsilon, Guarantee, Metric, Neighbours};
use inkveil_text::{Budgets, Group, TaskVector, TextVeil, Threshold};

use super::counts::TreatmentCounts;
use crate::error::Error;

/// The terms that all documents of a run share.
#[derive(Debug, Clone)]
pub struct VeilTerms {
    /// The budgets of the groups.
    pub budgets: Budgets,
    /// The name of a unit: `token` or `word`.
    pub unit: &'static str,
    /// When a word is needed, in words.
    pub needed_if: String,
    /// The mechanism, for example `polar, calibration paper`.
    mechanism: String,
    /// The guarantees for a noised word of each group. Empty if the group's words are replaced or kept.
    guarantees: [Vec<Guarantee>; 4],
    /// The originals that a replaced word cannot be told from.
    replaced: Neighbours,
}

impl VeilTerms {
    /// The terms of a veil.
    ///
    /// # Errors
    /// If a budget is out of the mechanism's range.
    pub fn of(veil: &TextVeil) -> Result<Self, Error> {
        let budgets = veil.budgets();
        let mut guarantees = [const { Vec::new() }; 4];
        for group in Group::ALL {
            let epsilon = budgets.of(group);
            if is_noise(epsilon) {
                let token = veil.mechanism().guarantee(epsilon)?;
                // The form whose ε is the budget itself is the easiest to read.
                let plain = token.equivalents.into_iter().find(|other| other.epsilon() == epsilon);
                let all = plain.map_or(token.guarantees, |plain| vec![plain]);
                guarantees[group.number() - 1] =
                    all.into_iter().map(|one| one.among(Neighbours::SameLayout)).collect();
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
                let of = match veil.settings().task_vector {
                    TaskVector::Context => "text",
                    _ => "vocabulary",
                };
                format!("it is closer to the task than {} % of the {of}", rounded(share * 100.0))
            }
        };
        let unit = match veil.lexicon().kind() {
            LexiconKind::Subword => "token",
            LexiconKind::Words => "word",
        };
        let replaced = veil.neighbours_of_replaced();
        Ok(Self { budgets, unit, needed_if, mechanism, guarantees, replaced })
    }

    /// How the words of a group are treated.
    pub fn treatment(&self, group: Group) -> &'static str {
        match self.budgets.of(group) {
            epsilon if epsilon.is_zero() => "replaced",
            epsilon if epsilon.is_infinite() => "kept unchanged",
            _ => "noised: each becomes a nearby word, or stays by chance",
        }
    }

    /// What an ε means here. `None` if nothing is noised.
    pub fn meaning(&self) -> Option<String> {
        let group = Group::ALL.into_iter().find(|group| !self.guarantees_of(*group).is_empty())?;
        let (budget, guarantees) = (self.budgets.of(group), self.guarantees_of(group));
        Some(match guarantees {
            [one] if one.epsilon() == budget => {
                format!("ε is {}, for each {} ({})", measure(one), one.unit(), self.mechanism)
            }
            _ => {
                format!("a budget of {} gives {} ({})", budget.readable(), joined(guarantees), self.mechanism)
            }
        })
    }

    /// The guarantee of a run, on one line: that of its weakest noise.
    pub fn guarantee(&self, counts: &TreatmentCounts) -> String {
        let treated = counts.all();
        let mut parts = Vec::new();
        let noised = Group::ALL.into_iter().filter(|group| counts.of(*group).noised > 0);
        if let Some(group) = noised.max_by_key(|group| self.budgets.of(*group)) {
            parts.push(format!("noised: at most {} ({})", joined(self.guarantees_of(group)), self.mechanism));
        }
        if treated.replaced > 0 {
            parts.push(format!("replaced: ε = 0 between {}", self.replaced));
        }
        if treated.kept > 0 {
            parts.push("kept: no guarantee".to_owned());
        }
        if parts.is_empty() { "there were no words to veil".to_owned() } else { parts.join("; ") }
    }

    fn guarantees_of(&self, group: Group) -> &[Guarantee] {
        &self.guarantees[group.number() - 1]
    }
}

fn is_noise(epsilon: Epsilon) -> bool {
    !epsilon.is_zero() && !epsilon.is_infinite()
}

fn joined(guarantees: &[Guarantee]) -> String {
    guarantees.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")
}

/// What an ε is measured by.
fn measure(guarantee: &Guarantee) -> String {
    match (guarantee.within(), guarantee.metric()) {
        (Some(reach), metric) => format!("for inputs within {metric} distance {reach}"),
        (None, Metric::Discrete) => {
            format!("for any two {}s of the lexicon (pure local differential privacy)", guarantee.unit())
        }
        (None, metric) => format!("per unit of {metric} distance"),
    }
}

/// Rounds a number to three decimals, for people.
pub fn rounded(number: f64) -> f64 {
    // Adding zero turns −0 into 0.
    (number * 1000.0).round() / 1000.0 + 0.0
}

/// Terms for tests of reports.
#[doc(hidden)]
pub(crate) mod samples {
    use inkveil_privacy::Unit;

    use super::*;

    /// Budgets 30, 0, inf, 90 of the mechanism polar.
    pub fn terms() -> VeilTerms {
        let epsilon = |value| Epsilon::new(value).unwrap_or(Epsilon::ZERO);
        let guarantee = |value| vec![Guarantee::new(Metric::Chordal, epsilon(value), Unit::Token)];
        VeilTerms {
            budgets: Budgets::new([epsilon(30.0), Epsilon::ZERO, Epsilon::INFINITE, epsilon(90.0)]),
            unit: "token",
            needed_if: "its relevance is at least 0.5".to_owned(),
            mechanism: "polar, calibration paper".to_owned(),
            guarantees: [guarantee(30.0), Vec::new(), Vec::new(), guarantee(90.0)],
            replaced: Neighbours::SameKind,
        }
    }
}

#[cfg(test)]
mod tests {
    use inkveil_text::{ReplacementReason, Treatment};

    use super::super::document::samples::{document, unit};
    use super::samples::terms;
    use super::*;

    #[test]
    fn the_guarantee_of_a_run_is_that_of_its_weakest_noise() {
        let mut counts = TreatmentCounts::default();
        assert_eq!(terms().guarantee(&counts), "there were no words to veil");
        counts.add(&document(
            "abc",
            vec![
                unit(0..1, Group::SensitiveNeeded, Treatment::Noise),
                unit(1..2, Group::Neither, Treatment::Noise),
                unit(2..3, Group::Sensitive, Treatment::Replaced(ReplacementReason::Budget)),
            ],
        ));
        assert_eq!(
            terms().guarantee(&counts),
            "noised: at most ε = 90 per unit of chordal distance, for each token (polar, calibration paper); \
             replaced: ε = 0 between originals of the same kind"
        );
    }

    #[test]
    fn an_epsilon_always_has_a_meaning() {
        let meaning = "ε is per unit of chordal distance, for each token (polar, calibration paper)";
        assert_eq!(terms().meaning().as_deref(), Some(meaning));
    }
}
