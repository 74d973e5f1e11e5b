//! Examples: places in a text that show a habit.

use std::ops::Range;

use super::feature::{Feature, Measure};
use super::observe::observe;
use super::reading::Reading;
use super::sign::{Sink, Slot};
use super::table::features;
use super::tokens::Kind;

/// The largest number of words of a phrase, and of bytes if words are very long.
const WORDS: usize = 12;
const BYTES: usize = 200;

/// Returns a place in the text that shows a habit: a phrase of at most 12 words, as a range of
/// bytes on the boundaries of characters.
///
/// For a mean, such as words per sentence, it is the largest instance. For a share whose first
/// choice never occurs, it is an instance of the second choice. None if no place shows the habit.
///
/// ```
/// use inkveil_style::features::{example, features};
///
/// let text = "It was late; nobody cared.";
/// let semicolon = features().iter().position(|feature| feature.name == "semicolon").unwrap();
/// assert_eq!(&text[example(text, semicolon).unwrap()], "It was late; nobody cared.");
/// assert_eq!(example("It was late.", semicolon), None);
/// ```
pub fn example(text: &str, feature_index: usize) -> Option<Range<usize>> {
    let feature = features().get(feature_index)?;
    let places = Places::of(text);
    places.showing(feature, true).or_else(|| places.showing(feature, false))
}

/// The best place of each count.
pub(super) struct Places<'t> {
    reading: Reading<'t>,
    best: Vec<(f64, Range<usize>)>,
}

impl<'t> Places<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let reading = Reading::new(text);
        let mut finder = Finder(vec![(0.0, 0..0); Slot::COUNT]);
        observe(&reading, &mut finder);
        Self { reading, best: finder.0 }
    }

    /// A phrase that shows a habit strongly, or that shows the other choice.
    pub(super) fn showing(&self, feature: &Feature, much: bool) -> Option<Range<usize>> {
        let slot = match feature.measure {
            Measure::Rate { of, .. } if much => of,
            Measure::Mean { of, .. } if much => of.slot(),
            Measure::Choice { of, .. } if much => of.slot(),
            Measure::Choice { other, .. } => other.slot(),
            Measure::Rate { .. } | Measure::Mean { .. } | Measure::Spread { .. } => return None,
        };
        let (_, place) = self.best.get(slot.index())?;
        (!place.is_empty()).then(|| phrase(&self.reading, place))
    }
}

/// Keeps the largest instance of each, and the first of equals.
struct Finder(Vec<(f64, Range<usize>)>);

impl Sink for Finder {
    fn add(&mut self, what: impl Into<Slot>, amount: f64, place: Range<usize>) {
        if let Some(best) = self.0.get_mut(what.into().index())
            && amount > best.0
            && !place.is_empty()
        {
            *best = (amount, place);
        }
    }
}

/// Returns a place with the words around it on its line, up to the length of a phrase.
fn phrase(reading: &Reading<'_>, place: &Range<usize>) -> Range<usize> {
    let tokens = &reading.tokens;
    let first = tokens.partition_point(|token| token.end <= place.start);
    let last = tokens.partition_point(|token| token.start < place.end);
    let is_word =
        |at: usize| tokens.get(at).is_some_and(|token| matches!(token.kind, Kind::Word | Kind::Number));
    let count = |range: Range<usize>| range.filter(|&at| is_word(at)).count();

    // A place that is too long is cut after its first words.
    let (mut start, mut end, mut words) = (first, first, 0);
    while end < last && words + usize::from(is_word(end)) <= WORDS {
        words += usize::from(is_word(end));
        end += 1;
    }
    if end == last {
        // Extends on both sides in turn, to the end of the sentence or line.
        let sentence = reading.sentences.iter().find(|sentence| sentence.tokens.contains(&first));
        let limits = sentence.map_or(first..last, |sentence| sentence.tokens.clone());
        let is_inside =
            |at: usize| limits.contains(&at) && tokens.get(at).is_some_and(|token| token.kind != Kind::Break);
        loop {
            let before = start.checked_sub(1).filter(|&at| is_inside(at));
            let after = Some(end).filter(|&at| is_inside(at));
            if before.is_none() && after.is_none() {
                break;
            }
            let grown = before.unwrap_or(start)..after.map_or(end, |at| at + 1);
            let bytes = tokens.get(grown.end - 1).map_or(0, |token| token.end) - tokens[grown.start].start;
            if bytes > BYTES || count(grown.clone()) > WORDS {
                break;
            }
            (start, end) = (grown.start, grown.end);
        }
    }
    let range = tokens.get(start).map_or(0, |token| token.start)
        ..end.checked_sub(1).and_then(|at| tokens.get(at)).map_or(0, |token| token.end);
    trimmed(reading.text, range, place)
}

/// Removes spaces at the ends and marks at the start, and cuts to the length of a phrase.
fn trimmed(text: &str, range: Range<usize>, place: &Range<usize>) -> Range<usize> {
    let range = if range.len() > BYTES { place.start..place.end.min(place.start + BYTES) } else { range };
    let (start, end) = (text.floor_char_boundary(range.start), text.floor_char_boundary(range.end));
    let inner = text.get(start..end).unwrap_or_default();
    // A place may consist of spaces, if spaces are the habit.
    if inner.trim().is_empty() {
        return start..end;
    }
    let is_left_over =
        |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '.' | '!' | '?' | ')' | '…');
    let solid = start + inner.len() - inner.trim_start_matches(is_left_over).len();
    // The habit itself must not be removed.
    let start = solid.min(place.start.max(start));
    start..end - (inner.len() - inner.trim_end().len()).min(end - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown<'t>(text: &'t str, name: &str) -> Option<&'t str> {
        let index = features().iter().position(|feature| feature.name == name).expect(name);
        example(text, index).map(|range| &text[range])
    }

    #[test]
    fn a_phrase_contains_the_place() {
        let text = "Short one. We walked for a very long time through the old wood; then it rained on all of us there.";
        assert_eq!(
            shown(text, "semicolon"),
            Some("long time through the old wood; then it rained on all of")
        );
        assert_eq!(shown(text, "short-sentences"), Some("Short one."));
        assert_eq!(
            shown(text, "sentence-words"),
            Some("We walked for a very long time through the old wood; then")
        );
        assert_eq!(
            shown(text, "word-letters"),
            Some("walked for a very long time through the old wood; then it")
        );
        assert_eq!(shown(text, "sentence-words-spread"), None);
        assert_eq!(shown(text, "em-dash"), None);
        let text =
            "First there was the sea, (so he said) nothing else but water, waves and wind; nobody knew!!";
        assert_eq!(
            shown(text, "semicolon"),
            Some("(so he said) nothing else but water, waves and wind; nobody knew!!")
        );
        assert_eq!(example(text, usize::MAX), None);
    }

    #[test]
    fn the_other_choice_is_shown_if_the_first_never_occurs() {
        assert_eq!(shown("I do not know. It's fine.", "short-not"), Some("I do not know."));
        assert_eq!(shown("I like grey, and colour.", "british-our"), Some("I like grey, and colour."));
    }

    #[test]
    fn long_words_are_cut() {
        let text = format!("{}; é", "é".repeat(1000));
        assert!(shown(&text, "word-letters").unwrap().len() <= BYTES);
        assert!(shown(&text, "semicolon").unwrap().contains(';'));
    }
}
