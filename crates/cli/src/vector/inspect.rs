//! `inkveil vector inspect`: the content of masks, and the dimensions they share.

use std::io::Write as _;

use anyhow::{Context as _, ensure};
use inkveil::files::Output;
use inkveil::vectors::{Eraser, Mask};
use serde_json::json;

use super::heat;
use crate::args::InspectArgs;
use crate::outcome::Outcome;
use crate::printed;

pub(super) fn run(args: &InspectArgs) -> anyhow::Result<Outcome> {
    let masks = args.masks.iter().map(|file| Mask::open(file)).collect::<Result<Vec<_>, _>>()?;
    if let Some(path) = &args.svg {
        let dim = masks[0].dim();
        ensure!(
            masks.iter().all(|mask| mask.dim() == dim),
            "masks of different encoders cannot be drawn together"
        );
        ensure!(
            masks.iter().all(Mask::has_gates),
            "only masks with gates can be drawn; an eraser has directions and no dimensions"
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
        format!("  encoder       {}, {} dimensions", note.encoder.name.escape_debug(), mask.dim()),
        format!(
            "  learnt from   {} of {} texts, {}",
            note.corpus.pairs,
            note.corpus.texts,
            note.corpus.described()
        ),
    ];
    if let Some(eraser) = &mask.eraser {
        lines.extend(erased_in_words(eraser));
    }
    if !mask.has_gates() {
        return lines.join("\n") + "\n";
    }
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

/// How much an eraser removes, direction by direction.
fn erased_in_words(eraser: &Eraser) -> Vec<String> {
    let note = &eraser.note;
    let mut lines = vec![
        format!(
            "  erases        {} of {} directions, γ = {}, ρ = {}, {} words in {} texts",
            eraser.directions(),
            eraser.dim(),
            note.settings.gamma,
            note.settings.rho,
            note.labels,
            note.labelled_texts
        ),
        format!(
            "  removed       {:.1} % of what tells the words apart linearly, {:.1} % of the spread of all vectors",
            100.0 * note.concept_removed,
            100.0 * note.spread_removed
        ),
        "  directions    first N: of the words, of the spread".to_owned(),
    ];
    let (mut words, mut spread) = (0.0, 0.0);
    let last = note.directions.len();
    for (number, (word, all)) in (1..).zip(&note.directions) {
        (words, spread) = (words + word, spread + all);
        if [1, 2, 5, 10, 20, 50, 100, 200, 500].contains(&number) || number == last {
            let shares = format!("{:5.1} %, {:5.1} %", 100.0 * words, 100.0 * spread);
            lines.push(format!("                {number:>4}: {shares}"));
        }
    }
    for axes in [inkveil::DEFAULT_AXES, 0] {
        let kept = Some(axes).filter(|axes| *axes > 0);
        if let Ok(erasure) = Eraser::erasure(&[eraser], kept, 0.5) {
            lines.push(format!(
                "  {:>4} axes     ε per unit of erased distance is at most {:.2} ε per unit of Euclidean distance",
                erasure.axes(),
                erasure.lipschitz()
            ));
        }
    }
    lines
}

fn as_json(mask: &Mask) -> serde_json::Value {
    json!({
        "note": mask.note,
        "eraser": mask.eraser.as_ref().map(|eraser| &eraser.note),
        "dimension": mask.dim(),
        "open_share": mask.open_share(),
        "euclidean_factor": mask.euclidean_factor(0.0).filter(|_| mask.has_gates()),
        "strongest": mask.strongest(10),
        "gates": mask.gates,
    })
}
