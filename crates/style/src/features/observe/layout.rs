//! Paragraphs, lists, markup and links.

use super::super::reading::Reading;
use super::super::sign::{Sign, Sink};
use super::super::tokens::{Kind, Token, is_line_break};

pub(super) fn observe(reading: &Reading<'_>, sink: &mut impl Sink) {
    paragraphs(reading, sink);
    lines(reading, sink);
    for (n, token) in reading.tokens.iter().enumerate() {
        match token.kind {
            Kind::Link => sink.note(Sign::Link, token.range()),
            Kind::Hashtag => sink.note(Sign::Hashtag, token.range()),
            Kind::Mention => sink.note(Sign::Mention, token.range()),
            Kind::Sign => markup(reading, n, token, sink),
            _ => {}
        }
    }
}

/// Returns the number of line breaks of a token; "\r
/// " is one.
fn breaks(reading: &Reading<'_>, token: &Token) -> usize {
    let text = &reading.text[token.range()];
    match text.matches('\n').count() {
        0 => text.chars().filter(|&c| is_line_break(c)).count(),
        newlines => newlines,
    }
}

fn paragraphs(reading: &Reading<'_>, sink: &mut impl Sink) {
    let mut sentences = reading.sentences.iter().peekable();
    let blank =
        |(n, token): (usize, &Token)| (token.kind == Kind::Break && breaks(reading, token) > 1).then_some(n);
    let ends = reading.tokens.iter().enumerate().filter_map(blank).chain([reading.tokens.len()]);
    for end in ends {
        let (mut count, mut first) = (0, None);
        while let Some(sentence) = sentences.next_if(|sentence| sentence.tokens.start < end) {
            count += 1;
            first = first.or_else(|| reading.words.get(sentence.words.start));
        }
        if let Some(first) = first {
            sink.count(Sign::Paragraphs, 1);
            if count == 1 {
                sink.note(Sign::OneSentenceParagraph, first.place.clone());
            }
        }
    }
}

fn lines(reading: &Reading<'_>, sink: &mut impl Sink) {
    let mut start = 0;
    for (n, token) in reading.tokens.iter().enumerate() {
        if token.kind == Kind::Break {
            line(reading, start, n, sink);
            start = n + 1;
            let solid = n > 0 && start < reading.tokens.len();
            if solid {
                sink.choose(breaks(reading, token) > 1, (Sign::BlankLine, Sign::LineBreak), token.range());
            }
        }
    }
    line(reading, start, reading.tokens.len(), sink);
}

/// Counts one line: tokens from `start` to before `end`.
fn line(reading: &Reading<'_>, start: usize, end: usize, sink: &mut impl Sink) {
    let tokens = reading.tokens.get(start..end).unwrap_or_default();
    let indented = tokens.first().is_some_and(|token| token.kind == Kind::Space);
    let solid = &tokens[usize::from(indented)..];
    let [first, rest @ ..] = solid else { return };
    sink.count(Sign::Lines, 1);
    let shown = first.start..rest.get(2).map_or_else(|| rest.last().unwrap_or(first).end, |token| token.end);
    if solid.len() > 1 && rest.last().is_some_and(|token| token.kind == Kind::Space) {
        sink.note(Sign::TrailingSpace, shown.clone());
    }
    let space = |at: usize| rest.get(at).is_some_and(|token| token.kind == Kind::Space);
    let sign = match (first.kind, first.first) {
        (Kind::Sign, '-' | '*' | '+' | '•' | '·' | '–') if first.run() == 1 && space(0) => {
            Sign::BulletLine
        }
        (Kind::Number, _) if space(1) && rest.first().is_some_and(|t| t.is_sign('.') || t.is_sign(')')) => {
            Sign::NumberedLine
        }
        (Kind::Sign, '#') if space(0) => Sign::HeadingLine,
        (Kind::Sign, '>') => Sign::QuoteLine,
        _ => return,
    };
    sink.note(sign, shown);
}

/// "**so**", "*so*", "_so_", "`so`", "[so](...)".
fn markup(reading: &Reading<'_>, n: usize, token: &Token, sink: &mut impl Sink) {
    let next = reading.token(n, 1);
    let word = next.filter(|next| matches!(next.kind, Kind::Word | Kind::Number));
    let opens = reading.token(n, -1).is_none_or(|before| !matches!(before.kind, Kind::Word | Kind::Number));
    match (token.first, word) {
        // It is a mark only if it is closed later in the line.
        ('*' | '_', Some(word)) if opens && token.run() <= 3 => {
            let mut line =
                reading.tokens.iter().skip(n + 1).take(40).take_while(|token| token.kind != Kind::Break);
            if line.any(|other| other.is_sign(token.first) && other.run() == token.run()) {
                sink.note(Sign::Emphasis, token.start..word.end);
            }
        }
        ('`', Some(word)) if opens => sink.note(Sign::Code, token.start..word.end),
        (']', _) => {
            if let Some(next) = next.filter(|next| next.is_sign('(')) {
                sink.note(Sign::MarkdownLink, token.start..next.end);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{count, value};

    #[test]
    fn paragraphs_and_lines_are_counted() {
        let text = "One two. Three.\nFour.\n\nFive six.\r\n\r\nSeven.";
        assert_eq!(value(text, "paragraph-words"), Some(7.0 / 3.0));
        assert_eq!(value(text, "paragraph-sentences"), Some(5.0 / 3.0));
        assert_eq!(value(text, "one-sentence-paragraphs"), Some(2.0 / 3.0));
        assert_eq!(value(text, "blank-lines"), Some(2.0 / 3.0));
        assert_eq!(count(text, "line-breaks"), 1.0);
        assert_eq!(value("one line", "blank-lines"), None);
        assert_eq!(value("a\r\nb", "blank-lines"), Some(0.0));
    }

    #[test]
    fn kinds_of_lines_are_counted() {
        let text = "# Head\n- one\n* two\n1. three\n> four\n  five\nsix \nseven";
        for (name, share) in [
            ("bullet-lines", 0.25),
            ("numbered-lines", 0.125),
            ("heading-lines", 0.125),
            ("quote-lines", 0.125),
            ("trailing-spaces", 0.125),
        ] {
            assert_eq!(value(text, name), Some(share), "{name}");
        }
    }

    #[test]
    fn markup_and_links_are_counted() {
        let text = "so *that* is **very** good, 2 * 3 `code` [here](there) https://a.example @ann #fun *not";
        assert_eq!(count(text, "emphasis"), 2.0);
        assert_eq!(count(text, "code"), 1.0);
        assert_eq!(count(text, "markdown-links"), 1.0);
        assert_eq!(count(text, "links"), 1.0);
        assert_eq!(count(text, "mentions"), 1.0);
        assert_eq!(count(text, "hashtags"), 1.0);
    }
}
