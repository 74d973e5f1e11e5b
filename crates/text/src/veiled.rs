//! A veiled text and how it was made.

use std::fmt;
use std::ops::Range;

use inkveil_privacy::Receipt;

use crate::linked::FormPair;
use crate::{TextPlan, Treatment};

/// A veiled text.
///
/// [`text`](Self::text) and [`receipt`](Self::receipt) may leave the machine. The
/// [`plan`](Self::plan) holds the private text.
pub struct Veiled<'t> {
    pub(crate) text: String,
    pub(crate) receipt: Receipt,
    pub(crate) plan: TextPlan<'t>,
    pub(crate) written: Vec<WrittenUnit>,
    pub(crate) forms: Vec<FormPair>,
}

/// Where a unit ended up in the veiled text.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct WrittenUnit {
    /// The bytes of the veiled text that replace it; empty if it was left out.
    pub(crate) range: Range<usize>,
    /// Whether the replacement equals the original, byte for byte.
    pub(crate) same: bool,
}

/// A replacement at ε = 0, with its original. **Private**: it holds the original.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replaced<'v> {
    /// The text in the veiled document.
    pub replacement: &'v str,
    /// The text in the original document, byte for byte.
    pub original: &'v str,
    /// The name of its kind, or `word`, `number` or `symbol`.
    pub kind: &'v str,
}

impl fmt::Debug for Replaced<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Replaced(redacted)")
    }
}

impl<'t> Veiled<'t> {
    /// Returns the text to release.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text to release and drops the rest.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Returns the receipt.
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// Returns the treatment of each unit and the reason for it. **Private**: it holds the
    /// original.
    pub fn plan(&self) -> &TextPlan<'t> {
        &self.plan
    }

    /// Returns the bytes of the veiled text that replace the unit at `index` of the plan; empty if
    /// it was left out.
    pub fn place(&self, index: usize) -> Range<usize> {
        self.written.get(index).map_or(0..0, |written| written.range.clone())
    }

    /// Returns the text that replaces the unit at `index` of the plan.
    pub fn replacement(&self, index: usize) -> &str {
        self.text.get(self.place(index)).unwrap_or_default()
    }

    /// Returns every replacement at ε = 0, in order and with repetitions. These pairs fill a map from replacements to originals. Units that were left out
    /// are not included. **Private**: it holds originals.
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

    /// Returns forms of the names of identities that the text need not have, with the same forms of the
    /// originals, so that a map restores them in answers: a first name, a surname, initials. **Private**:
    /// it holds originals.
    pub fn forms(&self) -> impl Iterator<Item = Replaced<'_>> {
        self.forms.iter().map(|form| Replaced {
            replacement: &form.replacement,
            original: &form.original,
            kind: &form.kind,
        })
    }

    /// Returns whether the unit at `index` survived unchanged. **Private**: the released text alone
    /// does not show it.
    pub fn survived(&self, index: usize) -> bool {
        self.written.get(index).is_some_and(|written| written.same)
    }
}

impl fmt::Debug for Veiled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Veiled({:?})", self.plan)
    }
}
