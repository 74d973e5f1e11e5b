//! `inkveil restore`: originals back in the place of replacements.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, anyhow, bail, ensure};
use inkveil_io::Output;
use inkveil_privacy::Secret;
use inkveil_restore::{
    ErrorKind, KeySource, MapKey, ReplacementMap, RestoreOptions, RestoreReport, Restorer,
};
use owo_colors::OwoColorize;

use crate::args::RestoreArgs;
use crate::outcome::Outcome;
use crate::{interrupt, visible};

/// Where the passphrase may stand.
pub(crate) const PASSPHRASE: &str = "INKVEIL_PASSPHRASE";

pub(crate) fn run(args: &RestoreArgs) -> anyhow::Result<Outcome> {
    let named = |path: &'_ Path| path != Path::new("-");
    let input = args.input.as_deref().filter(|path| named(path));
    let output = args.output.as_deref().filter(|path| named(path));
    // What is wrong with files is told before a passphrase is asked for.
    let file = input
        .map(|path| File::open(path).with_context(|| format!("cannot read {}", path.display())))
        .transpose()?;
    let target = match output {
        Some(path) => open_output(path, input, args.force)?,
        None => Output::stdout(),
    };
    let map = ReplacementMap::open(&args.map, &key(args)?)?;
    let restorer = Restorer::new(&map, RestoreOptions::default().parts(args.parts))?;
    let reader: Box<dyn Read> = match file {
        Some(file) => Box::new(file),
        None => Box::new(io::stdin().lock()),
    };
    // Only a file must be cleared away.
    let stopped = if output.is_some() { interrupt::flag()? } else { Arc::default() };
    let mut sink = target.stream();
    let report = restorer
        .restore(Stoppable { reader, stopped: Arc::clone(&stopped) }, &mut sink)
        .map_err(|error| explained(error, &stopped))?;
    sink.finish(0).commit()?;
    tell(&report, args.report);
    Ok(Outcome::Success)
}

fn open_output(path: &Path, input: Option<&Path>, replace: bool) -> anyhow::Result<Output> {
    let output = Output::file(path, replace).map_err(|error| match error.kind() {
        inkveil_io::ErrorKind::Exists => {
            anyhow!("{} exists already; choose another name, or say --force", path.display())
        }
        _ => error.into(),
    })?;
    let is_input =
        input.and_then(|input| input.canonicalize().ok()).is_some_and(|input| output.replaces(&input));
    ensure!(!is_input, "{} is the input; choose another name for the output", path.display());
    Ok(output)
}

/// The key that the map needs.
fn key(args: &RestoreArgs) -> anyhow::Result<MapKey> {
    let map = args.map.display();
    match (ReplacementMap::key_source(&args.map)?, &args.map_key) {
        (KeySource::KeyFile, Some(path)) => Ok(MapKey::from_file(path)?),
        (KeySource::KeyFile, None) => bail!("{map} is sealed with a key file; name it with --map-key"),
        (KeySource::Passphrase, None) => Ok(MapKey::from_passphrase(passphrase(&map.to_string())?)?),
        (KeySource::Passphrase, Some(_)) => {
            bail!("{map} is sealed with a passphrase, not with a key file; leave out --map-key")
        }
    }
}

fn passphrase(map: &str) -> anyhow::Result<Secret<String>> {
    match std::env::var(PASSPHRASE) {
        Ok(passphrase) => return Ok(Secret::new(passphrase)),
        Err(std::env::VarError::NotUnicode(_)) => bail!("{PASSPHRASE} is not valid UTF-8"),
        Err(std::env::VarError::NotPresent) => {}
    }
    rpassword::prompt_password(format!("Passphrase of {map}: ")).map(Secret::new).map_err(|_| {
        anyhow!("{map} is sealed with a passphrase, and there is no terminal to ask on; set {PASSPHRASE}")
    })
}

/// Ends where the user interrupts.
struct Stoppable {
    reader: Box<dyn Read>,
    stopped: Arc<AtomicBool>,
}

impl Read for Stoppable {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(io::Error::other("interrupted"));
        }
        self.reader.read(into)
    }
}

fn explained(error: inkveil_restore::Error, stopped: &AtomicBool) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Io { kind: io::ErrorKind::BrokenPipe, .. } => {
            io::Error::from(io::ErrorKind::BrokenPipe).into()
        }
        ErrorKind::Io { .. } if stopped.load(Ordering::Relaxed) => {
            inkveil_io::Error::from(inkveil_io::ErrorKind::Cancelled).into()
        }
        _ => error.into(),
    }
}

/// What was put back if that is asked for, and what could not be in any case.
fn tell(report: &RestoreReport, counts: bool) {
    if counts {
        let kinds: Vec<String> = report.by_kind().map(|(kind, count)| format!("{kind} {count}")).collect();
        let kinds = if kinds.is_empty() { String::new() } else { format!(": {}", shown(&kinds.join(", "))) };
        anstream::eprintln!("put back {}{kinds}", report.restored());
    }
    for left in report.ambiguous() {
        anstream::eprintln!(
            "{} {} ({}) stands for several originals and was left, {}",
            "warning:".yellow().bold(),
            shown(left.replacement),
            shown(left.kind),
            if left.count == 1 { "once".to_owned() } else { format!("{} times", left.count) }
        );
    }
}

/// On one line, and nothing in it that a terminal acts on.
fn shown(text: &str) -> String {
    text.chars()
        .map(|c| if c == '\n' || c == '\t' { ' ' } else { visible::stand_in(c).unwrap_or(c) })
        .collect()
}
