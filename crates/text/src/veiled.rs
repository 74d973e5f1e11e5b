//! A veiled text and what was done to it.

use std::fmt;
use std::ops::Range;

use inkveil_privacy::Receipt;

use crate::{Plan, Treatment};

/// A veiled text.
///
/// [`text`](Self::text) and [`receipt`](Self::receipt) may leave the machine; the [`plan`](Self::plan) holds the private text.
pub struct Veiled<'t> {
    pub(crate) text: String,
    pub(crate) receipt: Receipt,
    pub(crate) plan: Plan<'t>,
    pub(crate) written: Vec<Written>,
}

/// What was written for a unit.
#[derive(Clone, PartialEq, Eq)]
pub struct Written {
    /// The bytes of the veiled text that stand for it; empty if nothing does.
    pub(crate) range: Range<usize>,
    /// Whether it is what stood there before, byte for byte.
    pub(crate) same: bool,
}

/// Something that was replaced without looking at it. **Private**: it holds the original.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replaced<'v> {
    /// What stands in the veiled text.
    pub replacement: &'v str,
    /// What stood in the text, byte for byte.
    pub original: &'v str,
    /// What it is: the name of a kind, or `word`, `number` or `symbol`.
    pub kind: &'v str,
}

impl fmt::Debug for Replaced<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Replaced(redacted)")
    }
}

impl<'t> Veiled<'t> {
    /// The text to release.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text to release, without the rest.
    pub fn into_text(self) -> String {
        self.text
    }

    /// What is promised.
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// Why each unit was treated as it was. **Private**: it holds the original.
    pub fn plan(&self) -> &Plan<'t> {
        &self.plan
    }

    /// The bytes of the veiled text that stand for the unit at `index` of the plan; empty if none do.
    pub fn place(&self, index: usize) -> Range<usize> {
        self.written.get(index).map_or(0..0, |written| written.range.clone())
    }

    /// What stands in the veiled text for the unit at `index` of the plan.
    pub fn replacement(&self, index: usize) -> &str {
        self.text.get(self.place(index)).unwrap_or_default()
    }

    /// All that was replaced without looking at it, in order, with repetitions: what fills a map from replacements to originals. What was left out is
    /// not among it. **Private**: it holds originals.
    pub fn replacements(&self) -> impl Iterator<Item = Replaced<'_>> {
        let replaced =
            move |index: &usize| matches!(self.plan.units[*index].treatment, Treatment::Replaced(_));
        (0..self.plan.units.len()).filter(replaced).filter_map(move |index| {
            let original = self.plan.text().get(self.plan.replaced(index))?;
            let replacement = self.replacement(index);
            let kind = self.plan.label(index);
            (!replacement.is_empty()).then_some(Replaced { replacement, original, kind })
        })
    }

    /// Whether the unit at `index` came out as it was. **Private**: the text alone does not tell.
    pub fn survived(&self, index: usize) -> bool {
        self.written.get(index).is_some_and(|written| written.same)
    }
}

impl fmt::Debug for Veiled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Veiled({:?})", self.plan)
    }
}
