//! What the owner of a text decides about single words: keep, replace, or draw another replacement.
//!
//! An interface collects decisions, and this module applies them. It does not matter whether they come from
//! a page, a review on a terminal or a settings file. A receipt counts them and never quotes them.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use inkveil_detect::{FoundBy, Kind, Reason, Span};
use inkveil_text::UserDecisions;
use serde::Deserialize;

use crate::error::{Error, ErrorKind};

/// The most decisions about one text.
const MOST: usize = 10_000;
/// How often one replacement may be drawn again.
const MOST_DRAWS: u32 = 20;

/// What a decision is about. **Private**: it may hold a part of the text.
#[derive(Clone, PartialEq, Eq)]
pub enum OverrideTarget {
    /// Every place of the text with these words, as whole words and in this case.
    Literal(String),
    /// One place of the text, in bytes.
    Span(Range<usize>),
}

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OverrideAction {
    /// It is released as it is.
    Keep,
    /// It is replaced, although detection may not find it.
    Replace,
    /// Its replacement is drawn again. Given twice, it is drawn again twice. What was noised is not drawn
    /// again: a choice among several draws of a noised word would spend more than its budget.
    Another,
}

/// A decision of the owner of a text. **Private**: it may hold a part of the text.
#[derive(Clone, PartialEq, Eq)]
pub struct Override {
    /// What it is about.
    pub what: OverrideTarget,
    /// What is decided.
    pub action: OverrideAction,
    /// The kind of what is replaced, if nothing has found it. `private` by default.
    pub kind: Option<Kind>,
}

impl Override {
    /// A decision about every place with these words.
    pub fn literal(text: impl Into<String>, action: OverrideAction) -> Self {
        Self { what: OverrideTarget::Literal(text.into()), action, kind: None }
    }

    /// A decision about one place, in bytes.
    pub fn span(range: Range<usize>, action: OverrideAction) -> Self {
        Self { what: OverrideTarget::Span(range), action, kind: None }
    }

    /// Names the kind of what is replaced.
    pub fn of_kind(mut self, kind: Kind) -> Self {
        self.kind = Some(kind);
        self
    }
}

impl fmt::Debug for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Override({:?})", self.action)
    }
}

/// All decisions about a text, in the order in which they were made. A later one wins over an earlier one
/// about the same place.
///
/// ```
/// use inkveil::detect::Tier;
/// use inkveil::{Override, OverrideAction, Overrides};
///
/// let decisions = Overrides::new(vec![Override::literal("Porto", OverrideAction::Keep)])?;
/// assert_eq!(format!("{decisions:?}"), "Overrides(1)");
/// # Ok::<(), inkveil::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Overrides(Vec<Override>);

/// A line of a file of decisions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    start: Option<usize>,
    end: Option<usize>,
    text: Option<String>,
    action: OverrideAction,
    kind: Option<String>,
}

/// What the decisions mean for one text.
pub(crate) struct Decided {
    /// What is sensitive, with what the user marked and without what the user keeps.
    pub(crate) spans: Vec<Span>,
    /// The places that are kept.
    pub(crate) kept: Vec<Range<usize>>,
    /// The places whose replacements are drawn again, with the number of times.
    pub(crate) again: Vec<(Range<usize>, u32)>,
    /// The counts for the receipt.
    pub(crate) decisions: UserDecisions,
}

impl Overrides {
    /// Takes decisions.
    ///
    /// # Errors
    /// If there are too many, or one is about an empty text.
    pub fn new(decisions: Vec<Override>) -> Result<Self, Error> {
        let is_empty = |decision: &Override| match &decision.what {
            OverrideTarget::Literal(text) => text.trim().is_empty(),
            OverrideTarget::Span(range) => range.is_empty(),
        };
        if decisions.len() > MOST || decisions.iter().any(is_empty) {
            return Err(ErrorKind::Contradiction(
                "decisions about words must be 10,000 or fewer, and none of them may be about nothing",
            )
            .into());
        }
        Ok(Self(decisions))
    }

