//! `inkveil attack`: attacks on a release.

mod pairs;
mod style;
mod text;

use std::io::Write as _;

use anyhow::Context as _;
use indicatif::ProgressBar;
use inkveil_eval::metrics::Estimate;
use owo_colors::OwoColorize as _;

use crate::args::{AttackArgs, AttackCommand};
use crate::outcome::Outcome;
use crate::printed;
use crate::{progress, vector};

pub(crate) fn run(args: &AttackArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        AttackCommand::Text(args) => text::run(args),
        AttackCommand::Vector(args) => vector::attack(args),
        AttackCommand::Style(args) => style::run(args),
    }
}

/// A spinner that shows the current step.
pub(crate) fn spinner(quiet: bool) -> ProgressBar {
    progress::bar(None, "{spinner} {msg}  {elapsed}", quiet)
}

/// The report, or the outcome if the user interrupted the attack.
pub(crate) fn finished<R>(report: Result<R, inkveil_eval::Error>) -> anyhow::Result<Result<R, Outcome>> {
    match report {
        Err(error) if matches!(error.kind(), inkveil_eval::ErrorKind::Cancelled) => {
            say!("{} there is no result", "interrupted:".yellow().bold());
            Ok(Err(Outcome::Interrupted))
        }
        report => Ok(Ok(report?)),
    }
}

/// Prints a report as text, or as JSON with the advice.
pub(crate) fn print(
    json: bool,
    report: &impl serde::Serialize,
    advice: Option<&str>,
    text: impl FnOnce() -> String,
) -> anyhow::Result<Outcome> {
    let shown = if json {
        let mut value = serde_json::to_value(report)?;
        if let (Some(fields), Some(advice)) = (value.as_object_mut(), advice) {
            fields.insert("advice".to_owned(), advice.into());
        }
        serde_json::to_string_pretty(&value)? + "\n"
    } else {
        text()
    };
    printed::stdout()?.write_all(shown.as_bytes()).context("cannot write to standard output")?;
    Ok(Outcome::Success)
}

/// A share in percent, with its interval.
pub(crate) fn percent(estimate: &Estimate) -> String {
    format!("{:5.1} %  ({:.1} to {:.1})", 100.0 * estimate.mean, 100.0 * estimate.low, 100.0 * estimate.high)
}
