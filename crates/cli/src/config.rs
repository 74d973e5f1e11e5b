//! `inkveil config`: settings files, checked and begun.

mod meaning;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use inkveil::{AtZero, TextConfig, TextSettings, TextVeil};
use owo_colors::OwoColorize;

use crate::args::ConfigArgs;
use crate::outcome::Outcome;

/// A file that says the defaults.
const EXAMPLE: &str = include_str!("config/example.toml");

/// The pack of settings that name none.
const PACK: &str = "en";

pub(crate) fn run(args: &ConfigArgs) -> anyhow::Result<Outcome> {
    match args.file_to_check() {
        Some(file) => check(file),
        None => {
            std::io::stdout().write_all(EXAMPLE.as_bytes()).context("cannot write the example")?;
            Ok(Outcome::Success)
        }
    }
}

fn check(file: &Path) -> anyhow::Result<Outcome> {
    let name = file.display();
    if !file.exists() {
        bail!("{name} is not there; write one to begin with: inkveil config example > {name}");
    }
    let config = TextConfig::open(file)?;
    let pack = config.pack.as_deref().unwrap_or(PACK);
    let veil = match present(pack).with_context(|| name.to_string())? {
        Some(folder) => {
            let opened = inkveil::names_folder(&folder).and_then(|names| {
                Ok(TextVeil::open_with(&folder, &names, without_model(&config.settings), None)?)
            });
            Some(opened.with_context(|| format!("{name}: with the pack {pack}"))?)
        }
        None => None,
    };
    if config.settings.at_zero == AtZero::Fill {
        match &config.model {
            Some(model) => drop(present(model).with_context(|| name.to_string())?),
            None => {
                warn("at-zero = \"fill\" needs a language model; add model = \"smollm2\", or say --model")
            }
        }
    }
    let mut out = anstream::stdout();
    writeln!(out, "{} {name}", "ok:".green().bold()).context("cannot write")?;
    for (about, words) in meaning::lines(&config, pack, veil.as_ref()) {
        writeln!(out, "{about:<13}{words}").context("cannot write")?;
    }
    Ok(Outcome::Success)
}

/// The folder of a pack. One that is not on this machine is said to be missing, and is no mistake of the file.
fn present(pack: &str) -> anyhow::Result<Option<PathBuf>> {
    use std::io::ErrorKind::{NotADirectory, NotFound};

    match inkveil_pack::find_pack(pack) {
        Ok(pack) => return Ok(Some(pack.folder().to_owned())),
        Err(error) => match error.kind() {
            kind @ inkveil_pack::ErrorKind::NotFound { .. } => {
                warn(&format!("{pack} was not checked: {kind}"))
            }
            inkveil_pack::ErrorKind::Io { kind: NotFound | NotADirectory, .. } => {
                warn(&format!("{pack} was not checked: there is no such folder"));
            }
            _ => return Err(error.into()),
        },
    }
    Ok(None)
}

/// The same settings, such that no language model is needed to open them: it may be gigabytes, and says nothing about settings.
fn without_model(settings: &TextSettings) -> TextSettings {
    let mut settings = settings.clone();
    if settings.at_zero == AtZero::Fill {
        settings.at_zero = AtZero::Mask;
    }
    settings
}

fn warn(words: &str) {
    anstream::eprintln!("{} {words}", "warning:".yellow().bold());
}

#[cfg(test)]
mod tests;
