//! `inkveil vector fit --measure`: erasers, and what attackers find behind them.

use std::sync::atomic::AtomicBool;

use inkveil::fit::{FitTarget, FitTexts, VectorFit, measured_veils};
use inkveil_eval::attack::{self, DividedTexts, MeasureParts, MeasureSettings, VectorAttacker};

use super::fit::Shown;
use crate::args::FitArgs;
use crate::attack::watched;
use crate::outcome::Outcome;

/// Fits an eraser for each target on one part of the texts, lets attackers learn from another and attack the
/// third, and writes the masks with what was measured.
pub(super) fn run(
    args: &FitArgs,
    fit: &VectorFit,
    targets: Vec<FitTarget>,
    texts: &FitTexts<'_>,
    cancel: &AtomicBool,
    shown: &mut Shown,
) -> anyhow::Result<Outcome> {
    let settings = MeasureSettings {
        axes: inkveil::DEFAULT_AXES,
        attackers: match args.attackers.as_slice() {
            [] => VectorAttacker::ALL.to_vec(),
            named => named.to_vec(),
        },
        seed: args.seed.unwrap_or(1),
    };
    let corpus = fit.corpus(&targets, texts, cancel, &mut |event| shown.event(event));
    shown.clear();
    let corpus = corpus?;
    let divide = |watch: &inkveil_eval::Watch<'_>| {
        watch.step("looking for near duplicates")?;
        MeasureParts::new(corpus.rows(), corpus.dim(), settings.seed)
    };
    let Some(parts) = watched(args.quiet, cancel, divide)? else { return Ok(Outcome::Interrupted) };
    let strs = corpus.as_strs();
    for (position, target) in targets.into_iter().enumerate() {
        let events = &mut |event: inkveil::fit::FitEvent<'_>| shown.event(event);
        let mut mask = fit.eraser_in(&corpus, position, &target, parts.fitted(), events)?;
        let veils = measured_veils(&mask)?;
        let divided = DividedTexts {
            dim: corpus.dim(),
            rows: corpus.rows(),
            texts: &strs,
            spans: corpus.spans(position),
            parts: &parts,
        };
        let measure = |watch: &inkveil_eval::Watch<'_>| attack::erasure(&divided, &veils, &settings, watch);
        let Some(measured) = watched(args.quiet, cancel, measure)? else { return Ok(Outcome::Interrupted) };
        mask.note.measured = Some(measured);
        target.write(&mask, events)?;
    }
    Ok(Outcome::Success)
}
