//! Style: how far a text stands out, and rewriting by a model on this machine.

use std::sync::Arc;

use axum::http::StatusCode;
use inkveil::release::{KeyChoice, RewriteRelease, RewriteRows, Silent};
use inkveil::style::{Memory, StyleAssessment, StyleAssessor, StyleEncoder};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::Failure;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::native::{only, texts};

/// What style is measured with.
pub struct StyleTools {
    /// The encoder.
    pub encoder: StyleEncoder,
    /// The memory.
    pub memory: Memory,
}

/// Measures the style of texts. Nothing leaves, so nothing is charged.
///
/// # Errors
/// If the document is wrong or the model fails.
pub(crate) fn risk(_: &Gateway, engine: &Engine, _: &Caller, document: &Json) -> Result<Json, Failure> {
    only(document, &["text", "texts"])?;
    let texts = texts(document)?;
    let tools = engine.style()?;
    let failed = |_| Failure::unavailable("style_failed", "the style could not be measured");
    let geometry = tools.memory.geometry().map_err(failed)?;
    let assessor = StyleAssessor { encoder: &tools.encoder, geometry: &geometry, earlier: &[], habits: 0 };
    let all: Vec<&str> = texts.iter().map(String::as_str).collect();
    let assessed = assessor.assess(&all, &mut |_| true).map_err(failed)?;
    let mut styles: Vec<Json> = assessed.iter().map(described).collect();
    let styles = match document.get("text") {
        Some(_) => styles.pop().unwrap_or(Json::Null),
        None => Json::Array(styles),
    };
    Ok(Json::object([("styles", styles)]))
}

/// The numbers of an assessment, without quotes of the text.
fn described(assessment: &StyleAssessment) -> Json {
    let mut described = Json::object([("status", Json::text(assessment.status()))]);
    if let StyleAssessment::Measured(measured) = assessment {
        described.set("words", Json::count(measured.words));
        described.set("risk", Json::Number(format!("{:.4}", measured.risk.score)));
    }
    described
}

/// Rewrites a text with the operator's model on this machine.
///
/// # Errors
/// If the operator has set no model, the document is wrong, or a limit would be passed.
pub(crate) fn rewrite(
    gateway: &Gateway,
    engine: &Engine,
    caller: &Caller,
    document: &Json,
) -> Result<Json, Failure> {
    only(document, &["text"])?;
    let text = document
        .str_of("text")
        .ok_or_else(|| Failure::bad("texts", "give the text to rewrite in \"text\""))?;
    let runtime = gateway.runtime();
    let Some(model) = &runtime.settings.rewriter else {
        let message = "the operator has set no rewriter";
        return Err(Failure::new(StatusCode::NOT_FOUND, "no_rewriter", message));
    };
    let rows = RewriteRows::new(engine.rewriter(model)?);
    let account = runtime.settings.account(caller.name(), caller.id);
    let release = RewriteRelease::open(rows, KeyChoice::Fresh, &account, "rewrite")?;
    let rewrite = release.text(text, &Silent, &mut |_| true, None)?;
    let receipt = release.receipt(None)?;
    release.confirm()?;
    let id = gateway.receipts().keep(caller.id, receipt.to_json());
    // A text that the checks refuse is not released.
    let text = rewrite.text.map_or(Json::Null, Json::String);
    Ok(Json::object([("text", text), ("receipt", Json::text(id))]))
}

/// Models that are opened when they are first needed.
pub(crate) struct Opened<T>(std::sync::Mutex<Option<Arc<T>>>);

impl<T> Default for Opened<T> {
    fn default() -> Self {
        Self(std::sync::Mutex::new(None))
    }
}

impl<T> Opened<T> {
    /// The model, opened if it is not open yet.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(crate) fn get(
        &self,
        open: impl FnOnce() -> Result<T, inkveil::Error>,
    ) -> Result<Arc<T>, inkveil::Error> {
        let mut opened = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match &*opened {
            Some(model) => Ok(model.clone()),
            None => Ok(opened.insert(Arc::new(open()?)).clone()),
        }
    }
}
