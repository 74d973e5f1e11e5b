//! `inkveil eval run`.

use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};
use inkveil::names_folder;
use inkveil::nn::Device;
use inkveil_eval::ErrorKind;
use inkveil_eval::attack::BaseModel;
use inkveil_eval::experiment::{self, AnsweringModel, Experiment, OpenLexicons, RunContext};
use inkveil_eval::results;
use owo_colors::OwoColorize as _;

use crate::args::RunArgs;
use crate::outcome::Outcome;
use crate::{device, interrupt, progress};
use inkveil::pack_folder;

/// The folder of measurements, inside the folder of results.
const CELLS: &str = "cells";

pub(super) fn run(args: &RunArgs) -> anyhow::Result<Outcome> {
    let experiments =
        args.experiments.iter().map(|name| Experiment::find(name)).collect::<Result<Vec<_>, _>>()?;
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot create the folder {}", args.output.display()))?;
    let device = device::open(args.device)?;
    let cancel = interrupt::flag()?;
    let mut done = Vec::new();
    for experiment in experiments {
        let prepared = Prepared::new(args, &device, experiment)?;
        let experiment = &prepared.experiment;
        let context = RunContext {
            data: &args.data,
            pack: &prepared.pack,
            names: &names_folder(&prepared.pack)?,
            lexicons: &OpenLexicons::default(),
            answering: prepared.answering.as_ref(),
            base: prepared.base.as_ref(),
            device: &device,
            store: &args.output.join(CELLS),
            command: &prepared.command,
            commit: &args.commit,
        };
        let bar = progress::bar(Some(0), "{msg}\n{bar:30} {pos}/{len}  {elapsed}  {eta} left", args.quiet);
        let mut stored = 0;
        let mut show = |progress: &experiment::RunProgress| {
            // Stored measurements took no time, so they must not count in the estimate.
            bar.set_length((progress.total - progress.stored) as u64);
            bar.set_position((progress.done - progress.stored) as u64);
            bar.set_message(format!("{}  {}", experiment.name, progress.now));
            stored = progress.stored;
        };
        let results = experiment::run(experiment, &context, &mut show, &cancel);
        bar.finish_and_clear();
        let mut results = match results {
            Err(error) if matches!(error.kind(), ErrorKind::Cancelled) => {
                tell!(
                    yellow,
                    "interrupted:",
                    "finished measurements are stored; run the same command to resume"
                );
                return Ok(Outcome::Interrupted);
            }
            results => results.map_err(with_advice)?,
        };
        if args.quick {
            results.remove_unmeasured();
        }
        results.write(&args.output)?;
        done.push(results.name.clone());
        if !args.quiet {
            let cells = results.cells.len();
            let reused =
                if stored > 0 { format!(", {stored} stored measurements reused") } else { String::new() };
            say!("{} {}: {cells} cells{reused}", "measured".bold(), experiment.name);
        }
    }
    results::write_page(&args.output, &done)?;
    if !args.quiet {
        say!("{} {}", "report".bold(), args.output.join(results::PAGE).display());
    }
    Ok(Outcome::Success)
}

/// Adds the flag that helps.
fn with_advice(error: inkveil_eval::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::NoTestSet => anyhow!("{error}; name the folder of test sets with --data"),
        ErrorKind::NoAnsweringModel => anyhow!("{error}; name one with --reader"),
        _ => error.into(),
    }
}

/// An experiment with the choices of the command line. Results name packs and models, never their
/// paths.
struct Prepared {
    experiment: Experiment,
    pack: PathBuf,
    answering: Option<AnsweringModel>,
    base: Option<BaseModel>,
    /// The command for the results.
    command: String,
}

impl Prepared {
    fn new(args: &RunArgs, device: &Device, experiment: Experiment) -> anyhow::Result<Self> {
        let mut experiment = if args.quick { experiment.quick() } else { experiment };
        let mut command = format!("inkveil eval run {} --data DATA -o RESULTS", experiment.name);
        if args.quick {
            command += " --quick";
        }
        if !args.seeds.is_empty() {
            experiment.seeds.clone_from(&args.seeds);
            let seeds: Vec<String> = args.seeds.iter().map(u64::to_string).collect();
            command += &format!(" --seeds {}", seeds.join(","));
        }
        let pack = args.pack.clone().or_else(|| experiment.pack.clone());
        experiment.pack = pack.as_deref().map(inkveil::public_model_name);
        if let (Some(name), true) = (&experiment.pack, args.pack.is_some()) {
            command += &format!(" --pack '{name}'");
        }
        let answering = answering(args, device, &mut experiment, &mut command)?;
        let base = base_model(device, &mut experiment)?;
        let pack = pack_folder(pack.as_deref().unwrap_or("en"))?;
        Ok(Self { experiment, pack, answering, base, command })
    }
}

/// The model that answers questions, if one is named.
fn answering(
    args: &RunArgs,
    device: &Device,
    experiment: &mut Experiment,
    command: &mut String,
) -> anyhow::Result<Option<AnsweringModel>> {
    let Some(study) = &mut experiment.text else { return Ok(None) };
    let Some(name) = args.reader.clone().or_else(|| study.reader.clone()) else { return Ok(None) };
    let public = inkveil::public_model_name(&name);
    if args.reader.is_some() {
        *command += &format!(" --reader '{public}'");
    }
    study.reader = Some(public);
    Ok(Some(AnsweringModel::new(inkveil::open_model_on(&name, device)?)))
}

/// The local language model of an experiment: it rewrites texts, inverts vectors or helps an
/// attacker on words.
fn base_model(device: &Device, experiment: &mut Experiment) -> anyhow::Result<Option<BaseModel>> {
    let inversion = experiment.vectors.as_mut().and_then(|study| study.inversion.as_mut());
    let mut named = [
        inversion.map(|inversion| &mut inversion.model),
        experiment.style.as_mut().and_then(|study| study.model.as_mut()),
        experiment.text.as_mut().and_then(|study| study.attack_model.as_mut()),
    ]
    .into_iter()
    .flatten();
    let Some(model) = named.next() else { return Ok(None) };
    if named.next().is_some() {
        bail!("{}: an experiment has one language model; split it into two experiments", experiment.name);
    }
    let path = inkveil::model_path(model)?;
    *model = inkveil::public_model_name(model);
    Ok(Some(BaseModel { path, device: device.clone() }))
}
