//! `inkveil attack vector`.

use std::path::Path;

use anyhow::{Context as _, ensure};
use inkveil::files::{Input, Output};
use inkveil::fit::TextFile;
use inkveil::names_folder;
use inkveil::vectors_io::{ReadOptions, VectorFormat, VectorReader};
use inkveil_eval::Watch;
use inkveil_eval::attack::{
    self, Exposure, Hiding, ReleasedVectors, VectorAttackReport, VectorAttackRow, VectorAttackSettings,
    VectorAttacker, VectorSplit,
};
use inkveil_eval::metrics::Estimate;

use super::concept;
use crate::args::{VectorAttackArgs, VectorAttackerName};
use crate::attack::{finished, percent, print, spinner};
use crate::outcome::Outcome;
use crate::{corpus, interrupt};
use inkveil::pack_folder;

pub(crate) fn run(args: &VectorAttackArgs) -> anyhow::Result<Outcome> {
    let file = TextFile {
        path: args.texts.clone(),
        from: args.tables.from,
        options: corpus::options(&args.tables),
        label: None,
    };
    let texts = file.read()?;
    let (dim, originals) = read(&args.original, texts.texts.len(), &args.texts)?;
    let (released_dim, released) = read(&args.veiled, texts.texts.len(), &args.texts)?;
    ensure!(
        dim == released_dim,
        "the original vectors have {dim} dimensions and the released ones {released_dim}; give the same vectors"
    );
    let concept = concept::one(&args.concept)?;
    let cancel = interrupt::flag()?;
    // The default pack has taggers, whatever encoder made the vectors.
    let finder = concept.finder(Some(&names_folder(&pack_folder("en")?)?))?;
    let strs = texts.as_strs();
    let output = args.save_attacker.as_deref().map(|path| Output::file(path, args.force)).transpose()?;
    let vectors = ReleasedVectors {
        dim,
        originals: &originals,
        released: &released,
        texts: &strs,
        spans: &finder.spans(&strs)?,
    };
    let settings = VectorAttackSettings {
        min_count: args.min_count,
        epochs: args.epochs,
        attackers: attackers(&args.attackers),
        seed: args.seed,
        save_attacker: output.is_some(),
    };
    let bar = spinner(args.quiet);
    let watch = Watch { progress: &|step| bar.set_message(step.to_owned()), cancel: &cancel };
    let report = attack::vector(&vectors, &settings, &watch);
    bar.finish_and_clear();
    let report = match finished(report)? {
        Ok(report) => report,
        Err(outcome) => return Ok(outcome),
    };
    if let (Some(output), Some(attacker)) = (output, &report.attacker) {
        output.put(&attacker.to_bytes()?)?;
    }
    print(args.json, &report, None, || in_words(&report, &concept.name))
}

/// Reads all vectors of a file, one for each text.
fn read(path: &Path, texts: usize, of: &Path) -> anyhow::Result<(usize, Vec<f32>)> {
    let format = VectorFormat::from_path(path)
        .with_context(|| format!("the name of {} does not show its format", path.display()))?;
    let mut reader = VectorReader::open(Input::path(path), format, &ReadOptions::default())?;
    let dim = reader.dim();
    let mut values = Vec::new();
    while let Some(batch) = reader.next_batch()? {
        values.extend(batch.values().iter().map(|x| *x as f32));
    }
    let rows = values.len() / dim;
    ensure!(rows == texts, "{} has {rows} vectors, but {} has {texts} texts", path.display(), of.display());
    Ok((dim, values))
}

/// The attackers to try, all if none is named.
fn attackers(named: &[VectorAttackerName]) -> Vec<VectorAttacker> {
    let of = |name: &VectorAttackerName| match name {
        VectorAttackerName::Mlc => VectorAttacker::Mlc,
        VectorAttackerName::Big => VectorAttacker::Big,
        VectorAttackerName::Bayes => VectorAttacker::Bayes,
        VectorAttackerName::Mean => VectorAttacker::Mean,
    };
    match named.is_empty() {
        true => VectorAttacker::ALL.to_vec(),
        false => named.iter().map(of).collect(),
    }
}

fn in_words(report: &VectorAttackReport, concept: &str) -> String {
    let row = |what: &str, of: fn(&Exposure) -> &Estimate| {
        format!("  {what:<46} {}   {}\n", percent(of(&report.originals)), percent(of(&report.released)))
    };
    let known = |split: VectorSplit| match split {
        VectorSplit::Random => "knows near duplicates",
        VectorSplit::Groups => "knows no near duplicate",
    };
    let one = |row: &VectorAttackRow| {
        let what = format!("{}, {}", row.attacker.name(), known(row.split));
        format!("  {what:<46} {}   {}\n", percent(&row.originals.found), percent(&row.released.found))
    };
    let (attacker, split) = report.strongest;
    let verdict = match report.hiding {
        Hiding::Hidden => "hidden: attackers find hardly more than by guessing",
        Hiding::Partly => "partly hidden: attackers find less than half of what they find in the originals",
        Hiding::NotHidden => "not hidden: attackers still find most of what they find in the originals",
    };
    format!(
        "Attackers know the texts of four in five rows and attack the other {}, with {} words of {concept} and {} mentions.\n\n\
         {:50} originals                released\n\
         the strongest attacker\n{}{}{}\
         every attacker, words among the most likely of their text\n{}  \
         {:<46} {:5.1} %\n\n\
         search: {:.1} % of the ten nearest rows are still found by a query without noise, {:.1} % by one with noise\n\
         verdict: {concept} {verdict}. The strongest ({}, {}) finds {:.1} % of the words, {:.1} % before, {:.1} % by guessing\n",
        report.held_out_texts,
        report.words,
        report.released.instances,
        "",
        row("words with a probability above one half", |e| &e.leakage),
        row("mean probability of the correct words", |e| &e.confidence),
        row("words among the most likely of their text", |e| &e.found),
        report.attackers.iter().map(one).collect::<String>(),
        "guessing the most frequent words",
        100.0 * report.guessing,
        100.0 * report.search_kept,
        100.0 * report.neighbours_kept,
        attacker.name(),
        known(split),
        100.0 * report.released.found.mean,
        100.0 * report.originals.found.mean,
        100.0 * report.guessing,
    )
}
