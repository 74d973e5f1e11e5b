//! The routes for documents: bytes in, bytes out, in base64.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inkveil::documents::{self, DocumentFormat};
use inkveil::release::TurnText;
use inkveil::restore::{RestoreOptions, Restorer};
use inkveil::{ErrorKind, Overrides};

use crate::caller::Caller;
use crate::characters::Places;
use crate::engine::Engine;
use crate::error::Failure;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::native::{only, span_json, terms};

/// The bytes of a document in a field, and its format by its name.
///
/// # Errors
/// If the name or the bytes are missing, or the format is unknown.
pub(crate) fn read(document: &Json, field: &'static str) -> Result<(Vec<u8>, DocumentFormat), Failure> {
    let wrong = || {
        Failure::bad("document", format!("give a name, and the bytes of a document in base64 in {field:?}"))
    };
    let name = document.str_of("name").ok_or_else(wrong)?;
    let bytes = document.str_of(field).and_then(|content| STANDARD.decode(content).ok());
    let bytes = bytes.ok_or_else(wrong)?;
    let format = DocumentFormat::of(Path::new(name)).ok_or_else(wrong)?;
    Ok((bytes, format))
}

/// A message about a document says what is wrong with the file and quotes nothing of it.
pub(crate) fn failed(error: inkveil::Error) -> Failure {
    match error.kind() {
        ErrorKind::Document(error) => Failure::bad("document", error.to_string()),
        _ => error.into(),
    }
}

/// What was removed, and how often.
pub(crate) fn removed(removed: &BTreeMap<String, u64>) -> Json {
    let pair =
        |(what, count): (&String, &u64)| Json::Array(vec![Json::text(what.clone()), Json::count(*count)]);
    Json::Array(removed.iter().map(pair).collect())
}

/// Veils a document.
///
/// # Errors
/// If the bytes are no document of this format, veiling fails, or a limit would be passed.
pub(crate) fn veil(
    gateway: &Gateway,
    engine: &Engine,
    caller: &Caller,
    document: &Json,
) -> Result<Json, Failure> {
    only(document, &["name", "content", "session", "mode"])?;
    let (bytes, format) = read(document, "content")?;
    let terms = terms(gateway, caller, document, || vec![STANDARD.encode(&bytes)], "document")?;
    let mode = terms.mode;
    let released =
        engine.release_document((&bytes, format), None, &Overrides::default(), &terms).map_err(failed)?;
    let id = gateway.receipts().keep(caller.id, released.receipt.to_json());
    Ok(Json::object([
        ("mode", Json::text(mode.name())),
        ("content", Json::text(STANDARD.encode(&released.bytes))),
        ("media_type", Json::text(released.media_type)),
        ("extension", Json::text(released.extension)),
        ("changed", Json::count(released.changes.iter().filter(|unit| unit.is_changed()).count())),
        ("removed", removed(&released.removed)),
        ("receipt", Json::String(id)),
    ]))
}

/// Restores a document that quotes replacements. Nothing was stored, so the original is needed again.
///
/// # Errors
/// If the bytes are no documents of this format, or veiling fails.
pub(crate) fn restore(
    gateway: &Gateway,
    engine: &Engine,
    caller: &Caller,
    document: &Json,
) -> Result<Json, Failure> {
    only(document, &["name", "content", "session", "mode", "answer"])?;
    let (bytes, format) = read(document, "content")?;
    let (answer, _) = read(document, "answer")?;
    let terms = terms(gateway, caller, document, || vec![STANDARD.encode(&bytes)], "document")?;
    let original = documents::text(&bytes, format).map_err(failed)?;
    // Nothing leaves here, so nothing is charged: the replacements follow from the key and the text.
    let text = TurnText { text: &original.text, field: None, task: None };
    let preview = engine.preview(terms.mode, text, &Overrides::default(), &terms.key)?;
    let restorer = Restorer::new(&preview.pairs, RestoreOptions::default()).map_err(inkveil::Error::from)?;
    let (restored, report) = documents::restore(&restorer, &answer, format).map_err(failed)?;
    Ok(Json::object([
        ("content", Json::text(STANDARD.encode(&restored))),
        ("restored", Json::count(report.restored())),
    ]))
}

/// Reports what is sensitive in the text of a document, and what a release would remove from it.
///
/// # Errors
/// If the bytes are no document of this format, or detection fails.
pub(crate) fn detect(_: &Gateway, engine: &Engine, _: &Caller, document: &Json) -> Result<Json, Failure> {
    only(document, &["name", "content"])?;
    let (bytes, format) = read(document, "content")?;
    let read = documents::text(&bytes, format).map_err(failed)?;
    let spans = engine.find(&[TurnText { text: &read.text, field: None, task: None }])?;
    let places = Places::new(&read.text);
    let spans = spans.iter().flatten().map(|span| span_json(&places, span)).collect();
    Ok(Json::object([
        ("spans", Json::Array(spans)),
        ("removed", removed(&read.removed)),
        ("text", Json::text(read.text.clone())),
    ]))
}
