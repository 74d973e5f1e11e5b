//! Punctuation marks.

use super::super::reading::Reading;
use super::super::sign::{Sign, Sink};
use super::super::tokens::{Kind, Token};

pub(super) fn observe(reading: &Reading<'_>, sink: &mut impl Sink) {
    for (n, token) in reading.tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Sign) {
        let run = token.run();
        if let Some(sign) = plain(token.first, run) {
            sink.note(sign, token.range());
        }
        match token.first {
            '-' | '–' | '—' => dash(reading, n, token, sink),
            '!' | '?' => loud(reading, n, token, sink),
            '"' | '”' => quoted_mark(reading, n, token, sink),
            '\'' | '‘' => single_quote(reading, n, token, sink),
            '/' if is_kind(reading, n, -1, Kind::Word) && is_kind(reading, n, 1, Kind::Word) => {
                sink.note(Sign::Slash, token.range());
            }
            _ => {}
        }
    }
    for (n, word) in reading.words.iter().enumerate() {
        if let Some(curly) = word.curly {
            sink.choose(curly, (Sign::CurlyApostrophe, Sign::StraightApostrophe), word.place.clone());
        }
        match reading.lower(word) {
            "percent" => sink.note(Sign::PercentWord, word.place.clone()),
            "per" if reading.next_word(n) == "cent" => sink.note(Sign::PercentWord, word.place.clone()),
            "eg" | "ie" => sink.note(Sign::Undotted, word.place.clone()),
            "e" | "i" if is_dotted(reading, word.token) => sink.note(Sign::Dotted, word.place.clone()),
            _ => {}
        }
    }
}

/// Marks that are counted without their context.
fn plain(mark: char, run: usize) -> Option<Sign> {
    Some(match mark {
        ',' => Sign::Comma,
        '.' if run == 1 => Sign::FullStop,
        '.' if run == 3 => Sign::ThreeDots,
        '.' => Sign::OddDots,
        '…' => Sign::Ellipsis,
        ';' => Sign::Semicolon,
        ':' => Sign::Colon,
        '–' => Sign::EnDash,
        '—' => Sign::EmDash,
        '!' => Sign::ExclamationMark,
        '?' => Sign::QuestionMark,
        '(' => Sign::Parenthesis,
        '[' => Sign::Bracket,
        '"' => Sign::StraightDouble,
        '“' | '”' => Sign::CurlyDouble,
        '&' => Sign::Ampersand,
        '%' => Sign::Percent,
        '$' | '€' | '£' | '¥' => Sign::Currency,
        _ => return None,
    })
}

fn is_kind(reading: &Reading<'_>, n: usize, offset: isize, kind: Kind) -> bool {
    reading.token(n, offset).is_some_and(|token| token.kind == kind)
}

/// Counts dashes between words, and whether they have spaces around them.
fn dash(reading: &Reading<'_>, n: usize, token: &Token, sink: &mut impl Sink) {
    let spaced = is_kind(reading, n, -1, Kind::Space) && is_kind(reading, n, 1, Kind::Space);
    let tight = is_kind(reading, n, -1, Kind::Word) && is_kind(reading, n, 1, Kind::Word);
    match (token.first, token.run()) {
        ('-', 1) => {
            // With spaces a hyphen is a dash, unless it starts a line.
            if spaced && reading.token(n, -2).is_some_and(|before| before.kind != Kind::Break) {
                sink.note(Sign::HyphenAsDash, token.range());
            }
            return;
        }
        ('-', 2) if spaced || tight => sink.note(Sign::DoubleHyphen, token.range()),
        ('-', _) => return,
        _ => {}
    }
    if spaced || tight {
        sink.choose(spaced, (Sign::DashSpaced, Sign::DashTight), token.range());
    }
}

/// "!!", "??", "?!".
fn loud(reading: &Reading<'_>, n: usize, token: &Token, sink: &mut impl Sink) {
    if token.run() > 1 {
        sink.note(
            if token.first == '!' { Sign::ManyExclamations } else { Sign::ManyQuestions },
            token.range(),
        );
    }
    let other = if token.first == '!' { '?' } else { '!' };
    let mixed = reading.token(n, 1).filter(|next| next.is_sign(other));
    if let Some(next) = mixed {
        sink.note(Sign::MixedMarks, token.start..next.end);
    }
}

