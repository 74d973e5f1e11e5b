//! `inkveil eval`: experiments and their results.

mod run;

use std::io::Write as _;

use anyhow::{Context as _, ensure};
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
    let text = Experiment::find(name)?.to_toml()?;
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
    let all: Vec<Results> = args.results.iter().map(|path| Results::open(path)).collect::<Result<_, _>>()?;
    Output::file(&args.output, args.force)?.put(results::page(&all).as_bytes())?;
    Ok(Outcome::Success)
}
