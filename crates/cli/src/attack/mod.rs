//! `inkveil attack`: attacks on a release.

mod pairs;
mod style;
mod text;

use std::io::Write as _;
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;
use inkveil_eval::{Error, ErrorKind, Watch};

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

/// Runs an attack with a spinner that shows the current step. Returns the report, or none if the user interrupted it.
pub(crate) fn watched<R>(
    quiet: bool,
    cancel: &AtomicBool,
    attack: impl FnOnce(&Watch<'_>) -> Result<R, Error>,
) -> anyhow::Result<Option<R>> {
    let bar = progress::bar(None, "{spinner} {msg}  {elapsed}", quiet);
    let report = attack(&Watch { progress: &|step| bar.set_message(step.to_owned()), cancel });
    bar.finish_and_clear();
    match report {
        Err(error) if matches!(error.kind(), ErrorKind::Cancelled) => {
            tell!(yellow, "interrupted:", "there is no result");
            Ok(None)
        }
        report => Ok(Some(report?)),
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
