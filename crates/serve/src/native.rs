//! The gateway's own routes: veil, restore, detect, documents, style, vectors, receipts.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::{get, post};
use inkveil::detect::Span;
use inkveil::release::{Account, TurnText};

use crate::caller::Caller;
use crate::characters::Places;
use crate::engine::{Engine, Outcome, Terms};
use crate::error::{Failure, json};
use crate::gateway::Gateway;
use crate::incoming::json_body;
use crate::json::Json;
use crate::mode::Mode;
use crate::positions::{Leaf, Vault};
use crate::secret::ConversationName;
use crate::{documents, style, vectors};

/// The routes.
pub(crate) fn routes() -> Router<Arc<Gateway>> {
    Router::new()
        .route("/v1/inkveil/veil", post(|state, request| answer(state, request, veil)))
        .route("/v1/inkveil/restore", post(|state, request| answer(state, request, restore)))
        .route("/v1/inkveil/detect", post(|state, request| answer(state, request, detect)))
        .route("/v1/inkveil/document", post(|state, request| answer(state, request, documents::veil)))
        .route(
            "/v1/inkveil/document/restore",
            post(|state, request| answer(state, request, documents::restore)),
        )
        .route(
            "/v1/inkveil/document/detect",
            post(|state, request| answer(state, request, documents::detect)),
        )
        .route("/v1/inkveil/style/risk", post(|state, request| answer(state, request, style::risk)))
        .route("/v1/inkveil/style/rewrite", post(|state, request| answer(state, request, style::rewrite)))
        .route("/v1/inkveil/vectors", post(|state, request| answer(state, request, vectors::vectors)))
        .route("/v1/inkveil/receipts/{id}", get(receipt))
}

/// What a route does with a document.
pub(crate) type Work = fn(&Gateway, &Engine, &Caller, &Json) -> Result<Json, Failure>;

/// Answers a request with a document.
pub(crate) async fn answer(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
    work: Work,
) -> Response<Body> {
    match answered(&gateway, request, work).await {
        Ok(document) => json(StatusCode::OK, &document),
        Err(failure) => failure.response(false),
    }
}

async fn answered(gateway: &Arc<Gateway>, request: Request, work: Work) -> Result<Json, Failure> {
    let runtime = gateway.runtime();
    let (parts, body) = request.into_parts();
    let _place = gateway.place()?;
    let caller = gateway.caller(&runtime.settings, &parts.headers)?;
    let document = json_body(&runtime.settings, &parts.headers, body).await?;
    let inner = gateway.clone();
    gateway.work(&runtime.settings, move |engine| work(&inner, engine, &caller, &document)).await
}

async fn receipt(
    State(gateway): State<Arc<Gateway>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response<Body> {
    let runtime = gateway.runtime();
    let caller = match gateway.caller(&runtime.settings, &headers) {
        Ok(caller) => caller,
        Err(failure) => return failure.response(false),
    };
    // Without local keys, all callers are the user of this machine.
    let receipt = match caller.key {
        Some(_) => gateway.receipts().get_of(caller.id, &id),
        None => gateway.receipts().get(&id),
    };
    match receipt {
        Some(receipt) => crate::server::text("application/json", receipt),
        None => Failure::new(StatusCode::NOT_FOUND, "no_receipt", "there is no receipt with this id")
            .response(false),
    }
}

/// The texts of a document: `text`, or `texts`.
pub(crate) fn texts(document: &Json) -> Result<Vec<String>, Failure> {
    let wrong = || Failure::bad("texts", "give a string in \"text\", or a list of strings in \"texts\"");
    match (document.get("text"), document.get("texts")) {
        (Some(Json::String(text)), None) => Ok(vec![text.clone()]),
        (None, Some(Json::Array(items))) => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
        }
        _ => Err(wrong()),
    }
}

/// A field that may be missing.
fn optional<'d>(document: &'d Json, key: &'static str) -> Result<Option<&'d str>, Failure> {
    match document.get(key) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => Err(Failure::bad(key, format!("give a string in {key:?}, or leave it out"))),
    }
}

/// Refuses other fields than these.
///
/// # Errors
/// If there is one.
pub(crate) fn only(document: &Json, known: &[&str]) -> Result<(), Failure> {
    match document {
        Json::Object(fields) if fields.iter().all(|(key, _)| known.contains(&key.as_str())) => Ok(()),
        Json::Object(_) => {
            Err(Failure::bad("unknown_field", format!("only these fields are known: {}", known.join(", "))))
        }
        _ => Err(Failure::bad("not_an_object", "the body is not an object")),
    }
}

