//! How a date is written.

use super::Casing;
use super::clock::TimeForm;
use crate::fresh::dates::{MONTHS, WEEKDAYS};

/// How a date is written: a format as the generator of dates reads it, and the time if one follows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DateForm {
    pub(crate) format: String,
    pub(crate) casing: Casing,
    pub(crate) time: Option<(&'static str, TimeForm)>,
}

/// What is written for a text in which no date is recognised.
const ORDINARY: &str = "D MONTH YYYY";

/// A piece of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    Number(&'a str),
    Word(&'a str),
    Sign(&'a str),
}

impl DateForm {
    pub(crate) fn of(text: &str) -> Self {
        let (date, time) = split_time(text.trim());
        let pieces = pieces(date);
        let codes = codes(&pieces);
        let mut format = String::new();
        let mut separator = String::new();
        for (piece, code) in pieces.iter().zip(&codes) {
            match (piece, code) {
                (Piece::Sign(sign), _) => separator.push_str(sign),
                (_, Some(code)) => {
                    if !format.is_empty() {
                        format.push_str(&kept(&separator));
                    }
                    // An apostrophe stands before a short year, not between two parts.
                    if *code == "YY" && separator.ends_with(['\'', '’']) {
                        format.push('\'');
                    }
                    separator.clear();
                    format.push_str(code);
                }
                // An ending belongs to its number; any other word is left out with what stands before it.
                (Piece::Number(_) | Piece::Word(_), None) => {}
            }
        }
        if !codes.iter().flatten().any(|code| !SMALL_WORDS.contains(code)) {
            format = ORDINARY.to_owned();
        }
        // Months are shouted in three letters too.
        let shouted = date.chars().any(char::is_uppercase) && !date.chars().any(char::is_lowercase);
        DateForm { format, casing: if shouted { Casing::Upper } else { Casing::of(date) }, time }
    }
}

/// Words that stand between the parts of a date and say nothing.
const SMALL_WORDS: [&str; 2] = ["the", "of"];

/// What may stand between two parts; anything else becomes a blank.
fn kept(separator: &str) -> String {
    let mut signs: Vec<char> = separator.chars().filter(|c| " -/.,".contains(*c)).take(2).collect();
    signs.dedup();
    match signs.is_empty() && !separator.is_empty() {
        true => " ".to_owned(),
        false => signs.into_iter().collect(),
    }
}

/// Parts a time from the date before it. What stands between them is one of a few joints.
fn split_time(text: &str) -> (&str, Option<(&'static str, TimeForm)>) {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let colon = text
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| is_digit(text[..*at].chars().next_back()) && is_digit(text[at + 1..].chars().next()));
    let Some(colon) = colon else { return (text, None) };
    let before = text[..colon].trim_end_matches(|c: char| c.is_ascii_digit());
    let time = &text[before.len()..];
    let bare = before.trim_end_matches([' ', ',']);
    let (date, joint) = match bare.strip_suffix(['T', 't']).filter(|date| is_digit(date.chars().next_back()))
    {
        Some(date) => (date, "T"),
        None => match bare.strip_suffix(" at") {
            Some(date) => (date, " at "),
            None => (bare, if before.contains(',') { ", " } else { " " }),
        },
    };
    if date.is_empty() { (text, None) } else { (date, Some((joint, TimeForm::of(time)))) }
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let class = |c: char| match c {
        _ if c.is_ascii_digit() => 0,
        _ if c.is_alphabetic() => 1,
        _ => 2,
    };
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| class(c) != class(first)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        pieces.push(match class(first) {
            0 => Piece::Number(piece),
            1 => Piece::Word(piece),
            _ => Piece::Sign(piece),
        });
        rest = after;
    }
    pieces
}

/// The code of every piece that is one; the names of codes are those of the generator of dates.
fn codes(pieces: &[Piece<'_>]) -> Vec<Option<&'static str>> {
    let mut codes: Vec<Option<&'static str>> = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Word(word) => word_code(word),
            _ => None,
        })
        .collect();
    let day_stands = pieces.iter().any(|piece| matches!(piece, Piece::Number(number) if number.len() <= 2));
    let named = |codes: &[Option<&str>]| codes.iter().flatten().any(|code| code.starts_with("MON"));
    // Next to a day, a word that is not known is a month of another language.
    if day_stands && !named(&codes) {
        let foreign = pieces.iter().zip(&codes).position(
            |(piece, code)| matches!(piece, Piece::Word(word) if code.is_none() && word.chars().count() > 2),
        );
        if let Some(month) = foreign.and_then(|at| codes.get_mut(at)) {
            *month = Some("MONTH");
        }
    }
    let numbers: Vec<(usize, &str)> = pieces
        .iter()
        .enumerate()
        .filter_map(|(at, piece)| if let Piece::Number(number) = piece { Some((at, *number)) } else { None })
        .collect();
    let digits: Vec<&str> = numbers.iter().map(|(_, number)| *number).collect();
    let of_numbers = if named(&codes) { beside_a_name(&digits) } else { numeric(&digits) };
    for ((at, _), code) in numbers.into_iter().zip(of_numbers) {
        let ending = match pieces.get(at + 1) {
            Some(Piece::Word(word)) => word.to_ascii_lowercase(),
            _ => String::new(),
        };
        let quarter = at > 0 && matches!(pieces[at - 1], Piece::Word("Q" | "q"));
        codes[at] = match (code, ending.as_str()) {
            _ if quarter => Some("QUARTER"),
            (Some("D" | "DD"), "st" | "nd" | "rd" | "th") => Some("Do"),
            (Some("YYYY"), "s") => Some("DECADE"),
            (code, _) => code,
        };
    }
    codes
}

