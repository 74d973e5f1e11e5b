//! `inkveil attack vector`: what can still be read from veiled vectors, and what search with them is worth.

mod attacker;

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, ensure};
use inkveil::names_folder;
use inkveil_eval::attack::{Exposure, Mlc, MlcSettings};
use inkveil_eval::metrics::{Bootstrap, Estimate, neighbour_overlap};
use inkveil_eval::{Sensitive, Split};
use inkveil_files::{Input, Output};
use inkveil_vectors_io::{ReadOptions, VectorFormat, VectorReader};
use serde_json::json;

pub(super) use attacker::{answers, words_of};

use super::concept;
use super::texts::Texts;
use crate::args::VectorAttackArgs;
use crate::outcome::Outcome;
use crate::{corpus, progress};
use inkveil::pack_folder;

/// The share of the rows that the attacker does not know the texts of.
const HELD_OUT: f64 = 0.2;
/// Neighbours are compared for so many rows at most: the work grows with their square.
const MOST_COMPARED: usize = 5_000;
const NEIGHBOURS: usize = 10;
/// The least number of steps that an attacker learns for.
const STEPS: usize = 2_000;

pub(crate) fn run(args: &VectorAttackArgs) -> anyhow::Result<Outcome> {
    let texts = Texts::read(&args.texts, args.tables.from, &corpus::options(&args.tables), None)?;
    let (dim, original) = read(&args.original, texts.texts.len(), &args.texts)?;
    let (veiled_dim, veiled) = read(&args.veiled, texts.texts.len(), &args.texts)?;
    ensure!(
        dim == veiled_dim,
        "vectors of {dim} and of {veiled_dim} dimensions: these are not the same before and after"
    );
    let concept = concept::one(&args.concept)?;
    // Taggers are in the pack that comes along, whatever made the vectors.
    let finder = concept.finder(Some(&names_folder(&pack_folder("en")?)?))?;
    let strs = texts.as_strs();
    let sensitive = Sensitive::in_spans(&strs, &finder.spans(&strs)?, args.min_count)?;
    ensure!(
        !sensitive.words().is_empty(),
        "no word of {} is in {} texts or more; give more texts or a lower --min-count",
        concept.name,
        args.min_count
    );
    let output = args.save_attacker.as_deref().map(|path| Output::file(path, args.force)).transpose()?;
    let attack = Attack {
        dim,
        sensitive: &sensitive,
        split: Split::new(texts.texts.len(), HELD_OUT, args.seed)?,
        epochs: args.epochs,
        seed: args.seed,
    };
    let bar = progress::bar(None, "attacking {spinner} {elapsed}", args.quiet);
    let (before, after) = rayon::join(|| attack.exposure(&original), || attack.exposure(&veiled));
    let (before, after) = (before?, after?);
    if let Some(output) = output {
        output.put(&attacker::to_bytes(&attack.train(&original, false)?, &sensitive)?)?;
    }
    let compared = texts.texts.len().min(MOST_COMPARED) * dim;
    let overlap = neighbour_overlap(&original[..compared], &veiled[..compared], dim, NEIGHBOURS)?;
    bar.finish_and_clear();
    let report = Report {
        words: sensitive.words().len(),
        held_out: attack.split.test().len(),
        before,
        after,
        overlap,
    };
    let text = if args.json {
        serde_json::to_string_pretty(&report.json())? + "\n"
    } else {
        report.in_words(&concept.name)
    };
    std::io::stdout().write_all(text.as_bytes()).context("cannot write to standard output")?;
    Ok(Outcome::Success)
}

/// All vectors of a file, one for each text.
fn read(path: &Path, texts: usize, of: &Path) -> anyhow::Result<(usize, Vec<f32>)> {
    let format = VectorFormat::from_path(path)
        .with_context(|| format!("the format of {} cannot be told from its name", path.display()))?;
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

struct Attack<'a> {
    dim: usize,
    sensitive: &'a Sensitive,
    split: Split,
    epochs: Option<usize>,
    seed: u64,
}

impl Attack<'_> {
    fn train(&self, rows: &[f32], standardise: bool) -> anyhow::Result<Mlc> {
        let mut settings = MlcSettings::strong();
        (settings.seed, settings.standardise) = (self.seed, standardise);
        // Someone who has few rows would look at them longer.
        let long = (STEPS * settings.batch / self.split.train().len().max(1)).clamp(settings.epochs, 500);
        settings.epochs = self.epochs.unwrap_or(long);
        let (rows, words) =
            (self.split.train_rows(rows, self.dim), self.split.train_of(self.sensitive.tokens()));
        Ok(Mlc::train(self.dim, &rows, &words, self.sensitive.words().len(), &settings)?)
    }

    fn exposure(&self, rows: &[f32]) -> anyhow::Result<Exposure> {
        let held_out = self.split.test_of(self.sensitive.tokens());
        let findings = self.train(rows, true)?.attack(&self.split.test_rows(rows, self.dim), &held_out)?;
        findings
            .exposure(&Bootstrap::default(), |_| true)
            .context("no held-out text mentions the concept; give more texts, or another --seed")
    }
}

struct Report {
    words: usize,
    held_out: usize,
    before: Exposure,
    after: Exposure,
    overlap: f64,
}

impl Report {
    fn in_words(&self, concept: &str) -> String {
        let percent = |estimate: &Estimate| {
            format!(
                "{:5.1} %  ({:.1} to {:.1})",
                100.0 * estimate.mean,
                100.0 * estimate.low,
                100.0 * estimate.high
            )
        };
        let row = |what: &str, of: fn(&Exposure) -> &Estimate| {
            format!("  {what:<46} {}   {}\n", percent(of(&self.before)), percent(of(&self.after)))
        };
        format!(
            "An attacker who knows the texts of four in five rows, tried on the other {}: {} words of {concept}, {} mentions.\n\n\
             {:50} before                   with noise\n{}{}{}\n\
             Of a row's {NEIGHBOURS} nearest rows, {:.1} % are still among its nearest.\n",
            self.held_out,
            self.words,
            self.after.instances,
            "",
            row("words named with more than even odds", |e| &e.leakage),
            row("mean probability given to words that are there", |e| &e.confidence),
            row("words among the likeliest of their text", |e| &e.found),
            100.0 * self.overlap,
        )
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "words": self.words,
            "held_out_texts": self.held_out,
            "before": self.before,
            "veiled": self.after,
            "neighbours_kept": self.overlap,
        })
    }
}
