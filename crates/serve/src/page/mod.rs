//! The web page: what is sensitive in a text, before it leaves.
//!
//! The page is plain files in `crates/serve/page`, built into the program. It talks to this program only.
//!
//! # Files
//! - `access.rs`: who may use the page, and from where. `files.rs`: the files and their headers.
//! - `decisions.rs`: what the user decided about words. `places.rs`: places as browsers count them.
//! - `write.rs`, `document.rs`: the view Write. `measure.rs`: the view Style. `concept.rs`: the view Vectors. `traffic.rs`: the view
//!   Gateway. `attackers.rs`: the view Attack.

mod access;
mod attackers;
mod concept;
mod decisions;
mod document;
mod files;
mod measure;
mod places;
mod traffic;
mod write;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode};
use axum::routing::{get, post};

pub use self::access::Page;
use self::access::{entered, guard};
use crate::engine::Engine;
use crate::error::{Failure, json};
use crate::gateway::Gateway;
use crate::incoming::json_body;
use crate::json::Json;

/// The routes.
pub(crate) fn routes() -> Router<Arc<Gateway>> {
    /// Attackers, rewriting and fitting may take this long.
    const LONG: Duration = Duration::from_secs(300);
    let quick = |work: Work| post(move |state, request| answer(state, request, None, work));
    let long = |work: Work| post(move |state, request| answer(state, request, Some(LONG), work));
    Router::new()
        .route("/", get(files::index))
        .route("/page/{file}", get(files::file))
        .route("/page/api/enter", post(access::enter))
        .route("/page/api/link", quick(access::link))
        .route("/page/api/state", quick(traffic::state))
        .route("/page/api/marks", quick(write::marks))
        .route("/page/api/veil", quick(write::veil))
        .route("/page/api/release", quick(write::release))
        .route("/page/api/restore", quick(write::restore))
        .route("/page/api/table", long(write::table))
        .route("/page/api/document/text", long(document::text))
        .route("/page/api/document", long(document::release))
        .route("/page/api/style", quick(measure::style))
        .route("/page/api/rewrite", long(measure::rewrite))
        .route("/page/api/concept", long(concept::fit))
        .route("/page/api/concept/{id}", get(concept::mask))
        .route("/page/api/attack", long(attackers::attack))
        .route("/page/api/ledger", quick(traffic::ledger))
        .route("/page/api/receipt", quick(traffic::receipt))
        .route("/page/api/events", get(traffic::events))
}

/// What a route of the page does with a document.
type Work = fn(&Gateway, &Engine, &Json) -> Result<Json, Failure>;

/// Answers a request of the page.
async fn answer(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
    longest: Option<Duration>,
    work: Work,
) -> Response<Body> {
    let answered = answered(&gateway, request, longest, work).await;
    sealed(answered.map_or_else(|failure| failure.response(false), |done| json(StatusCode::OK, &done)))
}

async fn answered(
    gateway: &Arc<Gateway>,
    request: Request,
    longest: Option<Duration>,
    work: Work,
) -> Result<Json, Failure> {
    let runtime = gateway.runtime();
    let (parts, body) = request.into_parts();
    guard(&parts.headers)?;
    entered(gateway, &parts.headers)?;
    let _place = gateway.place()?;
    let document = json_body(&runtime.settings, &parts.headers, body).await?;
    let inner = gateway.clone();
    let longest = longest.unwrap_or(runtime.settings.limits.veiling);
    gateway.work_for(longest, move |engine| work(&inner, engine, &document)).await
}

/// Adds the headers that every answer to the page has.
fn sealed(mut response: Response<Body>) -> Response<Body> {
    files::seal(response.headers_mut());
    response
}

/// A number with four digits. One that is not finite is not known.
fn number(value: f64) -> Json {
    if value.is_finite() { Json::Number(format!("{value:.4}")) } else { Json::Null }
}
