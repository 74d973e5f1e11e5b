//! Dates as texts write them.

use crate::calendar::{Date, PartialDate};
use crate::tongue::Tongue;

/// Whether the day or the month is first where both are numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DayOrder {
    /// 27/05/2025, as in most of the world.
    #[default]
    DayFirst,
    /// 05/27/2025, as in the United States.
    MonthFirst,
}

/// A date with its notation: the order of its parts, separators, widths, words and casing.
///
/// ```
/// use inkveil_notation::{Date, DayOrder, WrittenDate};
///
/// let written = WrittenDate::read("Tue 27th May 2025", DayOrder::DayFirst).unwrap();
/// assert_eq!(written.date(), Date::new(2025, 5, 27));
/// assert_eq!(written.write(Date::new(2024, 3, 1).unwrap()), "Fri 1st March 2024");
/// assert!(WrittenDate::read("next summer", DayOrder::DayFirst).is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenDate {
    pieces: Vec<Piece>,
    parts: PartialDate,
    weekday: Option<usize>,
    tongue: Tongue,
    /// A time of day after the date, with the signs before it.
    time: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Day {
        width: usize,
    },
    /// "st", "nd", "rd" or "th" after the day.
    Ordinal(Case),
    Month {
        width: usize,
    },
    MonthName {
        short: bool,
        case: Case,
    },
    Weekday {
        short: bool,
        case: Case,
    },
    Year,
    ShortYear,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Lower,
    Title,
    Upper,
}

