//! Seams between the pieces of a text.
//!
//! A span belongs to the piece in which it starts, and the seam moves behind it. A span that reaches the
//! end of its window may be longer than the window shows. It moves to the next piece instead, which is
//! then searched again together with it.

use super::cut;
use super::piece::TextPiece;
use super::window::Window;
use crate::span::Span;

/// What the last piece means for the next one. Pieces are settled in order.
#[derive(Default)]
pub(super) struct Seam {
    /// The number of bytes of the next piece that the last piece took.
    taken: usize,
    /// The text that the last piece left to the next one.
    left: Option<LeftText>,
}

/// The end of a piece that is searched again.
struct LeftText {
    text: String,
    /// Where it starts in `text`, which also holds some reported text before it.
    from: usize,
}

impl Seam {
    /// Settles the seams of the next piece. `spans` are the spans of its window. If the window was too
    /// short, `detect` searches a longer text again.
    pub(super) fn settle<T, E>(
        &mut self,
        mut window: Window<T>,
        mut spans: Vec<Span>,
        detect: impl Fn(&str) -> Result<Vec<Span>, E>,
    ) -> Result<TextPiece<T>, E> {
        if let Some(left) = self.left.take() {
            left.put_before(&mut window);
            spans = detect(&window.text)?;
        }
        let own = window.own.clone();
        let start = own.start + std::mem::take(&mut self.taken);
        // Spans that start before this piece belong to the last one.
        spans.retain(|span| own.contains(&span.start) && span.end > start);
        // If the two windows disagree, the part behind the last piece remains a span.
        if let Some(first) = spans.first_mut().filter(|first| first.start < start) {
            first.start = start;
        }
        let mut end = spans.last().map_or(start, |last| last.end).max(own.end);
        match spans.pop_if(|last| may_continue(&window, last)) {
            Some(last) => {
                end = last.start;
                self.left = Some(LeftText::of(&window, last.start));
            }
            None => self.taken = end - own.end,
        }
        for span in &mut spans {
            span.start -= start;
            span.end -= start;
        }
        Ok(window.into_piece(start..end, spans))
    }
}

/// Returns whether a span reaches from the piece to the end of its window and may continue behind it. A
/// span that is longer than a piece is cut, so that memory is bounded.
fn may_continue<T>(window: &Window<T>, span: &Span) -> bool {
    let border = window.own.end;
    let at_end = window.text.get(span.end..).is_some_and(|rest| rest.trim().is_empty());
    let in_piece = border.checked_sub(span.start).is_some_and(|length| (1..=cut::LONGEST).contains(&length));
    at_end && in_piece && span.end > border && !window.last
}

impl LeftText {
    fn of<T>(window: &Window<T>, start: usize) -> Self {
        let shown = window.text.floor_char_boundary(start.saturating_sub(cut::BEHIND));
        LeftText { text: window.text[shown..window.own.end].to_owned(), from: start - shown }
    }

    fn put_before<T>(self, window: &mut Window<T>) {
        let end = self.text.len() + window.own.len();
        window.text.replace_range(..window.own.start, &self.text);
        window.own = self.from..end;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::detector::Detector;
    use crate::kind::Kind;
    use crate::settings::{Settings, Tier, UserRule};

    /// Finds texts from `<` to `>` or to the end, without another `<` inside.
    static DETECTOR: LazyLock<Detector> = LazyLock::new(|| {
        let mut settings = Settings::of(Tier::Rules);
        settings.only = Some([Kind::named("tag")].into());
        settings.rules.push(UserRule::new("tag", Kind::named("tag"), "<[^<>]*(?:>|$)"));
        Detector::open(None, settings).unwrap()
    });

    /// Cuts a text at these places, shows `around` bytes around each piece, and returns the pieces with
    /// spans in brackets.
    fn settled(text: &str, cuts: &[usize], around: usize) -> Vec<String> {
        let detect = |text: &str| DETECTOR.detect(&[text]).map(|mut found| found.remove(0));
        let mut seam = Seam::default();
        let mut pieces = Vec::new();
        let ends: Vec<usize> = cuts.iter().copied().chain([text.len()]).collect();
        let mut start = 0;
        for end in ends {
            let (from, to) = (start - around.min(start), (end + around).min(text.len()));
            let window = Window {
                tag: (),
                line: None,
                text: text[from..to].to_owned(),
                own: start - from..end - from,
                first: start == 0,
                last: end == text.len(),
                line_break: "",
            };
            let spans = detect(&window.text).unwrap();
            let piece = seam.settle(window, spans, detect).unwrap();
            let mut marked = piece.text;
            for span in piece.spans.iter().rev() {
                marked.insert(span.end, ']');
                marked.insert(span.start, '[');
            }
            pieces.push(marked);
            start = end;
        }
        pieces
    }

    #[test]
    fn a_seam_moves_behind_a_span_that_crosses_it() {
        let text = "one <two> three";
        for cut in 5..9 {
            assert_eq!(settled(text, &[cut], 8), ["one [<two>]", " three"], "cut at {cut}");
        }
        assert_eq!(settled(text, &[4], 8), ["one ", "[<two>] three"]);
        assert_eq!(settled(text, &[9], 8), ["one [<two>]", " three"]);
        assert_eq!(settled("<a> <b> c", &[1, 5], 4), ["[<a>]", " [<b>]", " c"]);
        assert_eq!(settled("a <b> ccc", &[3, 4, 5], 4), ["a [<b>]", "", "", " ccc"]);
    }

    #[test]
    fn a_span_that_may_continue_moves_to_the_next_piece() {
        let text = "one <two and three> four";
        assert_eq!(settled(text, &[6], 4), ["one ", "[<two and three>] four"]);
        assert_eq!(settled(text, &[6, 12], 4), ["one ", "", "[<two and three>] four"]);
        assert_eq!(settled("one <two", &[6], 1), ["one ", "[<two]"]);
    }

    #[test]
    fn all_cuts_give_the_same_spans() {
        let text = "<a> b <cc> ddd <eeee> <ffff ffff> g";
        let whole = settled(text, &[], 0).concat();
        for first in 1..text.len() {
            for second in first + 1..text.len() {
                for around in [2, 9, 30] {
                    let cut = settled(text, &[first, second], around).concat();
                    assert_eq!(cut, whole, "cut at {first} and {second}, {around} around");
                }
            }
        }
    }
}
