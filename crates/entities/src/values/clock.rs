//! Times of day, which move together by whole hours.

/// The minutes of a day.
const DAY: i64 = 24 * 60;

/// How the halves of a day are written.
const HALVES: [&str; 8] = ["a.m.", "p.m.", "a.m", "p.m", "am.", "pm.", "am", "pm"];

/// A time of day in the notation of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock<'t> {
    before: &'t str,
    hour: i64,
    /// Whether the hour has two digits below ten.
    is_padded: bool,
    minutes: i64,
    /// The minutes and seconds as they are written: ":02:11".
    after: &'t str,
    /// The half of the day as it is written, with the blank before it: " p.m."; none if the time counts to 24.
    half: Option<&'t str>,
    tail: &'t str,
}

impl<'t> Clock<'t> {
    /// Reads "19:02", "7.30 pm", "8pm"; none if the text is anything else, such as a duration or two times.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let clock = Self::read_first(text)?;
        let ends = |c: char| c.is_whitespace() || matches!(c, ')' | ']' | ',' | '.' | ';');
        clock.tail.chars().all(ends).then_some(clock)
    }

    /// Reads the time after a date with the signs before it, and what follows it: "T09:15:00Z". None if another time
    /// follows.
    pub(super) fn read_after_date(text: &'t str) -> Option<Self> {
        let signs = text.len() - text.trim_start_matches(|c: char| !c.is_ascii_digit()).len();
        let (signs, time) = text.split_at(signs);
        let clock = Self::read_first(time)?;
        let is_last = !clock.tail.contains([':', '.']) || clock.tail.starts_with(['+', '-', '.']);
        is_last.then_some(Self { before: signs, ..clock })
    }

    fn read_first(text: &'t str) -> Option<Self> {
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let (before, digits) = text.split_at(start);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (hour, rest) = digits.split_at(end);
        let (minutes, after_minutes) = two_digits(rest).map_or((None, rest), |(two, rest)| (Some(two), rest));
        let tail = minutes.and_then(|_| two_digits(after_minutes)).map_or(after_minutes, |(_, rest)| rest);
        let after = &rest[..rest.len() - tail.len()];
        let (half, tail) = half_of(tail).map_or((None, tail), |(half, tail)| (Some(half), tail));
        let number: i64 = hour.parse().ok()?;
        // A lone number is no time.
        let is_time = half.is_some() || minutes.is_some();
        let is_hour = if half.is_some() { (1..=12).contains(&number) } else { (0..24).contains(&number) };
        if !is_time
            || !is_hour
            || minutes.is_some_and(|minutes| minutes > 59)
            || before.contains(char::is_alphabetic)
        {
            return None;
        }
        let hour_of_day = match half {
            Some(half) => number % 12 + if is_pm(half) { 12 } else { 0 },
            None => number,
        };
        let is_padded = hour.len() == 2 && hour.starts_with('0');
        Some(Self { before, hour: hour_of_day, is_padded, minutes: minutes.unwrap_or(0), after, half, tail })
    }

    /// Returns the minutes since midnight.
    pub(super) fn minutes(self) -> i64 {
        self.hour * 60 + self.minutes
    }

    /// Writes the time that is so many hours later, in the same notation.
    pub(super) fn later(self, hours: i64) -> String {
        self.later_with_days(hours).0
    }

    /// Writes the time that is so many hours later, and returns by how many days it is in another day.
    pub(super) fn later_with_days(self, hours: i64) -> (String, i64) {
        let moved = self.hour + hours;
        let hour = moved.rem_euclid(24);
        let (shown, half) = match self.half {
            None => (hour, String::new()),
            Some(half) => {
                let shown = if hour % 12 == 0 { 12 } else { hour % 12 };
                (shown, if is_pm(half) == (hour >= 12) { half.to_owned() } else { other_half(half) })
            }
        };
        // 24 hours have two digits wherever one of them has.
        let is_padded = self.is_padded || self.half.is_none() && self.hour >= 10;
        let Self { before, after, tail, .. } = self;
        let shown = if is_padded { format!("{shown:02}") } else { shown.to_string() };
        (format!("{before}{shown}{after}{half}{tail}"), moved.div_euclid(24))
    }
}

/// Moves an hour without minutes, such as the 4 of "at 4": the clock goes on to 12.
pub(super) fn later_hour(text: &str, hours: i64) -> Option<String> {
    let hour: i64 =
        text.parse().ok().filter(|hour| (1..=12).contains(hour) && !text.starts_with(['0', '+']))?;
    Some(((hour - 1 + hours).rem_euclid(12) + 1).to_string())
}

