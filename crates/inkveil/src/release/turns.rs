//! The texts of one request of a conversation, released together.
//!
//! A request repeats all earlier turns. The texts are veiled in order with the key of the conversation, so
//! earlier turns give the same bytes in each later request and nothing has to be stored.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use inkveil_detect::{EntryFlags, FoundBy, Gazetteer, Kind, Reason, Span};
use inkveil_privacy::{NoiseKey, Receipt};
use inkveil_restore::ReplacementMap;
use inkveil_text::{Document, Replacements, TextTally, TextVeil};

use super::account::{Account, Accounting, PartCharge, Reserved};
use super::drawn::{self, Drawn};
use super::map::{extend, pairs_of};
use super::observer::Silent;
use super::rows::content_of;
use super::text_rows::tally_of;
use crate::error::{Error, ErrorKind};
use crate::explain::{ExplainedUnit, Explanation};
use crate::overrides::Overrides;

/// A text of a request.
#[derive(Clone, Copy)]
pub struct TurnText<'t> {
    /// The text. **Private.**
    pub text: &'t str,
    /// The name of the field that holds it. It helps to find what a short value is.
    pub field: Option<&'t str>,
    /// What the text is for. The tasks of the veil by default.
    pub task: Option<&'t str>,
}

impl std::fmt::Debug for TurnText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TurnText({} bytes)", self.text.len())
    }
}

/// A veiled text of a request.
#[derive(Debug)]
pub struct VeiledTurn {
    /// The text to release.
    pub text: String,
    /// Its replacements. **Private**: it holds originals.
    pub pairs: ReplacementMap,
}

/// A text as it would leave, with an account of every word. Nothing was charged, so it must not leave.
pub struct TurnPreview {
    /// The veiled text.
    pub text: String,
    /// All words with what happened to them, by places in the original and in the veiled text.
    pub units: Vec<ExplainedUnit>,
    /// Its replacements. **Private**: it holds originals.
    pub pairs: ReplacementMap,
    /// The places that the user kept, in bytes of the original.
    pub kept: Vec<Range<usize>>,
    /// The receipt that it would have.
    pub receipt: Receipt,
}

impl std::fmt::Debug for TurnPreview {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TurnPreview({} units)", self.units.len())
    }
}

/// The veiled texts of a request. They are charged and may leave.
pub struct ReleasedTurns {
    /// The texts, in order.
    pub turns: Vec<VeiledTurn>,
    /// The receipt of all of them.
    pub receipt: Receipt,
    charge: Option<(Accounting, Reserved)>,
}

impl ReleasedTurns {
    /// The replacements of all texts, to restore answers with. **Private**: it holds originals.
    ///
    /// # Errors
    /// If there are too many.
    pub fn pairs(&self) -> Result<ReplacementMap, Error> {
        let mut all = ReplacementMap::default();
        self.turns.iter().try_for_each(|turn| extend(&mut all, std::slice::from_ref(&turn.pairs)))?;
        Ok(all)
    }

    /// Confirms in the ledger that the request has left.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn confirm(&mut self) -> Result<(), Error> {
        match self.charge.take() {
            Some((accounting, reserved)) => accounting.commit(reserved),
            None => Ok(()),
        }
    }
}

impl std::fmt::Debug for ReleasedTurns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ReleasedTurns({} texts)", self.turns.len())
    }
}

/// Veils the texts of requests.
///
/// ```
/// use inkveil::release::{Account, Turns, TurnText};
/// use inkveil::{NoiseKey, Preset, Veil};
///
/// let veil = Veil::text().preset(Preset::Placeholders).conversation().build()?;
/// let turns = Turns::new(veil.into(), None)?;
/// let key = NoiseKey::fresh()?;
/// let first = TurnText { text: "I am Ana Lima.", field: None, task: None };
/// let second = TurnText { text: "Who is ana.lima@example.org?", field: None, task: None };
/// let release = |texts: &[TurnText<'_>]| {
///     turns.release(texts, turns.find(texts, |new| turns.search(new))?, &key, &Account::none(), "chat")
/// };
/// let (one, two) = (release(&[first])?, release(&[first, second])?);
/// assert!(!two.turns[1].text.contains("lima"));
/// assert_eq!(one.turns[0].text, two.turns[0].text, "a provider's cache of earlier turns keeps working");
/// # Ok::<(), inkveil::Error>(())
/// ```
pub struct Turns {
    veil: Arc<TextVeil>,
    words: Option<Gazetteer>,
}

/// A shorter value is not carried over to other texts.
const SHORTEST: usize = 4;
/// A value with a digit is carried over from this length on.
const SHORTEST_CODE: usize = 6;

