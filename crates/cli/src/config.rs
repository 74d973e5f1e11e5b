//! `inkveil config`: checks settings files and prints an example.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use inkveil::pack;
use inkveil::{AtZero, TextConfig, TextSettings, TextVeil};
use owo_colors::OwoColorize;

use crate::args::ConfigArgs;
use crate::outcome::Outcome;
use crate::printed;

/// The settings file that is found by itself.
const FILE: &str = "inkveil.toml";

/// Opens a settings file. Messages about it quote its lines, so a file of another kind, such as a table that was named by
/// mistake, is refused by its name.
pub(crate) fn open(file: &Path) -> anyhow::Result<TextConfig> {
    let is_settings = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    ensure!(is_settings, "{}: the name of a settings file ends with .toml", file.display());
    Ok(TextConfig::open(file)?)
}

/// The settings file to use: the one named, or inkveil.toml in the current folder, which is announced.
pub(crate) fn find(named: Option<&Path>, quiet: bool) -> Option<PathBuf> {
    if let Some(path) = named {
        return Some(path.to_owned());
    }
    let found = Path::new(FILE).is_file().then(|| PathBuf::from(FILE))?;
    if !quiet {
        tell!(yellow, "note:", "settings from {FILE} in this folder");
    }
    Some(found)
}

pub(crate) fn run(args: &ConfigArgs) -> anyhow::Result<Outcome> {
    match args.file_to_check() {
        Some(file) => check(file),
        None => {
            printed::stdout()?
                .write_all(TextConfig::EXAMPLE.as_bytes())
                .context("cannot write the example")?;
            Ok(Outcome::Success)
        }
    }
}

fn check(file: &Path) -> anyhow::Result<Outcome> {
    let name = file.display();
    if !file.exists() {
        bail!("{name} does not exist; write an example with: inkveil config example > {name}");
    }
    let config = open(file)?;
    let pack = config.pack.as_deref().unwrap_or(inkveil::DEFAULT_PACK);
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
                warn("at-zero = \"fill\" needs a language model; add model = \"smollm2\", or use --model")
            }
        }
    }
    let mut out = printed::coloured()?;
    writeln!(out, "{} {name}", "ok:".green().bold()).context("cannot write")?;
    for (about, words) in config.in_words(pack, veil.as_ref()) {
        writeln!(out, "{about:<13}{words}").context("cannot write")?;
    }
    Ok(Outcome::Success)
}

/// The folder of a pack. A missing pack is reported, but it is not a mistake in the file.
fn present(name: &str) -> anyhow::Result<Option<PathBuf>> {
    match pack::find_pack(name) {
        Ok(pack) => return Ok(Some(pack.folder().to_owned())),
        Err(error) => match error.kind() {
            pack::ErrorKind::NotFound { .. } => warn(&format!("{name} was not checked: {}", error.kind())),
            pack::ErrorKind::Io { cause, .. }
                if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                warn(&format!("{name} was not checked: there is no such folder"));
            }
            _ => return Err(error.into()),
        },
    }
    Ok(None)
}

/// The same settings without a language model, which may be gigabytes and does not affect the check.
fn without_model(settings: &TextSettings) -> TextSettings {
    let mut settings = settings.clone();
    if settings.at_zero == AtZero::Fill {
        settings.at_zero = AtZero::Mask;
    }
    settings
}

fn warn(words: &str) {
    tell!(yellow, "warning:", "{words}");
}