/// The terms of a document: its mode, the key of its session, and the account of the caller. A document without a session
/// is a conversation of its own, named by how it begins.
///
/// # Errors
/// If the mode or the session is wrong.
pub(crate) fn terms(
    gateway: &Gateway,
    caller: &Caller,
    document: &Json,
    beginning: impl FnOnce() -> Vec<String>,
    route: &'static str,
) -> Result<Terms, Failure> {
    let runtime = gateway.runtime();
    let mode = match optional(document, "mode")? {
        None => Some(runtime.settings.mode).filter(|mode| mode.veils()).unwrap_or_default(),
        Some(name) => Mode::named(name)
            .filter(|mode| mode.veils())
            .ok_or_else(|| Failure::bad("mode", "modes are surrogates, placeholders and stamp"))?,
    };
    let name = match optional(document, "session")? {
        Some(session) => ConversationName::Session(session.to_owned()),
        None => ConversationName::Beginning(beginning()),
    };
    let wrong = |_| Failure::unavailable("veil_failed", "the key of the conversation cannot be made");
    let key = gateway.secret().conversation(caller.id, &name).map_err(wrong)?;
    let account = runtime.settings.account(caller.name(), caller.id);
    Ok(Terms { mode, key, account, route })
}

/// Veils the texts of a document. A release is charged to the account of the caller.
fn veiled(
    gateway: &Gateway,
    engine: &Engine,
    caller: &Caller,
    document: &Json,
    is_release: bool,
) -> Result<(Outcome, Mode), Failure> {
    let texts = texts(document)?;
    let mut terms =
        terms(gateway, caller, document, || texts.first().cloned().into_iter().collect(), "veil")?;
    if !is_release {
        terms.account = Account::none();
    }
    let mode = terms.mode;
    let leaves: Vec<Leaf> = texts
        .into_iter()
        .enumerate()
        .map(|(number, text)| Leaf::text(text, Vault::Open, number + 1))
        .collect();
    Ok((engine.veil(&leaves, &terms)?, mode))
}

/// Veils texts.
///
/// # Errors
/// If the document is wrong or veiling fails.
pub(crate) fn veil(
    gateway: &Gateway,
    engine: &Engine,
    caller: &Caller,
    document: &Json,
) -> Result<Json, Failure> {
    only(document, &["text", "texts", "session", "mode"])?;
    let (mut outcome, mode) = veiled(gateway, engine, caller, document, true)?;
    outcome.confirm()?;
    let receipt = outcome.receipt.take().map(|receipt| receipt.to_json());
    let id = receipt.map(|receipt| gateway.receipts().keep(caller.id, receipt));
    let found = Json::count(outcome.found());
    let mut answer = Json::object([("mode", Json::text(mode.name())), ("found", found)]);
    match document.get("text") {
        Some(_) => answer.set("text", Json::text(outcome.texts.pop().unwrap_or_default())),
        None => answer.set("texts", Json::Array(outcome.texts.into_iter().map(Json::String).collect())),
    }
    answer.set("receipt", id.map_or(Json::Null, Json::String));
    Ok(answer)
}

/// Restores an answer to texts that were veiled before. Nothing was stored, so the texts are needed again.
///
/// # Errors
/// If the document is wrong or veiling fails.
pub(crate) fn restore(
    gateway: &Gateway,
    engine: &Engine,
    caller: &Caller,
    document: &Json,
) -> Result<Json, Failure> {
    only(document, &["text", "texts", "session", "mode", "answer"])?;
    let answer = document
        .str_of("answer")
        .ok_or_else(|| Failure::bad("answer", "give the text to restore in \"answer\""))?;
    // Nothing leaves here, so nothing is charged.
    let (outcome, _) = veiled(gateway, engine, caller, document, false)?;
    let (restored, report) = outcome.restorers.text.restore_text(answer);
    Ok(Json::object([("answer", Json::text(restored)), ("restored", Json::count(report.restored()))]))
}

/// Reports what is sensitive in texts.
///
/// # Errors
/// If the document is wrong or detection fails.
pub(crate) fn detect(_: &Gateway, engine: &Engine, _: &Caller, document: &Json) -> Result<Json, Failure> {
    only(document, &["text", "texts"])?;
    let texts = texts(document)?;
    let turns: Vec<TurnText<'_>> =
        texts.iter().map(|text| TurnText { text, field: None, task: None }).collect();
    let found = engine.find(&turns)?;
    let spans = |(text, spans): (&String, &Vec<Span>)| {
        let places = Places::new(text);
        Json::Array(spans.iter().map(|span| span_json(&places, span)).collect())
    };
    let mut lists: Vec<Json> = texts.iter().zip(&found).map(spans).collect();
    let spans = match document.get("text") {
        Some(_) => lists.pop().unwrap_or(Json::Null),
        None => Json::Array(lists),
    };
    Ok(Json::object([("spans", spans)]))
}

/// A finding, in characters.
pub(crate) fn span_json(places: &Places<'_>, span: &Span) -> Json {
    Json::object([
        ("kind", Json::text(span.kind.name())),
        ("start", Json::count(places.of(span.start))),
        ("end", Json::count(places.of(span.end))),
        ("score", Json::Number(format!("{}", span.rounded_score()))),
        ("found_by", Json::text(span.reason.found_by.name())),
    ])
}
