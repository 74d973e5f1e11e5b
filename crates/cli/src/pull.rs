//! `inkveil pull`: models from their source into the cache.

use std::sync::atomic::AtomicBool;

use anyhow::bail;
use indicatif::ProgressBar;
use inkveil_pack::{
    Cache, Environment, ErrorKind, ModelSource, Monitor, NetworkSettings, Pack, PackName, ProgressEvent,
    Puller,
};
use owo_colors::OwoColorize;

use crate::args::PullArgs;
use crate::models::size;
use crate::outcome::Outcome;
use crate::{interrupt, progress};

pub(crate) fn run(args: &PullArgs) -> anyhow::Result<Outcome> {
    if args.name.is_some() && args.sources.len() > 1 {
        bail!("--name is for one source; pull the others on their own");
    }
    let environment = Environment::of_process();
    let settings =
        NetworkSettings::new(environment.clone()).with_index(args.index.clone()).with_offline(args.offline);
    let puller = Puller::new(Cache::new(&environment)?, settings);
    let cancel = interrupt::flag()?;
    for source in &args.sources {
        let result = watched(args.quiet, &cancel, |monitor| {
            puller.pull(source, args.name.clone(), args.force, monitor)
        });
        match result {
            Ok(pulled) if !args.quiet => tell(source, &pulled.pack, pulled.is_new),
            Ok(_) => {}
            Err(error) if error.kind() == &ErrorKind::Cancelled => {
                return Ok(interrupted(source, args.name.as_ref()));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Outcome::Success)
}

fn tell(source: &ModelSource, pack: &Pack, is_new: bool) {
    let Some(manifest) = pack.manifest() else { return };
    let (bytes, licence) = (size(manifest.bytes()), &manifest.provenance().licence);
    let place = pack.folder().display();
    if is_new {
        anstream::eprintln!("{} {source}, {bytes}, {licence}, is in {place}", "ok:".green().bold());
    } else {
        anstream::eprintln!(
            "{} {source} was here already, in {place}; --force gets it again",
            "ok:".green().bold()
        );
    }
}

fn interrupted(source: &ModelSource, name: Option<&PackName>) -> Outcome {
    let name = name.map(|name| format!(" --name {name}")).unwrap_or_default();
    anstream::eprintln!(
        "{} what has come so far is kept; go on with `inkveil pull {source}{name}`",
        "interrupted:".yellow().bold()
    );
    Outcome::Interrupted
}

/// Does something long with a bar that shows how far it is, where someone is looking.
pub(crate) fn watched<T>(quiet: bool, cancel: &AtomicBool, work: impl FnOnce(&mut Monitor<'_>) -> T) -> T {
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
            bar.suspend(|| anstream::eprintln!("{} {text}", "note:".yellow().bold()));
        }
        _ => {}
    };
    let result = work(&mut Monitor::new(&mut listener, cancel));
    bar.finish_and_clear();
    result
}
