//! `inkveil attack vector`.

use std::path::Path;

use anyhow::{Context as _, ensure};
use inkveil::files::{Input, Output};
use inkveil::fit::TextFile;
use inkveil::names_folder;
use inkveil::vectors_io::{ReadOptions, VectorFormat, VectorReader};
use inkveil_eval::Watch;
use inkveil_eval::attack::{self, ReleasedVectors, VectorAttackSettings, VectorAttacker};

use super::concept;
use crate::args::VectorAttackArgs;
use crate::attack::{print, watched};
use crate::interrupt;
use crate::outcome::Outcome;
use inkveil::pack_folder;

pub(crate) fn run(args: &VectorAttackArgs) -> anyhow::Result<Outcome> {
    let file = TextFile {
        path: args.texts.clone(),
        from: args.tables.from,
        options: args.tables.options(),
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
        attackers: match args.attackers.as_slice() {
            [] => VectorAttacker::ALL.to_vec(),
            named => named.to_vec(),
        },
        seed: args.seed,
        save_attacker: output.is_some(),
    };
    let attack = |watch: &Watch<'_>| attack::vector(&vectors, &settings, watch);
    let Some(report) = watched(args.quiet, &cancel, attack)? else { return Ok(Outcome::Interrupted) };
    if let (Some(output), Some(attacker)) = (output, &report.attacker) {
        output.put(&attacker.to_bytes()?)?;
    }
    print(args.json, &report, None, || report.in_words(&concept.name))
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
