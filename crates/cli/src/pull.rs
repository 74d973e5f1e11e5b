//! `inkveil pull`: downloads models into the cache.

use std::sync::atomic::AtomicBool;

use anyhow::bail;
use indicatif::ProgressBar;
use inkveil::pack::{
    Cache, Environment, ErrorKind, ModelSource, Monitor, NetworkSettings, Pack, PackName, ProgressEvent,
    Puller,
};

use crate::args::PullArgs;
use crate::models::size;
use crate::outcome::Outcome;
use crate::{interrupt, progress};

pub(crate) fn run(args: &PullArgs) -> anyhow::Result<Outcome> {
    if args.name.is_some() && args.sources.len() > 1 {
        bail!("--name needs exactly one source; pull the others separately");
    }
    let environment = Environment::of_process();
    let settings =
        NetworkSettings::new(environment.clone()).with_index(args.index.clone()).with_offline(args.offline);
    let puller = Puller::new(Cache::new(&environment)?, settings);
    let cancel = interrupt::flag()?;
    for source in &args.sources {
        let result =
            with_progress(args.quiet, &cancel, |job| puller.pull(source, args.name.clone(), args.force, job));
        match result {
            Ok(pulled) if !args.quiet => report(source, &pulled.pack, pulled.is_new),
            Ok(_) => {}
            Err(error) if error.kind() == &ErrorKind::Cancelled => {
                return Ok(interrupted(source, args.name.as_ref()));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Outcome::Success)
}

fn report(source: &ModelSource, pack: &Pack, is_new: bool) {
    let Some(manifest) = pack.manifest() else { return };
    let (bytes, licence) = (size(manifest.bytes()), &manifest.provenance().licence);
    let folder = pack.folder().display();
    if is_new {
        tell!(green, "ok:", "{source}, {bytes}, {licence}, is in {folder}");
    } else {
        tell!(green, "ok:", "{source} is already in {folder}; --force downloads it again");
    }
}

fn interrupted(source: &ModelSource, name: Option<&PackName>) -> Outcome {
    let name = name.map(|name| format!(" --name {name}")).unwrap_or_default();
    tell!(
        yellow,
        "interrupted:",
        "the bytes received so far are kept; resume with `inkveil pull {source}{name}`"
    );
    Outcome::Interrupted
}

/// Runs a long task with a progress bar if standard error is a terminal.
pub(crate) fn with_progress<T>(
    quiet: bool,
    cancel: &AtomicBool,
    work: impl FnOnce(&mut Monitor<'_>) -> T,
) -> T {
    let mut bar = ProgressBar::hidden();
    let mut listener = |event: ProgressEvent<'_>| match event {
        ProgressEvent::Stage { name, total } => {
            bar.finish_and_clear();
            let template = match total {
                Some(_) => "{msg} {bar:30} {bytes}/{total_bytes}  {eta} left",
                None => "{msg} {spinner} {bytes}",
            };
            bar = progress::bar(total, template, quiet);
            bar.set_message(name.to_owned());
        }
        ProgressEvent::Position { bytes } => bar.set_position(bytes),
        ProgressEvent::Message { text } if !quiet => {
            bar.suspend(|| tell!(yellow, "note:", "{text}"));
        }
        _ => {}
    };
    let result = work(&mut Monitor::new(&mut listener, cancel));
    bar.finish_and_clear();
    result
}
