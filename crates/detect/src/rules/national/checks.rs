//! Shared by the rules of national numbers.

use crate::kind::Kind;
use crate::rules::rule::{Rule, Verdict};

/// A rule for national numbers.
pub(super) fn id(name: &'static str, about: &'static str, score: f32) -> Rule {
    Rule::new(name, Kind::NationalId, about, score)
}

/// The verdict of a check that a number must pass.
pub(super) fn must(fits: bool) -> Verdict {
    if fits { Verdict::Valid } else { Verdict::Invalid }
}

/// The verdict of a check that a number may fail, for example because of a typing error.
pub(super) fn may(fits: bool) -> Verdict {
    if fits { Verdict::Valid } else { Verdict::Unsure }
}

/// Returns whether day and month are possible.
pub(super) fn is_day(day: u32, month: u32) -> bool {
    (1..=31).contains(&day) && (1..=12).contains(&month)
}

/// Returns the number of these digits.
pub(super) fn number(digits: &[u32]) -> u32 {
    digits.iter().fold(0, |number, digit| number * 10 + digit)
}
