//! The tools: veil, restore, detect and style_risk.

use std::sync::Arc;

use super::{Wrong, run};
use crate::caller::Caller;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::native::{self, Work};
use crate::style;

struct Tool {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    schema: &'static str,
    work: Work,
    /// Whether a call can be charged to a ledger.
    is_charged: bool,
}

const TOOLS: [Tool; 4] = [
    Tool {
        name: "veil",
        title: "Veil texts",
        about: "Replace what is sensitive in texts, before they leave this machine. The same session gives the same replacements.",
        schema: r#"{"type":"object","properties":{"texts":{"type":"array","items":{"type":"string"}},"session":{"type":"string"},"mode":{"type":"string","enum":["surrogates","placeholders","stamp"]}},"required":["texts"]}"#,
        work: native::veil,
        is_charged: true,
    },
    Tool {
        name: "restore",
        title: "Restore an answer",
        about: "Put the originals back into an answer. Give the texts that were veiled, in the same order and with the same session.",
        schema: r#"{"type":"object","properties":{"texts":{"type":"array","items":{"type":"string"}},"answer":{"type":"string"},"session":{"type":"string"},"mode":{"type":"string","enum":["surrogates","placeholders","stamp"]}},"required":["texts","answer"]}"#,
        work: native::restore,
        is_charged: false,
    },
    Tool {
        name: "detect",
        title: "Find what is sensitive",
        about: "Find what is sensitive in texts: kind, place in characters, and score.",
        schema: r#"{"type":"object","properties":{"texts":{"type":"array","items":{"type":"string"}}},"required":["texts"]}"#,
        work: native::detect,
        is_charged: false,
    },
    Tool {
        name: "style_risk",
        title: "Measure the style of texts",
        about: "Measure how far the style of texts stands out, from 0 to 1. Texts of fewer than 10 words are too short to measure.",
        schema: r#"{"type":"object","properties":{"texts":{"type":"array","items":{"type":"string"}}},"required":["texts"]}"#,
        work: style::risk,
        is_charged: false,
    },
];

/// The tools, with what a client needs to know before it calls one without asking its user.
pub(super) fn list() -> Json {
    let tool = |tool: &Tool| {
        let annotations = Json::object([
            ("readOnlyHint", Json::Bool(!tool.is_charged)),
            ("destructiveHint", Json::Bool(false)),
            ("idempotentHint", Json::Bool(!tool.is_charged)),
            ("openWorldHint", Json::Bool(false)),
        ]);
        Json::object([
            ("name", Json::text(tool.name)),
            ("title", Json::text(tool.title)),
            ("description", Json::text(tool.about)),
            ("inputSchema", Json::parse(tool.schema.as_bytes()).unwrap_or(Json::Null)),
            ("annotations", annotations),
        ])
    };
    Json::object([("tools", Json::Array(TOOLS.iter().map(tool).collect()))])
}

/// Calls a tool. What a tool refuses is a result, so that a model can read it.
///
/// # Errors
/// If there is no such tool, or its arguments are not an object.
pub(super) async fn call(gateway: &Arc<Gateway>, caller: Caller, params: &Json) -> Result<Json, Wrong> {
    let name = params.str_of("name").unwrap_or_default();
    let tool = TOOLS.iter().find(|tool| tool.name == name);
    let tool = tool.ok_or_else(|| Wrong::params("there is no such tool"))?;
    let arguments = match params.get("arguments") {
        None => Json::Object(Vec::new()),
        Some(arguments @ Json::Object(_)) => arguments.clone(),
        Some(_) => return Err(Wrong::params("the arguments of a tool are an object")),
    };
    let (text, failed, structured) = match run(gateway, caller, tool.work, arguments).await {
        Ok(document) => (document.write(), false, Some(document)),
        Err(failure) => (failure.message, true, None),
    };
    let content = Json::object([("type", Json::text("text")), ("text", Json::text(text))]);
    let mut result = Json::object([("content", Json::Array(vec![content])), ("isError", Json::Bool(failed))]);
    if let Some(document) = structured {
        result.set("structuredContent", document);
    }
    Ok(result)
}
