//! `inkveil models`: lists, verifies, removes and makes packs.

use std::io::Write;

use anyhow::Context;
use comfy_table::Table;
use inkveil::pack::{Cache, Environment, ErrorKind, PackEntry, PackFolders, PackName};
use owo_colors::OwoColorize;

use crate::args::{ModelsArgs, ModelsCommand};
use crate::outcome::Outcome;
use crate::printed;
use crate::{interrupt, make, pull, table};

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
            printed::line(pack.folder().display(), "cannot write the path")?;
            Ok(Outcome::Success)
        }
    }
}

fn list(folders: &PackFolders, as_json: bool) -> anyhow::Result<Outcome> {
    let entries = folders.entries();
    if as_json {
        let all: Vec<serde_json::Value> = entries.iter().map(PackEntry::to_json).collect();
        printed::json(&all, "cannot write the list")?;
    } else {
        printed::line(table(&entries), "cannot write the list")?;
        say!("`inkveil pull NAME` downloads a model, `inkveil models path NAME` prints its folder");
    }
    Ok(Outcome::Success)
}

fn table(entries: &[PackEntry]) -> Table {
    let row = |entry: &PackEntry| {
        [
            entry.name.clone(),
            entry.purpose(),
            entry.bytes().map_or_else(String::new, size),
            entry.licence().unwrap_or_default().to_owned(),
            entry.sha256().map_or_else(String::new, |sum| sum.chars().take(8).collect()),
            entry.state(),
        ]
    };
    let header = ["name", "purpose", "size", "licence", "sha256", "state"];
    table::drawn(&header, entries.iter().map(row), [2])
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
                    tell!(
                        yellow,
                        "note:",
                        "{name}: the manifest itself has no checksum; `inkveil pull SOURCE --force` adds one"
                    );
                }
            }
            Err(error) if error.kind() == &ErrorKind::Cancelled => {
                tell!(yellow, "interrupted:", "{name} was not verified completely");
                return Ok(Outcome::Interrupted);
            }
            Err(error) => {
                tell!(red, "error:", "{error:#}");
                outcome = Outcome::Failure;
            }
        }
    }
    Ok(outcome)
}

fn remove(cache: &Cache, name: &PackName) -> anyhow::Result<Outcome> {
    let cancel = interrupt::flag()?;
    pull::with_progress(false, &cancel, |job| cache.remove(name, job))?;
    tell!(green, "ok:", "{name} was removed from the cache");
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

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_formatted() {
        let shown: Vec<String> = [999, 1_234, 90_868_376, 1_117_320_768].into_iter().map(size).collect();
        assert_eq!(shown, ["999 B", "1.2 kB", "91 MB", "1.12 GB"]);
    }
}
