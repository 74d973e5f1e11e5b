//! A document with an account of what happened to each of its words. **Private**: it holds the original.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use inkveil_detect::Kind;
use inkveil_privacy::{Epsilon, Receipt};
use inkveil_rows::{Changed, Records, WrittenRows};
use inkveil_text::{Group, Repaired, TextPlan, Treatment, Veiled};

use crate::error::{Error, ErrorKind};
use crate::release::Reserved;

/// A document as it was read. **Private.**
#[derive(Clone, PartialEq, Eq)]
pub struct OriginalDocument {
    /// Its row, from 1, if the input has rows.
    pub line: Option<u64>,
    /// Its id, if the input has one.
    pub id: Option<String>,
    /// Its text.
    pub text: String,
    /// Its own task, if the input has one.
    pub task: Option<String>,
    /// The line break after it: `"\n"`, `"\r\n"` or nothing. It is written unchanged.
    pub line_break: &'static str,
    /// The file that its text is written back to, if it is that of a document such as a letter.
    pub origin: Option<DocumentOrigin>,
}

/// The document that a text was read from.
#[derive(Clone)]
pub struct DocumentOrigin(pub(crate) Arc<Records>);

/// Two texts of one document have the same origin.
impl PartialEq for DocumentOrigin {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for DocumentOrigin {}

impl OriginalDocument {
    /// How many bytes of the input it takes.
    pub fn bytes(&self) -> u64 {
        (self.text.len() + self.line_break.len()) as u64
    }
}

impl fmt::Debug for OriginalDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OriginalDocument({} bytes)", self.bytes())
    }
}

/// A document and what happened to it. **Private.**
pub struct ExplainedDocument {
    /// The original.
    pub original: OriginalDocument,
    /// Whether there was a task.
    pub has_task: bool,
    /// Its words, in order.
    pub units: Vec<ExplainedUnit>,
    /// What is released. `None` in a dry run.
    pub release: Option<ReleasedText>,
}

/// What is released of a document. Only a release makes it, after it was charged.
#[non_exhaustive]
pub struct ReleasedText {
    /// The veiled text.
    pub veiled: String,
    /// Its receipt.
    pub receipt: Receipt,
    /// The result of the repair by a language model, if there was one.
    pub repaired: Option<Repaired>,
}

impl ReleasedText {
    pub(crate) fn new(
        veiled: String,
        receipt: Receipt,
        repaired: Option<Repaired>,
        _permit: &Reserved,
    ) -> Self {
        Self { veiled, receipt, repaired }
    }

    /// The text that leaves.
    pub fn text(&self) -> &str {
        self.repaired.as_ref().map_or(&self.veiled, |repaired| &repaired.text)
    }
}

/// A word or token of a document. Several that were replaced together count as one.
#[derive(Clone)]
pub struct ExplainedUnit {
    /// Its bytes in the original.
    pub range: Range<usize>,
    /// Its kind, if it is sensitive.
    pub kind: Option<Kind>,
    /// Why it counts as sensitive.
    pub reason: Option<String>,
    /// Its cosine with the task. The largest one, if it has several tokens.
    pub relevance: Option<f64>,
    /// Its group.
    pub group: Group,
    /// The budget it was released with.
    pub epsilon: Epsilon,
    /// How it was treated.
    pub treatment: Treatment,
    /// Whether the lexicon does not have it.
    pub is_rare: bool,
    /// Its replacement in the veiled text. `None` in a dry run.
    pub replacement: Option<UnitReplacement>,
}

/// The replacement of a unit.
#[derive(Debug, Clone)]
pub struct UnitReplacement {
    /// Its bytes in the veiled text.
    pub range: Range<usize>,
    /// Whether it equals the original.
    pub same: bool,
}

/// What a veil does to the words of a document, before it is joined with the original.
pub struct Explanation {
    has_task: bool,
    units: Vec<ExplainedUnit>,
}

impl Explanation {
    /// Explains what a veil would do.
    pub fn of_plan(plan: &TextPlan<'_>) -> Self {
        Self { has_task: plan.has_task(), units: units(plan) }
    }

    /// Explains what a veil did.
    pub fn of_veiled(veiled: &Veiled<'_>) -> Self {
        let plan = veiled.plan();
        let mut units = units(plan);
        let heads =
            (0..plan.units().len()).filter(|index| plan.units()[*index].treatment != Treatment::Joined);
        for (unit, index) in units.iter_mut().zip(heads) {
            unit.replacement =
                Some(UnitReplacement { range: veiled.place(index), same: veiled.survived(index) });
        }
        Self { has_task: plan.has_task(), units }
    }

    /// Returns the units that are sensitive or were changed. They hold places and no text.
    pub(crate) fn changes(self) -> Vec<ExplainedUnit> {
        let changed = |unit: &ExplainedUnit| unit.replacement.as_ref().is_some_and(|new| !new.same);
        self.units.into_iter().filter(|unit| unit.kind.is_some() || changed(unit)).collect()
    }

    /// Returns all units. They hold places and no text.
    pub(crate) fn into_units(self) -> Vec<ExplainedUnit> {
        self.units
    }

    /// Joins the explanation with its document. `release` is `None` in a dry run.
    pub fn of(self, original: OriginalDocument, release: Option<ReleasedText>) -> ExplainedDocument {
        ExplainedDocument { original, has_task: self.has_task, units: self.units, release }
    }
}

impl fmt::Debug for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Explanation({} units)", self.units.len())
    }
}

