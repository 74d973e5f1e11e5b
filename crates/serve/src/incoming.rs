//! What is read from a request before anything is veiled: its body, path and headers.

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::error::Failure;
use crate::json::Json;
use crate::settings::Settings;

/// The header with the id of a session.
const SESSION: &str = "x-inkveil-session";
/// The longest id of a session.
const LONGEST_SESSION: usize = 256;

/// Reads a body of JSON.
///
/// # Errors
/// If it is too long, too slow, compressed, or not JSON.
pub(crate) async fn json_body(settings: &Settings, headers: &HeaderMap, body: Body) -> Result<Json, Failure> {
    if headers.get(header::CONTENT_ENCODING).is_some_and(|value| value != "identity") {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(Failure::new(status, "encoding", "compressed requests are not read"));
    }
    let is_json = |value: &HeaderValue| {
        value.to_str().is_ok_and(|kind| kind.trim().to_ascii_lowercase().starts_with("application/json"))
    };
    if !headers.get(header::CONTENT_TYPE).is_some_and(is_json) {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(Failure::new(status, "content_type", "the content type must be application/json"));
    }
    let longest = settings.limits.body;
    let too_large = || Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "the body is too large");
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: usize| length > longest) {
        return Err(too_large());
    }
    match tokio::time::timeout(settings.limits.reading, to_bytes(body, longest)).await {
        Ok(Ok(bytes)) => Ok(Json::parse(&bytes)?),
        Ok(Err(_)) => Err(too_large()),
        Err(_) => {
            Err(Failure::new(StatusCode::REQUEST_TIMEOUT, "slow_request", "the request came too slowly"))
        }
    }
}

/// The id of the session, if the request has one.
pub(crate) fn session(headers: &HeaderMap) -> Result<Option<String>, Failure> {
    let Some(value) = headers.get(SESSION) else { return Ok(None) };
    match value.to_str() {
        Ok(id) if !id.is_empty() && id.len() <= LONGEST_SESSION => Ok(Some(id.to_owned())),
        _ => Err(Failure::bad("session", "the id of a session has 1 to 256 visible ASCII characters")),
    }
}

/// Whether the text of the answer will be JSON.
pub(crate) fn asks_for_json(document: &Json) -> bool {
    let formats = [
        document.get("response_format"),
        document.get("text").and_then(|text| text.get("format")),
        document.get("output_format"),
        document.get("output_config").and_then(|config| config.get("format")),
    ];
    formats
        .into_iter()
        .flatten()
        .any(|format| format.str_of("type").is_some_and(|kind| kind.starts_with("json")))
}

/// Queries of the protocols. Anything else is refused, because it would leave unveiled.
pub(crate) fn checked_path(path: &str, query: Option<&str>) -> Result<String, Failure> {
    const KNOWN: [&str; 13] = [
        "beta",
        "limit",
        "after",
        "before",
        "after_id",
        "before_id",
        "order",
        "include",
        "include[]",
        "model",
        "starting_after",
        "stream",
        "include_obfuscation",
    ];
    if !crate::positions::is_name(path) {
        return Err(Failure::bad("refused_position", "path: free text is not allowed here"));
    }
    let Some(query) = query.filter(|query| !query.is_empty()) else { return Ok(path.to_owned()) };
    let is_known = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = name.replace("%5B%5D", "[]");
        KNOWN.contains(&name.as_str()) && crate::positions::is_name(value)
    };
    match query.split('&').all(is_known) {
        true => Ok(format!("{path}?{query}")),
        false => Err(Failure::bad("refused_position", "query: the gateway does not know this parameter")),
    }
}
