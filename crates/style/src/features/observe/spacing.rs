//! Spaces around marks.

use super::super::reading::{Case, Reading};
use super::super::sign::{Sign, Sink};
use super::super::tokens::{Kind, Token};

pub(super) fn observe(reading: &Reading<'_>, sink: &mut impl Sink) {
    for (n, token) in reading.tokens.iter().enumerate() {
        match token.kind {
            Kind::Space => space(reading, n, token, sink),
            Kind::Sign if token.first == ',' => {
                let next = reading.token(n, 1).map(|next| next.kind);
                match next {
                    Some(Kind::Word) => sink.note(Sign::NoSpaceAfterComma, token.range()),
                    Some(Kind::Space) => sink.note(Sign::SpaceAfterComma, token.range()),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    // "end.Next": between small letters it may be the name of a file or a site.
    for two in reading.words.windows(2) {
        let [before, word] = two else { continue };
        let dot = reading.token(before.token, 1).filter(|token| token.is_sign('.') && token.run() == 1);
        let runs_on =
            before.token + 2 == word.token && before.case == Case::Lower && word.case == Case::Capital;
        if let Some(dot) = dot.filter(|_| runs_on && before.letters > 1) {
            sink.note(Sign::NoSpaceAfterStop, dot.range());
        }
    }
}

fn space(reading: &Reading<'_>, n: usize, token: &Token, sink: &mut impl Sink) {
    let (Some(before), Some(after)) = (reading.token(n, -1), reading.token(n, 1)) else { return };
    let single = reading.text[token.range()].chars().nth(1).is_none();
    if before.kind == Kind::Break || after.kind == Kind::Break {
        return;
    }
    let ends = before.kind == Kind::Sign && matches!(before.first, '.' | '!' | '?');
    if ends && matches!(after.kind, Kind::Word | Kind::Number) {
        let choices = (Sign::TwoSpacesAfterStop, Sign::OneSpaceAfterStop);
        sink.choose(!single, choices, before.start..after.end);
    } else if !single {
        sink.note(Sign::DoubleSpace, before.start..after.end);
    }
    let is_mark = after.kind == Kind::Sign && matches!(after.first, ',' | '.' | '!' | '?' | ';' | ':');
    // ".5" and " ..." are something else.
    let closes = reading.token(n, 2).is_none_or(|next| !matches!(next.kind, Kind::Word | Kind::Number));
    if is_mark && closes && before.kind == Kind::Word && !(after.first == '.' && after.run() > 1) {
        sink.note(Sign::SpaceBeforeMark, token.start..after.end);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{count, value};

    #[test]
    fn spaces_around_marks_are_counted() {
        assert_eq!(value("One.  Two. Three!  Four", "two-spaces-after-stop"), Some(2.0 / 3.0));
        assert_eq!(value("one,two, three", "no-space-after-comma"), Some(0.5));
        assert_eq!(value("1,000", "no-space-after-comma"), None);
        assert_eq!(count("what ? no , yes ... .5", "space-before-mark"), 2.0);
        assert_eq!(count("The end.Next one. see a.b or main.rs", "no-space-after-stop"), 1.0);
        assert_eq!(count("so  many   spaces here.  Yes", "double-spaces"), 2.0);
    }
}
