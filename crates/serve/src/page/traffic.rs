//! The view Gateway: requests as they pass, without text, the ledger, and receipts.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Response, header};
use futures_util::stream;
use inkveil::detect::Kind;
use inkveil::ledger::{Filter, Ledger, Total};
use inkveil::{Epsilon, Receipt};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::access::{entered, guard};
use super::sealed;
use crate::engine::Engine;
use crate::error::Failure;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::native::only;

/// A connection without events gets a comment after this time, so that both sides know that it is open.
const QUIET: Duration = Duration::from_secs(1);

/// What the page needs to know when it starts.
///
/// # Errors
/// None.
pub(super) fn state(gateway: &Gateway, engine: &Engine, _: &Json) -> Result<Json, Failure> {
    let runtime = gateway.runtime();
    let settings = &runtime.settings;
    let kinds = Kind::ALL.iter().map(|kind| {
        Json::object([
            ("name", Json::text(kind.name())),
            ("family", Json::text(format!("{:?}", kind.family()).to_lowercase())),
            ("about", Json::text(kind.about())),
        ])
    });
    let host = |url: Option<&url::Url>| {
        url.and_then(url::Url::host_str).map_or(Json::Null, |host| Json::text(host.to_owned()))
    };
    // The first text should not wait for the models.
    let _ = engine.quick_marks("Ana");
    Ok(Json::object([
        ("version", Json::text(env!("CARGO_PKG_VERSION"))),
        ("mode", Json::text(settings.mode.name())),
        ("tier", Json::text(settings.tier.name())),
        ("upstream", host(settings.upstream.as_ref())),
        ("anthropic", host(settings.anthropic.as_ref())),
        ("listen", Json::text(settings.listen.to_string())),
        ("ledger", Json::Bool(settings.ledger.is_some())),
        ("rewriter", Json::Bool(settings.rewriter.is_some())),
        ("documents", Json::Array(super::document::ENDINGS.map(Json::text).to_vec())),
        ("kinds", Json::Array(kinds.collect())),
    ]))
}

/// Totals and limits of the ledger.
///
/// # Errors
/// If the ledger cannot be read.
pub(super) fn ledger(gateway: &Gateway, _: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, &[])?;
    let runtime = gateway.runtime();
    let Some(path) = runtime.settings.ledger.as_ref().filter(|path| path.exists()) else {
        let is_kept = runtime.settings.ledger.is_some();
        return Ok(Json::object([("kept", Json::Bool(is_kept)), ("totals", Json::Array(Vec::new()))]));
    };
    let failed = |_| Failure::unavailable("ledger", "the ledger cannot be read");
    let ledger = Ledger::open_existing(path).map_err(failed)?;
    let totals = ledger.totals(&Filter::default()).map_err(failed)?;
    let limits = ledger.limits().map_err(failed)?;
    let limits = limits.iter().map(|limit| Json::text(limit.to_string()));
    Ok(Json::object([
        ("kept", Json::Bool(true)),
        ("totals", Json::Array(totals.iter().map(total).collect())),
        ("limits", Json::Array(limits.collect())),
    ]))
}

fn total(total: &Total) -> Json {
    let share = |epsilon: Option<Epsilon>| match epsilon.map(Epsilon::get) {
        Some(limit) if limit.is_finite() && limit > 0.0 => {
            Json::Number(format!("{:.4}", (total.epsilon.get() / limit).clamp(0.0, 1.0)))
        }
        _ => Json::Null,
    };
    Json::object([
        ("scope", Json::text(total.scope.kind())),
        ("name", total.scope.name().map_or(Json::Null, Json::text)),
        ("measure", Json::text(total.measure.to_string())),
        ("epsilon", Json::text(total.epsilon.readable())),
        ("limit", total.readable_limit().map_or(Json::Null, Json::String)),
        ("left", total.readable_left().map_or(Json::Null, Json::String)),
        ("share", share(total.limit)),
        ("units", Json::count(total.units)),
        ("releases", Json::count(total.releases)),
    ])
}

/// Opens a receipt by its id, or reads one that the user pastes, and checks it.
///
/// # Errors
/// If there is no such receipt, or it is not one.
pub(super) fn receipt(gateway: &Gateway, _: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, &["id", "receipt"])?;
    let text = match (document.str_of("id"), document.str_of("receipt")) {
        (Some(id), None) => gateway.receipts().get(id).ok_or_else(|| {
            Failure::bad("no_receipt", "there is no receipt with this id; the last 1,000 are kept")
        })?,
        (None, Some(text)) => text.to_owned(),
        _ => return Err(Failure::bad("receipt", "give the id of a receipt, or a receipt")),
    };
    let receipt = Receipt::from_json(&text)
        .map_err(|_| Failure::bad("receipt", "this is not a receipt, or it was changed"))?;
    let problems = receipt.verify().into_iter().map(Json::String).collect();
    Ok(Json::object([
        ("in_words", Json::text(receipt.render())),
        ("problems", Json::Array(problems)),
        ("json", Json::text(text)),
    ]))
}

/// The last requests, and then each request as it passes.
pub(super) async fn events(State(gateway): State<Arc<Gateway>>, headers: HeaderMap) -> Response<Body> {
    if let Err(failure) = guard(&headers).and_then(|()| entered(&gateway, &headers)) {
        return sealed(failure.response(false));
    }
    let (earlier, later) = gateway.metrics().events();
    let beginning: String =
        earlier.iter().map(|event| line(event)).chain([": open\n\n".to_owned()]).collect();
    let waiting = Waiting { gateway, later, beginning: Some(beginning) };
    let body = Body::from_stream(stream::unfold(waiting, Waiting::next));
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    sealed(response)
}

fn line(event: &str) -> String {
    format!("data: {event}\n\n")
}

/// A page that waits for events.
struct Waiting {
    gateway: Arc<Gateway>,
    later: Receiver<String>,
    beginning: Option<String>,
}

impl Waiting {
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if let Some(beginning) = self.beginning.take() {
            return Some((Ok(Bytes::from(beginning)), self));
        }
        // An open page must not keep the program from ending.
        if self.gateway.is_stopping() {
            return None;
        }
        let text = match tokio::time::timeout(QUIET, self.later.recv()).await {
            Ok(Ok(event)) => line(&event),
            Ok(Err(RecvError::Lagged(missed))) => format!("event: missed\ndata: {missed}\n\n"),
            Ok(Err(RecvError::Closed)) => return None,
            Err(_) => ": \n\n".to_owned(),
        };
        Some((Ok(Bytes::from(text)), self))
    }
}
