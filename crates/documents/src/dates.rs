//! Dates in spreadsheets, which are numbers of days.

const SECONDS: f64 = 86_400.0;

/// A number of days in full seconds.
pub(crate) fn rounded(number: f64) -> f64 {
    let seconds = number * SECONDS;
    // A second that is nearly full is one that was not stored exactly.
    match (seconds - seconds.round()).abs() < 0.002 {
        true => number,
        false => seconds.round() / SECONDS,
    }
}

/// A number of days as a date, such as `2024-01-31`, `2024-01-31 10:30` or `2024-01-31 10:30:05`. None if it is no date.
pub(crate) fn shown(number: f64, from_1904: bool) -> Option<String> {
    // 9999-12-31 is the last date.
    if !(1.0..2_958_466.0).contains(&number) {
        return None;
    }
    let seconds = (number * SECONDS).round() as i64;
    let days = seconds.div_euclid(86_400);
    // Day 60 of the older system is a day that never was.
    let since_1970 = match from_1904 {
        true => days - 24_107,
        false if days < 60 => days - 25_568,
        false => days - 25_569,
    };
    let (year, month, day) = date(since_1970);
    let seconds = seconds.rem_euclid(86_400);
    let time = match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0) => String::new(),
        (hours, minutes, 0) => format!(" {hours:02}:{minutes:02}"),
        (hours, minutes, seconds) => format!(" {hours:02}:{minutes:02}:{seconds:02}"),
    };
    Some(format!("{year:04}-{month:02}-{day:02}{time}"))
}

/// The date of a number of days since 1970.
fn date(days: i64) -> (i64, i64, i64) {
    // Counted from 1 March of year 0, in eras of 400 years.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dates() {
        assert_eq!(shown(45_322.0, false).as_deref(), Some("2024-01-31"));
        assert_eq!(shown(45_322.437_5, false).as_deref(), Some("2024-01-31 10:30"));
        assert_eq!(shown(45_322.437_55, false).as_deref(), Some("2024-01-31 10:30:04"));
        // Just before midnight is the next day, and not the same day at 00:00.
        assert_eq!(shown(45_322.999_999_99, false).as_deref(), Some("2024-02-01"));
        assert_eq!(rounded(45_322.437_5).to_string(), "45322.4375");
        assert_eq!(rounded(45_322.000_001_234).to_string(), "45322");
        assert_eq!(shown(1.0, false).as_deref(), Some("1900-01-01"));
        assert_eq!(shown(43_860.0, true).as_deref(), Some("2024-01-31"));
        assert_eq!(shown(0.5, false), None);
        assert_eq!(shown(f64::NAN, false), None);
    }
}