/// The units of a plan. Units that are replaced together are joined.
fn units(plan: &TextPlan<'_>) -> Vec<ExplainedUnit> {
    let mut units: Vec<ExplainedUnit> = Vec::with_capacity(plan.units().len());
    for unit in plan.units() {
        match units.last_mut() {
            Some(head) if unit.treatment == Treatment::Joined => {
                head.range.end = unit.range.end.max(head.range.end);
                head.relevance = larger(head.relevance, unit.relevance);
            }
            _ => {
                let span = unit.span.and_then(|span| plan.spans().get(span));
                // A sensitive unit without a span was found by looking at the word alone.
                let alone = || "lists and rules for words alone".to_owned();
                let reason =
                    unit.kind.as_ref().map(|_| span.map_or_else(alone, |span| span.reason.to_string()));
                units.push(ExplainedUnit {
                    range: unit.range.clone(),
                    kind: unit.kind.clone(),
                    reason,
                    relevance: unit.relevance,
                    group: unit.group,
                    epsilon: unit.spent(),
                    treatment: unit.treatment,
                    is_rare: unit.id.is_none(),
                    replacement: None,
                });
            }
        }
    }
    units
}

fn larger(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(f64::max)
}

impl ExplainedDocument {
    /// The bytes that leave: the text with its line break, or the document with the text in its places.
    ///
    /// # Errors
    /// If the document has no place for the text.
    pub fn released_bytes(&self) -> Result<Cow<'_, [u8]>, Error> {
        let text = self.release.as_ref().map_or("", |release| release.text());
        let Some(origin) = &self.original.origin else {
            return Ok(Cow::Owned([text, self.original.line_break].concat().into_bytes()));
        };
        let changed = Changed { texts: vec![Some(text.to_owned())], ..Changed::default() };
        match origin.0.write(&changed)? {
            WrittenRows::Bytes(bytes) => Ok(Cow::Owned(bytes)),
            WrittenRows::Batch(_) => Err(ErrorKind::Bug("a document became a table").into()),
        }
    }

    /// The original text of a unit.
    pub fn original_of(&self, unit: &ExplainedUnit) -> &str {
        self.original.text.get(unit.range.clone()).unwrap_or_default()
    }

    /// The replacement of a unit. `None` in a dry run.
    pub fn replacement_of(&self, unit: &ExplainedUnit) -> Option<&str> {
        let replacement = unit.replacement.as_ref()?;
        self.release.as_ref()?.veiled.get(replacement.range.clone())
    }
}

impl ExplainedUnit {
    /// Whether it counts as a word. Punctuation and endings that are kept do not.
    pub fn is_word(&self) -> bool {
        !matches!(self.treatment, Treatment::Punctuation | Treatment::Clitic)
    }

    /// Whether a replacement differs from the original.
    pub fn is_changed(&self) -> bool {
        self.replacement.as_ref().is_some_and(|replacement| !replacement.same)
    }

    /// What happened to it, in words.
    pub fn outcome(&self) -> String {
        let same = self.replacement.as_ref().map(|replacement| replacement.same);
        match self.treatment {
            Treatment::Noise => match same {
                None => "to be noised".to_owned(),
                Some(false) => "noised".to_owned(),
                Some(true) => "noised, unchanged".to_owned(),
            },
            // A value that moves with others.
            Treatment::Replaced(_) if self.epsilon.is_infinite() => match same {
                None => "to be moved: no formal guarantee".to_owned(),
                Some(_) => "moved: no formal guarantee".to_owned(),
            },
            Treatment::Replaced(why) => match same {
                None => format!("to be replaced: {}", why.about()),
                Some(_) => format!("replaced: {}", why.about()),
            },
            Treatment::Joined => "part of the word before it".to_owned(),
            Treatment::Kept | Treatment::Punctuation | Treatment::Clitic => "kept".to_owned(),
        }
    }
}

impl fmt::Debug for ExplainedDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExplainedDocument({} units)", self.units.len())
    }
}

impl fmt::Debug for ReleasedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReleasedText(redacted)")
    }
}

impl fmt::Debug for ExplainedUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExplainedUnit({:?}, {})", self.range, self.group)
    }
}

/// Documents for tests of reports.
#[doc(hidden)]
pub(crate) mod samples {
    use super::*;

    /// A unit of a dry run.
    pub fn unit(range: Range<usize>, group: Group, treatment: Treatment) -> ExplainedUnit {
        let epsilon = match treatment {
            Treatment::Noise => Epsilon::new(30.0).unwrap_or(Epsilon::ZERO),
            Treatment::Replaced(_) | Treatment::Joined => Epsilon::ZERO,
            Treatment::Kept | Treatment::Punctuation | Treatment::Clitic => Epsilon::INFINITE,
        };
        ExplainedUnit {
            range,
            kind: None,
            reason: None,
            relevance: None,
            group,
            epsilon,
            treatment,
            is_rare: false,
            replacement: None,
        }
    }

    /// A document of a dry run.
    pub fn document(text: &str, units: Vec<ExplainedUnit>) -> ExplainedDocument {
        let original = OriginalDocument {
            line: None,
            id: None,
            text: text.to_owned(),
            task: None,
            line_break: "\n",
            origin: None,
        };
        ExplainedDocument { original, has_task: true, units, release: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_relevance_counts() {
        assert_eq!(larger(Some(0.1), Some(0.3)), Some(0.3));
        assert_eq!(larger(Some(-0.1), None), Some(-0.1));
        assert_eq!(larger(None, None), None);
    }
}
