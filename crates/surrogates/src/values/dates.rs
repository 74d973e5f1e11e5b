//! Dates and times in the formats that texts use.

use crate::generator::Generator;
use crate::shape::{DateForm, Half, Spelling, TimeForm, Zone};
use inkveil_notation::{MONTHS, WEEKDAYS};

/// Formats of dates.
///
/// `D` is the day, `DD` with two digits, `Do` with its ending. `M` and `MM` are the month as a number,
/// `MON` and `MONTH` its short and full name. `YY` and `YYYY` are the year. `WD` and `WDAY` are the short
/// and full name of the weekday. `DECADE` is for example 1990s, and `QUARTER` is for example Q3.
const FORMATS: &[&str] = &[
    "DD/MM/YYYY",
    "MM/DD/YYYY",
    "D/M/YYYY",
    "M/D/YYYY",
    "M/D/YY",
    "DD/MM/YY",
    "MM/DD/YY",
    "YYYY-MM-DD",
    "YYYY-MM-DD",
    "YYYY/MM/DD",
    "YYYYMMDD",
    "DD-MM-YYYY",
    "MM-DD-YYYY",
    "D-M-YY",
    "DD.MM.YYYY",
    "D.M.YYYY",
    "DD.MM.YY",
    "DD MM YYYY",
    "D MONTH YYYY",
    "D MONTH YYYY",
    "Do MONTH YYYY",
    "the Do of MONTH YYYY",
    "MONTH D, YYYY",
    "MONTH D, YYYY",
    "MONTH Do, YYYY",
    "MONTH D YYYY",
    "MON D, YYYY",
    "MON. D, YYYY",
    "MON D YYYY",
    "D MON YYYY",
    "DD-MON-YYYY",
    "DD-MON-YY",
    "DDMONYYYY",
    "WDAY, MONTH D, YYYY",
    "WDAY D MONTH YYYY",
    "WDAY, D MONTH YYYY",
    "WD, D MON YYYY",
    "WD MON D YYYY",
    "WDAY the Do of MONTH",
    "WDAY, MONTH Do",
    "MONTH D",
    "MONTH Do",
    "D MONTH",
    "Do of MONTH",
    "Do MONTH",
    "MON D",
    "D MON",
    "MONTH YYYY",
    "MONTH, YYYY",
    "MON YYYY",
    "MON-YY",
    "MM/YYYY",
    "MM/YY",
    "D/M",
    "M/D",
    "MONTH D 'YY",
    "YYYY.MM.DD",
    "YYYY MONTH D",
];

const ZONES: &[&str] = &["UTC", "GMT", "EST", "PST", "CET", "IST", "BST", "CST"];

/// The formats with day, month and year, as in a date of birth.
const WHOLE: &[&str] = &[
    "DD/MM/YYYY",
    "MM/DD/YYYY",
    "D/M/YYYY",
    "M/D/YYYY",
    "M/D/YY",
    "DD/MM/YY",
    "YYYY-MM-DD",
    "YYYY/MM/DD",
    "DD-MM-YYYY",
    "DD.MM.YYYY",
    "D MONTH YYYY",
    "Do MONTH YYYY",
    "MONTH D, YYYY",
    "MONTH Do, YYYY",
    "MON D, YYYY",
    "D MON YYYY",
    "DD-MON-YYYY",
    "DD MM YYYY",
    "WDAY, MONTH D, YYYY",
    "YYYYMMDD",
    "Do of MONTH YYYY",
];

impl Generator {
    pub(crate) fn date(&mut self) -> String {
        if self.dice.chance(4) {
            let day = self.day(1990, 2035, &["YYYY-MM-DD"]);
            let (hour, minute, second) = self.clock();
            let zone = self.dice.one_of(&["Z", "", ".000Z", "+00:00", "+02:00"]);
            return format!("{day}T{hour:02}:{minute:02}:{second:02}{zone}");
        }
        self.day(1950, 2035, FORMATS)
    }

    pub(crate) fn dob(&mut self) -> String {
        self.day(1930, 2012, WHOLE)
    }

    pub(crate) fn month(&mut self) -> String {
        let month = self.dice.one_of(&MONTHS);
        if self.dice.chance(15) { short(month).to_owned() } else { month.to_owned() }
    }

    pub(crate) fn weekday(&mut self) -> String {
        let day = self.dice.one_of(&WEEKDAYS);
        if self.dice.chance(15) { short(day).to_owned() } else { day.to_owned() }
    }

