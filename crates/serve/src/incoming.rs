//! What is read from a request before anything is veiled: its body, path and headers.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

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
        let message = "compressed requests are not read; send the body without content-encoding";
        return Err(Failure::new(status, "encoding", message));
    }
    let is_json = |value: &HeaderValue| {
        let kind = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
        kind.trim().eq_ignore_ascii_case("application/json")
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
    match tokio::time::timeout(settings.limits.reading, Limited::new(body, longest).collect()).await {
        Ok(Ok(collected)) => Ok(Json::parse(&collected.to_bytes())?),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => {
            Err(Failure::bad("broken_request", "the body of the request cannot be read to its end"))
        }
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

/// Checks a path. It may hold names only, and no part that leads to another route: many servers resolve `..`.
///
/// # Errors
/// If it holds free text, or such a part.
pub(crate) fn check_path(path: &str) -> Result<(), Failure> {
    if !crate::positions::is_name(path) {
        return Err(Failure::bad("refused_position", "path: free text is not allowed here"));
    }
    match path.split('/').skip(1).any(|part| matches!(part, "" | "." | "..")) {
        true => Err(Failure::bad("refused_position", "path: empty parts, \".\" and \"..\" are not allowed")),
        false => Ok(()),
    }
}
