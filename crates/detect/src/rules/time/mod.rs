//! Dates, times of day and ages.

mod age;
mod calendar;
mod clock;
mod date;

use super::rule::Rule;

pub(super) use calendar::FULL_MONTHS;

pub(super) fn rules() -> Vec<Rule> {
    [date::rules(), clock::rules(), age::rules()].into_iter().flatten().collect()
}
