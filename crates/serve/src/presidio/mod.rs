//! Presidio's REST interface, so that its users switch by changing an address.
//!
//! `analyze.rs`: `/analyze`. `anonymize.rs`, `deanonymize.rs`: their routes. `cipher.rs`: Presidio's
//! encryption.

mod analyze;
mod anonymize;
mod cipher;
mod deanonymize;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode, Uri};
use axum::routing::{get, post};

use crate::engine::Engine;
use crate::error::{Failure, json};
use crate::gateway::Gateway;
use crate::incoming::json_body;
use crate::json::Json;

/// An error in Presidio's form.
#[derive(Debug)]
pub(crate) struct PresidioError(pub(crate) StatusCode, pub(crate) String);

impl PresidioError {
    fn new(status: u16, message: impl Into<String>) -> Self {
        Self(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), message.into())
    }
}

/// The routes.
pub(crate) fn routes() -> Router<Arc<Gateway>> {
    Router::new()
        .route("/health", get(|| async { "Presidio interface of inkveil is up" }))
        .route("/analyze", post(analyze_route))
        .route("/anonymize", post(|state, request| document_route(state, request, anonymize::anonymize)))
        .route(
            "/deanonymize",
            post(|state, request| document_route(state, request, deanonymize::deanonymize)),
        )
        .route("/supportedentities", get(supported))
        .route("/recognizers", get(recognizers))
        .route("/anonymizers", get(|| async { list(&anonymize::OPERATORS) }))
        .route("/deanonymizers", get(|| async { list(&deanonymize::OPERATORS) }))
}

fn list(names: &[&str]) -> Response<Body> {
    json(StatusCode::OK, &Json::Array(names.iter().map(|name| Json::text(*name)).collect()))
}

fn answered(answer: Result<Json, PresidioError>) -> Response<Body> {
    match answer {
        Ok(document) => json(StatusCode::OK, &document),
        Err(PresidioError(status, message)) => json(status, &Json::object([("error", Json::text(message))])),
    }
}

async fn document(gateway: &Gateway, request: Request) -> Result<Json, PresidioError> {
    let runtime = gateway.runtime();
    let (parts, body) = request.into_parts();
    let failed = |failure: Failure| match failure.code {
        "invalid_json" => PresidioError::new(
            400,
            "The browser (or proxy) sent a request that this server could not understand.",
        ),
        _ => PresidioError(failure.status, failure.message),
    };
    gateway.caller(&runtime.settings, &parts.headers).map_err(failed)?;
    json_body(&runtime.settings, &parts.headers, body).await.map_err(failed)
}

async fn analyze_route(State(gateway): State<Arc<Gateway>>, request: Request) -> Response<Body> {
    answered(worked(&gateway, request, analyze::analyze).await)
}

async fn document_route(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
    work: fn(&Json) -> Result<Json, PresidioError>,
) -> Response<Body> {
    answered(worked(&gateway, request, move |_, document| work(document)).await)
}

/// Works on the document of a request, with a place and a time limit.
async fn worked(
    gateway: &Arc<Gateway>,
    request: Request,
    work: impl FnOnce(&Engine, &Json) -> Result<Json, PresidioError> + Send + 'static,
) -> Result<Json, PresidioError> {
    let failed = |failure: Failure| PresidioError(failure.status, failure.message);
    let _place = gateway.place().map_err(failed)?;
    let document = document(gateway, request).await?;
    let runtime = gateway.runtime();
    gateway.work(&runtime.settings, move |engine| Ok(work(engine, &document))).await.map_err(failed)?
}

/// The language of a query. Others than English have no tagger here.
fn check_language(uri: &Uri) -> Result<(), PresidioError> {
    let pairs = uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    match pairs.filter(|(name, _)| *name == "language").all(|(_, language)| language == "en") {
        true => Ok(()),
        false => Err(PresidioError::new(500, analyze::NO_RECOGNIZERS)),
    }
}

async fn supported(uri: Uri) -> Response<Body> {
    let names = inkveil::presidio_names().into_iter().map(Json::text).collect();
    answered(check_language(&uri).map(|()| Json::Array(names)))
}

async fn recognizers(uri: Uri) -> Response<Body> {
    let names =
        inkveil::presidio_names().into_iter().map(|name| Json::text(format!("inkveil {name}"))).collect();
    answered(check_language(&uri).map(|()| Json::Array(names)))
}
