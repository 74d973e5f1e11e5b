//! How many words were treated in which way, over all documents.

use inkveil::{Epsilon, Group, Treatment};

use super::explained::{Explained, Unit};

/// The words of a group, by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ways {
    pub(super) noised: u64,
    /// The noised that came out as another word.
    pub(super) changed: u64,
    pub(super) replaced: u64,
    pub(super) kept: u64,
}

impl Ways {
    pub(super) fn all(&self) -> u64 {
        self.noised + self.replaced + self.kept
    }

    fn add(&mut self, unit: &Unit) {
        match unit.treatment {
            Treatment::Noise => {
                self.noised += 1;
                self.changed += u64::from(unit.written.as_ref().is_some_and(|written| !written.same));
            }
            Treatment::Replaced(_) => self.replaced += 1,
            Treatment::Kept => self.kept += 1,
            Treatment::Joined | Treatment::Punctuation => {}
        }
    }
}

/// All documents of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    pub(super) documents: u64,
    /// Documents for which there was a task.
    pub(super) with_task: u64,
    groups: [Ways; 4],
    /// Documents that a language model rewrote.
    pub(super) repaired: u64,
    /// Documents whose rewrite was thrown away, and why the last of them was.
    pub(super) not_repaired: u64,
    pub(super) refused: Option<&'static str>,
}

impl Counts {
    pub(super) fn add(&mut self, document: &Explained) {
        self.documents += 1;
        self.with_task += u64::from(document.has_task);
        for unit in &document.units {
            self.groups[unit.group.number() - 1].add(unit);
        }
        let repaired = document.release.as_ref().and_then(|release| release.repaired.as_ref());
        match repaired.map(|repaired| repaired.refused) {
            Some(None) => self.repaired += 1,
            Some(why) => {
                self.not_repaired += 1;
                self.refused = why;
            }
            None => {}
        }
    }

    pub(super) fn of(&self, group: Group) -> Ways {
        self.groups[group.number() - 1]
    }

    /// All groups together.
    pub(super) fn all(&self) -> Ways {
        self.groups.iter().fold(Ways::default(), |sum, ways| Ways {
            noised: sum.noised + ways.noised,
            changed: sum.changed + ways.changed,
            replaced: sum.replaced + ways.replaced,
            kept: sum.kept + ways.kept,
        })
    }

    /// What the words of a group spend together; what is kept has no bound.
    pub(super) fn spent(&self, group: Group, epsilon: Epsilon) -> Result<Epsilon, inkveil::privacy::Error> {
        let ways = self.of(group);
        match ways {
            Ways { kept: 1.., .. } => Ok(Epsilon::INFINITE),
            Ways { noised: 0, .. } => Ok(Epsilon::ZERO),
            Ways { noised, .. } => epsilon.checked_mul(noised as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use inkveil::ReplacementReason;

    use super::*;
    use crate::text::explained::Written;
    use crate::text::explained::samples::{document, unit};

    #[test]
    fn words_are_counted_by_group_and_fate() {
        let same = |same| Some(Written { range: 0..1, same });
        let units = vec![
            unit(0..1, Group::Sensitive, Treatment::Replaced(ReplacementReason::Budget)),
            unit(1..2, Group::Neither, Treatment::Punctuation),
            Unit { written: same(true), ..unit(2..3, Group::Neither, Treatment::Noise) },
            Unit { written: same(false), ..unit(3..4, Group::Neither, Treatment::Noise) },
            unit(4..5, Group::Needed, Treatment::Kept),
        ];
        let mut counts = Counts::default();
        counts.add(&document("abcde", units));
        assert_eq!(counts.of(Group::Neither), Ways { noised: 2, changed: 1, replaced: 0, kept: 0 });
        assert_eq!(counts.all(), Ways { noised: 2, changed: 1, replaced: 1, kept: 1 });
        assert_eq!((counts.all().all(), counts.documents, counts.with_task), (4, 1, 1));
        let thirty = Epsilon::new(30.0).unwrap();
        assert_eq!(counts.spent(Group::Neither, thirty).unwrap().get(), 60.0);
        assert_eq!(counts.spent(Group::Needed, thirty).unwrap(), Epsilon::INFINITE);
        assert_eq!(counts.spent(Group::Sensitive, Epsilon::INFINITE).unwrap(), Epsilon::ZERO);
    }
}
