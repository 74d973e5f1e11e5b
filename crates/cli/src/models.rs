//! `inkveil models`: lists, verifies, removes and makes packs.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use comfy_table::{CellAlignment, Table, presets};
use inkveil::pack::{
    Cache, Environment, ErrorKind, InstalledPack, KnownModel, Manifest, Pack, PackFolders, PackName,
    known_models,
};
use owo_colors::OwoColorize;
use serde_json::json;

use crate::args::{ModelsArgs, ModelsCommand};
use crate::outcome::Outcome;
use crate::printed;
use crate::{interrupt, make, pull};

pub(crate) fn run(args: &ModelsArgs) -> anyhow::Result<Outcome> {
    let environment = Environment::of_process();
    let folders = PackFolders::new(&environment);
    match &args.command {
        None => list(&folders, args.json),
        Some(ModelsCommand::List { json }) => list(&folders, *json),
        Some(ModelsCommand::Verify { names }) => verify(&folders, names),
        Some(ModelsCommand::Remove { name }) => remove(&Cache::new(&environment)?, name),
        Some(ModelsCommand::Make(args)) => make::run(args),
        Some(ModelsCommand::Add(args)) => make::add(args),
        Some(ModelsCommand::Path { name }) => {
            let pack = folders.find(name)?;
            writeln!(printed::stdout()?, "{}", pack.folder().display()).context("cannot write the path")?;
            Ok(Outcome::Success)
        }
    }
}

/// A row of the list.
struct Entry {
    name: String,
    known: Option<&'static KnownModel>,
    found: Option<InstalledPack>,
    /// The manifest if there is one, or why it cannot be used.
    manifest: Result<Option<Manifest>, inkveil::pack::Error>,
}

impl Entry {
    fn of_found(found: InstalledPack) -> Self {
        let known = known_models().iter().find(|model| model.name == found.name);
        let manifest = Pack::open_folder(&found.folder).map(|pack| pack.manifest().cloned());
        Self { name: found.name.clone(), known, found: Some(found), manifest }
    }

    fn of_known(model: &'static KnownModel) -> Self {
        Self { name: model.name.to_owned(), known: Some(model), found: None, manifest: Ok(None) }
    }

    fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref().ok()?.as_ref()
    }

    /// Returns its purpose or, if that is unknown, its origin.
    fn purpose(&self) -> String {
        match (self.known, &self.manifest) {
            (_, Err(error)) => format!("BROKEN: {}", without_advice(error)),
            (Some(model), _) => model.purpose.to_owned(),
            (None, Ok(Some(manifest))) => manifest.provenance().origin.clone(),
            (None, Ok(None)) => "a folder without a manifest".to_owned(),
        }
    }

    fn bytes(&self) -> Option<u64> {
        self.manifest().map(Manifest::bytes).or_else(|| self.known.map(KnownModel::bytes))
    }

    fn licence(&self) -> Option<&str> {
        let of_known = || self.known.map(|model| model.licence);
        self.manifest().map(|manifest| manifest.provenance().licence.as_str()).or_else(of_known)
    }

    /// Returns the checksum of the largest file, which has the weights.
    fn sha256(&self) -> Option<String> {
        let largest =
            self.manifest().and_then(|manifest| manifest.files().iter().max_by_key(|file| file.bytes));
        let of_known = || self.known?.weights().map(|file| file.sha256);
        largest.map(|file| file.sha256).or_else(of_known).map(|sum| sum.to_string())
    }

    fn state(&self) -> String {
        self.found.as_ref().map_or_else(|| "not installed".to_owned(), |found| found.location.to_string())
    }

    fn folder(&self) -> Option<&PathBuf> {
        self.found.as_ref().map(|found| &found.folder)
    }
}

