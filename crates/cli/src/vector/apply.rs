//! `inkveil vector apply`: noise where a concept lies.

use std::path::Path;

use anyhow::{bail, ensure};
use inkveil_vector::{Bound, Mask, VectorVeil};

use super::encoder::{self, SourceNote, check_same};
use crate::args::{AfterName, ApplyArgs, VectorMechanismName};
use crate::outcome::Outcome;
use crate::words::folder_of;
use crate::{digest, release};

pub(super) fn run(args: &ApplyArgs) -> anyhow::Result<Outcome> {
    let masks: Vec<(&str, Option<&Path>)> =
        args.masks.iter().map(|file| ("--mask", Some(file.as_path()))).collect();
    release::run(&args.files, &masks, |dim| veil(args, dim))
}

fn veil(args: &ApplyArgs, dim: usize) -> anyhow::Result<VectorVeil> {
    use VectorMechanismName::{LaplaceL2, Mahalanobis, Purkayastha};
    let masked = args.mechanism == Mahalanobis;
    ensure!(
        masked || args.floor == 0.0,
        "--floor does nothing without masks: the noise is the same in all directions"
    );
    let shrinkable = !args.masks.is_empty() && masked;
    let after = args.after.unwrap_or(if shrinkable { AfterName::Shrink } else { AfterName::AsIs });
    ensure!(
        after != AfterName::Shrink || shrinkable,
        "--after shrink needs a mask, which knows how large each dimension is, and noise that is added"
    );
    ensure!(
        args.clip.is_none() || args.mechanism != Purkayastha,
        "--clip does nothing here: purkayastha uses directions only"
    );
    let masks = open_masks(args, dim)?;
    let veil = match args.mechanism {
        Mahalanobis => {
            ensure!(!masks.is_empty(), "mahalanobis needs a --mask; `inkveil vector fit` makes one");
            elliptical(args, &masks)?
        }
        LaplaceL2 => VectorVeil::round(dim, args.epsilon)?,
        Purkayastha => VectorVeil::directional(dim, args.epsilon)?,
    };
    let veil = match args.clip {
        _ if args.mechanism == Purkayastha => veil,
        None => veil.bound(Bound::Unit)?,
        Some(length) if length == f64::INFINITY => veil,
        Some(length) if length > 0.0 => veil.bound(Bound::Clip(length))?,
        Some(_) => bail!("--clip must be a positive number, or inf"),
    };
    Ok(match after {
        AfterName::AsIs => veil.as_is_after(),
        AfterName::Unit => veil.unit_after(),
        // A veil with masks does so of itself.
        AfterName::Shrink => veil,
    })
}

/// The masks, each for these vectors.
fn open_masks(args: &ApplyArgs, dim: usize) -> anyhow::Result<Vec<Mask>> {
    let source = match (&args.pack, &args.files.input) {
        (Some(pack), _) => Some(encoder::note(pack, &folder_of(pack)?)?),
        (None, Some(input)) => SourceNote::find(input)?.map(|note| note.encoder),
        (None, None) => None,
    };
    let mut masks = Vec::with_capacity(args.masks.len());
    for file in &args.masks {
        let mask = Mask::open(file)?.of_dimension(dim, file)?;
        match &source {
            Some(source) => check_same(&mask.note.encoder, source, file)?,
            None if !args.files.quiet => anstream::eprintln!(
                "note: nothing says which encoder made the vectors; {} is for {}",
                file.display(),
                mask.note.encoder.name
            ),
            None => {}
        }
        masks.push(mask);
    }
    Ok(masks)
}

fn elliptical(args: &ApplyArgs, masks: &[Mask]) -> anyhow::Result<VectorVeil> {
    let mut veil = VectorVeil::masked(args.epsilon, masks, args.floor)?;
    for (mask, file) in masks.iter().zip(&args.masks) {
        let name = format!("mask of {}", mask.note.concept.escape_debug());
        veil = veil.parameter(name, format!("sha256 {}", digest::of_file(file)?));
    }
    Ok(veil)
}
