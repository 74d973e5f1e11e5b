//! The view Style: how recognisable a text is, and rewrites of it.

use std::ops::Range;

use axum::http::StatusCode;
use inkveil::pages::style_map;
use inkveil::report::DotMap;
use inkveil::style::features::sentence;
use inkveil::style::{MeasuredStyle, Rewrite, StyleAssessment, StyleAssessor};

use super::number;
use super::places::Utf16;
use crate::engine::Engine;
use crate::error::Failure;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::native::only;

/// The most habits that are shown.
const HABITS: usize = 8;
/// The number of candidates of a rewrite.
const CANDIDATES: u64 = 3;
/// The longest text that is rewritten, in bytes.
const LONGEST_REWRITE: usize = 6_000;

/// Measures the style of a text, with its habits and its place among other styles. Nothing leaves.
///
/// # Errors
/// If the document is wrong or the model fails.
pub(super) fn style(gateway: &Gateway, engine: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, &["text", "map"])?;
    let text = document.str_of("text").unwrap_or_default();
    let tools = engine.style()?;
    let failed = |_| Failure::unavailable("style_failed", "the style could not be measured");
    let geometry = tools.memory.geometry().map_err(failed)?;
    let assessor =
        StyleAssessor { encoder: &tools.encoder, geometry: &geometry, earlier: &[], habits: HABITS };
    let assessed = assessor.assess(&[text], &mut |_| true).map_err(failed)?;
    let Some(assessment) = assessed.first() else {
        return Err(Failure::unavailable("style_failed", "the style could not be measured"));
    };
    let mut answer = Json::object([
        ("status", Json::text(assessment.status())),
        ("in_words", Json::text(assessment.in_words(text))),
        ("rewriter", Json::Bool(gateway.runtime().settings.rewriter.is_some())),
    ]);
    if let StyleAssessment::Measured(measured) = assessment {
        describe(&mut answer, measured, text);
        if document.get("map").and_then(Json::as_bool) != Some(false) {
            answer.set("map", map(&style_map(&tools.memory, Some(&geometry), Some(&measured.vector))));
        }
    }
    Ok(answer)
}

fn describe(answer: &mut Json, measured: &MeasuredStyle, text: &str) {
    let places = Utf16::of(text);
    let place = |range: &Range<usize>| {
        let [start, end] = places.range(range);
        Json::Array(vec![Json::count(start), Json::count(end)])
    };
    let habits = measured.habits.iter().map(|habit| {
        Json::object([
            ("sentence", Json::text(sentence(habit))),
            ("percentile", number(f64::from(habit.percentile))),
            ("example", habit.example.as_ref().map_or(Json::Null, place)),
        ])
    });
    let risk = &measured.risk;
    answer.set("words", Json::count(measured.words));
    answer.set("risk", number(risk.score));
    answer.set("verdict", Json::text(measured.verdict()));
    answer.set("percentile", number(risk.percentile));
    answer.set("seen", Json::count(risk.seen));
    answer.set("one_in", Json::text(risk.one_in().to_string()));
    answer.set("caution", measured.caution().map_or(Json::Null, Json::String));
    answer.set("habits", Json::Array(habits.collect()));
}

/// The styles of the memory in a plane, and the text among them.
fn map(map: &DotMap) -> Json {
    let dots = map.dots.iter().map(|dot| {
        let [x, y] = dot.at;
        Json::Array(vec![number(x), number(y), Json::count(dot.weight as u64), Json::Bool(dot.hollow)])
    });
    let here =
        map.highlight.as_ref().map_or(Json::Null, |([x, y], _)| Json::Array(vec![number(*x), number(*y)]));
    Json::object([("dots", Json::Array(dots.collect())), ("here", here)])
}

/// Rewrites a text several times with the model on this machine. Nothing leaves.
///
/// # Errors
/// If no model is set, the text is too long, or the model fails.
pub(super) fn rewrite(gateway: &Gateway, engine: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, &["text"])?;
    let text = document.str_of("text").unwrap_or_default();
    let runtime = gateway.runtime();
    let Some(model) = &runtime.settings.rewriter else {
        let message =
            "no model is set; get one with `inkveil pull smollm2`, and start with --rewriter smollm2";
        return Err(Failure::new(StatusCode::NOT_FOUND, "no_rewriter", message));
    };
    if text.len() > LONGEST_REWRITE {
        let message = "the page rewrites texts of at most 6 kB; use `inkveil style rewrite` for longer ones";
        return Err(Failure::bad("too_long", message));
    }
    let rewriter = engine.rewriter(model)?;
    let failed = |_| Failure::unavailable("rewrite_failed", "the model could not rewrite the text");
    let mut candidates = Vec::new();
    for seed in 1..=CANDIDATES {
        let rewritten = rewriter.rewrite_all(&[text], 0, seed, &mut |_| true).map_err(failed)?;
        candidates.extend(rewritten.into_iter().next());
    }
    let before = candidates.first().map_or(Json::Null, |one| number(one.source.risk));
    Ok(Json::object([
        ("risk", before),
        ("model", Json::text(rewriter.model().name())),
        ("candidates", Json::Array(candidates.iter().map(candidate).collect())),
    ]))
}

fn candidate(rewrite: &Rewrite) -> Json {
    let measures = rewrite.measures.as_ref();
    let of = |value: Option<f64>| value.map_or(Json::Null, number);
    Json::object([
        ("text", rewrite.text.clone().map_or(Json::Null, Json::String)),
        ("risk", of(measures.map(|measures| measures.risk))),
        ("meaning", of(measures.map(|measures| measures.meaning))),
        ("invented", measures.map_or(Json::Null, |measures| Json::count(measures.invented))),
        ("lost", measures.map_or(Json::Null, |measures| Json::count(measures.lost))),
    ])
}