/// Counts commas and full stops before the closing quotation mark, as in American English, or after
/// it.
fn quoted_mark(reading: &Reading<'_>, n: usize, token: &Token, sink: &mut impl Sink) {
    let is_mark =
        |token: &&Token| token.kind == Kind::Sign && matches!(token.first, '.' | ',') && token.run() == 1;
    let closes = !is_kind(reading, n, 1, Kind::Word);
    if let Some(before) = reading.token(n, -1).filter(is_mark).filter(|_| closes) {
        sink.note(Sign::MarkInside, before.start..token.end);
    } else if let Some(after) = reading.token(n, 1).filter(is_mark) {
        sink.note(Sign::MarkOutside, token.start..after.end);
    }
}

/// Returns whether a single mark opens a quotation. Inside and after words it is an apostrophe.
fn single_quote(reading: &Reading<'_>, n: usize, token: &Token, sink: &mut impl Sink) {
    let opens = reading.token(n, -1).is_none_or(|before| match before.kind {
        Kind::Space | Kind::Break => true,
        Kind::Sign => matches!(before.first, '(' | '[' | '—' | '–' | '"' | '“'),
        _ => false,
    });
    if opens && is_kind(reading, n, 1, Kind::Word) {
        sink.note(if token.first == '‘' { Sign::CurlySingle } else { Sign::StraightSingle }, token.range());
    }
}

/// "e.g." or "i.e.".
fn is_dotted(reading: &Reading<'_>, token: usize) -> bool {
    let dot = |offset| reading.token(token, offset).is_some_and(|token| token.is_sign('.'));
    let letter = reading.token(token, 2).is_some_and(|token| {
        token.kind == Kind::Word && matches!(&reading.text[token.range()], "g" | "e" | "G" | "E")
    });
    dot(1) && letter && dot(3)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{count, value};

    #[test]
    fn each_mark_is_counted() {
        for (name, text, times) in [
            ("comma", "a, b, c", 2.0),
            ("full-stop", "No. 3.5 is it... Yes.", 2.0),
            ("semicolon", "one; two", 1.0),
            ("colon", "one: two", 1.0),
            ("hyphen-as-dash", "so - no well-known\n- item", 1.0),
            ("double-hyphen", "so -- yes--no ---", 2.0),
            ("en-dash", "so – no", 1.0),
            ("em-dash", "so—no — yes", 2.0),
            ("three-dots", "so... no.. yes….", 1.0),
            ("ellipsis-sign", "so... no.. yes…", 1.0),
            ("odd-dots", "so... no.. yes......", 2.0),
            ("exclamation-mark", "so! no!! yes", 2.0),
            ("question-mark", "so? no", 1.0),
            ("many-exclamations", "so! no!!! yes", 1.0),
            ("many-questions", "so? no?? yes", 1.0),
            ("mixed-marks", "so?! no!? yes!", 2.0),
            ("parenthesis", "so (no) yes", 1.0),
            ("bracket", "so [no] yes", 1.0),
            ("straight-double-quote", "so \"no\" yes", 2.0),
            ("curly-double-quote", "so “no” yes", 2.0),
            ("straight-single-quote", "so 'no' it's rockin' yes", 1.0),
            ("curly-single-quote", "so ‘no’ it’s", 1.0),
            ("slash", "and/or so 1/2", 1.0),
            ("ampersand", "you & me", 1.0),
            ("currency", "about $5", 1.0),
        ] {
            assert_eq!(count(text, name), times, "{name}");
            assert_eq!(count("nothing of that", name), 0.0, "{name}");
        }
    }

    #[test]
    fn choices_of_marks_are_counted() {
        assert_eq!(value("it’s what it's", "curly-apostrophes"), Some(0.5));
        assert_eq!(value("so — no—yes", "spaced-dashes"), Some(0.5));
        assert_eq!(value("he said \"no,\" and \"yes\", or \"so\".", "marks-inside-quotes"), Some(1.0 / 3.0));
        assert_eq!(value("5% or ten percent or ten per cent", "percent-sign"), Some(1.0 / 3.0));
        assert_eq!(value("e.g. this, i.e. that, eg those", "dotted-eg"), Some(2.0 / 3.0));
        assert_eq!(value("plain", "curly-apostrophes"), None);
    }
}
