//! Forms of dates.

use super::casing::Casing;
use super::clock::TimeForm;
use inkveil_notation::{MONTHS, WEEKDAYS};

/// The notation of a date: a format for the generator of dates, and the time if one follows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DateForm {
    pub(crate) format: String,
    pub(crate) casing: Casing,
    pub(crate) time: Option<(&'static str, TimeForm)>,
}

/// The format if no date is recognised.
const ORDINARY: &str = "D MONTH YYYY";

/// A token of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Number(&'a str),
    Word(&'a str),
    Sign(&'a str),
}

impl DateForm {
    pub(crate) fn of(text: &str) -> Self {
        let (date, time) = split_time(text.trim());
        let tokens = tokens(date);
        let codes = codes(&tokens);
        let mut format = String::new();
        let mut separator = String::new();
        for (token, code) in tokens.iter().zip(&codes) {
            match (token, code) {
                (Token::Sign(sign), _) => separator.push_str(sign),
                (_, Some(code)) => {
                    if !format.is_empty() {
                        format.push_str(&kept(&separator));
                    }
                    // The apostrophe before a short year is part of the year.
                    if *code == "YY" && separator.ends_with(['\'', '’']) {
                        format.push('\'');
                    }
                    separator.clear();
                    format.push_str(code);
                }
                // An ending belongs to its number. Other words are dropped with the separator before them.
                (Token::Number(_) | Token::Word(_), None) => {}
            }
        }
        if !codes.iter().flatten().any(|code| !SMALL_WORDS.contains(code)) {
            format = ORDINARY.to_owned();
        }
        // `Casing::of` needs more letters than "MAR" has.
        let shouted = date.chars().any(char::is_uppercase) && !date.chars().any(char::is_lowercase);
        DateForm { format, casing: if shouted { Casing::Upper } else { Casing::of(date) }, time }
    }

    /// Drops what depends on the values of day and month: their digits and, in numbers alone, their
    /// order. A month is taken to come first, except between dots.
    pub(crate) fn coarse(self) -> Self {
        let signs = [' ', '-', '/', '.', ','];
        let sign = self.format.chars().find(|c| signs.contains(c)).unwrap_or(' ');
        let parts: Vec<&str> = self.format.split(signs).filter(|part| !part.is_empty()).collect();
        let number = |part: &str| matches!(part, "D" | "DD" | "M" | "MM");
        let pair = match sign {
            '/' => "M/D".to_owned(),
            '.' => "DD.MM".to_owned(),
            sign => format!("MM{sign}DD"),
        };
        let format = match parts.as_slice() {
            ["YYYY", first, second] if number(first) && number(second) => format!("YYYY{sign}MM{sign}DD"),
            ["YYYY", month] if number(month) => format!("YYYY{sign}MM"),
            [first, second, year] if number(first) && number(second) => format!("{pair}{sign}{year}"),
            [first, second] if number(first) && number(second) => pair,
            [month, year @ ("YYYY" | "YY")] if number(month) => format!("MM{sign}{year}"),
            ["YYYYMMDD" | "DDMMYY"] => self.format,
            _ => self.format.replace("DD", "D"),
        };
        let time = self.time.map(|(joint, time)| (joint, time.coarse()));
        DateForm { format, casing: self.casing, time }
    }
}

/// Function words between the parts of a date.
const SMALL_WORDS: [&str; 2] = ["the", "of"];

/// Returns the separator between two parts. Unknown separators become a space.
fn kept(separator: &str) -> String {
    let mut signs: Vec<char> = separator.chars().filter(|c| " -/.,".contains(*c)).take(2).collect();
    signs.dedup();
    match signs.is_empty() && !separator.is_empty() {
        true => " ".to_owned(),
        false => signs.into_iter().collect(),
    }
}

/// Splits a time from the date before it, and returns which of a few texts is between them.
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

fn tokens(text: &str) -> Vec<Token<'_>> {
    let class = |c: char| match c {
        _ if c.is_ascii_digit() => 0,
        _ if c.is_alphabetic() => 1,
        _ => 2,
    };
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| class(c) != class(first)).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end);
        tokens.push(match class(first) {
            0 => Token::Number(token),
            1 => Token::Word(token),
            _ => Token::Sign(token),
        });
        rest = after;
    }
    tokens
}

/// Returns the format code of every token that has one, as the generator of dates names them.
fn codes(tokens: &[Token<'_>]) -> Vec<Option<&'static str>> {
    let mut codes: Vec<Option<&'static str>> = tokens
        .iter()
        .map(|token| match token {
            Token::Word(word) => word_code(word),
            _ => None,
        })
        .collect();
    let has_day = tokens.iter().any(|token| matches!(token, Token::Number(number) if number.len() <= 2));
    let named = |codes: &[Option<&str>]| codes.iter().flatten().any(|code| code.starts_with("MON"));
    // An unknown word next to a day is a month in another language.
    if has_day && !named(&codes) {
        let foreign = tokens.iter().zip(&codes).position(
            |(token, code)| matches!(token, Token::Word(word) if code.is_none() && word.chars().count() > 2),
        );
        if let Some(month) = foreign.and_then(|at| codes.get_mut(at)) {
            *month = Some("MONTH");
        }
    }
    let numbers: Vec<(usize, &str)> = tokens
        .iter()
        .enumerate()
        .filter_map(|(at, token)| if let Token::Number(number) = token { Some((at, *number)) } else { None })
        .collect();
    let digits: Vec<&str> = numbers.iter().map(|(_, number)| *number).collect();
    let of_numbers = if named(&codes) { beside_a_name(&digits) } else { numeric(&digits) };
    for ((at, _), code) in numbers.into_iter().zip(of_numbers) {
        let ending = match tokens.get(at + 1) {
            Some(Token::Word(word)) => word.to_ascii_lowercase(),
            _ => String::new(),
        };
        let quarter = at > 0 && matches!(tokens[at - 1], Token::Word("Q" | "q"));
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

/// Returns the codes of numbers beside the name of a month.
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

/// Returns the codes of numbers without the name of a month.
fn numeric(numbers: &[&str]) -> Vec<Option<&'static str>> {
    let widths: Vec<usize> = numbers.iter().map(|number| number.len()).collect();
    // A number above twelve is a day. If both may be months, the order of the United States is assumed.
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
    fn coarse_formats_do_not_depend_on_the_day_or_the_month() {
        for texts in [
            ["31/12/1999", "1/2/1999", "12/31/2020"],
            ["2020-01-31", "1987-1-3", "1999-31-01"],
            ["12 March 1987", "3 May 2001", "03 June 1999"],
            ["31.12.1999", "1.2.1999", "12.1.2020"],
            ["3/4", "31/12", "12/31"],
        ] {
            let formats = texts.map(|text| DateForm::of(text).coarse().format);
            assert!(formats.iter().all(|format| *format == formats[1]), "{formats:?}");
        }
        assert_eq!(DateForm::of("1987-1-3").coarse().format, "YYYY-MM-DD");
        assert_eq!(DateForm::of("20200131").coarse().format, "YYYYMMDD");
        assert_eq!(DateForm::of("Tuesday, 14 June 2019").coarse().format, "WDAY, D MONTH YYYY");
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
    fn dates_keep_the_case_of_their_words() {
        assert_eq!(DateForm::of("12 MARCH 1987").casing, Casing::Upper);
        assert_eq!(DateForm::of("12 march 1987").casing, Casing::Lower);
        assert_eq!(DateForm::of("12 MAR 1987"), DateForm::of("10 DEC 2001"));
    }
}
