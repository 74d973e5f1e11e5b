//! Other notations of a date, which an answer about it may use.

use crate::calendar::{Date, MONTHS, PartialDate, WEEKDAYS};
use crate::date::{DayOrder, WrittenDate, ordinal_ending};

impl WrittenDate {
    /// Returns other notations of this date, each as a text and the same notation of another date with the
    /// same parts. The list is empty if a part that all notations need is missing.
    ///
    /// ```
    /// use inkveil_notation::{DayOrder, WrittenDate};
    ///
    /// let [one, other] =
    ///     ["27 May 2025", "3 March 2024"].map(|text| WrittenDate::read(text, DayOrder::DayFirst).unwrap());
    /// let pairs = one.variants(&other, DayOrder::DayFirst);
    /// assert!(pairs.contains(&("27/05/2025".to_owned(), "03/03/2024".to_owned())));
    /// assert!(pairs.contains(&("May 27, 2025".to_owned(), "March 3, 2024".to_owned())));
    /// ```
    pub fn variants(&self, other: &WrittenDate, order: DayOrder) -> Vec<(String, String)> {
        let (texts, meanings) = match (self.date(), other.date()) {
            (Some(one), Some(two)) => (whole(one, order), whole(two, order)),
            _ => (partial(self.parts()), partial(other.parts())),
        };
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (text, meaning) in texts.into_iter().zip(meanings) {
            // "May" is the name and the short name of its month. The first notation is the whole name.
            if pairs.iter().all(|(known, _)| *known != text) {
                pairs.push((text, meaning));
            }
        }
        pairs
    }
}

/// Returns the notations of a whole date. Those without a year are last.
fn whole(date: Date, order: DayOrder) -> Vec<String> {
    let (y, m, d) = (date.year(), date.month(), date.day());
    let month = MONTHS.get(m as usize - 1).copied().unwrap_or_default();
    let short = month.get(..3).unwrap_or(month);
    let th = ordinal_ending(d);
    let weekday = WEEKDAYS.get(date.weekday()).copied().unwrap_or_default();
    let (first, second) = match order {
        DayOrder::DayFirst => (d, m),
        DayOrder::MonthFirst => (m, d),
    };
    vec![
        format!("{d} {month} {y}"),
        format!("{d:02} {month} {y}"),
        format!("{month} {d}, {y}"),
        format!("{month} {d} {y}"),
        format!("{d}{th} {month} {y}"),
        format!("{d}{th} {month}, {y}"),
        format!("{d}{th} of {month} {y}"),
        format!("{d}{th} of {month}, {y}"),
        format!("the {d}{th} of {month} {y}"),
        format!("{month} {d}{th}, {y}"),
        format!("{month} {d}{th} {y}"),
        format!("{d} {short} {y}"),
        format!("{d:02} {short} {y}"),
        format!("{short} {d}, {y}"),
        format!("{d}-{short}-{y}"),
        format!("{weekday}, {d} {month} {y}"),
        format!("{weekday} {d} {month} {y}"),
        format!("{weekday}, {month} {d}, {y}"),
        format!("{y}-{m:02}-{d:02}"),
        format!("{y}/{m:02}/{d:02}"),
        format!("{first:02}/{second:02}/{y}"),
        format!("{first}/{second}/{y}"),
        format!("{first:02}/{second:02}/{:02}", y.rem_euclid(100)),
        format!("{first:02}-{second:02}-{y}"),
        format!("{d:02}.{m:02}.{y}"),
        format!("{d}.{m}.{y}"),
        format!("{d} {month}"),
        format!("{month} {d}"),
        format!("{d}{th} {month}"),
        format!("{d}{th} of {month}"),
        format!("the {d}{th} of {month}"),
        format!("{month} {d}{th}"),
        format!("{d} {short}"),
        format!("{short} {d}"),
    ]
}

/// Returns the notations of a month of a year, or of a day of a month.
fn partial(date: PartialDate) -> Vec<String> {
    let name = |month: u32| MONTHS.get((month as usize).wrapping_sub(1)).copied().unwrap_or_default();
    match (date.year, date.month, date.day) {
        (Some(y), Some(m), None) => {
            let (month, short) = (name(m), name(m).get(..3).unwrap_or_default());
            vec![
                format!("{month} {y}"),
                format!("{month}, {y}"),
                format!("{month} of {y}"),
                format!("{short} {y}"),
                format!("{m:02}/{y}"),
                format!("{y}-{m:02}"),
            ]
        }
        (None, Some(m), Some(d)) => {
            let (month, short, th) = (name(m), name(m).get(..3).unwrap_or_default(), ordinal_ending(d));
            vec![
                format!("{d} {month}"),
                format!("{month} {d}"),
                format!("{d}{th} {month}"),
                format!("{d}{th} of {month}"),
                format!("{month} {d}{th}"),
                format!("{d} {short}"),
                format!("{short} {d}"),
            ]
        }
        _ => Vec::new(),
    }
}
