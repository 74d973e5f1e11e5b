//! Days of the Gregorian calendar.

/// The names of the months.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// The first is the weekday of day 4 of [`Date::from_days`].
pub const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// A day of the calendar.
///
/// ```
/// use inkveil_notation::Date;
///
/// let date = Date::new(2024, 2, 28).unwrap();
/// assert_eq!(date.plus_days(2), Date::new(2024, 3, 1).unwrap());
/// assert!(Date::new(2023, 2, 29).is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: i32,
    month: u32,
    day: u32,
}

/// The parts of a date that a text states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PartialDate {
    /// The year.
    pub year: Option<i32>,
    /// The month, from 1.
    pub month: Option<u32>,
    /// The day of the month, from 1.
    pub day: Option<u32>,
}

impl Date {
    /// Returns a day, if the calendar has it.
    pub fn new(year: i32, month: u32, day: u32) -> Option<Self> {
        let in_range = (-9999..=9999).contains(&year) && (1..=12).contains(&month);
        (in_range && (1..=days_in(year, month)).contains(&day)).then_some(Self { year, month, day })
    }

    /// Returns the year.
    pub fn year(self) -> i32 {
        self.year
    }

    /// Returns the month, from 1.
    pub fn month(self) -> u32 {
        self.month
    }

    /// Returns the day of the month, from 1.
    pub fn day(self) -> u32 {
        self.day
    }

    /// Returns the number of days since 1 January 1970.
    pub fn days(self) -> i64 {
        // Years start in March, so that the leap day is the last day of a year.
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let month = (i64::from(self.month) + 9) % 12;
        let of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
    }

    /// Returns the day that is this number of days after 1 January 1970.
    pub fn from_days(days: i64) -> Self {
        let days = days + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = era * 400 + year + i64::from(month <= 2);
        Self { year: year as i32, month: month as u32, day: day as u32 }
    }

    /// Returns the day that is this number of days later.
    pub fn plus_days(self, days: i64) -> Self {
        Self::from_days(self.days() + days)
    }

    /// Returns the day of the week, from 0 for Monday.
    pub fn weekday(self) -> usize {
        (self.days() + 3).rem_euclid(7) as usize
    }
}

impl From<Date> for PartialDate {
    fn from(date: Date) -> Self {
        Self { year: Some(date.year), month: Some(date.month), day: Some(date.day) }
    }
}

fn days_in(year: i32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_convert_in_both_directions() {
        assert_eq!(Date::new(1970, 1, 1).map(Date::days), Some(0));
        assert_eq!(Date::new(2000, 3, 1).map(Date::days), Some(11_017));
        let mut last = Date::from_days(-800_001);
        for days in -800_000..800_000 {
            let date = Date::from_days(days);
            assert_eq!(date.days(), days);
            assert!(date > last && Date::new(date.year, date.month, date.day) == Some(date));
            last = date;
        }
    }

    #[test]
    fn weekdays() {
        let weekday = |y, m, d| Date::new(y, m, d).map(|date| WEEKDAYS[date.weekday()]);
        assert_eq!(weekday(1970, 1, 1), Some("Thursday"));
        assert_eq!(weekday(2025, 5, 27), Some("Tuesday"));
        assert_eq!(weekday(1900, 2, 28), Some("Wednesday"));
    }
}
