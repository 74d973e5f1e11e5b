//! The receipt of a rewrite: no guarantee of its own, what was measured, and what a text veil guaranteed before.

use inkveil_privacy::{NoiseKey, Receipt, ReceiptBuilder, ReleaseKind, Unit};

use super::model::{ModelLocation, RewriteModel};
use super::tally::{GoalSums, LinkSums, RewriteTally};
use crate::Error;
use crate::rewrite::{Goal, JudgeModels, PassageOutcome, RewriteSettings, Strength};

const MECHANISM: &str = "rewrite by a language model";

/// What all receipts of a veil have in common.
pub(super) struct Terms<'v> {
    pub(super) model: &'v RewriteModel,
    pub(super) judge: &'v JudgeModels,
    pub(super) settings: &'v RewriteSettings,
    pub(super) goal: Option<Goal>,
}

pub(super) fn receipt(
    terms: &Terms<'_>,
    tally: &RewriteTally,
    before: Option<&Receipt>,
    sha256: Option<String>,
) -> Result<Receipt, Error> {
    let builder = match before {
        Some(before) => before.clone().then(ReleaseKind::Rewrite, MECHANISM),
        // A rewrite adds no noise, so any key will do.
        None => Receipt::builder(ReleaseKind::Rewrite, MECHANISM, Unit::Document, &NoiseKey::fresh()?),
    };
    let builder = parameters(builder, terms);
    let builder = measures(builder, tally);
    let builder = passages(builder, tally);
    let builder = match terms.goal {
        Some(goal) => goals(builder, goal, &tally.goals),
        None => builder,
    };
    let mut builder = not_covered(builder, terms.model.location(), before.is_some());
    if let Some(sha256) = sha256 {
        builder = builder.sha256(sha256);
    }
    Ok(builder.build()?)
}

fn parameters(builder: ReceiptBuilder, terms: &Terms<'_>) -> ReceiptBuilder {
    let Terms { model, judge, settings, goal } = terms;
    let memory = judge.memory();
    let builder = builder.parameter("model", model.name());
    let builder = match goal {
        Some(goal) => builder
            .parameter("goal", goal)
            .parameter("strengths tried", Strength::ALL.map(|strength| strength.to_string()).join(", ")),
        None => builder
            .parameter("candidates", settings.draft.count)
            .parameter("rounds", settings.rounds)
            .parameter("passes", settings.passes)
            .parameter("penalty for words of the original", settings.draft.avoid)
            .parameter("minimum meaning kept", settings.rules.meaning),
    };
    let builder = builder
        .parameter("temperature", settings.draft.temperature)
        .parameter("candidates mixed by sentence", settings.mixed)
        .parameter("invented facts", settings.rules.facts.name())
        .parameter("style encoder", &judge.encoder().note().name)
        .parameter("memory", format!("{} texts, {} prototypes", memory.seen(), memory.len()));
    let builder = match judge.earlier() {
        Some(earlier) => builder.parameter("earlier texts compared with", earlier.len()),
        None => builder,
    };
    match model.adapters() {
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
        .measured("meaning kept", None, mean(sums.meaning))
        .measured("words and word pairs kept", Some(1.0), mean(sums.wording_kept))
        .measured("likeness of n-grams to the original", Some(1.0), mean(sums.ngrams_kept))
        .measured("facts invented for each text", None, mean(sums.invented))
        .measured("facts lost for each text", None, mean(sums.lost));
    let builder = match tally.links {
        LinkSums { texts: 0, .. } => builder,
        LinkSums { texts, cosine, recurring, ngrams } => {
            let mean = |sum: f64| sum / texts as f64;
            builder
                .measured("likeness to the style of earlier texts", Some(mean(cosine.0)), mean(cosine.1))
                .measured(
                    "share of words that recur in earlier texts",
                    Some(mean(recurring.0)),
                    mean(recurring.1),
                )
                .measured("likeness of n-grams to earlier texts", Some(mean(ngrams.0)), mean(ngrams.1))
        }
    };
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
        (PassageOutcome::Fixed, "headings, quotes, tables and pieces of code", "kept unchanged"),
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
        (
            PassageOutcome::Declined,
            "passages whose rewrite the writer declined",
            "kept unchanged, with their style",
        ),
        (
            PassageOutcome::Mixed,
            "passages of which the writer declined some sentences",
            "rewritten except for these sentences",
        ),
    ] {
        if let Some(count) = tally.passages.get(&outcome) {
            builder = builder.treatment(&format!("{count} {what}"), how, None);
        }
    }
    if tally.sentences_kept > 0 {
        let what = format!("{} sentences whose rewrite the writer declined", tally.sentences_kept);
        builder = builder.treatment(&what, "kept unchanged, with their style", None);
    }
    match tally.refused {
        0 => builder,
        1 => builder.note("1 text was refused and is not in the release"),
        refused => builder.note(&format!("{refused} texts were refused and are not in the release")),
    }
}

fn goals(mut builder: ReceiptBuilder, goal: Goal, sums: &GoalSums) -> ReceiptBuilder {
    let texts = |count: u64| if count == 1 { "1 text".to_owned() } else { format!("{count} texts") };
    for (strength, count) in &sums.reached {
        let what = format!("{} that reached the goal", texts(*count));
        builder = builder.treatment(&what, &format!("rewritten with strength {strength}"), None);
    }
    if sums.closest > 0 {
        let what = format!("{} that missed the goal", texts(sums.closest));
        builder = builder.treatment(&what, "released with the rewrite that comes nearest to it", None);
    }
    if sums.refused > 0 {
        let are = if sums.refused == 1 { "is" } else { "are" };
        let refused = texts(sums.refused);
        builder = builder.note(&format!("{refused} could not reach the goal and {are} not in the release"));
    }
    let released = sums.released();
    if released > 0 {
        let mean = |sum: f64| sum / released as f64;
        let authors = goal.authors();
        builder = builder
            .measured(
                &format!("estimated chance to be found among {authors} authors"),
                None,
                mean(sums.estimate),
            )
            .measured("upper end of that estimate", None, mean(sums.high));
    }
    let attackers = match sums.with_ngrams {
        0 => "one attacker, who takes the nearest style vector",
        _ => {
            "two attackers, who take the nearest style vector or the nearest n-grams; the others of the second are drawn \
             from the pack's prior over words"
        }
    };
    builder.not_covered(&format!(
        "the goal: the estimate is for {attackers}; the other authors are drawn from the memory, and the interval covers \
         that draw alone; attackers with more knowledge, or with other authors, may find the writer more often"
    ))
}

fn not_covered(builder: ReceiptBuilder, location: ModelLocation, veiled_first: bool) -> ReceiptBuilder {
    let builder = builder
        .not_covered(
            "the author: a rewrite gives no formal guarantee; the measures come from our own style encoder, and another attacker may recognise more",
        )
        .not_covered(
            "the content: facts that only one person knows identify that person in any style",
        )
        .not_covered(
            "statements: rules compare numbers, days, names and negations; a statement can change in other ways",
        )
        .note("meaning kept is BERTScore with the pack's encoder, without a baseline");
    match (location, veiled_first) {
        (ModelLocation::Local, _) => builder,
        (ModelLocation::Address, false) => {
            builder.not_covered("the server of the model: it received the original text")
        }
        (ModelLocation::Address, true) => builder.not_covered(
            "the server of the model: it received the text that the text veil released, before the rewrite",
        ),
    }
}
