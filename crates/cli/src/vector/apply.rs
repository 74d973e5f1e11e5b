//! `inkveil vector apply`: noise along a concept.

use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use inkveil::{
    Bound, EncoderNote, Epsilon, Mask, VectorFileNote, VectorNoise, VectorVeilBuilder, Veil, encoder_note,
};

use crate::args::{ApplyArgs, MaskedNoiseArgs};
use crate::outcome::Outcome;
use crate::vector_release;

pub(super) fn run(args: &ApplyArgs) -> anyhow::Result<Outcome> {
    let masks: Vec<(&str, Option<&Path>)> =
        args.noise.masks.iter().map(|file| ("--mask", Some(file.as_path()))).collect();
    let encoder = match (&args.pack, &args.files.input) {
        (Some(pack), _) => Some(encoder_note(pack)?),
        (None, Some(input)) => VectorFileNote::find(input)?.map(|note| note.encoder),
        (None, None) => None,
    };
    if encoder.is_none() && !args.files.quiet {
        for file in &args.noise.masks {
            say!(
                "note: it is not known which encoder made the vectors; {} is for {}",
                file.display(),
                Mask::open(file)?.note.encoder.name
            );
        }
    }
    let start = start(args.epsilon, args.target).context("set a budget with --epsilon, or a --target")?;
    let builder = builder(start, &args.noise, encoder)?;
    vector_release::run(&args.files, &masks, |dim| Ok(builder.build(dim)?))
}

/// A veil with a budget, or with one that is chosen by a target; none without both.
pub(super) fn start(epsilon: Option<Epsilon>, target: Option<f64>) -> Option<VectorVeilBuilder> {
    epsilon.map(Veil::vectors).or_else(|| target.map(Veil::vectors_for_target))
}

/// The veil that the arguments describe.
pub(super) fn builder(
    start: VectorVeilBuilder,
    args: &MaskedNoiseArgs,
    encoder: Option<EncoderNote>,
) -> anyhow::Result<VectorVeilBuilder> {
    let noise = args.mechanism.unwrap_or_default();
    ensure!(
        matches!(noise, VectorNoise::Round | VectorNoise::Turning) || !args.masks.is_empty(),
        "name a --mask, which `inkveil vector fit` makes, or another mechanism: -m laplace-l2 or -m purkayastha"
    );
    let mut builder = start.noise(noise).encoder(encoder);
    if let Some(floor) = args.floor {
        builder = builder.floor(floor);
    }
    if let Some(axes) = args.axes {
        builder = builder.axes(axes);
    }
    for mask in &args.masks {
        builder = builder.mask(mask);
    }
    builder = match args.clip {
        None => builder,
        Some(length) if length == f64::INFINITY => builder.bound(Bound::AsIs),
        Some(length) if length > 0.0 => builder.bound(Bound::Clip(length)),
        Some(_) => bail!("--clip must be a positive number, or inf"),
    };
    Ok(match args.after {
        None => builder,
        Some(after) => builder.after(after),
    })
}
