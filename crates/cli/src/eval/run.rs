//! `inkveil eval run`.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::{Context as _, bail};
use inkveil::names_folder;
use inkveil_eval::attack::Base;
use inkveil_eval::experiment::{self, Bench, Experiment, Lexicons, Reader};
use inkveil_nn::Device;
use owo_colors::OwoColorize as _;

use super::{files, named};
use crate::args::RunArgs;
use crate::outcome::Outcome;
use crate::{device, interrupt, progress};
use inkveil::pack_folder;

/// Where measurements are kept, in the folder of the results.
const CELLS: &str = "cells";

pub(super) fn run(args: &RunArgs) -> anyhow::Result<Outcome> {
    let experiments = args.experiments.iter().map(|name| named(name)).collect::<Result<Vec<_>, _>>()?;
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot make the folder {}", args.output.display()))?;
    let device = device::open(args.device)?;
    let cancel = interrupt::flag()?;
    let mut done = Vec::new();
    for experiment in experiments {
        let mut experiment = if args.quick { experiment.quick() } else { experiment };
        let mut flags = if args.quick { " --quick".to_owned() } else { String::new() };
        if !args.seeds.is_empty() {
            experiment.seeds.clone_from(&args.seeds);
            let seeds: Vec<String> = args.seeds.iter().map(u64::to_string).collect();
            flags += &format!(" --seeds {}", seeds.join(","));
        }
        let pack = pack(args, &mut experiment, &mut flags)?;
        let names = names_folder(&pack)?;
        let reader = reader(args, &device, &mut experiment, &mut flags)?;
        let base = base(&device, &mut experiment)?;
        let bench = Bench {
            data: &args.data,
            pack: &pack,
            names: &names,
            lexicons: &Lexicons::default(),
            reader: reader.as_ref(),
            base: base.as_ref(),
            device: &device,
            store: &args.output.join(CELLS),
            command: &format!("inkveil eval run {} --data DATA -o RESULTS{flags}", experiment.name),
            commit: &args.commit,
        };
        let bar = progress::bar(Some(0), "{msg}\n{bar:30} {pos}/{len}  {elapsed}  {eta} left", args.quiet);
        let mut kept = 0;
        let results = experiment::run(&experiment, &bench, &mut |told| {
            bar.set_length((told.total - told.kept) as u64);
            // What was kept took no time, so it must not count in how long the rest will take.
            bar.set_position((told.done - told.kept) as u64);
            bar.set_message(format!("{}  {}", experiment.name, told.now));
            kept = told.kept;
            !cancel.load(Ordering::Relaxed)
        });
        bar.finish_and_clear();
        let mut results = results?;
        if args.quick {
            results.leave_out_unmeasured();
        }
        files::write(&args.output, &results)?;
        done.push(results.name.clone());
        if !args.quiet {
            let cells = results.cells.len();
            let known =
                if kept > 0 { format!(", {kept} measurements were there already") } else { String::new() };
            anstream::eprintln!("{} {}: {cells} cells{known}", "measured".bold(), experiment.name);
        }
    }
    files::write_page(&args.output, &done)?;
    if !args.quiet {
        anstream::eprintln!("{} {}", "to read".bold(), args.output.join("report.html").display());
    }
    Ok(Outcome::Success)
}

/// The folder of the pack. Results name it, never where it is.
fn pack(args: &RunArgs, experiment: &mut Experiment, flags: &mut String) -> anyhow::Result<PathBuf> {
    let chosen = args.pack.clone().or_else(|| experiment.pack.clone());
    let folder = pack_folder(chosen.as_deref().unwrap_or("en"))?;
    experiment.pack = chosen.as_deref().map(inkveil::public_model_name);
    if let (Some(public), true) = (&experiment.pack, args.pack.is_some()) {
        *flags += &format!(" --pack '{public}'");
    }
    Ok(folder)
}

/// The model that answers questions, if an experiment asks some. Results name it, never where it is.
fn reader(
    args: &RunArgs,
    device: &Device,
    experiment: &mut Experiment,
    flags: &mut String,
) -> anyhow::Result<Option<Reader>> {
    let Some(study) = &mut experiment.text else { return Ok(None) };
    let Some(name) = args.reader.clone().or_else(|| study.reader.clone()) else { return Ok(None) };
    let public = inkveil::public_model_name(&name);
    if args.reader.is_some() {
        *flags += &format!(" --reader '{public}'");
    }
    study.reader = Some(public);
    Ok(Some(Reader::new(inkveil::open_model_on(&name, device)?)))
}

/// The local language model that an experiment names, if it does: it rewrites texts, whoever writes sentences from vectors begins from it, or an
/// attacker on words reads with it.
fn base(device: &Device, experiment: &mut Experiment) -> anyhow::Result<Option<Base>> {
    let inverts = experiment.vectors.as_mut().and_then(|study| study.inversion.as_mut());
    let named: Vec<&mut String> = [
        inverts.map(|inversion| &mut inversion.model),
        experiment.style.as_mut().and_then(|study| study.model.as_mut()),
        experiment.text.as_mut().and_then(|study| study.attack_model.as_mut()),
    ]
    .into_iter()
    .flatten()
    .collect();
    let named = match named.len() {
        0 => return Ok(None),
        1 => named.into_iter().next(),
        _ => bail!("{}: one language model at a time; make two experiments of it", experiment.name),
    };
    let Some(named) = named else { return Ok(None) };
    let path = inkveil::model_path(named)?;
    *named = inkveil::public_model_name(named);
    Ok(Some(Base { path, device: device.clone() }))
}