/// Reads ":02" at the start of a text, and returns the number and the rest.
fn two_digits(text: &str) -> Option<(i64, &str)> {
    let rest = text.strip_prefix([':', '.'])?;
    let digits = rest.get(..2).filter(|digits| digits.chars().all(|c| c.is_ascii_digit()))?;
    let rest = rest.get(2..)?;
    (!rest.starts_with(|c: char| c.is_ascii_digit())).then_some(())?;
    Some((digits.parse().ok()?, rest))
}

/// Splits the half of a day at the start of a text, with the blank before it, from the rest.
fn half_of(text: &str) -> Option<(&str, &str)> {
    let blank = text.len() - text.trim_start_matches([' ', '\u{a0}']).len();
    HALVES.into_iter().find_map(|half| {
        let end = blank + half.len();
        let is_half = text.get(blank..end).is_some_and(|found| found.eq_ignore_ascii_case(half));
        let rest = text.get(end..)?;
        (is_half && !rest.starts_with(char::is_alphanumeric)).then(|| text.split_at(end))
    })
}

fn is_pm(half: &str) -> bool {
    half.trim_start().starts_with(['p', 'P'])
}

/// Writes "pm" for "am", and "am" for "pm".
fn other_half(half: &str) -> String {
    let other = |c: char| match c {
        'a' => 'p',
        'A' => 'P',
        'p' => 'a',
        'P' => 'A',
        other => other,
    };
    half.chars().map(other).collect()
}

/// Returns the hours by which times move: one or two, in the direction in which none of them passes midnight. If only one
/// number of hours does that, the times would show it, so they may pass midnight then.
pub(super) fn hours(drawn: i64, times: impl Iterator<Item = i64> + Clone) -> i64 {
    let stays = |hours: &i64| times.clone().all(|time| (0..DAY).contains(&(time + hours * 60)));
    let mut staying = [drawn, -drawn, drawn.signum(), -drawn.signum()].into_iter().filter(stays);
    if [1, 2, -1, -2].iter().filter(|hours| stays(hours)).count() < 2 {
        return drawn;
    }
    staying.next().unwrap_or(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_notation() {
        for (text, hours, expected) in [
            ("19:02", 1, "20:02"),
            ("09:40", 1, "10:40"),
            ("9:40", -1, "8:40"),
            ("10:05", -1, "09:05"),
            ("7.30 pm", 2, "9.30 pm"),
            ("11 a.m.", 1, "12 p.m."),
            ("12.15 PM", -1, "11.15 AM"),
            ("8pm", -1, "7pm"),
            ("[11:59 am]", 1, "[12:59 pm]"),
            ("23:59:59", -2, "21:59:59"),
        ] {
            assert_eq!(
                Clock::read(text).map(|clock| clock.later(hours)).as_deref(),
                Some(expected),
                "{text}"
            );
        }
        for other in [
            "3 h 41 min",
            "40",
            "noon",
            "25:10",
            "13 pm",
            "10:75",
            "",
            "14:30 GMT",
            "12:30 pm PST",
            "11 a.m. Friday",
            "7.30 pm and 9.15",
            "10.00 11.30",
            "12.05.1984",
        ] {
            assert_eq!(Clock::read(other), None, "{other}");
        }
    }

    #[test]
    fn hours_alone_stay_on_the_clock() {
        assert_eq!(later_hour("4", 2).as_deref(), Some("6"));
        assert_eq!(later_hour("12", 1).as_deref(), Some("1"));
        assert_eq!(later_hour("1", -2).as_deref(), Some("11"));
        assert!(["0", "13", "04", "+4", "noon", ""].into_iter().all(|text| later_hour(text, 1).is_none()));
    }

    #[test]
    fn times_after_dates_move_with_their_day() {
        let moved =
            |text: &str, hours| Clock::read_after_date(text).map(|clock| clock.later_with_days(hours));
        assert_eq!(moved(", 19:02:11", 1), Some((", 20:02:11".to_owned(), 0)));
        assert_eq!(moved("T23:15:00Z", 2), Some(("T01:15:00Z".to_owned(), 1)));
        assert_eq!(moved("T00:15:00+01:00", -1), Some(("T23:15:00+01:00".to_owned(), -1)));
        assert_eq!(moved(" at 9:30 am", 1), Some((" at 10:30 am".to_owned(), 0)));
        assert_eq!(moved(", 19:02 to 20:15", 1), None);
    }

    #[test]
    fn no_time_passes_midnight_if_that_can_be() {
        assert_eq!(hours(2, [600, 1380].into_iter()), -2);
        assert_eq!(hours(-1, [30].into_iter()), 1);
        assert_eq!(hours(2, [10, 1430].into_iter()), 2);
        assert_eq!(hours(1, std::iter::empty()), 1);
        // Only one hour less keeps both within the day, which would be no secret.
        assert_eq!(hours(2, [70, 1400].into_iter()), 2);
    }
}
