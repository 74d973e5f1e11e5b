//! Measures how often the language of a sentence is found.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use inkveil_detect::passages;

/// Measure what the languages need
#[derive(Debug, Subcommand)]
pub(crate) enum LanguagesCommand {
    Identify(IdentifyArgs),
}

/// Measure how often the language of a line is right
#[derive(Debug, Args)]
pub(crate) struct IdentifyArgs {
    /// Files named after the language of their lines, such as de.txt
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn run(command: &LanguagesCommand) -> anyhow::Result<()> {
    match command {
        LanguagesCommand::Identify(args) => identify(args),
    }
}

fn identify(args: &IdentifyArgs) -> anyhow::Result<()> {
    for file in &args.files {
        let code = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let text = std::fs::read_to_string(file)?;
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
        let start = std::time::Instant::now();
        for line in &lines {
            let found = passages(line);
            let longest = found.iter().max_by_key(|passage| passage.range.len());
            *counts.entry(longest.map_or("", |passage| passage.language.code())).or_default() += 1;
        }
        let speed = text.len() as f64 / start.elapsed().as_secs_f64() / 1e6;
        let right = counts.get(code).copied().unwrap_or(0) as f64 / lines.len().max(1) as f64;
        let mut others: Vec<(&str, usize)> = counts.into_iter().filter(|(other, _)| *other != code).collect();
        others.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        others.truncate(4);
        println!("{:<24}{right:.3} of {} lines, {speed:.0} MB/s, else {others:?}", shown(file), lines.len());
    }
    Ok(())
}

fn shown(file: &Path) -> String {
    let parts: Vec<_> =
        file.components().rev().take(2).map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}
