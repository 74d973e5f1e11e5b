//! `inkveil session`: the conversations that are kept, and how other commands find them.

use std::io::Write as _;

use anyhow::{Context as _, bail};
use inkveil::pack::Environment;
use inkveil::privacy::Secret;
use inkveil::release::{MapSettings, Sessions};
use inkveil::restore::{KeySource, ReplacementMap};

use crate::args::{PASSPHRASE, SessionAction, SessionArgs};
use crate::outcome::Outcome;
use crate::printed;

pub(crate) fn run(args: &SessionArgs) -> anyhow::Result<Outcome> {
    let sessions = Sessions::of(&Environment::of_process())?;
    match &args.action {
        SessionAction::List => {
            for session in sessions.list()? {
                let key = match session.key {
                    Some(KeySource::KeyFile) => "key file",
                    Some(KeySource::Passphrase) => "passphrase",
                    None => "damaged",
                };
                writeln!(printed::stdout()?, "{}\t{key}", session.name).context("cannot write")?;
            }
        }
        SessionAction::Delete { name } => sessions.delete(name)?,
    }
    Ok(Outcome::Success)
}

/// The map of a session that `text` continues or begins.
pub(crate) fn settings(name: &str) -> anyhow::Result<MapSettings> {
    Ok(Sessions::of(&Environment::of_process())?.settings(name, passphrase()?)?)
}

/// The pairs of a session.
pub(crate) fn open(name: &str) -> anyhow::Result<ReplacementMap> {
    Ok(Sessions::of(&Environment::of_process())?.open(name, passphrase()?)?)
}

fn passphrase() -> anyhow::Result<Option<Secret<String>>> {
    match std::env::var(PASSPHRASE) {
        Ok(passphrase) if !passphrase.is_empty() => Ok(Some(Secret::new(passphrase))),
        Err(std::env::VarError::NotUnicode(_)) => bail!("{PASSPHRASE} is not valid UTF-8"),
        _ => Ok(None),
    }
}