    pub(crate) fn year(&mut self) -> String {
        match self.dice.below(12) {
            0 => self.dice.fill("'##"),
            1 => format!("{}s", self.dice.one_of(&["1950", "1960", "1970", "1980", "1990", "2010"])),
            _ => self.dice.between(1925, 2035).to_string(),
        }
    }

    pub(crate) fn time(&mut self) -> String {
        let (hour, minute, second) = self.clock();
        let half = hour % 12;
        let twelve = if half == 0 { 12 } else { half };
        let part = if hour < 12 { ["am", "AM", "a.m."] } else { ["pm", "PM", "p.m."] };
        let suffix = self.dice.one_of(&part);
        let space = self.dice.one_of(&["", " ", " "]);
        let quarter = self.dice.one_of(&["00", "15", "30", "45"]);
        match self.dice.below(20) {
            0..5 => format!("{hour:02}:{minute:02}"),
            5..7 => format!("{hour}:{quarter}"),
            7..9 => format!("{twelve}:{minute:02}{space}{suffix}"),
            9..11 => format!("{twelve}:{quarter}{space}{suffix}"),
            11..14 => format!("{twelve}{space}{suffix}"),
            14 => format!("{hour:02}:{minute:02}:{second:02}"),
            15 => format!("{twelve:02}:{minute:02}:{second:02} {suffix}"),
            16 => format!("{hour:02}h{minute:02}"),
            17 => format!("{hour:02}.{minute:02}"),
            18 => format!("{twelve} o'clock"),
            _ => {
                let zone = self.dice.one_of(ZONES);
                format!("{hour:02}:{minute:02} {zone}")
            }
        }
    }

    /// Draws a date of the calendar in the same format.
    pub(crate) fn date_like(&mut self, form: &DateForm) -> String {
        let date = form.casing.apply(self.day(1950, 2029, &[&form.format]));
        match form.time {
            Some((joint, time)) => format!("{date}{joint}{}", self.time_like(time)),
            None => date,
        }
    }

    /// Draws a time of day in the same format.
    pub(crate) fn time_like(&mut self, form: TimeForm) -> String {
        let (hour, minute, second) = self.clock();
        let shown = match (form.half, hour % 12) {
            (Half::None, _) => hour,
            (_, 0) => 12,
            (_, hour) => hour,
        };
        let mut time = if form.padded { format!("{shown:02}") } else { shown.to_string() };
        if let Some(separator) = form.minutes {
            time.push_str(&format!("{separator}{minute:02}"));
        }
        if form.seconds {
            time.push_str(&format!(":{second:02}"));
        }
        if form.fraction > 0 {
            time.push_str(&format!(".{}", self.dice.fill(&"#".repeat(form.fraction))));
        }
        match form.half {
            Half::None | Half::Bare => {}
            Half::OClock => time.push_str(" o'clock"),
            Half::Marked { spelling, blank } => {
                let [small, capital, dotted] =
                    if hour < 12 { ["am", "AM", "a.m."] } else { ["pm", "PM", "p.m."] };
                time.push_str(if blank { " " } else { "" });
                time.push_str(match spelling {
                    Spelling::Small => small,
                    Spelling::Capital => capital,
                    Spelling::Dotted => dotted,
                });
            }
        }
        match form.zone {
            Zone::None => {}
            Zone::Zulu => time.push('Z'),
            Zone::Offset => {
                time.push_str(self.dice.one_of(&["+00:00", "+01:00", "+05:30", "-05:00", "-08:00"]))
            }
            Zone::Named => time.push_str(&format!(" {}", self.dice.one_of(ZONES))),
        }
        time
    }

    /// Draws an hour, a minute and a second.
    fn clock(&mut self) -> (u32, u32, u32) {
        (self.dice.between(0, 23), self.dice.between(0, 59), self.dice.between(0, 59))
    }

