//! Points in time, as stored in the ledger.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Serialize, Serializer};

/// The last second of the year 9999. Later years do not have four digits.
const LAST: i64 = 253_402_300_799;

/// A second in UTC, from 1970 to 9999.
///
/// ```
/// use inkveil_ledger::Moment;
///
/// let moment = Moment::from_seconds(951_782_400).unwrap();
/// assert_eq!(moment.to_string(), "2000-02-29T00:00:00Z");
/// assert!(Moment::from_seconds(-1).is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(i64);

impl Moment {
    /// The current second. A clock before 1970 counts as 1970.
    pub fn now() -> Self {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self(i64::try_from(seconds).unwrap_or(LAST).min(LAST))
    }

    /// Creates a moment from the seconds since 1970-01-01, or `None` outside 1970 to 9999.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        (0..=LAST).contains(&seconds).then_some(Self(seconds))
    }

    /// The seconds since 1970-01-01.
    pub fn seconds(self) -> i64 {
        self.0
    }
}

/// Returns year, month and day of a number of days since 1970-01-01. Years start in March here, so
/// that the leap day is the last day of a year.
fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + i64::from(month <= 2), month, of_year - (153 * from_march + 2) / 5 + 1)
}

/// Formats as ISO 8601.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date(self.0 / 86_400);
        let second = self.0 % 86_400;
        let (hour, minute) = (second / 3_600, second / 60 % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z", second % 60)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_formatted_as_iso_8601() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (68_169_599, "1972-02-28T23:59:59Z"),
            (68_169_600, "1972-02-29T00:00:00Z"),
            (1_000_000_000, "2001-09-09T01:46:40Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (LAST, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(Moment::from_seconds(seconds).unwrap().to_string(), text);
        }
        assert!(Moment::from_seconds(LAST + 1).is_none());
    }

    #[test]
    fn dates_match_the_calendar() {
        let leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..800_000 {
            assert_eq!(date(days), (year, month, day));
            let length = match month {
                2 => 28 + i64::from(leap(year)),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }
}
