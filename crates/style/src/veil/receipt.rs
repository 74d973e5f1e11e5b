//! The receipt of a rewrite: no guarantee of its own, what was measured, and what a text veil guaranteed before.

use inkveil_privacy::{NoiseKey, Receipt, ReceiptBuilder, ReleaseKind, Unit};

use super::StyleVeil;
use super::model::ModelLocation;
use super::tally::RewriteTally;
use crate::Error;
use crate::rewrite::PassageOutcome;

const MECHANISM: &str = "rewrite by a language model";

pub(super) fn receipt(
    veil: &StyleVeil,
    tally: &RewriteTally,
    before: Option<&Receipt>,
    sha256: Option<String>,
) -> Result<Receipt, Error> {
    let builder = match before {
        Some(before) => before.clone().then(ReleaseKind::Rewrite, MECHANISM),
        // A rewrite adds no noise, so any key will do.
        None => Receipt::builder(ReleaseKind::Rewrite, MECHANISM, Unit::Document, &NoiseKey::fresh()?),
    };
    let builder = parameters(builder, veil);
    let builder = measures(builder, tally);
    let builder = passages(builder, tally);
    let mut builder = not_covered(builder, veil, before.is_some());
    if let Some(sha256) = sha256 {
        builder = builder.sha256(sha256);
    }
    Ok(builder.build()?)
}

fn parameters(builder: ReceiptBuilder, veil: &StyleVeil) -> ReceiptBuilder {
    let settings = veil.settings();
    let memory = veil.judge().memory();
    let builder = builder
        .parameter("model", veil.model().name())
        .parameter("candidates", settings.draft.count)
        .parameter("rounds", settings.rounds)
        .parameter("temperature", settings.draft.temperature)
        .parameter("minimum meaning kept", settings.rules.meaning)
        .parameter("style encoder", &veil.judge().encoder().note().name)
        .parameter("memory", format!("{} texts, {} prototypes", memory.seen(), memory.len()));
    match veil.model().adapters() {
        Some(adapters) => {
            builder.parameter("adapters", &adapters.name).parameter("adapters sha256", &adapters.sha256)
        }
        None => builder,
    }
}

fn measures(builder: ReceiptBuilder, tally: &RewriteTally) -> ReceiptBuilder {
    let (sums, mean) = (&tally.sums, |sum: f64| tally.mean(sum));
    let builder = builder
        .measured("risk of the style", Some(mean(sums.risk_before)), mean(sums.risk))
        .measured("mean distance to common styles", Some(mean(sums.distance_before)), mean(sums.distance))
        .measured("distance from the original style", None, mean(sums.style_distance))
        .measured("meaning kept", None, mean(sums.meaning));
    match tally.with_entities {
        0 => builder,
        texts => {
            let kept = sums.entities_kept / texts as f64;
            builder.measured("share of names and other entities kept", Some(1.0), kept)
        }
    }
}

fn passages(mut builder: ReceiptBuilder, tally: &RewriteTally) -> ReceiptBuilder {
    for (outcome, what, how) in [
        (PassageOutcome::Short, "passages too short to rewrite", "kept unchanged"),
        (
            PassageOutcome::Kept,
            "passages without a good enough candidate",
            "kept unchanged, with their style",
        ),
        (
            PassageOutcome::Closest,
            "passages without a good enough candidate",
            "replaced by the candidate closest in meaning",
        ),
    ] {
        if let Some(count) = tally.passages.get(&outcome) {
            builder = builder.treatment(&format!("{count} {what}"), how, None);
        }
    }
    match tally.refused {
        0 => builder,
        1 => builder.note("1 text was refused and is not in the release"),
        refused => builder.note(&format!("{refused} texts were refused and are not in the release")),
    }
}

fn not_covered(builder: ReceiptBuilder, veil: &StyleVeil, veiled_first: bool) -> ReceiptBuilder {
    let builder = builder
        .not_covered(
            "the author: a rewrite gives no formal guarantee; the measures come from our own style encoder, and another attacker may recognise more",
        )
        .not_covered(
            "the content: facts that only one person knows identify that person in any style",
        )
        .note("meaning kept is BERTScore with the pack's encoder, without a baseline");
    match (veil.model().location(), veiled_first) {
        (ModelLocation::Local, _) => builder,
        (ModelLocation::Address, false) => {
            builder.not_covered("the server of the model: it received the original text")
        }
        (ModelLocation::Address, true) => builder.not_covered(
            "the server of the model: it received the text that the text veil released, before the rewrite",
        ),
    }
}
