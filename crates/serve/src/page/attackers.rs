//! The view Attack: runs attackers on what was just veiled.

use std::ops::Range;
use std::sync::Arc;

use inkveil::detect::{Detector, Settings};
use inkveil::explain::ExplainedUnit;
use inkveil::lexicon::Lexicon;
use inkveil::release::TurnPreview;
use inkveil::style::{StyleAssessment, StyleAssessor};
use inkveil::{Treatment, names_folder, pack_folder};
use inkveil_eval::Watch;
use inkveil_eval::attack::{self, ReleasedTexts, TextAttackModels, TextAttackReport, TokenAttacker};

use super::number;
use super::write::Draft;
use crate::engine::Engine;
use crate::error::Failure;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::native::only;

/// Sentences that are shorter are joined with the next one.
const SHORTEST: usize = 40;
/// The most sentences that are attacked.
const MOST: usize = 400;
/// The seed of the attackers.
const SEED: u64 = 1;

/// Attacks the veiled form of a text. Nothing leaves, so nothing is charged.
///
/// # Errors
/// If the document is wrong or a model fails.
pub(super) fn attack(gateway: &Gateway, engine: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, &["text", "task", "level", "session", "overrides"])?;
    let draft = Draft::read(gateway, document)?;
    let preview = draft.preview(engine)?;
    let mut answer = Json::object([
        ("face", face_value(draft.text, &preview)),
        ("words", Json::Null),
        ("style", style(engine, draft.text, &preview.text).unwrap_or(Json::Null)),
    ]);
    let (words, why) = match words(engine, draft.text, &preview) {
        Ok(report) => (report_json(&report), Json::Null),
        Err(why) => (Json::Null, Json::String(why)),
    };
    answer.set("words", words);
    answer.set("no_words", why);
    Ok(answer)
}

/// What an attacker sees who takes the text at face value: for each sensitive value its replacement, and
/// whether the value is still in the text.
fn face_value(original: &str, preview: &TurnPreview) -> Json {
    let lower = preview.text.to_lowercase();
    let sensitive = preview.units.iter().filter(|unit| unit.kind.is_some());
    let mut seen: Vec<(&str, &str)> = Vec::new();
    let mut values = Vec::new();
    for unit in sensitive {
        let value = original.get(unit.range.clone()).unwrap_or_default();
        let shown = unit.replacement.as_ref().and_then(|new| preview.text.get(new.range.clone()));
        let shown = shown.unwrap_or_default();
        if value.trim().is_empty() || seen.contains(&(value, shown)) {
            continue;
        }
        seen.push((value, shown));
        let survives = !value.is_empty() && lower.contains(&value.to_lowercase());
        values.push(Json::object([
            ("value", Json::text(value)),
            ("kind", unit.kind.as_ref().map_or(Json::Null, |kind| Json::text(kind.name()))),
            ("sees", Json::text(shown)),
            ("survives", Json::Bool(survives)),
        ]));
    }
    Json::Array(values)
}

/// Attackers who know every second sentence with its original and guess the values of the others.
fn words(engine: &Engine, original: &str, preview: &TurnPreview) -> Result<TextAttackReport, String> {
    let sentences = sentences(original, &preview.units);
    let take = |text: &'_ str, range: &Range<usize>| text.get(range.clone()).unwrap_or_default().to_owned();
    let originals: Vec<String> = sentences.iter().map(|(before, _)| take(original, before)).collect();
    let released: Vec<String> = sentences.iter().map(|(_, after)| take(&preview.text, after)).collect();
    let originals: Vec<&str> = originals.iter().map(String::as_str).collect();
    let released: Vec<&str> = released.iter().map(String::as_str).collect();
    let plain = |error: &dyn std::fmt::Display| error.to_string();
    let texts = ReleasedTexts::new(&originals, &released).map_err(|error| plain(&error))?;
    let pack = pack_folder(&engine.settings().pack).map_err(|error| plain(&error))?;
    let names = names_folder(&pack).map_err(|error| plain(&error))?;
    let detector = Detector::open(Some(&names), Settings::default()).map_err(|error| plain(&error))?;
    let lexicon = Arc::new(Lexicon::open(&pack).map_err(|error| plain(&error))?);
    let encoder = engine.encoder().map_err(|error| plain(&error))?;
    let models = TextAttackModels {
        detector: &detector,
        lexicon: &lexicon,
        encoder: &encoder.model,
        language_model: None,
        own: &[],
    };
    attack::text(&texts, &models, MOST, SEED, &Watch::nothing()).map_err(|error| plain(&error))
}

