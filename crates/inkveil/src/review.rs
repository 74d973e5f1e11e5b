//! The doubtful places of a text, for its owner to decide about.

use std::ops::Range;

use inkveil_detect::{Kind, Span};
use inkveil_text::{Document, TextVeil, Treatment};

use crate::error::Error;
use crate::explain::{ExplainedUnit, Explanation, Telling};
use crate::overrides::{Override, OverrideAction};

/// A finding with a lower score is doubtful.
const SURE: f64 = 0.8;

/// A place of a text that its owner should look at before the text leaves. It holds no text.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewItem {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
    /// Why it is doubtful.
    pub doubt: Doubt,
    /// Whether the veil would replace or noise it. Otherwise it would keep it.
    pub is_veiled: bool,
}

/// Why a place is doubtful.
#[derive(Debug, Clone, PartialEq)]
pub enum Doubt {
    /// Detection is not sure about it.
    Finding {
        /// The kind.
        kind: Kind,
        /// The score, below 0.8.
        score: f64,
    },
    /// It would be kept, and may identify someone.
    Kept(Telling),
}

impl ReviewItem {
    /// Returns the place of a text with at most this many bytes on each side of it, all on one line.
    pub fn in_context<'t>(&self, text: &'t str, most: usize) -> [&'t str; 3] {
        let (start, end) = (self.range.start, self.range.end);
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let from = line.max(text.floor_char_boundary(start.saturating_sub(most)));
        let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
        let to = line_end.min(text.ceil_char_boundary((end + most).min(text.len())));
        [&text[from..start], &text[start..end], &text[end..to]]
    }

    /// Returns the decision for this action. None if the veil does the same without one.
    pub fn decided(&self, action: OverrideAction) -> Option<Override> {
        let is_proposed = match action {
            OverrideAction::Replace => self.is_veiled,
            OverrideAction::Keep => !self.is_veiled,
            OverrideAction::Another => false,
        };
        let decision = Override::span(self.range.clone(), action);
        (!is_proposed).then(|| match &self.doubt {
            Doubt::Finding { kind, .. } => decision.of_kind(kind.clone()),
            Doubt::Kept(_) => decision,
        })
    }

    /// Returns the place as a line of JSON, with what the veil would do. It holds no text.
    pub fn to_json(&self) -> String {
        let (kind, score) = match &self.doubt {
            Doubt::Finding { kind, score } => (Some(kind.name()), Some((score * 1000.0).round() / 1000.0)),
            Doubt::Kept(_) => (None, None),
        };
        serde_json::json!({
            "start": self.range.start, "end": self.range.end, "line": self.line, "kind": kind, "score": score,
            "why": self.doubt.in_words(), "proposal": if self.is_veiled { "replace" } else { "keep" },
        })
        .to_string()
    }
}

impl Doubt {
    /// Returns the doubt in words.
    pub fn in_words(&self) -> String {
        match self {
            Self::Finding { kind, score } => format!("{kind}, score {score:.2}"),
            Self::Kept(telling) => telling.in_words().to_owned(),
        }
    }
}

/// Returns the doubtful places of a text, in order. Nothing is drawn, charged or released.
///
/// ```
/// use inkveil::{Veil, review};
///
/// let veil = Veil::text().build()?;
/// let places = review(&veil, "The only cardiologist in Trnava wrote it in 1987.")?;
/// assert!(places.iter().any(|place| place.range == (4..8)));
/// # Ok::<(), inkveil::Error>(())
/// ```
///
/// # Errors
/// If a model fails.
pub fn review(veil: &TextVeil, text: &str) -> Result<Vec<ReviewItem>, Error> {
    let spans = veil.find(&[text])?.pop().unwrap_or_default();
    let plans = veil.plan(&[Document::new(text)])?;
    let units: Vec<ExplainedUnit> =
        plans.iter().flat_map(|plan| Explanation::of_plan(plan).into_units()).collect();
    let is_veiled = |range: &Range<usize>| {
        units.iter().any(|unit| {
            let touches = unit.range.start < range.end && range.start < unit.range.end;
            touches && matches!(unit.treatment, Treatment::Replaced(_) | Treatment::Noise)
        })
    };
    let line = |at: usize| 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
    let item = |range: Range<usize>, doubt: Doubt| {
        let (line, is_veiled) = (line(range.start), is_veiled(&range));
        ReviewItem { range, line, doubt, is_veiled }
    };
    let unsure = |span: &&Span| f64::from(span.score) < SURE;
    let mut items: Vec<ReviewItem> = spans
        .iter()
        .filter(unsure)
        .map(|span| {
            item(span.range(), Doubt::Finding { kind: span.kind.clone(), score: f64::from(span.score) })
        })
        .collect();
    let found =
        |range: &Range<usize>| spans.iter().any(|span| span.start < range.end && range.start < span.end);
    for unit in units.iter().filter(|unit| unit.treatment == Treatment::Kept && !found(&unit.range)) {
        let word = text.get(unit.range.clone()).unwrap_or_default();
        items.extend(Telling::of(unit, word).map(|telling| item(unit.range.clone(), Doubt::Kept(telling))));
    }
    items.sort_by_key(|item| item.range.start);
    Ok(items)
}
