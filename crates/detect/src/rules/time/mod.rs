//! Dates, times of day and ages.

mod age;
mod calendar;
mod clock;
mod date;

use super::rule::Rule;

pub(super) fn rules() -> Vec<Rule> {
    [date::rules(), clock::rules(), age::rules()].into_iter().flatten().collect()
}