impl Turns {
    /// Uses a veil. `words` is a list of words, which keeps names that are ordinary words apart.
    ///
    /// # Errors
    /// If the replacements of the veil are not consistent within a job, or cannot be restored.
    pub fn new(veil: Arc<TextVeil>, words: Option<Gazetteer>) -> Result<Self, Error> {
        check_conversation(&veil)?;
        Ok(Self { veil, words })
    }

    /// The veil.
    pub fn veil(&self) -> &Arc<TextVeil> {
        &self.veil
    }

    /// Searches texts for what is sensitive.
    ///
    /// # Errors
    /// If a model fails.
    pub fn search(&self, texts: &[&str]) -> Result<Vec<Vec<Span>>, Error> {
        Ok(self.veil.find(texts)?)
    }

    /// Returns what is sensitive in the texts of a request. `search` finds spans in single texts, and may
    /// use results that it has kept.
    ///
    /// A value that was found in one text is also sensitive where a later text repeats it.
    ///
    /// # Errors
    /// If the search fails.
    pub fn find(
        &self,
        texts: &[TurnText<'_>],
        search: impl FnOnce(&[&str]) -> Result<Vec<Vec<Span>>, Error>,
    ) -> Result<Vec<Vec<Span>>, Error> {
        let prefixes: Vec<String> = texts.iter().map(prefix).collect();
        let with_field: Vec<String> =
            texts.iter().zip(&prefixes).map(|(text, prefix)| format!("{prefix}{}", text.text)).collect();
        let found = search(&with_field.iter().map(String::as_str).collect::<Vec<_>>())?;
        if found.len() != texts.len() {
            return Err(ErrorKind::Bug("a text was not searched").into());
        }
        let mut found: Vec<Vec<Span>> = found
            .into_iter()
            .zip(&prefixes)
            .map(|(spans, prefix)| without_prefix(spans, prefix.len()))
            .collect();
        self.carry_over(texts, &mut found);
        Ok(found)
    }

    /// Adds spans where a text repeats a value that was found in it or in an earlier text.
    fn carry_over(&self, texts: &[TurnText<'_>], found: &mut [Vec<Span>]) {
        let mut values: Vec<(&str, Kind, usize)> = Vec::new();
        let mut known = HashSet::new();
        for (number, (text, spans)) in texts.iter().zip(&*found).enumerate() {
            for span in spans {
                let Some(value) = text.text.get(span.range()) else { continue };
                let words = value.split_whitespace().filter(|_| span.kind == Kind::Person);
                for value in std::iter::once(value).chain(words) {
                    if self.is_telling(value, &span.kind) && known.insert(value) {
                        values.push((value, span.kind.clone(), number));
                    }
                }
            }
        }
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            // It is built for each request. A table of all transitions takes longer to build than to search.
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(values.iter().map(|(value, ..)| value));
        let (Ok(search), false) = (search, values.is_empty()) else { return };
        for (number, (text, spans)) in texts.iter().zip(found).enumerate() {
            let mut more: Vec<(Range<usize>, usize)> = search
                .find_overlapping_iter(text.text)
                .map(|found| (found.range(), found.pattern().as_usize()))
                .filter(|(range, value)| values[*value].2 <= number && stands_alone(text.text, range))
                .collect();
            more.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
            let mut added: Vec<Span> = Vec::new();
            for (range, value) in more {
                let overlaps = |span: &Span| span.start < range.end && range.start < span.end;
                if !spans.iter().any(overlaps) && !added.last().is_some_and(overlaps) {
                    let reason = Reason {
                        found_by: FoundBy::User,
                        name: "found elsewhere in the conversation".into(),
                        context: None,
                        validator: None,
                        also: Vec::new(),
                    };
                    let kind = values[value].1.clone();
                    added.push(Span { start: range.start, end: range.end, kind, score: 1.0, reason });
                }
            }
            if !added.is_empty() {
                spans.extend(added);
                spans.sort_by_key(|span| span.start);
            }
        }
    }

    /// Returns whether a value names the same thing wherever it stands.
    fn is_telling(&self, value: &str, kind: &Kind) -> bool {
        if value.len() < SHORTEST
            || matches!(kind, Kind::Date | Kind::Time | Kind::Age | Kind::Money | Kind::Title)
        {
            return false;
        }
        if value.contains(|c: char| c.is_ascii_digit() || c == '@') {
            return value.len() >= SHORTEST_CODE;
        }
        if value.contains(char::is_whitespace) {
            return true;
        }
        let named = matches!(kind, Kind::Person | Kind::Organisation | Kind::Username | Kind::Location);
        let ordinary =
            self.words.as_ref().is_none_or(|words| words.flags(value).contains(EntryFlags::ORDINARY));
        named && value.starts_with(char::is_uppercase) && !ordinary
    }

    /// Veils the texts of a request, and charges the ledger.
    ///
    /// # Errors
    /// If the spans do not fit the texts, a model fails, or a limit would be passed. Nothing may leave then.
    pub fn release(
        &self,
        texts: &[TurnText<'_>],
        spans: Vec<Vec<Span>>,
        key: &NoiseKey,
        account: &Account,
        dataset: &str,
    ) -> Result<ReleasedTurns, Error> {
        self.release_with(texts, spans, &Overrides::default(), key, account, dataset)
    }

    /// Veils texts as [`release`](Self::release) does, with decisions of the owner of the texts about single
    /// words. Decisions about places hold for the first text, and those about words for all of them.
    ///
    /// # Errors
    /// As [`release`](Self::release), and if a decision is about a place that is not in the text.
    pub fn release_with(
        &self,
        texts: &[TurnText<'_>],
        spans: Vec<Vec<Span>>,
        overrides: &Overrides,
        key: &NoiseKey,
        account: &Account,
        dataset: &str,
    ) -> Result<ReleasedTurns, Error> {
        let Drawn { veiled, decisions, .. } = self.draw(texts, spans, overrides, key)?;
        let mut tally = TextTally::default();
        let mut turns = Vec::with_capacity(veiled.len());
        for veiled in veiled {
            tally.join(&tally_of(&veiled));
            let pairs = pairs_of(veiled.replacements().chain(veiled.forms()))?;
            turns.push(VeiledTurn { pairs, text: veiled.into_text() });
        }
        tally.decided(decisions);
        let receipt = self.veil.receipt(&tally, None, key)?;
        let charge = match account.is_kept() {
            false => None,
            true => {
                let accounting = account.open(dataset)?;
                let content = content_of(texts.iter().map(|text| text.text));
                let reserved = accounting.reserve(&PartCharge::new(0, &receipt, Some(content)), &Silent)?;
                Some((accounting, reserved))
            }
        };
        Ok(ReleasedTurns { turns, receipt, charge })
    }

    /// Returns a text as [`release_with`](Self::release_with) would release it. Nothing is charged, so the
    /// result is for the owner of the text only.
    ///
    /// # Errors
    /// As [`release_with`](Self::release_with).
    pub fn preview(
        &self,
        text: TurnText<'_>,
        spans: Vec<Span>,
        overrides: &Overrides,
        key: &NoiseKey,
    ) -> Result<TurnPreview, Error> {
        let Drawn { veiled, decisions, mut kept } = self.draw(&[text], vec![spans], overrides, key)?;
        let missing = || Error::from(ErrorKind::Bug("a text was not veiled"));
        let veiled = veiled.into_iter().next().ok_or_else(missing)?;
        let mut tally = tally_of(&veiled);
        tally.decided(decisions);
        Ok(TurnPreview {
            receipt: self.veil.receipt(&tally, None, key)?,
            units: Explanation::of_veiled(&veiled).into_units(),
            pairs: pairs_of(veiled.replacements().chain(veiled.forms()))?,
            kept: kept.pop().unwrap_or_default(),
            text: veiled.into_text(),
        })
    }

    fn draw<'t>(
        &self,
        texts: &[TurnText<'t>],
        spans: Vec<Vec<Span>>,
        overrides: &Overrides,
        key: &NoiseKey,
    ) -> Result<Drawn<'t>, Error> {
        let document = |text: &TurnText<'t>| match text.task {
            Some(task) => Document::new(text.text).task(task),
            None => Document::new(text.text),
        };
        let documents = texts.iter().map(document).collect();
        drawn::draw(&self.veil, documents, spans, overrides, &mut Replacements::default(), (0, key))
    }
}

impl std::fmt::Debug for Turns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turns").field("veil", &self.veil).finish_non_exhaustive()
    }
}

/// In a conversation an original keeps its replacement, and all replacements can be restored.
pub(super) fn check_conversation(veil: &TextVeil) -> Result<(), Error> {
    match veil.settings().fit_conversation() {
        true => Ok(()),
        false => Err(ErrorKind::SessionSettings.into()),
    }
}

/// The name of the field as a text before its value: `first_name` gives "first name: ".
fn prefix(text: &TurnText<'_>) -> String {
    text.field.map_or_else(String::new, |field| format!("{}: ", field.replace(['_', '-'], " ")))
}

/// The spans of a text behind a prefix, by their places in the text.
fn without_prefix(spans: Vec<Span>, prefix: usize) -> Vec<Span> {
    if prefix == 0 {
        return spans;
    }
    let inside = spans.into_iter().filter(|span| span.end > prefix);
    inside
        .map(|mut span| {
            span.start = span.start.max(prefix) - prefix;
            span.end -= prefix;
            span
        })
        .collect()
}

fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    let before = text.get(..range.start).and_then(|text| text.chars().next_back());
    let after = text.get(range.end..).and_then(|text| text.chars().next());
    ![before, after].into_iter().flatten().any(char::is_alphanumeric)
}
