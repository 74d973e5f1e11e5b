//! Where pieces of a text meet.
//!
//! Every piece is looked at with some text on both sides of it, so that what crosses a border is seen whole. What begins in a piece
//! belongs to it, and the border moves behind it. What goes on to the end of all that was seen may go on further: it moves to the
//! next piece instead, which is looked at again together with it.

use inkveil_detect::Span;

use super::batch::{Piece, Window};
use super::cut;

/// What the border of the last piece means for the next. Pieces are settled in order.
#[derive(Default)]
pub(super) struct Seam {
    /// How much of the next piece the last one took.
    taken: usize,
    /// What the last piece left to the next.
    left: Option<Left>,
}

/// The end of a piece that is looked at again.
struct Left {
    text: String,
    /// Where it begins in the text; before that is what was already reported.
    from: usize,
}

impl Seam {
    /// Settles the borders of the next piece. `spans` are those of its window; what `detect` finds in a text replaces them where the
    /// window was too short.
    pub(super) fn settle<E>(
        &mut self,
        mut window: Window,
        mut spans: Vec<Span>,
        detect: impl Fn(&str) -> Result<Vec<Span>, E>,
    ) -> Result<(Piece, Vec<Span>), E> {
        if let Some(left) = self.left.take() {
            window = left.before(window);
            spans = detect(&window.text)?;
        }
        let own = window.own.clone();
        let start = own.start + std::mem::take(&mut self.taken);
        // What begins before the piece was seen by the piece before, with what follows it.
        spans.retain(|span| own.contains(&span.start) && span.end > start);
        // Where the two disagree, what sticks out of what the last piece took remains.
        if let Some(first) = spans.first_mut().filter(|first| first.start < start) {
            first.start = start;
        }
        let mut end = spans.last().map_or(start, |last| last.end).max(own.end);
        match spans.pop_if(|last| goes_on(&window, last)) {
            Some(last) => {
                end = last.start;
                self.left = Some(Left::of(&window, last.start));
            }
            None => self.taken = end - own.end,
        }
        for span in &mut spans {
            span.start -= start;
            span.end -= start;
        }
        Ok((window.into_piece(start..end), spans))
    }
}

/// Whether a span reaches from the piece to the end of all that was seen, and there is more to see. Beyond some length it is cut: memory
/// must not grow with the text.
fn goes_on(window: &Window, span: &Span) -> bool {
    let border = window.own.end;
    let seen = window.text.get(span.end..).is_some_and(|rest| rest.trim().is_empty());
    let inside = border.checked_sub(span.start).is_some_and(|inside| (1..=cut::LONGEST).contains(&inside));
    seen && inside && span.end > border && !window.last
}

impl Left {
    fn of(window: &Window, start: usize) -> Self {
        let seen = window.text.floor_char_boundary(start.saturating_sub(cut::BEHIND));
        Left { text: window.text[seen..window.own.end].to_owned(), from: start - seen }
    }

    fn before(self, mut window: Window) -> Window {
        let end = self.text.len() + window.own.len();
        window.text.replace_range(..window.own.start, &self.text);
        window.own = self.from..end;
        window
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, LazyLock};

    use inkveil_detect::{Detector, Kind, Settings, Tier, UserRule};

    use super::super::batch::Origin;
    use super::*;

    /// Finds what begins with `<` and ends with `>`, or with the text; never one `<` in another.
    static DETECTOR: LazyLock<Detector> = LazyLock::new(|| {
        let mut settings = Settings::of(Tier::Rules);
        settings.only = Some([Kind::named("tag")].into());
        settings.rules.push(UserRule::new("tag", Kind::named("tag"), "<[^<>]*(?:>|$)"));
        Detector::open(None, settings).unwrap()
    });

    /// Cuts a text at these places, with so much around each piece, and puts it together again with what was found in brackets.
    fn settled(text: &str, cuts: &[usize], around: usize) -> Vec<String> {
        let detect = |text: &str| DETECTOR.detect(&[text]).map(|mut found| found.remove(0));
        let mut seam = Seam::default();
        let mut pieces = Vec::new();
        let ends: Vec<usize> = cuts.iter().copied().chain([text.len()]).collect();
        let mut start = 0;
        for end in ends {
            let (from, to) = (start - around.min(start), (end + around).min(text.len()));
            let window = Window {
                id: None,
                origin: Arc::new(Origin::Stdin),
                line: None,
                text: text[from..to].to_owned(),
                own: start - from..end - from,
                first: start == 0,
                last: end == text.len(),
                line_break: "",
            };
            let spans = detect(&window.text).unwrap();
            let (piece, spans) = seam.settle(window, spans, detect).unwrap();
            let mut marked = piece.text;
            for span in spans.iter().rev() {
                marked.insert(span.end, ']');
                marked.insert(span.start, '[');
            }
            pieces.push(marked);
            start = end;
        }
        pieces
    }

    #[test]
    fn a_border_moves_behind_what_crosses_it() {
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
    fn what_goes_on_beyond_what_is_seen_moves_to_the_next_piece() {
        let text = "one <two and three> four";
        assert_eq!(settled(text, &[6], 4), ["one ", "[<two and three>] four"]);
        assert_eq!(settled(text, &[6, 12], 4), ["one ", "", "[<two and three>] four"]);
        assert_eq!(settled("one <two", &[6], 1), ["one ", "[<two]"]);
    }

    #[test]
    fn any_cut_gives_the_same_spans() {
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
