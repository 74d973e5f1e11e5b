//! The receipt of a rewrite: no promise, what was measured, and what came before.

use inkveil::Receipt;
use inkveil_privacy::{NoiseKey, ReleaseKind, Unit};
use inkveil_style::{Fate, Measures};

use super::job::{Job, Settled};
use inkveil_files::Sha256Sum;

const MECHANISM: &str = "rewrite by a language model";

/// One receipt for all texts that were released.
pub(super) fn of(job: &Job, settled: &[Settled], released: Option<&[u8]>) -> anyhow::Result<Receipt> {
    let released_texts: Vec<&Settled> = settled.iter().filter(|one| one.text().is_some()).collect();
    let mut builder = match job.promise(&released_texts)? {
        Some(veil) => veil.then(ReleaseKind::Rewrite, MECHANISM),
        None => Receipt::builder(ReleaseKind::Rewrite, MECHANISM, Unit::Document, &NoiseKey::fresh()?),
    };
    let draw = job.settings.draw;
    builder = builder
        .parameter("model", &job.model)
        .parameter("candidates", draw.count)
        .parameter("rounds", job.settings.rounds)
        .parameter("temperature", draw.temperature)
        .parameter("least meaning", job.settings.rules.meaning)
        .parameter("style encoder", &job.measuring.encoder.note().name)
        .parameter(
            "memory",
            format!("{} texts, {} prototypes", job.measuring.memory.seen(), job.measuring.memory.len()),
        );
    if let Some((name, sha256)) = &job.adapters {
        builder = builder.parameter("adapters", name).parameter("adapters sha256", sha256);
    }
    let mean = |of: &dyn Fn(&Settled, &Measures) -> f64| {
        let all = released_texts.iter().filter_map(|one| Some(of(one, one.rewrite.measures.as_ref()?)));
        all.sum::<f64>() / released_texts.len().max(1) as f64
    };
    builder = builder
        .measured("risk of the style", Some(mean(&|one, _| one.rewrite.source.risk)), mean(&|_, m| m.risk))
        .measured(
            "mean distance to common styles",
            Some(mean(&|one, _| one.rewrite.source.mean_distance)),
            mean(&|_, m| m.mean_distance),
        )
        .measured("distance from the source's style", None, mean(&|_, m| m.style_distance))
        .measured("meaning kept", None, mean(&|_, m| m.meaning));
    let named = released_texts.iter().filter_map(|one| one.rewrite.measures?.entities_kept);
    let named: Vec<f64> = named.collect();
    if !named.is_empty() {
        let kept = named.iter().sum::<f64>() / named.len() as f64;
        builder = builder.measured("share of names and other entities kept", Some(1.0), kept);
    }
    let count = |fate: Fate| released_texts.iter().map(|one| one.rewrite.count(fate)).sum::<usize>();
    for (fate, what, how) in [
        (Fate::Short, "passages too short to rewrite", "left as they were"),
        (
            Fate::Kept,
            "passages for which no candidate was good enough",
            "left as they were, with their style",
        ),
        (
            Fate::Closest,
            "passages for which no candidate was good enough",
            "the candidate closest in meaning",
        ),
    ] {
        if count(fate) > 0 {
            builder = builder.treatment(&format!("{} {what}", count(fate)), how, None);
        }
    }
    let refused = settled.len() - released_texts.len();
    if refused > 0 {
        builder = builder.note(&format!("{refused} texts were refused and are not in the release"));
    }
    builder = builder
        .not_covered("who wrote the text: a rewrite gives no formal guarantee; the figures are what our own encoder measured, and others may see more")
        .not_covered("what the text says: facts that only one person knows name that person in any style")
        .note("meaning is BERTScore with the pack's encoder, without a baseline");
    if !job.local {
        builder = builder.not_covered("the server of the model, which saw the text before it was rewritten");
    }
    if let Some(bytes) = released {
        builder = builder.sha256(Sha256Sum::of(bytes).to_string());
    }
    Ok(builder.build()?)
}