fn list(folders: &PackFolders, as_json: bool) -> anyhow::Result<Outcome> {
    let mut entries: Vec<Entry> = folders.list().into_iter().map(Entry::of_found).collect();
    let absent = known_models().iter().filter(|model| !entries.iter().any(|entry| entry.name == model.name));
    let absent: Vec<Entry> = absent.map(Entry::of_known).collect();
    entries.extend(absent);
    let mut out = printed::coloured()?;
    if as_json {
        let all: Vec<serde_json::Value> = entries.iter().map(as_value).collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&all)?).context("cannot write the list")?;
    } else {
        writeln!(out, "{}", table(&entries)).context("cannot write the list")?;
        say!("`inkveil pull NAME` downloads a model, `inkveil models path NAME` prints its folder");
    }
    Ok(Outcome::Success)
}

fn as_value(entry: &Entry) -> serde_json::Value {
    json!({
        "name": entry.name,
        "state": entry.state(),
        "about": entry.known.map(|model| model.about),
        "purpose": entry.purpose(),
        "bytes": entry.bytes(),
        "licence": entry.licence(),
        "sha256": entry.sha256(),
        "origin": entry.manifest().map(|manifest| &manifest.provenance().origin),
        "folder": entry.folder(),
    })
}

fn table(entries: &[Entry]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(["name", "purpose", "size", "licence", "sha256", "state"]);
    for entry in entries {
        table.add_row([
            entry.name.clone(),
            entry.purpose(),
            entry.bytes().map_or_else(String::new, size),
            entry.licence().unwrap_or_default().to_owned(),
            entry.sha256().map_or_else(String::new, |sum| sum.chars().take(8).collect()),
            entry.state(),
        ]);
    }
    if let Some(column) = table.column_mut(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Compares all files of the packs with their checksums.
fn verify(folders: &PackFolders, names: &[String]) -> anyhow::Result<Outcome> {
    let cancel = interrupt::flag()?;
    let names: Vec<String> = match names {
        [] => folders.list().into_iter().map(|found| found.name).collect(),
        some => some.to_vec(),
    };
    if names.is_empty() {
        say!("there are no packs to verify; download one with `inkveil pull NAME`");
    }
    let mut outcome = Outcome::Success;
    for name in names {
        let result = pull::with_progress(false, &cancel, |job| folders.verify(&name, job));
        match result {
            Ok((pack, has_sum)) => {
                let (files, bytes) = pack.manifest().map_or((0, 0), |m| (m.files().len(), m.bytes()));
                let ok = "ok:".green();
                let (size, plural) = (size(bytes), if files == 1 { "" } else { "s" });
                writeln!(
                    printed::coloured()?,
                    "{ok} {name}: {files} file{plural}, {size}, all checksums match"
                )
                .context("cannot write the result")?;
                if !has_sum {
                    say!(
                        "{} {name}: the manifest itself has no checksum; `inkveil pull SOURCE --force` adds one",
                        "note:".yellow().bold()
                    );
                }
            }
            Err(error) if error.kind() == &ErrorKind::Cancelled => {
                say!("{} {name} was not verified completely", "interrupted:".yellow().bold());
                return Ok(Outcome::Interrupted);
            }
            Err(error) => {
                say!("{} {error:#}", "error:".red().bold());
                outcome = Outcome::Failure;
            }
        }
    }
    Ok(outcome)
}

fn remove(cache: &Cache, name: &PackName) -> anyhow::Result<Outcome> {
    let cancel = interrupt::flag()?;
    pull::with_progress(false, &cancel, |job| cache.remove(name, job))?;
    say!("{} {name} was removed from the cache", "ok:".green().bold());
    Ok(Outcome::Success)
}

/// Formats a number of bytes.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.0} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

/// Returns the error without its advice.
fn without_advice(error: &inkveil::pack::Error) -> String {
    let text = error.kind().to_string();
    text.split(';').next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_formatted() {
        let shown: Vec<String> = [999, 1_234, 90_868_376, 1_117_320_768].into_iter().map(size).collect();
        assert_eq!(shown, ["999 B", "1.2 kB", "91 MB", "1.12 GB"]);
    }
}