fn report_json(report: &TextAttackReport) -> Json {
    let knowledge = |attacker: &TokenAttacker| match attacker {
        TokenAttacker::Likelihood => "likelihood",
        TokenAttacker::Unigram => "unigram",
        TokenAttacker::Language => "language",
        _ => attacker.name(),
    };
    let found = report.found.iter().map(|(attacker, estimate)| {
        Json::object([
            ("attacker", Json::text(knowledge(attacker))),
            ("mean", number(estimate.mean)),
            ("low", number(estimate.low)),
            ("high", number(estimate.high)),
        ])
    });
    let kinds = report.kinds.iter().map(|(kind, count)| {
        Json::object([
            ("kind", Json::text(kind.clone())),
            ("values", Json::count(count.values)),
            ("found", Json::count(count.found)),
        ])
    });
    Json::object([
        ("sentences", Json::count(report.texts)),
        ("attacked", Json::count(report.attacked_texts)),
        ("values", Json::count(report.sensitive_values)),
        ("survival", number(report.survival.mean)),
        ("found", Json::Array(found.collect())),
        ("kinds", Json::Array(kinds.collect())),
        ("linked", number(report.linked_to_original)),
        ("verdict", Json::text(report.verdict().name())),
    ])
}

/// The sentences of a text, as places in the original and in the veiled text. A sentence ends with a unit, so that
/// both places are known.
fn sentences(text: &str, units: &[ExplainedUnit]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut sentences = Vec::new();
    let (mut start, mut veiled_start) = (None, 0);
    for (index, unit) in units.iter().enumerate() {
        let Some(new) = &unit.replacement else { continue };
        let begun = *start.get_or_insert_with(|| {
            veiled_start = new.range.start;
            unit.range.start
        });
        let gap = units.get(index + 1).and_then(|next| text.get(unit.range.end..next.range.start));
        let ends_line = gap.is_none_or(|gap| gap.contains('\n'));
        let mark = text.get(unit.range.clone()).unwrap_or_default();
        let ends = unit.treatment == Treatment::Punctuation && matches!(mark, "." | "!" | "?");
        let is_last = index + 1 == units.len();
        if (ends || ends_line) && unit.range.end - begun >= SHORTEST || is_last {
            sentences.push((begun..unit.range.end, veiled_start..new.range.end));
            start = None;
        }
    }
    sentences
}

/// How sure the style encoder is that the veiled text is by the writer of the original.
fn style(engine: &Engine, original: &str, veiled: &str) -> Option<Json> {
    let tools = engine.style().ok()?;
    let geometry = tools.memory.geometry().ok()?;
    let earlier = tools.encoder.encode(&[original]).ok()?;
    let assessor =
        StyleAssessor { encoder: &tools.encoder, geometry: &geometry, earlier: &earlier, habits: 0 };
    let assessed = assessor.assess(&[veiled], &mut |_| true).ok()?;
    let StyleAssessment::Measured(measured) = assessed.first()? else { return None };
    let link = measured.link.as_ref()?;
    let of = |value: Option<f64>| value.map_or(Json::Null, number);
    Some(Json::object([
        ("even", of(link.probability)),
        ("among_hundred", of(link.among_hundred)),
        ("nearer", number(link.nearer)),
    ]))
}
