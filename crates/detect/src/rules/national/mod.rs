//! Numbers that states assign to people: social security, tax, health insurance, identity cards.
//!
//! A number with a check digit and a distinctive format is found on its own. Other numbers need a context
//! word.

mod america;
mod asia;
mod british;
mod business;
mod checks;
mod europe;

use super::rule::Rule;

pub(super) fn rules() -> Vec<Rule> {
    [america::rules(), british::rules(), europe::rules(), asia::rules(), business::rules()]
        .into_iter()
        .flatten()
        .collect()
}
