//! `inkveil style memory`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::{Context as _, ensure};
use inkveil_files::Output;
use inkveil_style::features::{Population, Profile};
use inkveil_style::{ErrorKind, Memory, MemorySettings, StyleMap};
use rayon::prelude::*;
use serde_json::json;

use super::{map, risk, tools};
use crate::args::{
    MemoryArgs, MemoryBuildArgs, MemoryCommand, MemoryInspectArgs, MemoryMergeArgs, MemoryUpdateArgs,
    TableArgs,
};
use crate::outcome::Outcome;
use crate::{corpus, interrupt, progress};

pub(super) fn run(args: &MemoryArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        MemoryCommand::Build(args) => build(args),
        MemoryCommand::Update(args) => update(args),
        MemoryCommand::Merge(args) => merge(args),
        MemoryCommand::Inspect(args) => inspect(args),
    }
}

fn build(args: &MemoryBuildArgs) -> anyhow::Result<Outcome> {
    separate(&args.texts, &args.output)?;
    let output = Output::file(&args.output, args.force)?;
    let encoder = tools::encoder(&args.encoder)?;
    let settings = MemorySettings {
        merge_radius: args.merge_radius,
        sensitivity: args.sensitivity,
        bandwidth: args.bandwidth,
        ..MemorySettings::default()
    };
    let memory = Memory::new(encoder.note().clone(), encoder.dimension(), settings)?;
    let texts = read(&args.texts, &args.tables)?;
    let memory = fill(memory, &encoder, &texts, args.keep_texts, args.quiet)?;
    let profiles: Vec<Profile> = texts.par_iter().map(|text| Profile::of(text)).collect();
    let memory = memory.with_population(Population::of(&profiles));
    output.put(&memory.to_bytes()?)?;
    said(&args.output, &memory, args.quiet);
    Ok(Outcome::Success)
}

fn update(args: &MemoryUpdateArgs) -> anyhow::Result<Outcome> {
    separate(&args.texts, &args.memory)?;
    let memory = Memory::open(&args.memory)?;
    let output = Output::file(&args.memory, true)?;
    let encoder = tools::encoder(&args.encoder)?;
    memory.check_encoder(encoder.note()).with_context(|| args.memory.display().to_string())?;
    let texts = read(&args.texts, &args.tables)?;
    let memory = fill(memory, &encoder, &texts, args.keep_texts, args.quiet)?;
    output.put(&memory.to_bytes()?)?;
    said(&args.memory, &memory, args.quiet);
    Ok(Outcome::Success)
}

fn merge(args: &MemoryMergeArgs) -> anyhow::Result<Outcome> {
    let output = Output::file(&args.output, args.force)?;
    let mut joined: Option<Memory> = None;
    for file in &args.memories {
        let memory = Memory::open(file)?;
        match &mut joined {
            None => joined = Some(memory),
            Some(joined) => joined.merge(&memory).with_context(|| file.display().to_string())?,
        }
    }
    let memory = joined.context("there is no memory to join")?;
    output.put(&memory.to_bytes()?)?;
    said(&args.output, &memory, false);
    Ok(Outcome::Success)
}

fn separate(texts: &[PathBuf], memory: &Path) -> anyhow::Result<()> {
    let mut names: Vec<(&str, Option<&Path>)> =
        texts.iter().map(|file| ("the texts", Some(file.as_path()))).collect();
    names.push(("the memory", Some(memory)));
    Ok(inkveil_files::refuse_same_file(&names)?)
}

fn read(files: &[PathBuf], tables: &TableArgs) -> anyhow::Result<Vec<String>> {
    let mut texts = Vec::new();
    corpus::read_texts(files, tables.from, true, &corpus::options(tables), |_, records| {
        texts.extend(records.texts().iter().filter(|text| !text.trim().is_empty()).map(str::to_owned));
        Ok(())
    })?;
    ensure!(!texts.is_empty(), "there are no texts in these files");
    Ok(texts)
}

/// The memory with these texts in it.
fn fill(
    mut memory: Memory,
    encoder: &inkveil_style::StyleEncoder,
    texts: &[String],
    keep: bool,
    quiet: bool,
) -> anyhow::Result<Memory> {
    let cancel = interrupt::flag()?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let bar = progress::bar(
        Some(texts.len() as u64),
        "{msg} {bar:30} {human_pos}/{human_len} texts  {rate}  {eta} left",
        quiet,
    );
    let mut goes_on = |done: usize| {
        bar.set_position(done as u64);
        !cancel.load(Ordering::Relaxed)
    };
    bar.set_message("reading styles");
    let vectors: Vec<f32> = risk::encode(encoder, &texts, &mut goes_on)?.into_iter().flatten().collect();
    bar.set_message("gathering");
    memory.add_with(&vectors, keep.then_some(&texts[..]), &mut goes_on).map_err(|error| {
        match error.kind() {
            ErrorKind::Stopped => crate::outcome::interrupted(),
            _ => anyhow::Error::from(error),
        }
    })?;
    bar.finish_and_clear();
    if memory.len() > 1 {
        memory.observe(&vectors)?;
    }
    Ok(memory)
}

fn said(file: &Path, memory: &Memory, quiet: bool) {
    if !quiet {
        anstream::eprintln!("{}: {} prototypes of {} texts", file.display(), memory.len(), memory.seen());
    }
    if !quiet && memory.len() < 50 {
        anstream::eprintln!(
            "note: so few prototypes say little about a text; texts by more people would help"
        );
    }
}

fn inspect(args: &MemoryInspectArgs) -> anyhow::Result<Outcome> {
    let file = tools::memory_file(args.memory.as_deref(), &args.pack)?;
    let memory = Memory::open(&file)?;
    if let Some(svg) = &args.svg {
        let output = Output::file(svg, args.force)?;
        output.put(map::svg(&memory, &StyleMap::of(&memory), None).as_bytes())?;
    }
    let geometry = memory.geometry()?;
    let mut weights = memory.weights().to_vec();
    weights.sort_unstable_by(|a, b| b.cmp(a));
    let alone = weights.iter().filter(|weight| **weight == 1).count();
    let outliers = geometry.prototype_means().iter().filter(|mean| **mean > geometry.tau()).count();
    let texts = (0..memory.len()).filter(|index| memory.text(*index).is_some()).count();
    let settings = memory.settings();
    let mut out = std::io::stdout().lock();
    let written = if args.json {
        let value = json!({
            "file": file.display().to_string(), "encoder": memory.encoder(), "dimension": memory.dimension(),
            "prototypes": memory.len(), "texts": memory.seen(), "settings": settings, "tau": geometry.tau(),
            "largest": weights.first(), "seen_once": alone, "outliers": outliers, "with_text": texts,
            "habits_of": memory.population().map(Population::texts),
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&value)?)
    } else {
        writeln!(
            out,
            "{}\n  prototypes    {} of {} texts; {alone} seen once, the largest {} times\n  encoder       {}, {} dimensions\n  outliers      {outliers} prototypes lie beyond τ = {:.3} (λ = {})\n  merge radius  δ = {}\n  texts kept    {texts}\n  habits        {}",
            file.display(),
            memory.len(),
            memory.seen(),
            weights.first().copied().unwrap_or(0),
            memory.encoder().name.escape_debug(),
            memory.dimension(),
            geometry.tau(),
            settings.sensitivity,
            settings.merge_radius,
            memory
                .population()
                .map_or("not counted".to_owned(), |all| format!("counted over {} texts", all.texts())),
        )
    };
    written.context("cannot write to standard output")?;
    Ok(Outcome::Success)
}
