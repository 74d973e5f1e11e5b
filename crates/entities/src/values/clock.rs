//! Times of day, which move together by whole hours.

/// The minutes of a day.
const DAY: i64 = 24 * 60;

/// A time of day in the notation of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock<'t> {
    before: &'t str,
    hour: i64,
    /// Whether the hour has two digits below ten.
    is_padded: bool,
    /// Whether it is after noon; none if the time counts to 24.
    is_pm: Option<bool>,
    /// The minutes and what follows.
    after: &'t str,
    minutes: i64,
}

impl<'t> Clock<'t> {
    /// Reads "19:02", "7.30 pm", "8pm"; none if the text is anything else, such as a duration.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let before = text.get(..start)?;
        let digits = text.get(start..)?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (hour, after) = digits.split_at(end);
        let minutes = after.strip_prefix([':', '.']).and_then(|rest| rest.get(..2)?.parse::<i64>().ok());
        let lower = after.to_lowercase();
        let half =
            lower.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | ' ' | '\u{a0}'));
        let half = half.split([' ', ')', ',']).next().unwrap_or_default().replace('.', "");
        let is_pm = match half.as_str() {
            "am" => Some(false),
            "pm" => Some(true),
            _ => None,
        };
        let number: i64 = hour.parse().ok()?;
        // A lone number is no time, and letters after it may be a unit or a zone.
        let is_time = is_pm.is_some() || minutes.is_some() && half.is_empty();
        let is_hour = if is_pm.is_some() { (1..=12).contains(&number) } else { (0..24).contains(&number) };
        if !is_time
            || !is_hour
            || minutes.is_some_and(|minutes| minutes > 59)
            || before.contains(char::is_alphabetic)
        {
            return None;
        }
        let hour_of_day = match is_pm {
            Some(is_pm) => number % 12 + if is_pm { 12 } else { 0 },
            None => number,
        };
        let is_padded = hour.len() == 2 && hour.starts_with('0');
        Some(Self { before, hour: hour_of_day, is_padded, is_pm, after, minutes: minutes.unwrap_or(0) })
    }

    /// Returns the minutes since midnight.
    pub(super) fn minutes(self) -> i64 {
        self.hour * 60 + self.minutes
    }

    /// Writes the time that is so many hours later, in the same notation.
    pub(super) fn later(self, hours: i64) -> String {
        let hour = (self.hour + hours).rem_euclid(24);
        let (shown, after) = match self.is_pm {
            None => (hour, self.after.to_owned()),
            Some(was_pm) => {
                let is_pm = hour >= 12;
                let shown = if hour % 12 == 0 { 12 } else { hour % 12 };
                (shown, if is_pm == was_pm { self.after.to_owned() } else { other_half(self.after, was_pm) })
            }
        };
        // 24 hours have two digits wherever one of them has.
        let is_padded = self.is_padded || self.is_pm.is_none() && self.hour >= 10;
        let before = self.before;
        if is_padded { format!("{before}{shown:02}{after}") } else { format!("{before}{shown}{after}") }
    }
}

/// Writes "pm" for "am", and "am" for "pm".
fn other_half(after: &str, was_pm: bool) -> String {
    let (old, new) = if was_pm { (['p', 'P'], ['a', 'A']) } else { (['a', 'A'], ['p', 'P']) };
    let change =
        |c: char| old.iter().position(|letter| *letter == c).and_then(|at| new.get(at)).copied().unwrap_or(c);
    after.chars().map(change).collect()
}

/// Returns the hours by which times move: one or two, in the direction in which none of them passes midnight, if there
/// is one.
pub(super) fn hours(drawn: i64, times: impl Iterator<Item = i64> + Clone) -> i64 {
    let stays = |hours: &i64| times.clone().all(|time| (0..DAY).contains(&(time + hours * 60)));
    [drawn, -drawn, drawn.signum(), -drawn.signum()].into_iter().find(stays).unwrap_or(drawn)
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
            ("23:59:59", -2, "21:59:59"),
        ] {
            assert_eq!(
                Clock::read(text).map(|clock| clock.later(hours)).as_deref(),
                Some(expected),
                "{text}"
            );
        }
        for other in ["3 h 41 min", "40", "noon", "25:10", "13 pm", "10:75", "", "14:30 GMT"] {
            assert_eq!(Clock::read(other), None, "{other}");
        }
    }

    #[test]
    fn no_time_passes_midnight_if_that_can_be() {
        assert_eq!(hours(2, [600, 1380].into_iter()), -2);
        assert_eq!(hours(-1, [30].into_iter()), 1);
        assert_eq!(hours(2, [70, 1330].into_iter()), 1);
        assert_eq!(hours(2, [10, 1430].into_iter()), 2);
        assert_eq!(hours(1, std::iter::empty()), 1);
    }
}
