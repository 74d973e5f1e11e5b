//! Dates in spreadsheets, which are numbers of days.

/// A number of days as a date, such as `2024-01-31` or `2024-01-31 10:30`. None if it is no date.
pub(crate) fn shown(number: f64, from_1904: bool) -> Option<String> {
    // 9999-12-31 is the last date.
    if !(1.0..2_958_466.0).contains(&number) {
        return None;
    }
    let days = number.floor() as i64;
    // Day 60 of the older system is a day that never was.
    let since_1970 = match from_1904 {
        true => days - 24_107,
        false if days < 60 => days - 25_568,
        false => days - 25_569,
    };
    let (year, month, day) = date(since_1970);
    let minutes = ((number - number.floor()) * 1440.0).round() as i64;
    let time = match minutes {
        0 => String::new(),
        minutes => format!(" {:02}:{:02}", minutes / 60 % 24, minutes % 60),
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
        assert_eq!(shown(1.0, false).as_deref(), Some("1900-01-01"));
        assert_eq!(shown(43_860.0, true).as_deref(), Some("2024-01-31"));
        assert_eq!(shown(0.5, false), None);
        assert_eq!(shown(f64::NAN, false), None);
    }
}
