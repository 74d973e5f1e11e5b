//! `inkveil attack`: what can be found out from a release.

mod pairs;
mod style;
mod text;

use inkveil_eval::metrics::Estimate;

use crate::args::{AttackArgs, AttackCommand};
use crate::outcome::Outcome;
use crate::vector;

pub(crate) fn run(args: &AttackArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        AttackCommand::Text(args) => text::run(args),
        AttackCommand::Vector(args) => vector::attack(args),
        AttackCommand::Style(args) => style::run(args),
    }
}

/// A share in percent, with its interval.
fn percent(estimate: &Estimate) -> String {
    format!("{:5.1} %  ({:.1} to {:.1})", 100.0 * estimate.mean, 100.0 * estimate.low, 100.0 * estimate.high)
}