fn word_code(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    let begins = |name: &&str| lower.len() >= 3 && name.to_lowercase().starts_with(&lower);
    if let Some(month) = MONTHS.iter().find(|name| begins(name)) {
        return Some(if month.len() == lower.len() { "MONTH" } else { "MON" });
    }
    if let Some(day) = WEEKDAYS.iter().find(|name| begins(name)) {
        return Some(if day.len() == lower.len() { "WDAY" } else { "WD" });
    }
    SMALL_WORDS.into_iter().find(|small| *small == lower)
}

/// The codes of numbers that stand with the name of a month.
fn beside_a_name(numbers: &[&str]) -> Vec<Option<&'static str>> {
    let mut day_seen = false;
    let code = |number: &&str| match number.len() {
        4 => Some("YYYY"),
        1 | 2 if day_seen => Some("YY"),
        1 | 2 => {
            // "May 98" has a year and no day.
            let is_day = value(number) <= 31;
            day_seen = is_day;
            Some(if is_day { day(number) } else { "YY" })
        }
        _ => None,
    };
    numbers.iter().map(code).collect()
}

/// The codes of numbers without the name of a month.
fn numeric(numbers: &[&str]) -> Vec<Option<&'static str>> {
    let widths: Vec<usize> = numbers.iter().map(|number| number.len()).collect();
    // As far as numbers above twelve tell, the order of day and month; where they do not, as in the United States.
    let ordered = |first: &str, second: &str| match value(first) > 12 && value(second) <= 12 {
        true => (Some(day(first)), Some(month(second))),
        false => (Some(month(first)), Some(day(second))),
    };
    match (numbers, widths.as_slice()) {
        ([_, second, third], [4, 1 | 2, 1 | 2]) => match value(second) > 12 {
            true => vec![Some("YYYY"), Some(day(second)), Some(month(third))],
            false => vec![Some("YYYY"), Some(month(second)), Some(day(third))],
        },
        ([first, second, _], [1 | 2, 1 | 2, year @ (2 | 4)]) => {
            let (first, second) = ordered(first, second);
            vec![first, second, Some(if *year == 4 { "YYYY" } else { "YY" })]
        }
        ([first, _], [1 | 2, 4]) => vec![Some(month(first)), Some("YYYY")],
        ([_, second], [4, 1 | 2]) => vec![Some("YYYY"), Some(month(second))],
        ([first, second], [1 | 2, 1 | 2]) if value(second) > 31 => vec![Some(month(first)), Some("YY")],
        ([first, second], [1 | 2, 1 | 2]) => {
            let (first, second) = ordered(first, second);
            vec![first, second]
        }
        (_, [4]) => vec![Some("YYYY")],
        ([number], [8]) if number.starts_with("19") || number.starts_with("20") => vec![Some("YYYYMMDD")],
        (_, [8]) => vec![Some("DDMMYYYY")],
        (_, [6]) => vec![Some("DDMMYY")],
        ([number], [2]) if value(number) > 31 => vec![Some("YY")],
        ([number], [1 | 2]) => vec![Some(day(number))],
        _ => vec![None; numbers.len()],
    }
}

fn value(number: &str) -> u32 {
    number.parse().unwrap_or(0)
}

fn day(number: &str) -> &'static str {
    if number.len() == 1 { "D" } else { "DD" }
}

fn month(number: &str) -> &'static str {
    if number.len() == 1 { "M" } else { "MM" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_dates() {
        for (text, format) in [
            ("31/12/1999", "DD/MM/YYYY"),
            ("12/31/99", "MM/DD/YY"),
            ("3/4/2020", "M/D/YYYY"),
            ("31.1.2020", "DD.M.YYYY"),
            ("2020-01-31", "YYYY-MM-DD"),
            ("20200131", "YYYYMMDD"),
            ("12 March 1987", "DD MONTH YYYY"),
            ("3rd of March, 1987", "Do of MONTH, YYYY"),
            ("the 12th of May", "the Do of MONTH"),
            ("Mar. 3, 2021", "MON. D, YYYY"),
            ("Sept 5", "MON D"),
            ("Tuesday, 4 June 2019", "WDAY, D MONTH YYYY"),
            ("03-May-99", "DD-MONTH-YY"),
            ("May '98", "MONTH 'YY"),
            ("03/1990", "MM/YYYY"),
            ("1984", "YYYY"),
            ("1990s", "DECADE"),
            ("Q3 2021", "QUARTER YYYY"),
            ("3. März 2021", "D. MONTH YYYY"),
            ("3 de marzo de 2021", "D MONTH YYYY"),
            ("Monday", "WDAY"),
            ("last July", "MONTH"),
            ("yesterday", ORDINARY),
            ("the", ORDINARY),
            ("", ORDINARY),
            ("123456789", ORDINARY),
            ("12🦊03🦊1999", "MM DD YYYY"),
        ] {
            assert_eq!(DateForm::of(text).format, format, "{text}");
        }
    }

    #[test]
    fn times_after_dates() {
        let form = DateForm::of("2020-01-31T12:30:45Z");
        assert_eq!(form.format, "YYYY-MM-DD");
        assert_eq!(form.time, Some(("T", TimeForm::of("12:30:45Z"))));
        assert_eq!(DateForm::of("3 May 2020 at 9:15 pm").time.unwrap().0, " at ");
        assert_eq!(DateForm::of("5 March, 09:15"), DateForm::of("7 April, 11:20"));
        assert_eq!(DateForm::of("14:30").time, None);
    }

    #[test]
    fn casing_is_that_of_the_words() {
        assert_eq!(DateForm::of("12 MARCH 1987").casing, Casing::Upper);
        assert_eq!(DateForm::of("12 march 1987").casing, Casing::Lower);
        assert_eq!(DateForm::of("12 MAR 1987"), DateForm::of("10 DEC 2001"));
    }
}
