//! What became of a document, and why: everything that is said about it. **Private**: it holds the original.

use std::ops::Range;

use inkveil::detect::Kind;
use inkveil::{Epsilon, Group, Receipt, Repaired, TextPlan, Treatment, Veiled};

use super::source::Original;
use crate::reason;

/// A document, and what became of it.
pub(super) struct Explained {
    pub(super) original: Original,
    /// Whether there was a task to need words.
    pub(super) has_task: bool,
    pub(super) units: Vec<Unit>,
    /// What is released; none if that was only planned.
    pub(super) release: Option<Release>,
}

/// What is released of a document.
pub(super) struct Release {
    pub(super) veiled: String,
    pub(super) receipt: Receipt,
    /// What a language model made of the veiled text, where one was asked.
    pub(super) repaired: Option<Repaired>,
}

impl Release {
    /// The text that leaves.
    pub(super) fn text(&self) -> &str {
        self.repaired.as_ref().map_or(&self.veiled, |repaired| &repaired.text)
    }
}

/// A unit of a document. Where several were replaced as one, they are one here.
#[derive(Clone)]
pub(super) struct Unit {
    /// Its bytes in the original.
    pub(super) range: Range<usize>,
    pub(super) kind: Option<Kind>,
    /// Why it counts as sensitive, if it does.
    pub(super) reason: Option<String>,
    /// Its cosine with the task; the largest, if it is several.
    pub(super) relevance: Option<f64>,
    pub(super) group: Group,
    /// The budget that it is released with.
    pub(super) epsilon: Epsilon,
    pub(super) treatment: Treatment,
    /// What stands for it in the veiled text; none if that was only planned.
    pub(super) written: Option<Written>,
}

/// What stands for a unit in the veiled text.
#[derive(Clone)]
pub(super) struct Written {
    pub(super) range: Range<usize>,
    /// Whether that is what stood there before.
    pub(super) same: bool,
}

/// What became of a document, before it is joined with its original.
pub(super) struct Fate {
    has_task: bool,
    units: Vec<Unit>,
    release: Option<Release>,
}

impl Fate {
    /// What would become of it.
    pub(super) fn planned(plan: &TextPlan<'_>) -> Self {
        Self { has_task: plan.has_task(), units: units(plan), release: None }
    }

    /// What became of it.
    pub(super) fn veiled(veiled: &Veiled<'_>, release: Release) -> Self {
        let plan = veiled.plan();
        let mut units = units(plan);
        let heads =
            (0..plan.units().len()).filter(|index| plan.units()[*index].treatment != Treatment::Joined);
        for (unit, index) in units.iter_mut().zip(heads) {
            unit.written = Some(Written { range: veiled.place(index), same: veiled.survived(index) });
        }
        Self { has_task: plan.has_task(), units, release: Some(release) }
    }

    pub(super) fn of(self, original: Original) -> Explained {
        Explained { original, has_task: self.has_task, units: self.units, release: self.release }
    }
}

/// The units of a plan, those that are replaced as one joined.
fn units(plan: &TextPlan<'_>) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::with_capacity(plan.units().len());
    for unit in plan.units() {
        match units.last_mut() {
            Some(head) if unit.treatment == Treatment::Joined => {
                head.range.end = unit.range.end.max(head.range.end);
                head.relevance = larger(head.relevance, unit.relevance);
            }
            _ => {
                let span = unit.span.and_then(|span| plan.spans().get(span));
                // Where there is no span, the context did not count.
                let alone = || "lists and rules for words alone".to_owned();
                let reason = unit.kind.as_ref().map(|_| span.map_or_else(alone, reason::words));
                units.push(Unit {
                    range: unit.range.clone(),
                    kind: unit.kind.clone(),
                    reason,
                    relevance: unit.relevance,
                    group: unit.group,
                    epsilon: unit.spent(),
                    treatment: unit.treatment,
                    written: None,
                });
            }
        }
    }
    units
}

/// The larger of two numbers of which either may be missing.
fn larger(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(f64::max)
}

impl Explained {
    /// What stood there before.
    pub(super) fn original_of(&self, unit: &Unit) -> &str {
        self.original.text.get(unit.range.clone()).unwrap_or_default()
    }

    /// What stands for it; none if that was only planned.
    pub(super) fn replacement_of(&self, unit: &Unit) -> Option<&str> {
        let written = unit.written.as_ref()?;
        self.release.as_ref()?.veiled.get(written.range.clone())
    }
}

impl Unit {
    /// Whether it counts as a word: punctuation that stays does not.
    pub(super) fn is_word(&self) -> bool {
        self.treatment != Treatment::Punctuation
    }

    /// What became of it, in words.
    pub(super) fn fate(&self) -> String {
        let same = self.written.as_ref().map(|written| written.same);
        match self.treatment {
            Treatment::Noise => match same {
                None => "to be noised".to_owned(),
                Some(false) => "noised".to_owned(),
                Some(true) => "noised, came out the same".to_owned(),
            },
            Treatment::Replaced(why) => match same {
                None => format!("to be replaced: {}", why.about()),
                Some(_) => format!("replaced: {}", why.about()),
            },
            Treatment::Joined => "part of what stands before it".to_owned(),
            Treatment::Kept | Treatment::Punctuation => "kept".to_owned(),
        }
    }
}

/// Documents to test reports with.
#[cfg(test)]
pub(super) mod samples {
    use super::*;

    /// A unit of a document that was only planned.
    pub(in crate::text) fn unit(range: Range<usize>, group: Group, treatment: Treatment) -> Unit {
        let epsilon = match treatment {
            Treatment::Noise => Epsilon::new(30.0).unwrap(),
            Treatment::Replaced(_) | Treatment::Joined => Epsilon::ZERO,
            Treatment::Kept | Treatment::Punctuation => Epsilon::INFINITE,
        };
        Unit { range, kind: None, reason: None, relevance: None, group, epsilon, treatment, written: None }
    }

    /// A document that was only planned.
    pub(in crate::text) fn document(text: &str, units: Vec<Unit>) -> Explained {
        let original = Original { line: None, id: None, text: text.to_owned(), task: None, line_break: "\n" };
        Explained { original, has_task: true, units, release: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_numbers_the_larger_counts() {
        assert_eq!(larger(Some(0.1), Some(0.3)), Some(0.3));
        assert_eq!(larger(Some(-0.1), None), Some(-0.1));
        assert_eq!(larger(None, None), None);
    }
}
