//! `inkveil vector inspect`: the content of masks, and the dimensions they share.

use std::io::Write as _;

use anyhow::{Context as _, ensure};
use inkveil::files::Output;
use inkveil::vectors::Mask;
use serde_json::json;

use super::heat;
use crate::args::InspectArgs;
use crate::outcome::Outcome;
use crate::printed;

pub(super) fn run(args: &InspectArgs) -> anyhow::Result<Outcome> {
    let masks = args.masks.iter().map(|file| Mask::open(file)).collect::<Result<Vec<_>, _>>()?;
    if let Some(path) = &args.svg {
        let dim = masks[0].gates.len();
        ensure!(
            masks.iter().all(|mask| mask.gates.len() == dim),
            "masks of different encoders cannot be drawn together"
        );
        ensure!((1..=100).contains(&args.top), "--top must be from 1 to 100");
        let output = Output::file(path, args.force)?;
        output.put(heat::svg(&masks, args.top).as_bytes())?;
    }
    let mut out = printed::stdout()?;
    let written = if args.json {
        let all: Vec<_> = masks.iter().map(as_json).collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&all)?)
    } else {
        masks
            .iter()
            .zip(&args.masks)
            .try_for_each(|(mask, file)| writeln!(out, "{}\n{}", file.display(), in_words(mask)))
    };
    written.context("cannot write to standard output")?;
    Ok(Outcome::Success)
}

/// The dimensions with the highest gates, for the drawing.
pub(super) fn strongest(mask: &Mask, count: usize) -> Vec<usize> {
    mask.strongest(count)
}

fn in_words(mask: &Mask) -> String {
    let note = &mask.note;
    let mut lines = vec![
        format!("  protects      {} ({})", note.concept.escape_debug(), note.summary.escape_debug()),
        format!("  encoder       {}, {} dimensions", note.encoder.name.escape_debug(), mask.gates.len()),
        format!(
            "  learnt from   {} of {} texts, {}",
            note.corpus.pairs,
            note.corpus.texts,
            note.corpus.described()
        ),
    ];
    match (&note.settings, note.curve.last()) {
        (Some(settings), Some(last)) => {
            lines.push(format!(
                "  how           gates, λ = {}, {} epochs, seed {}",
                settings.lambda, settings.epochs, settings.seed
            ));
            let right = last.accuracy.map_or("–".to_owned(), |a| format!("{:.1} %", 100.0 * a));
            lines.push(format!("  at the end    loss {:.4}, accuracy on held-out texts {right}", last.loss));
        }
        _ => lines.push("  how           integrated gradients of an attacker".to_owned()),
    }
    let high = mask.gates.iter().filter(|gate| **gate > 0.5).count();
    lines.push(format!(
        "  open          {:.1} % of the dimensions, {high} above one half",
        100.0 * mask.open_share()
    ));
    for floor in [0.0, 0.1] {
        if let Some(factor) = mask.euclidean_factor(floor) {
            lines.push(format!(
                "  floor {floor:<4}    ε per unit of Mahalanobis distance is {factor:.1} ε per unit of Euclidean distance"
            ));
        }
    }
    lines.join("\n") + "\n"
}

fn as_json(mask: &Mask) -> serde_json::Value {
    json!({
        "note": mask.note,
        "dimension": mask.gates.len(),
        "open_share": mask.open_share(),
        "euclidean_factor": mask.euclidean_factor(0.0),
        "strongest": mask.strongest(10),
        "gates": mask.gates,
    })
}