    /// Reads decisions from a file of JSON lines, such as `{"start": 4, "end": 8, "action": "keep"}` or
    /// `{"text": "Trnava", "action": "replace", "kind": "location"}`. Errors name the line and quote nothing of it.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is not a decision.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let content = std::fs::read_to_string(file)
            .map_err(|source| ErrorKind::Io { path: file.to_owned(), source })?;
        let known = inkveil_detect::Settings::default();
        let mut decisions = Vec::new();
        for (number, line) in (0..).zip(content.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = || Error::from(ErrorKind::NotADecision).in_row(number).in_file(file);
            let line: Line = serde_json::from_str(line).map_err(|_| wrong())?;
            let mut decision = match (line.start, line.end, line.text) {
                (Some(start), Some(end), None) if start < end => Override::span(start..end, line.action),
                (None, None, Some(text)) => Override::literal(text, line.action),
                _ => return Err(wrong()),
            };
            if let Some(kind) = line.kind {
                decision = decision.of_kind(known.kind(&kind).map_err(|_| wrong())?);
            }
            decisions.push(decision);
        }
        Self::new(decisions)
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns what they mean for a text in which `spans` were found. Decisions about places hold for the first
    /// text of a release.
    ///
    /// # Errors
    /// If a place is not in the text.
    pub(crate) fn decide(&self, text: &str, spans: Vec<Span>, is_first: bool) -> Result<Decided, Error> {
        // What was decided about each place. A later decision replaces an earlier one that it touches.
        let mut places: Vec<(Range<usize>, OverrideAction, &Override)> = Vec::new();
        let mut again: Vec<(Range<usize>, u32)> = Vec::new();
        let holds = |decision: &&Override| is_first || matches!(decision.what, OverrideTarget::Literal(_));
        for decision in self.0.iter().filter(holds) {
            for place in places_of(text, &decision.what)? {
                if decision.action == OverrideAction::Another {
                    match again.iter_mut().find(|(known, _)| *known == place) {
                        Some((_, times)) => *times = (*times + 1).min(MOST_DRAWS),
                        None => again.push((place, 1)),
                    }
                    continue;
                }
                places.retain(|(known, ..)| !touches(known, &place));
                places.push((place, decision.action, decision));
            }
        }
        let mut decisions = UserDecisions::default();
        let (mut spans, mut kept) = (spans, Vec::new());
        for (place, action, decision) in places {
            match action {
                OverrideAction::Keep => {
                    decisions.kept += 1;
                    kept.push(place);
                }
                OverrideAction::Replace if spans.iter().any(|span| covers(span, &place)) => {}
                OverrideAction::Replace | OverrideAction::Another => {
                    decisions.replaced += 1;
                    // One replacement for the whole place, of the user's kind.
                    spans.retain(|span| !touches(&span.range(), &place));
                    spans.push(marked(place, decision.kind.clone()));
                }
            }
        }
        spans.sort_by_key(|span| span.start);
        again.retain(|(place, _)| !kept.iter().any(|kept: &Range<usize>| touches(kept, place)));
        Ok(Decided { spans, kept, again, decisions })
    }
}

impl fmt::Debug for Overrides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Overrides({})", self.0.len())
    }
}

fn touches(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

fn covers(span: &Span, place: &Range<usize>) -> bool {
    span.start <= place.start && place.end <= span.end
}

/// The span of what the user marked.
fn marked(place: Range<usize>, kind: Option<Kind>) -> Span {
    let reason = Reason {
        found_by: FoundBy::User,
        name: "mark".into(),
        context: None,
        validator: None,
        also: Vec::new(),
    };
    let kind = kind.unwrap_or_else(|| Kind::named("private"));
    Span { start: place.start, end: place.end, kind, score: 1.0, reason }
}

/// The places of a text that a decision is about.
fn places_of(text: &str, what: &OverrideTarget) -> Result<Vec<Range<usize>>, Error> {
    match what {
        OverrideTarget::Span(range) if text.get(range.clone()).is_some() => Ok(vec![range.clone()]),
        OverrideTarget::Span(_) => {
            Err(ErrorKind::Contradiction("a decision is about a place that is not in the text").into())
        }
        OverrideTarget::Literal(words) => {
            let words = words.trim();
            let whole = |start: usize| {
                let edge = |inside: Option<char>, outside: Option<char>| {
                    inside.is_some_and(char::is_alphanumeric) && outside.is_some_and(char::is_alphanumeric)
                };
                let (before, after) = (&text[..start], &text[start + words.len()..]);
                !edge(words.chars().next(), before.chars().next_back())
                    && !edge(words.chars().next_back(), after.chars().next())
            };
            let found = text.match_indices(words).map(|(start, _)| start).filter(|start| whole(*start));
            Ok(found.map(|start| start..start + words.len()).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(text: &str, decisions: Vec<Override>) -> Decided {
        let at = text.find("Ana Lima").unwrap();
        let found = Span { kind: Kind::Person, ..marked(at..at + 8, None) };
        Overrides::new(decisions).unwrap().decide(text, vec![found], true).unwrap()
    }

    #[test]
    fn literals_are_whole_words_and_later_decisions_win() {
        use OverrideAction::{Another, Keep, Replace};
        let text = "Ana Lima and Anabel met Ana in Porto.";
        let decided = decide(text, vec![Override::literal("Ana", Keep)]);
        assert_eq!(decided.kept, [0..3, 24..27]);
        assert_eq!(decided.decisions.kept, 2);
        let decided = decide(text, vec![Override::literal("Porto", Replace).of_kind(Kind::Location)]);
        assert_eq!(decided.spans[1].range(), 31..36);
        assert_eq!(decided.spans[1].kind, Kind::Location);
        let again = vec![Override::span(0..8, Another), Override::span(0..8, Another)];
        assert_eq!(decide(text, again).again, [(0..8, 2)]);
        let both = vec![Override::span(0..8, Replace), Override::span(0..8, Keep)];
        let decided = decide(text, both);
        assert_eq!((decided.kept.len(), decided.decisions.replaced), (1, 0));
    }

    #[test]
    fn nothing_is_about_nothing_or_outside_the_text() {
        assert!(Overrides::new(vec![Override::literal(" ", OverrideAction::Keep)]).is_err());
        let outside = Overrides::new(vec![Override::span(3..99, OverrideAction::Keep)]).unwrap();
        assert!(outside.decide("Ana", Vec::new(), true).is_err());
        assert!(outside.decide("Ana", Vec::new(), false).is_ok());
        let secret = Override::literal("Ana Lima", OverrideAction::Keep);
        assert!(!format!("{secret:?}").contains("Ana"));
    }
}
