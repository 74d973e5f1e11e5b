//! The Model Context Protocol: the tools veil, restore, detect and style_risk, over `/mcp` and over standard input.
//!
//! The protocol is JSON-RPC with four methods that matter here, so it is written out instead of adding a
//! framework.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::post;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::caller::Caller;
use crate::error::{Failure, json};
use crate::gateway::Gateway;
use crate::incoming::json_body;
use crate::json::Json;
use crate::native::{self, Work};
use crate::style;

/// The versions of the protocol that are spoken, newest first.
const VERSIONS: [&str; 3] = ["2025-06-18", "2025-03-26", "2024-11-05"];

/// The tools: name, description, schema, work.
const TOOLS: [(&str, &str, &str, Work); 4] = [
    (
        "veil",
        "Replace what is sensitive in texts, before they leave this machine. The same session gives the same replacements.",
        r#"{"type":"object","properties":{"texts":{"type":"array","items":{"type":"string"}},"session":{"type":"string"},"mode":{"type":"string","enum":["surrogates","placeholders","stamp"]}},"required":["texts"]}"#,
        native::veil,
    ),
    (
        "restore",
        "Put the originals back into an answer. Give the texts that were veiled, in the same order and with the same session.",
        r#"{"type":"object","properties":{"texts":{"type":"array","items":{"type":"string"}},"answer":{"type":"string"},"session":{"type":"string"},"mode":{"type":"string","enum":["surrogates","placeholders","stamp"]}},"required":["texts","answer"]}"#,
        native::restore,
    ),
    (
        "detect",
        "Find what is sensitive in texts: kind, place in characters, and score.",
        r#"{"type":"object","properties":{"texts":{"type":"array","items":{"type":"string"}}},"required":["texts"]}"#,
        native::detect,
    ),
    (
        "style_risk",
        "Measure how far the style of texts stands out, from 0 to 1. Texts of fewer than 10 words are too short to measure.",
        r#"{"type":"object","properties":{"texts":{"type":"array","items":{"type":"string"}}},"required":["texts"]}"#,
        style::risk,
    ),
];

/// The route.
pub fn routes() -> Router<Arc<Gateway>> {
    Router::new().route("/mcp", post(over_http))
}

async fn over_http(State(gateway): State<Arc<Gateway>>, request: Request) -> Response<Body> {
    let runtime = gateway.runtime();
    let (parts, body) = request.into_parts();
    // A page in a browser could otherwise reach a gateway on this machine.
    if parts.headers.get("origin").is_some_and(|origin| !is_local(origin.to_str().unwrap_or_default())) {
        return Failure::new(StatusCode::FORBIDDEN, "origin", "requests of other sites are refused")
            .response(false);
    }
    let message = match json_body(&runtime.settings, &parts.headers, body).await {
        Ok(message) => message,
        Err(failure) if failure.code == "invalid_json" => {
            return json(StatusCode::BAD_REQUEST, &error(Json::Null, -32700, &failure.message));
        }
        Err(failure) => return failure.response(false),
    };
    match reply(&gateway, &parts.headers, message).await {
        Ok(Some(reply)) => json(StatusCode::OK, &reply),
        Ok(None) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::ACCEPTED;
            response
        }
        Err(failure) => failure.response(false),
    }
}

fn is_local(origin: &str) -> bool {
    let host = origin.split("://").nth(1).unwrap_or_default();
    let host = host.rsplit_once(':').map_or(host, |(host, port)| {
        if port.bytes().all(|byte| byte.is_ascii_digit()) { host } else { origin }
    });
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}

/// Speaks the protocol over standard input and output, one message in each line.
///
/// # Errors
/// If standard input or output fails.
pub async fn over_stdio(gateway: Arc<Gateway>) -> anyhow::Result<()> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut out = tokio::io::stdout();
    while let Some(line) = lines.next_line().await? {
        if line.trim().is_empty() {
            continue;
        }
        let reply = match Json::parse(line.as_bytes()) {
            Ok(message) => match reply(&gateway, &HeaderMap::new(), message).await {
                Ok(reply) => reply,
                Err(failure) => Some(error(Json::Null, -32603, &failure.message)),
            },
            Err(wrong) => Some(error(Json::Null, -32700, &wrong.to_string())),
        };
        if let Some(reply) = reply {
            out.write_all((reply.write() + "\n").as_bytes()).await?;
            out.flush().await?;
        }
    }
    Ok(())
}

fn error(id: Json, code: i64, message: &str) -> Json {
    let error = Json::object([("code", Json::Number(code.to_string())), ("message", Json::text(message))]);
    Json::object([("jsonrpc", Json::text("2.0")), ("id", id), ("error", error)])
}

async fn reply(gateway: &Arc<Gateway>, headers: &HeaderMap, message: Json) -> Result<Option<Json>, Failure> {
    let runtime = gateway.runtime();
    let caller = gateway.caller(&runtime.settings, headers)?;
    let Some(id) = message.get("id").cloned() else { return Ok(None) };
    let params = message.get("params").cloned().unwrap_or(Json::Object(Vec::new()));
    let Some(method) = message.str_of("method").filter(|_| message.str_of("jsonrpc") == Some("2.0")) else {
        // An answer of the client to a request of ours; there are none.
        return Ok(match message.get("result").or(message.get("error")) {
            Some(_) => None,
            None => Some(error(id, -32600, "this is not a JSON-RPC request")),
        });
    };
    let result = match method {
        "initialize" => Ok(initialized(&params)),
        "ping" => Ok(Json::Object(Vec::new())),
        "tools/list" => Ok(Json::object([("tools", Json::Array(TOOLS.iter().map(tool).collect()))])),
        "tools/call" => call(gateway, caller, &params).await,
        _ => Err((-32601, "there is no such method".to_owned())),
    };
    Ok(Some(match result {
        Ok(result) => Json::object([("jsonrpc", Json::text("2.0")), ("id", id), ("result", result)]),
        Err((code, message)) => error(id, code, &message),
    }))
}

fn initialized(params: &Json) -> Json {
    let asked = params.str_of("protocolVersion").unwrap_or_default();
    let version = VERSIONS.into_iter().find(|version| *version == asked).unwrap_or(VERSIONS[0]);
    let tools = Json::object([("listChanged", Json::Bool(false))]);
    Json::object([
        ("protocolVersion", Json::text(version)),
        ("capabilities", Json::object([("tools", tools)])),
        (
            "serverInfo",
            Json::object([
                ("name", Json::text("inkveil")),
                ("version", Json::text(env!("CARGO_PKG_VERSION"))),
            ]),
        ),
    ])
}

fn tool((name, about, schema, _): &(&str, &str, &str, Work)) -> Json {
    let schema = Json::parse(schema.as_bytes()).unwrap_or(Json::Null);
    Json::object([("name", Json::text(*name)), ("description", Json::text(*about)), ("inputSchema", schema)])
}

async fn call(gateway: &Arc<Gateway>, caller: Caller, params: &Json) -> Result<Json, (i64, String)> {
    let name = params.str_of("name").unwrap_or_default();
    let Some((.., work)) = TOOLS.iter().find(|(known, ..)| *known == name) else {
        return Err((-32602, "there is no such tool".to_owned()));
    };
    let arguments = params.get("arguments").cloned().unwrap_or(Json::Object(Vec::new()));
    let (inner, work) = (gateway.clone(), *work);
    let runtime = gateway.runtime();
    let _place = gateway.place().map_err(|failure| (-32603, failure.message))?;
    let done = gateway.work(&runtime.settings, move |engine| work(&inner, engine, &caller, &arguments)).await;
    let (text, failed, structured) = match done {
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
