//! The view Vectors: the eraser of a concept, and what attackers and searches find at each budget.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use inkveil::detect::{Kind, Span, Tier};
use inkveil::fit::VectorFit;
use inkveil::vectors::EraseSettings;
use inkveil::{Concept, Epsilon, Mask, NoiseKey, VectorVeil, names_folder, pack_folder};
use inkveil_eval::Watch;
use inkveil_eval::attack::{self, ReleasedVectors, VectorAttackSettings, VectorAttacker};

use super::access::{entered, guard};
use super::{number, sealed};
use crate::engine::Engine;
use crate::error::Failure;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::native::{only, texts};

/// The fewest and the most texts.
const FEWEST: usize = 50;
const MOST: usize = 2_000;
/// The budgets that are measured. ∞ stands for erasure without noise.
const BUDGETS: [f64; 5] = [f64::INFINITY, 400.0, 200.0, 100.0, 50.0];
/// What is left of a vector after erasure is brought to length 1 unless it is shorter than this.
const SHORTEST: f64 = 0.5;
/// The fewest texts with a word of the concept.
const LEAST_TEXTS: u64 = 3;

/// Fits an eraser to texts and measures what it hides. The texts stay here; the mask that can be downloaded
/// reveals something about them.
///
/// # Errors
/// If there are too few texts, or the concept is too rare in them.
pub(super) fn fit(gateway: &Gateway, engine: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, &["texts", "kinds", "words", "public"])?;
    let all = texts(document)?;
    let all: Vec<&str> = all.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    if !(FEWEST..=MOST).contains(&all.len()) {
        let message = format!("give {FEWEST} to {MOST} texts, one on each line; there are {}", all.len());
        return Err(Failure::bad("texts", message));
    }
    let list = |key| document.get(key).map_or(&[][..], Json::items).iter().filter_map(Json::as_str);
    let kinds: Vec<Kind> = list("kinds").map(Kind::named).collect();
    let words: Vec<String> = list("words").map(str::to_owned).collect();
    if kinds.is_empty() && words.is_empty() {
        return Err(Failure::bad("concept", "choose a kind, or write words of the concept"));
    }
    let concept = Concept::of(kinds, words, Vec::new(), Tier::Fast);
    let encoder = engine.encoder()?;
    let settings = EraseSettings { least_texts: LEAST_TEXTS, ..EraseSettings::default() };
    let public = document.get("public").and_then(Json::as_bool).unwrap_or(false);
    let pack = engine.settings().pack.clone();
    let learn = VectorFit { pack, erase: settings, public, ..VectorFit::default() };
    // The message of the fit says what is missing, and quotes no text.
    let rare = |error: inkveil::Error| Failure::bad("concept", error.to_string());
    let never = AtomicBool::new(false);
    let mask = learn.eraser_of(&encoder, &concept, &all, &never).map_err(rare)?;
    let failed = |_| Failure::unavailable("mask_failed", "the mask could not be written");
    let id = gateway.page().keep_mask(mask.to_bytes().map_err(failed)?);
    let Some(eraser) = &mask.eraser else {
        return Err(Failure::unavailable("mask_failed", "the mask has no eraser"));
    };
    let note = &eraser.note;
    let directions =
        note.directions.iter().map(|(concept, spread)| Json::Array(vec![number(*concept), number(*spread)]));
    let (curve, why) = match curve(engine, &mask, &concept, &all) {
        Ok(curve) => (curve, Json::Null),
        Err(message) => (Vec::new(), Json::String(message)),
    };
    Ok(Json::object([
        ("id", Json::text(id)),
        ("concept", Json::text(concept.name.clone())),
        ("texts", Json::count(all.len())),
        ("labels", Json::count(note.labels)),
        ("labelled", Json::count(note.labelled_texts)),
        ("concept_removed", number(note.concept_removed)),
        ("spread_removed", number(note.spread_removed)),
        ("directions", Json::Array(directions.collect())),
        ("curve", Json::Array(curve)),
        ("no_curve", why),
    ]))
}

/// Attacks the vectors of the texts at each budget. The first point is without any veil.
fn curve(engine: &Engine, mask: &Mask, concept: &Concept, texts: &[&str]) -> Result<Vec<Json>, String> {
    let plain = |error: &dyn std::fmt::Display| error.to_string();
    let encoder = engine.encoder().map_err(|error| plain(&error))?;
    let dim = encoder.model.width();
    let mut vectors =
        encoder.encode(texts, &AtomicBool::new(false), |_| ()).map_err(|error| plain(&error))?;
    vectors.chunks_exact_mut(dim).for_each(to_unit);
    let pack = pack_folder(&engine.settings().pack).map_err(|error| plain(&error))?;
    let names = names_folder(&pack).map_err(|error| plain(&error))?;
    let finder = concept.finder(Some(&names)).map_err(|error| plain(&error))?;
    let spans: Vec<Vec<Span>> = finder.spans(texts).map_err(|error| plain(&error))?;
    let settings = VectorAttackSettings {
        min_count: LEAST_TEXTS as usize,
        epochs: None,
        attackers: vec![VectorAttacker::Bayes],
        seed: 1,
        save_attacker: false,
    };
    let key = NoiseKey::fresh().map_err(|error| plain(&error))?;
    let mut points = Vec::new();
    for budget in BUDGETS {
        let epsilon = match budget.is_finite() {
            true => Epsilon::new(budget).map_err(|error| plain(&error))?,
            false => Epsilon::INFINITE,
        };
        let masks = std::slice::from_ref(mask);
        let veil = VectorVeil::erased(epsilon, masks, Some(inkveil::DEFAULT_AXES), SHORTEST)
            .map_err(|error| plain(&error))?;
        let mut released = vectors.clone();
        veil.apply(&mut released, 0, &key).map_err(|error| plain(&error))?;
        let attacked =
            ReleasedVectors { dim, originals: &vectors, released: &released, texts, spans: &spans };
        let report =
            attack::vector(&attacked, &settings, &Watch::nothing()).map_err(|error| plain(&error))?;
        let point = |epsilon: Json, found: f64, search: f64, veiled: bool| {
            Json::object([
                ("epsilon", epsilon),
                ("veiled", Json::Bool(veiled)),
                ("found", number(found)),
                ("guessing", number(report.guessing)),
                ("search", number(search)),
            ])
        };
        if points.is_empty() {
            points.push(point(Json::Null, report.originals.found.mean, 1.0, false));
        }
        points.push(point(number(budget), report.released.found.mean, report.search_kept, true));
    }
    Ok(points)
}

/// Brings a vector to length 1. Vectors are released with it.
fn to_unit(row: &mut [f32]) {
    let length = row.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    if length > 0.0 {
        row.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
    }
}

/// The file of a mask.
pub(super) async fn mask(
    State(gateway): State<Arc<Gateway>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response<Body> {
    let mask = guard(&headers).and_then(|()| entered(&gateway, &headers)).and_then(|()| {
        let gone = || Failure::new(StatusCode::NOT_FOUND, "no_mask", "there is no mask with this id");
        gateway.page().mask(&id).ok_or_else(gone)
    });
    sealed(match mask {
        Err(failure) => failure.response(false),
        Ok(bytes) => {
            let mut response = Response::new(Body::from(bytes));
            let kind = HeaderValue::from_static("application/octet-stream");
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            response
        }
    })
}
