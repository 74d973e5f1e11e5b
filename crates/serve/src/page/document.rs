//! Documents in the view Write: bytes in, bytes out.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inkveil::ErrorKind;
use inkveil::documents::{self, DocumentFormat};

use super::write::{Draft, receipt_json};
use crate::engine::Engine;
use crate::error::Failure;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::native::only;

/// The formats that the page opens as documents, by the ends of their names. Markdown is opened as a text.
pub(super) const ENDINGS: [&str; 11] =
    ["docx", "pptx", "xlsx", "odt", "ods", "odp", "html", "htm", "eml", "mbox", "pdf"];

/// The bytes of a document, and its format.
fn read(document: &Json) -> Result<(Vec<u8>, DocumentFormat), Failure> {
    let wrong =
        || Failure::bad("document", "give a name, and the bytes of a document in base64 in \"content\"");
    let name = document.str_of("name").ok_or_else(wrong)?;
    let bytes = document.str_of("content").and_then(|content| STANDARD.decode(content).ok());
    let bytes = bytes.ok_or_else(wrong)?;
    let format = DocumentFormat::of(Path::new(name)).ok_or_else(wrong)?;
    Ok((bytes, format))
}

/// A message about a document says what is wrong with the file and quotes nothing of it.
fn failed(error: inkveil::Error) -> Failure {
    match error.kind() {
        ErrorKind::Document(error) => Failure::bad("document", error.to_string()),
        _ => error.into(),
    }
}

fn removed(removed: &std::collections::BTreeMap<String, u64>) -> Json {
    let pair =
        |(what, count): (&String, &u64)| Json::Array(vec![Json::text(what.clone()), Json::count(*count)]);
    Json::Array(removed.iter().map(pair).collect())
}

/// The text of a document, and what a release removes from it. Nothing leaves.
///
/// # Errors
/// If the bytes are no document of this format.
pub(super) fn text(_: &Gateway, _: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, &["name", "content"])?;
    let (bytes, format) = read(document)?;
    let read = documents::text(&bytes, format).map_err(failed)?;
    Ok(Json::object([("removed", removed(&read.removed)), ("text", Json::text(read.text))]))
}

/// Releases a document: it is charged, and may leave.
///
/// # Errors
/// If the bytes are no document of this format, a model fails, or a limit would be passed.
pub(super) fn release(gateway: &Gateway, engine: &Engine, document: &Json) -> Result<Json, Failure> {
    only(document, &["name", "content", "text", "task", "level", "session", "overrides"])?;
    let (bytes, format) = read(document)?;
    let draft = Draft::read(gateway, document)?;
    let released = engine
        .release_document((&bytes, format), draft.task, &draft.overrides, &draft.terms)
        .map_err(failed)?;
    gateway.keep_receipt(released.receipt.to_json());
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
