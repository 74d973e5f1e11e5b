//! `inkveil eval`: experiments and their results.

mod run;

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use inkveil::files::Output;
use inkveil_eval::data::Catalogue;
use inkveil_eval::experiment::Experiment;
use inkveil_eval::results::{self, Results};

use crate::args::{DataArgs, EvalArgs, EvalCommand, ReportArgs};
use crate::outcome::Outcome;
use crate::printed;

pub(crate) fn run(args: &EvalArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        EvalCommand::List => list(),
        EvalCommand::Show(args) => show(&args.name),
        EvalCommand::Data(args) => data(args),
        EvalCommand::Run(args) => run::run(args),
        EvalCommand::Report(args) => report(args),
    }
}

fn list() -> anyhow::Result<Outcome> {
    let mut out = printed::stdout()?;
    for experiment in Experiment::known()? {
        writeln!(out, "{}\t{}", experiment.name, experiment.title).context("cannot write")?;
    }
    Ok(Outcome::Success)
}

fn show(name: &str) -> anyhow::Result<Outcome> {
    let text = find(name)?.to_toml()?;
    printed::stdout()?.write_all(text.as_bytes()).context("cannot write")?;
    Ok(Outcome::Success)
}

fn data(args: &DataArgs) -> anyhow::Result<Outcome> {
    ensure!(args.data.is_dir(), "{} is not a folder; name the folder of test sets", args.data.display());
    let sets = Catalogue::known();
    let mut out = printed::stdout()?;
    let mut complete = true;
    for name in sets.names() {
        let found = sets.describe(name, &args.data).unwrap_or_else(|error| {
            complete = false;
            format!("not usable: {:#}", anyhow::Error::from(error))
        });
        writeln!(out, "{name}\t{}\t{found}", sets.get(name)?.about).context("cannot write")?;
    }
    Ok(if complete { Outcome::Success } else { Outcome::Failure })
}

fn report(args: &ReportArgs) -> anyhow::Result<Outcome> {
    let all: Vec<Results> = args.results.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    Output::file(&args.output, args.force)?.put(results::page(&all).as_bytes())?;
    Ok(Outcome::Success)
}

/// Finds an experiment by name, or reads its file.
fn find(name: &str) -> anyhow::Result<Experiment> {
    let path = Path::new(name);
    if path.extension().is_some() || path.components().count() > 1 {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        return Ok(Experiment::from_toml(&text, path)?);
    }
    let known = Experiment::known()?;
    if let Some(experiment) = known.iter().find(|experiment| experiment.name == name) {
        return Ok(experiment.clone());
    }
    let names: Vec<&str> = known.iter().map(|experiment| experiment.name.as_str()).collect();
    bail!("there is no experiment {name:?}; known are {}, and any file that ends in .toml", names.join(", "))
}

/// Reads results of `eval run`.
fn read(path: &Path) -> anyhow::Result<Results> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let read: Results = serde_json::from_str(&text)
        .with_context(|| format!("{} is not a file of `inkveil eval run`", path.display()))?;
    results::check(&read).with_context(|| path.display().to_string())?;
    Ok(read)
}
