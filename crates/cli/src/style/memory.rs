//! `inkveil style memory`.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::{Context as _, ensure};
use inkveil::StyleModels;
use inkveil::files::Output;
use inkveil::pages::style_map;
use inkveil::style::{Memory, MemorySettings, MemoryStage};

use super::risk;
use crate::args::{
    MemoryArgs, MemoryBuildArgs, MemoryCommand, MemoryInspectArgs, MemoryMergeArgs, MemoryUpdateArgs,
    TableArgs,
};
use crate::outcome::Outcome;
use crate::printed;
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
    let output = output(&args.output, args.force, args.keep_texts)?;
    let encoder = args.encoder.models().open_encoder()?;
    let settings = MemorySettings {
        merge_radius: args.merge_radius,
        sensitivity: args.sensitivity,
        bandwidth: args.bandwidth,
        ..MemorySettings::default()
    };
    let texts = read(&args.texts, &args.tables)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let memory = with_progress(texts.len(), args.quiet, |progress| {
        Memory::build(&encoder, &texts, settings, args.keep_texts, progress)
    })?;
    output.put(&memory.to_bytes()?)?;
    said(&args.output, &memory, args.quiet);
    Ok(Outcome::Success)
}

fn update(args: &MemoryUpdateArgs) -> anyhow::Result<Outcome> {
    separate(&args.texts, &args.memory)?;
    let mut memory = Memory::open(&args.memory)?;
    let output = output(&args.memory, true, args.keep_texts)?;
    let encoder = args.encoder.models().open_encoder()?;
    memory.check_encoder(encoder.note()).with_context(|| args.memory.display().to_string())?;
    let texts = read(&args.texts, &args.tables)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    with_progress(texts.len(), args.quiet, |progress| {
        memory.add_texts(&encoder, &texts, args.keep_texts, progress)
    })?;
    output.put(&memory.to_bytes()?)?;
    said(&args.memory, &memory, args.quiet);
    Ok(Outcome::Success)
}

/// The file of a memory. Only its owner may read texts that it keeps.
fn output(path: &Path, overwrite: bool, keeps_texts: bool) -> Result<Output, inkveil::files::Error> {
    match keeps_texts {
        true => Output::private_file(path, overwrite),
        false => Output::file(path, overwrite),
    }
}

fn merge(args: &MemoryMergeArgs) -> anyhow::Result<Outcome> {
    // A memory that is merged may keep texts.
    let output = output(&args.output, args.force, true)?;
    let mut joined: Option<Memory> = None;
    for file in &args.memories {
        let memory = Memory::open(file)?;
        match &mut joined {
            None => joined = Some(memory),
            Some(joined) => joined.merge(&memory).with_context(|| file.display().to_string())?,
        }
    }
    let memory = joined.context("there is no memory to merge")?;
    output.put(&memory.to_bytes()?)?;
    said(&args.output, &memory, false);
    Ok(Outcome::Success)
}

fn separate(texts: &[PathBuf], memory: &Path) -> anyhow::Result<()> {
    let mut names: Vec<(&str, Option<&Path>)> =
        texts.iter().map(|file| ("the texts", Some(file.as_path()))).collect();
    names.push(("the memory", Some(memory)));
    Ok(inkveil::files::refuse_same_file(&names)?)
}

fn read(files: &[PathBuf], tables: &TableArgs) -> anyhow::Result<Vec<String>> {
    let mut texts = Vec::new();
    corpus::read_texts(files, tables, true, &tables.options(), |_, records| {
        texts.extend(records.texts().iter().filter(|text| !text.trim().is_empty()).map(str::to_owned));
        Ok(())
    })?;
    ensure!(!texts.is_empty(), "these files contain no texts");
    Ok(texts)
}

/// Works on texts with a bar. The user can interrupt it.
fn with_progress<T>(
    texts: usize,
    quiet: bool,
    work: impl FnOnce(&mut dyn FnMut(MemoryStage, usize) -> bool) -> Result<T, inkveil::style::Error>,
) -> anyhow::Result<T> {
    let cancel = interrupt::flag()?;
    let bar = progress::bar(
        Some(texts as u64),
        "{msg} {bar:30} {human_pos}/{human_len} texts  {rate}  {eta} left",
        quiet,
    );
    let done = work(&mut |stage, done| {
        bar.set_message(match stage {
            MemoryStage::Encoding => "encoding styles",
            MemoryStage::Clustering => "clustering",
        });
        bar.set_position(done as u64);
        !cancel.load(Ordering::Relaxed)
    });
    bar.finish_and_clear();
    done.map_err(risk::stopped)
}

fn said(file: &Path, memory: &Memory, quiet: bool) {
    if !quiet {
        say!("{}: {} prototypes of {} texts", file.display(), memory.len(), memory.seen());
    }
    if !quiet && memory.len() < 50 {
        say!("note: a memory with so few prototypes is not reliable; add texts by more people");
    }
}

fn inspect(args: &MemoryInspectArgs) -> anyhow::Result<Outcome> {
    let named = StyleModels { pack: args.pack.clone(), memory: args.memory.clone(), encoder: None };
    let file = named.memory_file()?;
    let memory = Memory::open(&file)?;
    if let Some(svg) = &args.svg {
        let output = Output::file(svg, args.force)?;
        output.put(style_map(&memory, memory.geometry().ok().as_ref(), None).svg().as_bytes())?;
    }
    const FAILURE: &str = "cannot write to standard output";
    if args.json {
        let mut value = memory.to_json()?;
        value["file"] = file.display().to_string().into();
        printed::json(&value, FAILURE)?;
    } else {
        printed::line(format_args!("{}\n{}", file.display(), memory.in_words()?), FAILURE)?;
    }
    Ok(Outcome::Success)
}
