//! Numbers that states give to people: social security, tax, health insurance, identity cards.
//!
//! A number with a check digit and a form of its own speaks for itself; digits alone need a word that names them.

mod america;
mod asia;
mod british;
mod business;
mod europe;

use super::rule::{Rule, Verdict};
use crate::Kind;

pub(super) fn rules() -> Vec<Rule> {
    [america::rules(), british::rules(), europe::rules(), asia::rules(), business::rules()]
        .into_iter()
        .flatten()
        .collect()
}

fn id(name: &'static str, about: &'static str, score: f32) -> Rule {
    Rule::new(name, Kind::NationalId, about, score)
}

/// A check digit either fits or this is some other number.
fn must(fits: bool) -> Verdict {
    if fits { Verdict::Valid } else { Verdict::Invalid }
}

/// A check digit speaks for a number, but people mistype and invent: a label may still call it one.
fn may(fits: bool) -> Verdict {
    if fits { Verdict::Valid } else { Verdict::Unsure }
}

/// Whether day and month are possible.
fn is_day(day: u32, month: u32) -> bool {
    (1..=31).contains(&day) && (1..=12).contains(&month)
}

/// The number that some of the digits make.
fn number(digits: &[u32]) -> u32 {
    digits.iter().fold(0, |number, digit| number * 10 + digit)
}
