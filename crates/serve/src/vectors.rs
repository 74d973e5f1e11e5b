//! Vectors with noise: those of a request, and embeddings that are computed here or by the upstream.

use std::sync::atomic::AtomicBool;

use axum::http::StatusCode;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inkveil::release::{MemoryVectors, Silent};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::Failure;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::secret::ConversationName;

/// The most vectors of one request.
const MOST: usize = 2048;

fn wrong() -> Failure {
    Failure::bad("vectors", "give a list of vectors of one length, each a list of numbers, in \"vectors\"")
}

/// Adds noise to vectors, charges the caller, and returns the id of the receipt.
///
/// # Errors
/// If there are no settings for vectors, the vectors do not fit the mask, or a limit would be passed.
fn veiled(
    gateway: &Gateway,
    engine: &Engine,
    caller: &Caller,
    route: &'static str,
    rows: &mut [Vec<f32>],
) -> Result<String, Failure> {
    let runtime = gateway.runtime();
    let Some(settings) = &runtime.settings.vectors else {
        let message = "the operator has not set [vectors], so no noise is added here";
        return Err(Failure::new(StatusCode::NOT_FOUND, "no_vectors", message));
    };
    let dim = rows.first().map_or(0, Vec::len);
    let unsound = rows.iter().flatten().any(|value| !value.is_finite());
    if dim == 0 || rows.len() > MOST || unsound || rows.iter().any(|row| row.len() != dim) {
        return Err(wrong());
    }
    let failed = |_| Failure::unavailable("veil_failed", "the key of the noise cannot be made");
    // The same vectors get the same noise, so asking again tells nothing new.
    let key = gateway.secret().conversation(caller.id, &ConversationName::Vectors).map_err(failed)?;
    let veil = engine.vector_veil(settings, dim)?;
    let mut flat: Vec<f32> = rows.iter().flatten().copied().collect();
    let account = runtime.settings.account(caller.name(), caller.id);
    let release = MemoryVectors::open(veil, key, &account, route)?;
    let receipt = release.release(&mut flat, None, &Silent, &AtomicBool::new(false))?;
    for (row, noisy) in rows.iter_mut().zip(flat.chunks_exact(dim)) {
        row.copy_from_slice(noisy);
    }
    Ok(gateway.receipts().keep(caller.id, receipt.to_json()))
}

fn numbers(row: &[f32]) -> Json {
    Json::Array(row.iter().map(|value| Json::Number(format!("{value}"))).collect())
}

fn read_numbers(row: &Json) -> Option<Vec<f32>> {
    let Json::Array(items) = row else { return None };
    items.iter().map(|item| item.as_f64().map(|value| value as f32)).collect()
}

fn base64_of(row: &[f32]) -> String {
    STANDARD.encode(row.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())
}

fn read_base64(text: &str) -> Option<Vec<f32>> {
    let bytes = STANDARD.decode(text).ok()?;
    let (words, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| words.iter().map(|word| f32::from_le_bytes(*word)).collect())
}

/// Adds noise to the vectors of a request.
///
/// # Errors
/// If the document is wrong, or as [`veiled`].
pub(crate) fn vectors(
    gateway: &Gateway,
    engine: &Engine,
    caller: &Caller,
    document: &Json,
) -> Result<Json, Failure> {
    crate::native::only(document, &["vectors"])?;
    let rows = document.get("vectors").ok_or_else(wrong)?.items();
    let mut rows: Vec<Vec<f32>> = rows.iter().map(read_numbers).collect::<Option<_>>().ok_or_else(wrong)?;
    let receipt = veiled(gateway, engine, caller, "vectors", &mut rows)?;
    let vectors = Json::Array(rows.iter().map(|row| numbers(row)).collect());
    Ok(Json::object([("vectors", vectors), ("receipt", Json::text(receipt))]))
}

/// Adds noise to the embeddings in an answer of the upstream, and returns the id of the receipt.
///
/// # Errors
/// If the answer holds something else than embeddings. It must not be passed on then.
pub(crate) fn noisy_answer(
    gateway: &Gateway,
    engine: &Engine,
    caller: &Caller,
    answer: &mut Json,
) -> Result<String, Failure> {
    let unreadable =
        || Failure::new(StatusCode::BAD_GATEWAY, "upstream", "the upstream's embeddings cannot be read");
    let Some(Json::Array(items)) = answer.get_mut("data") else { return Err(unreadable()) };
    let read = |item: &Json| match item.get("embedding") {
        Some(Json::String(text)) => read_base64(text),
        Some(row) => read_numbers(row),
        None => None,
    };
    let mut rows: Vec<Vec<f32>> = items.iter().map(read).collect::<Option<_>>().ok_or_else(unreadable)?;
    let receipt = veiled(gateway, engine, caller, "embeddings", &mut rows)?;
    for (item, row) in items.iter_mut().zip(&rows) {
        let written = match item.get("embedding") {
            Some(Json::String(_)) => Json::String(base64_of(row)),
            _ => numbers(row),
        };
        item.set("embedding", written);
    }
    Ok(receipt)
}

/// Computes the embeddings of a request here, and adds noise. No text leaves.
///
/// # Errors
/// If the document is wrong, or as [`veiled`].
pub(crate) fn embeddings_here(
    gateway: &Gateway,
    engine: &Engine,
    caller: &Caller,
    document: &Json,
) -> Result<Json, Failure> {
    crate::native::only(document, &["model", "input", "encoding_format", "user"])?;
    let wrong = || Failure::bad("input", "give a string or a list of strings in \"input\"");
    let texts: Vec<&str> = match document.get("input") {
        Some(Json::String(text)) => vec![text],
        Some(Json::Array(items)) => {
            items.iter().map(Json::as_str).collect::<Option<_>>().ok_or_else(wrong)?
        }
        _ => return Err(wrong()),
    };
    if texts.is_empty() || texts.len() > MOST {
        return Err(wrong());
    }
    let encoder = engine.encoder()?;
    let flat = encoder.encode(&texts, &AtomicBool::new(false), |_| ())?;
    let dim = encoder.model.width();
    let mut rows: Vec<Vec<f32>> = flat.chunks_exact(dim).map(<[f32]>::to_vec).collect();
    let receipt = veiled(gateway, engine, caller, "embeddings", &mut rows)?;
    let in_base64 = document.str_of("encoding_format") == Some("base64");
    let data = rows.iter().enumerate().map(|(index, row)| {
        let embedding = if in_base64 { Json::String(base64_of(row)) } else { numbers(row) };
        let object = ("object", Json::text("embedding"));
        Json::object([object, ("index", Json::count(index)), ("embedding", embedding)])
    });
    let usage = Json::object([("prompt_tokens", Json::count(0_u32)), ("total_tokens", Json::count(0_u32))]);
    Ok(Json::object([
        ("object", Json::text("list")),
        ("data", Json::Array(data.collect())),
        ("model", Json::text(encoder.note.name.clone())),
        ("usage", usage),
        ("inkveil_receipt", Json::text(receipt)),
    ]))
}