#[derive(Clone, Copy)]
enum Token<'t> {
    Number(&'t str),
    Word(&'t str),
    Sign(&'t str),
}

/// A longer text is not one date.
const LONGEST: usize = 64;

impl WrittenDate {
    /// Reads a date that is the whole text, except for a time of day after it. Returns `None` if the text
    /// is not one date.
    pub fn read(text: &str, order: DayOrder) -> Option<Self> {
        Self::read_in(text, order, Tongue::English)
    }

    /// Reads a date as [`read`](Self::read) does, with the words of this language first: "12 april 2024" is
    /// Dutch in a Dutch text.
    pub fn read_in(text: &str, order: DayOrder, first: Tongue) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let (date, time) = split_time(text);
        let tokens = tokens(date);
        [first].into_iter().chain(Tongue::ALL).find_map(|tongue| Self::of(&tokens, time, order, tongue))
    }

    fn of(tokens: &[Token<'_>], time: &str, order: DayOrder, tongue: Tongue) -> Option<Self> {
        let roles = roles(tokens, order, tongue)?;
        let mut read = Self {
            pieces: Vec::new(),
            parts: PartialDate::default(),
            weekday: None,
            tongue,
            time: time.to_owned(),
        };
        let width = if pads(tokens, &roles) { 2 } else { 1 };
        for (token, role) in tokens.iter().zip(roles) {
            read.add(*token, role, width)?;
        }
        read.is_possible().then_some(read)
    }

    /// Returns the parts that are stated.
    pub fn parts(&self) -> PartialDate {
        self.parts
    }

    /// Returns the weekday that is stated, from 0 for Monday.
    pub fn weekday(&self) -> Option<usize> {
        self.weekday
    }

    /// Returns the day, if year, month and day are stated.
    pub fn date(&self) -> Option<Date> {
        Date::new(self.parts.year?, self.parts.month?, self.parts.day?)
    }

    /// Returns the time of day after the date, with the signs before it: ", 19:02:11". Empty if there is none.
    pub fn time(&self) -> &str {
        &self.time
    }

    /// Writes another date and another time, with its signs, in this notation.
    pub fn write_with_time(&self, date: Date, time: &str) -> String {
        self.date_alone(date) + time
    }

    /// Writes another date in this notation. Parts that this date does not state are left out, and a time of day stays.
    pub fn write(&self, date: Date) -> String {
        self.write_with_time(date, &self.time)
    }

    fn date_alone(&self, date: Date) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(text) => out.push_str(text),
                Piece::Day { width } => out.push_str(&format!("{:0width$}", date.day())),
                Piece::Ordinal(case) => out.push_str(&case.apply(self.tongue.ending(date.day()))),
                Piece::Month { width } => out.push_str(&format!("{:0width$}", date.month())),
                Piece::MonthName { short, case } => {
                    let names = if *short { self.tongue.short_months() } else { self.tongue.months() };
                    out.push_str(
                        &case.apply(names.get(date.month() as usize - 1).copied().unwrap_or_default()),
                    );
                }
                Piece::Weekday { short, case } => {
                    let names = self.tongue.weekdays().unwrap_or_default();
                    let name = names.get(date.weekday()).copied().unwrap_or_default();
                    out.push_str(&case.apply(shortened(name, *short)));
                }
                Piece::Year => out.push_str(&format!("{:04}", date.year())),
                Piece::ShortYear => out.push_str(&format!("{:02}", date.year().rem_euclid(100))),
            }
        }
        out
    }

    fn add(&mut self, token: Token<'_>, role: Role, width: usize) -> Option<()> {
        let (text, number) = match token {
            Token::Number(text) => (text, text.parse::<u32>().ok()),
            Token::Word(text) | Token::Sign(text) => (text, None),
        };
        let case = Case::of(text);
        let piece = match role {
            Role::Literal => Piece::Literal(text.to_owned()),
            Role::Day => {
                self.parts.day = number;
                Piece::Day { width }
            }
            Role::Ordinal => Piece::Ordinal(case),
            Role::Month => {
                self.parts.month = number;
                Piece::Month { width }
            }
            Role::MonthName(at) => {
                self.parts.month = Some(at as u32 + 1);
                let months = self.tongue.months();
                let full = months.get(at).is_some_and(|name| name.len() == text.len());
                Piece::MonthName { short: !full, case }
            }
            Role::Weekday(at) => {
                self.weekday = Some(at);
                let weekdays = self.tongue.weekdays().unwrap_or_default();
                let full = weekdays.get(at).is_some_and(|name| name.len() == text.len());
                Piece::Weekday { short: !full, case }
            }
            Role::Year => {
                self.parts.year = number.map(|year| year as i32);
                Piece::Year
            }
            Role::ShortYear => {
                self.parts.year = number.map(|year| year as i32 + if year > 40 { 1900 } else { 2000 });
                Piece::ShortYear
            }
            Role::Compact => {
                let number = number?;
                let digits = |at: u32, width: u32| number / 10_u32.pow(8 - at - width) % 10_u32.pow(width);
                let year_first = (1900..2100).contains(&digits(0, 4));
                let (year, month, day) = match year_first {
                    true => (digits(0, 4), digits(4, 2), digits(6, 2)),
                    false => (digits(4, 4), digits(2, 2), digits(0, 2)),
                };
                self.parts = PartialDate { year: Some(year as i32), month: Some(month), day: Some(day) };
                let [y, m, d] = [Piece::Year, Piece::Month { width: 2 }, Piece::Day { width: 2 }];
                self.pieces.extend(if year_first { [y, m, d] } else { [d, m, y] });
                return Some(());
            }
        };
        self.pieces.push(piece);
        Some(())
    }

    /// Returns whether the parts can be those of a date.
    fn is_possible(&self) -> bool {
        let PartialDate { year, month, day } = self.parts;
        let has_part = year.is_some() || month.is_some() || self.weekday.is_some();
        let year_fits = year.is_none_or(|year| (1000..3000).contains(&year));
        // 2024 has all days of all months.
        let day_fits = match (month, day) {
            (Some(month), Some(day)) => Date::new(year.unwrap_or(2024), month, day).is_some(),
            (Some(month), None) => (1..=12).contains(&month),
            (None, Some(_)) => false,
            (None, None) => true,
        };
        has_part && year_fits && day_fits
    }
}

