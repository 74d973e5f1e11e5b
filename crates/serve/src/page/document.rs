//! Documents in the view Write: bytes in, bytes out.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inkveil::documents;

use super::access::caller;
use super::write::{Draft, receipt_json};
use crate::documents::{failed, read, removed};
use crate::engine::Engine;
use crate::error::Failure;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::native::only;

/// The formats that the page opens as documents, by the ends of their names. Markdown is opened as a text.
pub(super) const ENDINGS: [&str; 11] =
    ["docx", "pptx", "xlsx", "odt", "ods", "odp", "html", "htm", "eml", "mbox", "pdf"];

/// The text of a document, and what a release removes from it. Nothing leaves.
///
/// # Errors
/// If the bytes are no document of this format.
pub(super) fn text(_: &Gateway, _: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, &["name", "content"])?;
    let (bytes, format) = read(document, "content")?;
    let read = documents::text(&bytes, format).map_err(failed)?;
    Ok(Json::object([("removed", removed(&read.removed)), ("text", Json::text(read.text))]))
}

/// Releases a document: it is charged, and may leave.
///
/// # Errors
/// If the bytes are no document of this format, a model fails, or a limit would be passed.
pub(super) fn release(gateway: &Gateway, engine: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, &["name", "content", "text", "task", "level", "session", "overrides"])?;
    let (bytes, format) = read(document, "content")?;
    let draft = Draft::read(gateway, document)?;
    let released = engine
        .release_document((&bytes, format), draft.task, &draft.overrides, &draft.terms)
        .map_err(failed)?;
    gateway.receipts().keep(caller(gateway).id, released.receipt.to_json());
    Ok(Json::object([
        ("content", Json::text(STANDARD.encode(&released.bytes))),
        ("media_type", Json::text(released.media_type)),
        ("extension", Json::text(released.extension)),
        ("changed", Json::count(released.changes.iter().filter(|unit| unit.is_changed()).count())),
        ("removed", removed(&released.removed)),
        ("receipt", receipt_json(&released.receipt)),
        ("text", Json::text(released.text)),
    ]))
}
