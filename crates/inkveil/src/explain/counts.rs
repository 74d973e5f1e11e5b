//! Counts how many words were treated in which way.

use inkveil_privacy::Epsilon;
use inkveil_text::{Budgets, Group, Treatment};

use super::document::{ExplainedDocument, ExplainedUnit};
use super::verdict::Verdict;

/// The words of one group, by treatment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Treated {
    /// Noised words.
    pub noised: u64,
    /// Noised words that became another word.
    pub changed: u64,
    /// Replaced words.
    pub replaced: u64,
    /// Kept words.
    pub kept: u64,
}

impl Treated {
    /// All words.
    pub fn all(&self) -> u64 {
        self.noised + self.replaced + self.kept
    }

    fn add(&mut self, unit: &ExplainedUnit) {
        match unit.treatment {
            Treatment::Noise => {
                self.noised += 1;
                self.changed += u64::from(unit.is_changed());
            }
            Treatment::Replaced(_) => self.replaced += 1,
            Treatment::Kept => self.kept += 1,
            Treatment::Joined | Treatment::Punctuation | Treatment::Clitic => {}
        }
    }
}

/// Counts over all documents of a run.
#[derive(Debug, Clone, Default)]
pub struct TreatmentCounts {
    /// Documents.
    pub documents: u64,
    /// Documents with a task.
    pub with_task: u64,
    groups: [Treated; 4],
    /// What was replaced, and what may still identify someone.
    pub verdict: Verdict,
    /// Documents that a language model repaired.
    pub repaired: u64,
    /// Documents whose repair was discarded.
    pub not_repaired: u64,
    /// ReplacementReason the last repair was discarded.
    pub refused: Option<&'static str>,
}

impl TreatmentCounts {
    /// Counts a document.
    pub fn add(&mut self, document: &ExplainedDocument) {
        self.documents += 1;
        self.verdict.add(document);
        self.with_task += u64::from(document.has_task);
        for unit in &document.units {
            self.groups[unit.group.number() - 1].add(unit);
        }
        let repaired = document.release.as_ref().and_then(|release| release.repaired.as_ref());
        if let Some(repaired) = repaired {
            self.repaired += u64::from(repaired.changed > 0);
            if let Some(why) = repaired.discarded() {
                self.not_repaired += 1;
                self.refused = Some(why);
            }
        }
    }

    /// The words of one group.
    pub fn of(&self, group: Group) -> Treated {
        self.groups[group.number() - 1]
    }

    /// The words of all groups.
    pub fn all(&self) -> Treated {
        self.groups.iter().fold(Treated::default(), |sum, one| Treated {
            noised: sum.noised + one.noised,
            changed: sum.changed + one.changed,
            replaced: sum.replaced + one.replaced,
            kept: sum.kept + one.kept,
        })
    }

    /// What a group spends if each of its noised words has this ε.
    ///
    /// # Errors
    /// If the sum overflows.
    pub fn spent(&self, group: Group, epsilon: Epsilon) -> Result<Epsilon, inkveil_privacy::Error> {
        match self.of(group) {
            Treated { kept: 1.., .. } => Ok(Epsilon::INFINITE),
            Treated { noised: 0, .. } => Ok(Epsilon::ZERO),
            Treated { noised, .. } => epsilon.checked_mul(noised as f64),
        }
    }

    /// The sum of ε over the words of all groups.
    ///
    /// # Errors
    /// If the sum cannot be computed.
    pub fn total(&self, budgets: &Budgets) -> Result<Epsilon, inkveil_privacy::Error> {
        let spent = |group| self.spent(group, budgets.of(group));
        Group::ALL.into_iter().try_fold(Epsilon::ZERO, |sum, group| sum.checked_add(spent(group)?))
    }
}

#[cfg(test)]
mod tests {
    use inkveil_text::ReplacementReason;

    use super::super::document::UnitReplacement;
    use super::super::document::samples::{document, unit};
    use super::*;

    #[test]
    fn words_are_counted_by_group_and_treatment() {
        let same = |same| Some(UnitReplacement { range: 0..1, same });
        let units = vec![
            unit(0..1, Group::Sensitive, Treatment::Replaced(ReplacementReason::Budget)),
            unit(1..2, Group::Neither, Treatment::Punctuation),
            ExplainedUnit { replacement: same(true), ..unit(2..3, Group::Neither, Treatment::Noise) },
            ExplainedUnit { replacement: same(false), ..unit(3..4, Group::Neither, Treatment::Noise) },
            unit(4..5, Group::Needed, Treatment::Kept),
        ];
        let mut counts = TreatmentCounts::default();
        counts.add(&document("abcde", units));
        assert_eq!(counts.of(Group::Neither), Treated { noised: 2, changed: 1, replaced: 0, kept: 0 });
        assert_eq!(counts.all(), Treated { noised: 2, changed: 1, replaced: 1, kept: 1 });
        assert_eq!((counts.all().all(), counts.documents, counts.with_task), (4, 1, 1));
        let thirty = Epsilon::new(30.0).unwrap();
        assert_eq!(counts.spent(Group::Neither, thirty).unwrap().get(), 60.0);
        assert_eq!(counts.spent(Group::Needed, thirty).unwrap(), Epsilon::INFINITE);
        assert_eq!(counts.spent(Group::Sensitive, Epsilon::INFINITE).unwrap(), Epsilon::ZERO);
    }
}