/// Returns the order that the unambiguous dates among these texts have; none if they do not show it.
///
/// ```
/// use inkveil_notation::{DayOrder, day_order};
///
/// assert_eq!(day_order(["03/04/2025", "12/31/2024"]), Some(DayOrder::MonthFirst));
/// assert_eq!(day_order(["03/04/2025"]), None);
/// ```
pub fn day_order<'t>(texts: impl IntoIterator<Item = &'t str>) -> Option<DayOrder> {
    texts.into_iter().find_map(|text| {
        if text.len() > LONGEST {
            return None;
        }
        let tokens = tokens(split_time(text).0);
        let numbers: Vec<(usize, u32)> = tokens
            .iter()
            .filter_map(|token| match token {
                Token::Number(text) => Some((text.len(), text.parse().ok()?)),
                _ => None,
            })
            .collect();
        match (tokens.first(), numbers.as_slice()) {
            (Some(Token::Number(_)), [(1 | 2, first), (1 | 2, second), (2 | 4, _)]) => {
                match (*first > 12, *second > 12) {
                    (true, false) => Some(DayOrder::DayFirst),
                    (false, true) => Some(DayOrder::MonthFirst),
                    _ => None,
                }
            }
            _ => None,
        }
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Literal,
    Day,
    Ordinal,
    Month,
    MonthName(usize),
    Weekday(usize),
    Year,
    ShortYear,
    /// Eight digits: a year, a month and a day.
    Compact,
}

/// Returns what each token is; none if the tokens are not a date.
fn roles(tokens: &[Token<'_>], order: DayOrder, tongue: Tongue) -> Option<Vec<Role>> {
    let mut roles = Vec::with_capacity(tokens.len());
    let mut numbers = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        roles.push(match token {
            Token::Number(text) => {
                numbers.push((at, *text));
                Role::Literal
            }
            Token::Word(word) => word_role(word, at, tokens, tongue)?,
            Token::Sign(_) => Role::Literal,
        });
    }
    let named = roles.iter().filter(|role| matches!(role, Role::MonthName(_))).count();
    let weekdays = roles.iter().filter(|role| matches!(role, Role::Weekday(_))).count();
    if named > 1 || weekdays > 1 {
        return None;
    }
    let signs_before = |at: usize| match at.checked_sub(1).and_then(|before| tokens.get(before)) {
        Some(Token::Sign(sign)) => sign,
        _ => "",
    };
    let short_year = |at: usize, text: &str| text.len() == 2 && signs_before(at).ends_with(['\'', '’']);
    let widths: Vec<usize> = numbers.iter().map(|(_, text)| text.len()).collect();
    let value = |text: &str| text.parse::<u32>().unwrap_or(u32::MAX);
    let found: Vec<Role> = match (named, widths.as_slice()) {
        (1, []) => Vec::new(),
        (1, [4]) => vec![Role::Year],
        (1, [1 | 2]) if short_year(numbers[0].0, numbers[0].1) || value(numbers[0].1) > 31 => {
            vec![Role::ShortYear]
        }
        (1, [1 | 2]) => vec![Role::Day],
        (1, [1 | 2, 4]) => vec![Role::Day, Role::Year],
        (1, [4, 1 | 2]) => vec![Role::Year, Role::Day],
        (1, [1 | 2, 2]) => vec![Role::Day, Role::ShortYear],
        (0, []) if weekdays == 1 => Vec::new(),
        (0, [4]) if weekdays == 0 && tokens.len() == 1 => vec![Role::Year],
        (0, [8]) => vec![Role::Compact],
        (0, [4, 1 | 2, 1 | 2]) => vec![Role::Year, Role::Month, Role::Day],
        (0, [4, 1 | 2]) if tokens.len() == 3 => vec![Role::Year, Role::Month],
        (0, [1 | 2, 4]) if tokens.len() == 3 => vec![Role::Month, Role::Year],
        (0, [1 | 2, 1 | 2, year @ (2 | 4)]) => {
            let (first, second) = (value(numbers[0].1), value(numbers[1].1));
            let dotted = signs_before(numbers[1].0) == ".";
            let day_first = match (first > 12, second > 12) {
                (true, _) => true,
                (false, true) => false,
                (false, false) => dotted || order == DayOrder::DayFirst,
            };
            let year = if *year == 4 { Role::Year } else { Role::ShortYear };
            if day_first { vec![Role::Day, Role::Month, year] } else { vec![Role::Month, Role::Day, year] }
        }
        _ => return None,
    };
    for ((at, _), role) in numbers.iter().zip(found) {
        roles[*at] = role;
    }
    // An ending belongs to a day. A number directly after it would run into the day, because not every day has an ending.
    let misplaced = |at: usize| {
        roles[at] == Role::Ordinal
            && (at == 0 || roles[at - 1] != Role::Day || matches!(tokens.get(at + 1), Some(Token::Number(_))))
    };
    (!(0..roles.len()).any(misplaced)).then_some(roles)
}

/// Returns whether days and months of one digit are written with a zero before them. Beside the name of a
/// month that is rare, so it must be visible.
fn pads(tokens: &[Token<'_>], roles: &[Role]) -> bool {
    let named = roles.iter().any(|role| matches!(role, Role::MonthName(_)));
    let mut parts = tokens.iter().zip(roles).filter_map(|(token, role)| match (token, role) {
        (Token::Number(text), Role::Day | Role::Month) => Some(*text),
        _ => None,
    });
    if named { parts.any(|text| text.starts_with('0')) } else { parts.all(|text| text.len() == 2) }
}

fn word_role(word: &str, at: usize, tokens: &[Token<'_>], tongue: Tongue) -> Option<Role> {
    let lower = word.to_lowercase();
    let after_number = at > 0 && matches!(tokens.get(at - 1), Some(Token::Number(_)));
    if after_number && tongue.is_ending(&lower) {
        return Some(Role::Ordinal);
    }
    // Short names of other languages are in their tables.
    let shortens = tongue == Tongue::English && (3..=4).contains(&lower.len());
    let is =
        |name: &&str| name.to_lowercase() == lower || shortens && name.to_lowercase().starts_with(&lower);
    if let Some(month) = tongue.months().iter().position(&is) {
        return Some(Role::MonthName(month));
    }
    if let Some(day) = tongue.weekdays().unwrap_or_default().iter().position(is) {
        return Some(Role::Weekday(day));
    }
    if let Some(month) = tongue.short_months().iter().position(|name| name.to_lowercase() == lower) {
        return Some(Role::MonthName(month));
    }
    tongue.small_words().contains(&lower.as_str()).then_some(Role::Literal)
}

/// Splits a time of day from the date before it, with the text between them.
fn split_time(text: &str) -> (&str, &str) {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let colon = text
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| is_digit(text[..*at].chars().next_back()) && is_digit(text[at + 1..].chars().next()));
    let Some(colon) = colon else { return (text, "") };
    let before = text[..colon].trim_end_matches(|c: char| c.is_ascii_digit());
    let date = before.trim_end_matches([' ', ',']);
    let date = date.strip_suffix("at").or_else(|| date.strip_suffix(['T', 't'])).unwrap_or(date);
    let date = date.trim_end_matches([' ', ',']);
    if date.is_empty() { (text, "") } else { text.split_at(date.len()) }
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

/// Returns the ending of an ordinal number in English.
///
/// ```
/// assert_eq!([1, 2, 3, 12, 20].map(inkveil_notation::ordinal_ending), ["st", "nd", "rd", "th", "th"]);
/// ```
pub fn ordinal_ending(number: u32) -> &'static str {
    match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    }
}

fn shortened(name: &str, short: bool) -> &str {
    if short { name.get(..3).unwrap_or(name) } else { name }
}

impl Case {
    fn of(text: &str) -> Self {
        match (text.chars().any(char::is_uppercase), text.chars().any(char::is_lowercase)) {
            (true, true) => Case::Title,
            (true, false) => Case::Upper,
            (false, _) => Case::Lower,
        }
    }

    fn apply(self, name: &str) -> String {
        match self {
            // Names of months are in small letters in some languages.
            Case::Title => {
                let mut letters = name.chars();
                letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
            }
            Case::Lower => name.to_lowercase(),
            Case::Upper => name.to_uppercase(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rewritten(text: &str, order: DayOrder) -> Option<String> {
        // 31 January 2024 plus two days crosses a month.
        Some(WrittenDate::read(text, order)?.write(Date::new(2026, 2, 3)?))
    }

    #[test]
    fn notations_are_kept() {
        for (text, written) in [
            ("27 May 2025", "3 February 2026"),
            ("May 27, 2025", "February 3, 2026"),
            ("27th of May, 2025", "3rd of February, 2026"),
            ("Tuesday, 27 May 2025", "Tuesday, 3 February 2026"),
            ("TUE 27 MAR 2025", "TUE 3 FEB 2026"),
            ("27/05/2025", "03/02/2026"),
            ("7/5/25", "3/2/26"),
            ("2025-05-27", "2026-02-03"),
            ("2025-05-27T09:15:00Z", "2026-02-03T09:15:00Z"),
            ("27.05.2025, 14:30", "03.02.2026, 14:30"),
            ("20250527", "20260203"),
            ("27052025", "03022026"),
            ("May 2025", "February 2026"),
            ("Sept 1998", "Feb 2026"),
            ("05 May 2025", "03 February 2026"),
            ("27/5/2025", "3/2/2026"),
            ("05/2025", "02/2026"),
            ("2025", "2026"),
            ("27 May", "3 February"),
            ("the 27th of May", "the 3rd of February"),
            ("May", "February"),
            ("may '25", "february '26"),
            ("Monday", "Tuesday"),
            ("27 May 2025 at 9:30 am", "3 February 2026 at 9:30 am"),
        ] {
            assert_eq!(rewritten(text, DayOrder::DayFirst).as_deref(), Some(written), "{text}");
        }
    }

    #[test]
    fn the_order_of_day_and_month() {
        let parts = |text, order| WrittenDate::read(text, order).and_then(|written| written.date());
        assert_eq!(parts("03/04/2025", DayOrder::DayFirst), Date::new(2025, 4, 3));
        assert_eq!(parts("03/04/2025", DayOrder::MonthFirst), Date::new(2025, 3, 4));
        assert_eq!(parts("31/04/2025", DayOrder::DayFirst), None);
        assert_eq!(parts("13/04/2025", DayOrder::MonthFirst), Date::new(2025, 4, 13));
        assert_eq!(parts("03.04.2025", DayOrder::MonthFirst), Date::new(2025, 4, 3));
        assert_eq!(day_order(["1 May", "03/04/2025", "12/31/2024"]), Some(DayOrder::MonthFirst));
        assert_eq!(day_order(["31/12/2024"]), Some(DayOrder::DayFirst));
        assert_eq!(day_order(["2024-31-12", "12 31 May"]), None);
    }

    #[test]
    fn other_texts_are_not_dates() {
        for text in [
            "",
            "next week",
            "7/19er13",
            "19er13 mai",
            "1st13 May",
            "the 3rd",
            "12",
            "1990s",
            "May and June 2025",
            "30 February 2025",
            "3/4",
            "2019-2021",
            "th May",
            "99/99/9999",
            "7 years",
            "12345678901234567890",
        ] {
            assert!(WrittenDate::read(text, DayOrder::DayFirst).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_accepted(text in "\\PC{0,40}", days in -500_000_i64..500_000) {
            if let Some(written) = WrittenDate::read(&text, DayOrder::DayFirst) {
                prop_assert!(!written.write(Date::from_days(days)).is_empty());
            }
        }

        #[test]
        fn a_date_that_is_written_is_read(days in 0_i64..40_000, at in 0_usize..8) {
            let notation = ["27 May 2025", "May 27, 2025", "27/12/2025", "2025-05-27", "Tue 27th May 2025",
                "27.5.2025", "20250527", "27-MAY-2025"][at];
            let date = Date::from_days(days);
            let written = WrittenDate::read(notation, DayOrder::DayFirst).unwrap().write(date);
            prop_assert_eq!(WrittenDate::read(&written, DayOrder::DayFirst).unwrap().date(), Some(date));
        }
    }
}
