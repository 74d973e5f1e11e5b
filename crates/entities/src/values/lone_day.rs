//! Days of a month that another date names: "on 19 January … on the 20th".

use inkveil_notation::{Date, PartialDate, ordinal_ending};

/// A day without a month, with the text before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LoneDay<'t> {
    before: &'t str,
    day: u32,
}

impl<'t> LoneDay<'t> {
    /// Reads "20th" and "the 20th"; none if the text is anything else.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let (before, rest) = text.split_at(start);
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let (digits, ending) = rest.split_at(end);
        let day = digits.parse().ok().filter(|day| (1..=31).contains(day))?;
        let is_day = matches!(before, "" | "the " | "The ") && ending == ordinal_ending(day);
        is_day.then_some(Self { before, day })
    }

    /// Returns the day that is meant: the nearest one to another date of the text.
    pub(super) fn near(self, known: PartialDate, usual_year: i32) -> Option<Date> {
        let (year, month) = (known.year.unwrap_or(usual_year), known.month.unwrap_or(1));
        let day = known.day.unwrap_or(15);
        // 2024 has all days of all months.
        let around = Date::new(year, month, day).or_else(|| Date::new(2024, month, day))?;
        let months = [around, around.plus_days(-28), around.plus_days(28)];
        let days = months.into_iter().filter_map(|near| Date::new(near.year(), near.month(), self.day));
        days.min_by_key(|day| (day.days() - around.days()).abs())
    }

    /// Writes another day in this notation.
    pub(super) fn write(self, date: Date) -> String {
        format!("{}{}{}", self.before, date.day(), ordinal_ending(date.day()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_nearest_to_a_known_date() {
        let near = |text: &str, (month, day): (u32, Option<u32>)| {
            let known = PartialDate { year: Some(2025), month: Some(month), day };
            let date = LoneDay::read(text)?.near(known, 2025)?;
            Some((date.month(), date.day()))
        };
        assert_eq!(near("the 20th", (1, Some(19))), Some((1, 20)));
        assert_eq!(near("3rd", (2, Some(27))), Some((3, 3)));
        assert_eq!(near("the 29th", (3, Some(2))), Some((3, 29)));
        assert_eq!(near("30th", (2, Some(20))), Some((1, 30)));
        assert_eq!(near("the 1st", (5, None)), Some((5, 1)));
        assert_eq!(near("31st", (4, None)), Some((3, 31)));
        for other in ["20", "the 20", "20nd", "32nd", "20th May", "on the 20th", "20th century", ""] {
            assert_eq!(LoneDay::read(other), None, "{other}");
        }
        let written = LoneDay::read("the 20th").unwrap().write(Date::new(2024, 3, 2).unwrap());
        assert_eq!(written, "the 2nd");
    }
}
