//! `inkveil eval`: experiments, and what they found.

mod data;
mod files;
mod run;

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use inkveil_eval::experiment::Experiment;
use inkveil_eval::report::{self, Results};
use inkveil_files::Output;

use crate::args::{EvalArgs, EvalCommand, ReportArgs};
use crate::outcome::Outcome;

pub(crate) fn run(args: &EvalArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        EvalCommand::List => list(),
        EvalCommand::Show(args) => show(&args.name),
        EvalCommand::Data(args) => data::run(args),
        EvalCommand::Run(args) => run::run(args),
        EvalCommand::Report(args) => page(args),
    }
}

fn list() -> anyhow::Result<Outcome> {
    let mut out = std::io::stdout().lock();
    for experiment in Experiment::known()? {
        writeln!(out, "{}\t{}", experiment.name, experiment.title).context("cannot write")?;
    }
    Ok(Outcome::Success)
}

fn show(name: &str) -> anyhow::Result<Outcome> {
    let text = named(name)?.to_toml()?;
    std::io::stdout().write_all(text.as_bytes()).context("cannot write")?;
    Ok(Outcome::Success)
}

/// An experiment by its name, or in a file.
fn named(name: &str) -> anyhow::Result<Experiment> {
    let path = Path::new(name);
    if path.extension().is_some() || path.components().count() > 1 {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        return Ok(Experiment::from_toml(&text, path)?);
    }
    let known = Experiment::known()?;
    match known.iter().find(|experiment| experiment.name == name) {
        Some(experiment) => Ok(experiment.clone()),
        None => {
            let names: Vec<&str> = known.iter().map(|experiment| experiment.name.as_str()).collect();
            bail!(
                "there is no experiment {name:?}; known are {}, and any file that ends in .toml",
                names.join(", ")
            )
        }
    }
}

fn page(args: &ReportArgs) -> anyhow::Result<Outcome> {
    let results: Vec<Results> =
        args.results.iter().map(|path| files::read(path)).collect::<Result<_, _>>()?;
    let output = Output::file(&args.output, args.force)?;
    output.put(report::page(&results).as_bytes())?;
    Ok(Outcome::Success)
}
