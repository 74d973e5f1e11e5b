//! `inkveil restore`: replaces replacements by their originals.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, anyhow, bail, ensure};
use inkveil::documents::DocumentFormat;
use inkveil::files::Output;
use inkveil::privacy::Secret;
use inkveil::restore::{
    ErrorKind, KeySource, MapKey, ReplacementMap, RestoreOptions, RestoreReport, Restorer,
};

use crate::args::{PASSPHRASE, RestoreArgs};
use crate::outcome::Outcome;
use crate::{interrupt, printed, session, table};

pub(crate) fn run(args: &RestoreArgs) -> anyhow::Result<Outcome> {
    let named = |path: &'_ Path| path != Path::new("-");
    let input = args.input.as_deref().filter(|path| named(path));
    let output = args.output.as_deref().filter(|path| named(path));
    // Problems with files are reported before a passphrase is asked for.
    let file = input
        .map(|path| File::open(path).with_context(|| format!("cannot read {}", path.display())))
        .transpose()?;
    let target = match output {
        Some(path) => open_output(path, input, args.force)?,
        None => Output::stdout()?,
    };
    let map = match (&args.session, &args.map) {
        (Some(name), _) => session::open(name)?,
        (None, Some(map)) => ReplacementMap::open(map, &key(map, args)?)?,
        (None, None) => bail!("name a map with --map, or a session with --session"),
    };
    let restorer = Restorer::new(&map, RestoreOptions::default().parts(args.parts))?;
    let document = input.and_then(DocumentFormat::of).filter(|format| !is_plain(*format));
    if let (Some(format), Some(mut file)) = (document, file.as_ref()) {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).context("cannot read the document")?;
        let (restored, report) = inkveil::documents::restore(&restorer, &bytes, format)?;
        target.put(&restored)?;
        tell(&report, args.report);
        return Ok(Outcome::Success);
    }
    let reader: Box<dyn Read> = match file {
        Some(file) => Box::new(file),
        None => Box::new(io::stdin().lock()),
    };
    // Only an incomplete file must be removed.
    let stopped = if output.is_some() { interrupt::flag()? } else { Arc::default() };
    let mut sink = target.stream();
    let report = restorer
        .restore(Stoppable { reader, stopped: Arc::clone(&stopped) }, &mut sink)
        .map_err(|error| explained(error, &stopped))?;
    sink.finish(0).commit()?;
    tell(&report, args.report);
    Ok(Outcome::Success)
}

/// Whether a document is restored as a plain text: it holds its text as it is.
fn is_plain(format: DocumentFormat) -> bool {
    matches!(format, DocumentFormat::Markdown | DocumentFormat::WhatsApp | DocumentFormat::Chat)
}

fn open_output(path: &Path, input: Option<&Path>, replace: bool) -> anyhow::Result<Output> {
    // Restored answers hold originals.
    let advice = "exists already; choose another name, or replace it with --force";
    let output = printed::unless_it_exists(Output::private_file(path, replace), path, advice)?;
    let is_input =
        input.and_then(|input| input.canonicalize().ok()).is_some_and(|input| output.replaces(&input));
    ensure!(!is_input, "{} is the input; choose another name for the output", path.display());
    Ok(output)
}

/// The key that the map needs.
fn key(map: &Path, args: &RestoreArgs) -> anyhow::Result<MapKey> {
    let (source, map) = (ReplacementMap::key_source(map)?, map.display());
    match (source, &args.map_key) {
        (KeySource::KeyFile, Some(path)) => Ok(MapKey::from_file(path)?),
        (KeySource::KeyFile, None) => bail!("{map} is encrypted with a key file; name it with --map-key"),
        (KeySource::Passphrase, None) => Ok(MapKey::from_passphrase(passphrase(&map.to_string())?)?),
        (KeySource::Passphrase, Some(_)) => {
            bail!("{map} is encrypted with a passphrase, not with a key file; leave out --map-key")
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
        anyhow!(
            "{map} is encrypted with a passphrase, and there is no terminal to ask for it; set {PASSPHRASE}"
        )
    })
}

/// Stops when the user interrupts.
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

fn explained(error: inkveil::restore::Error, stopped: &AtomicBool) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Io { cause, .. } if cause.kind() == io::ErrorKind::BrokenPipe => {
            io::Error::from(io::ErrorKind::BrokenPipe).into()
        }
        ErrorKind::Io { .. } if stopped.load(Ordering::Relaxed) => {
            inkveil::Error::from(inkveil::ErrorKind::Cancelled).into()
        }
        _ => error.into(),
    }
}

/// Reports what was restored if asked, and always what could not be restored.
fn tell(report: &RestoreReport, counts: bool) {
    if counts {
        let kinds: Vec<String> = report.by_kind().map(|(kind, count)| format!("{kind} {count}")).collect();
        let kinds = if kinds.is_empty() { String::new() } else { format!(": {}", shown(&kinds.join(", "))) };
        say!("restored {}{kinds}", report.restored());
    }
    let warn = |replacement: &str, what: String, count: u64| {
        let replacement = shown(replacement);
        tell!(yellow, "warning:", "{replacement} {what} and was left unchanged, {}", times(count));
    };
    for left in report.ambiguous() {
        warn(left.replacement, format!("({}) stands for several originals", shown(left.kind)), left.count);
    }
    for left in report.in_longer_names() {
        warn(left.replacement, format!("({}) is a part of a longer name", shown(left.kind)), left.count);
    }
    for left in report.words() {
        warn(left.replacement, format!("is a part of a replaced {}", shown(left.kind)), left.count);
    }
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

fn shown(text: &str) -> String {
    table::on_one_line(text, ' ')
}