    /// Draws a date in one of the formats.
    fn day(&mut self, first_year: u32, last_year: u32, formats: &[&str]) -> String {
        let year = self.dice.between(first_year, last_year);
        let month = self.dice.between(1, 12);
        let longest = match month {
            2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let day = self.dice.between(1, longest);
        let format = self.dice.one_of(formats);
        written(format, year, month, day)
    }
}

/// Writes a date in a format.
fn written(format: &str, year: u32, month: u32, day: u32) -> String {
    let name = MONTHS.get(month as usize - 1).copied().unwrap_or_default();
    let weekday = WEEKDAYS.get(weekday(year, month, day)).copied().unwrap_or_default();
    // Longer codes first, because some codes start with another code.
    let codes: [(&str, String); 13] = [
        ("MONTH", name.to_owned()),
        ("MON", short(name).to_owned()),
        ("MM", format!("{month:02}")),
        ("M", month.to_string()),
        ("DECADE", format!("{}0s", year / 10)),
        ("DD", format!("{day:02}")),
        ("Do", ordinal(day)),
        ("D", day.to_string()),
        ("YYYY", format!("{year:04}")),
        ("YY", format!("{:02}", year % 100)),
        ("WDAY", weekday.to_owned()),
        ("WD", short(weekday).to_owned()),
        ("QUARTER", format!("Q{}", month.div_ceil(3))),
    ];
    let mut text = String::new();
    let mut rest = format;
    while let Some(next) = rest.chars().next() {
        match codes.iter().find(|(code, _)| rest.starts_with(code)) {
            Some((code, value)) => {
                text.push_str(value);
                rest = rest.strip_prefix(code).unwrap_or_default();
            }
            None => {
                text.push(next);
                rest = rest.strip_prefix(next).unwrap_or_default();
            }
        }
    }
    text
}

fn short(name: &str) -> &str {
    name.get(..3).unwrap_or(name)
}

pub(crate) fn ordinal(number: u32) -> String {
    let end = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{end}")
}

/// Returns the day of the week, Monday being 0 (Sakamoto's method).
fn weekday(year: u32, month: u32, day: u32) -> usize {
    const SHIFT: [u32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
    let year = if month < 3 { year - 1 } else { year };
    let shift = SHIFT.get(month as usize - 1).copied().unwrap_or(0);
    let from_sunday = (year + year / 4 - year / 100 + year / 400 + shift + day) % 7;
    (from_sunday as usize + 6) % 7
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::generator;

    #[test]
    fn formats_are_written_out() {
        assert_eq!(written("WDAY, MONTH Do, YYYY", 2024, 2, 29), "Thursday, February 29th, 2024");
        assert_eq!(written("DD-MON-YY", 1999, 5, 3), "03-May-99");
        assert_eq!(written("the Do of MONTH YYYY", 2000, 1, 1), "the 1st of January 2000");
        assert_eq!(written("WD, D MON YYYY", 2023, 10, 22), "Sun, 22 Oct 2023");
        assert_eq!(written("M/D", 2001, 12, 11), "12/11");
        assert_eq!(written("DECADE QUARTER", 1994, 9, 1), "1990s Q3");
    }

    #[test]
    fn no_format_code_remains() {
        let mut generator = generator(1);
        for _ in 0..2000 {
            let date = generator.date();
            assert!(!date.contains("YY") && !date.contains("DD") && !date.contains("MM"), "{date}");
            let time = generator.time();
            assert!(time.chars().any(|c| c.is_ascii_digit()), "{time}");
        }
    }

    #[test]
    fn surrogates_of_dates_and_times_keep_their_format() {
        let mut generator = generator(2);
        // Padding does not show in numbers of two digits, and May is both a short and a full name.
        let bare = |format: &str| format.replace("DD", "D").replace("MM", "M").replace("MONTH", "MON");
        for text in [
            "12/31/1999",
            "12 MARCH 1987",
            "the 3rd of May",
            "Tue, 4 Jun 2019",
            "1990s",
            "Q3 2021",
            "1984-02",
        ] {
            let form = DateForm::of(text);
            for _ in 0..300 {
                let date = generator.date_like(&form);
                let drawn = DateForm::of(&date);
                assert_eq!(bare(&drawn.format), bare(&form.format), "{text}: {date}");
            }
        }
        for text in ["14:30", "2:30 pm", "9 a.m.", "5 o'clock", "23:59:59.123 UTC", "14h30", "10:00:00+02:00"]
        {
            let form = TimeForm::of(text);
            for _ in 0..300 {
                let time = generator.time_like(form);
                assert_eq!(TimeForm { padded: form.padded, ..TimeForm::of(&time) }, form, "{text}: {time}");
            }
        }
    }

    #[test]
    fn ordinals_have_the_right_ending() {
        let endings: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 21, 22, 31].map(ordinal).into();
        assert_eq!(endings.join(" "), "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 31st");
    }
}
