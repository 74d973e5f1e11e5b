//! The Model Context Protocol, over `/mcp` and over standard input: tools, receipts as resources, and a prompt.
//!
//! The protocol is JSON-RPC with few methods that matter here, so it is written out instead of adding a framework.
//! There are no sessions: each message stands alone.

mod prompts;
mod resources;
mod tools;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::post;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::caller::{Caller, refuse_other_sites};
use crate::error::{Failure, json};
use crate::gateway::Gateway;
use crate::incoming::json_body;
use crate::json::Json;
use crate::native::Work;

/// The versions of the protocol that are spoken, newest first.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The header with the version that was agreed on.
const VERSION: &str = "mcp-protocol-version";

const ABOUT: &str = "Veil texts with the tool veil before they leave this machine, and put the originals back into an answer with the tool \
     restore. Receipts of the last releases are resources.";

/// The codes of JSON-RPC and of this protocol.
const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const NO_METHOD: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL_ERROR: i64 = -32603;
const NO_RESOURCE: i64 = -32002;

/// Why a request has no result. It holds no text of the request.
struct Wrong {
    code: i64,
    message: String,
}

impl Wrong {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    fn params(message: &str) -> Self {
        Self::new(INVALID_PARAMS, message)
    }
}

/// The route.
pub fn routes() -> Router<Arc<Gateway>> {
    Router::new().route("/mcp", post(over_http))
}

async fn over_http(State(gateway): State<Arc<Gateway>>, request: Request) -> Response<Body> {
    let runtime = gateway.runtime();
    let (parts, body) = request.into_parts();
    // The protocol asks for this, with local keys too.
    if let Err(failure) = refuse_other_sites(&parts.headers) {
        return failure.response(false);
    }
    // Before the body is read: a caller without a key sends nothing here.
    if let Err(failure) = gateway.caller(&runtime.settings, &parts.headers) {
        return failure.response(false);
    }
    let message = match json_body(&runtime.settings, &parts.headers, body).await {
        Ok(message) => message,
        Err(failure) if failure.code == "invalid_json" => {
            return json(StatusCode::BAD_REQUEST, &error(Json::Null, PARSE_ERROR, &failure.message));
        }
        Err(failure) => return failure.response(false),
    };
    let version = parts.headers.get(VERSION).map(|version| version.to_str().unwrap_or_default());
    let is_agreed = message.str_of("method") != Some("initialize");
    if is_agreed && version.is_some_and(|version| !VERSIONS.contains(&version)) {
        let message = format!("versions of the protocol are {}", VERSIONS.join(", "));
        return Failure::bad("protocol_version", message).response(false);
    }
    match reply(&gateway, &parts.headers, &message).await {
        Ok(Some(reply)) => {
            let is_request = reply.get("id") != Some(&Json::Null);
            json(if is_request { StatusCode::OK } else { StatusCode::BAD_REQUEST }, &reply)
        }
        Ok(None) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::ACCEPTED;
            response
        }
        Err(failure) => failure.response(false),
    }
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
            Ok(message) => match reply(&gateway, &HeaderMap::new(), &message).await {
                Ok(reply) => reply,
                Err(failure) => Some(error(Json::Null, INTERNAL_ERROR, &failure.message)),
            },
            Err(wrong) => Some(error(Json::Null, PARSE_ERROR, &wrong.to_string())),
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

async fn reply(gateway: &Arc<Gateway>, headers: &HeaderMap, message: &Json) -> Result<Option<Json>, Failure> {
    let runtime = gateway.runtime();
    let caller = gateway.caller(&runtime.settings, headers)?;
    let id = message.get("id");
    let is_sound = matches!(id, Some(Json::String(_) | Json::Number(_)));
    let Some(method) = message.str_of("method").filter(|_| message.str_of("jsonrpc") == Some("2.0")) else {
        // An answer of the client to a request of ours; there are none.
        let is_answer = is_sound && message.get("result").or(message.get("error")).is_some();
        let id = id.filter(|_| is_sound).cloned().unwrap_or(Json::Null);
        return Ok((!is_answer).then(|| error(id, INVALID_REQUEST, "this is not a JSON-RPC request")));
    };
    let id = match id {
        None => return Ok(None),
        Some(id) if is_sound => id.clone(),
        Some(_) => {
            let message = "the id of a request is a string or a number";
            return Ok(Some(error(Json::Null, INVALID_REQUEST, message)));
        }
    };
    let none = Json::Object(Vec::new());
    let params = message.get("params").filter(|params| **params != Json::Null).unwrap_or(&none);
    let result = match (method, params) {
        (_, params) if !matches!(params, Json::Object(_)) => Err(Wrong::params("params is an object")),
        ("initialize", params) => Ok(initialized(params)),
        ("ping", _) => Ok(Json::Object(Vec::new())),
        ("tools/list", params) => only_page(params).map(|()| tools::list()),
        ("tools/call", params) => tools::call(gateway, caller, params).await,
        ("resources/list", params) => resources::list(gateway.receipts(), caller.id, params),
        ("resources/templates/list", params) => only_page(params).map(|()| resources::templates()),
        ("resources/read", params) => resources::read(gateway.receipts(), caller.id, params),
        ("prompts/list", params) => only_page(params).map(|()| prompts::list()),
        ("prompts/get", params) => prompts::get(gateway, caller, params).await,
        ("completion/complete", params) => prompts::complete(gateway.receipts(), caller.id, params),
        _ => Err(Wrong::new(NO_METHOD, "there is no such method")),
    };
    Ok(Some(match result {
        Ok(result) => Json::object([("jsonrpc", Json::text("2.0")), ("id", id), ("result", result)]),
        Err(Wrong { code, message }) => error(id, code, &message),
    }))
}

/// Checks that a list is asked for from its beginning. It has one page.
fn only_page(params: &Json) -> Result<(), Wrong> {
    match params.get("cursor") {
        None => Ok(()),
        Some(_) => Err(Wrong::params("there is no such page")),
    }
}

fn initialized(params: &Json) -> Json {
    let asked = params.str_of("protocolVersion").unwrap_or_default();
    let version = VERSIONS.into_iter().find(|version| *version == asked).unwrap_or(VERSIONS[0]);
    let fixed = || Json::object([("listChanged", Json::Bool(false))]);
    let capabilities = Json::object([
        ("tools", fixed()),
        ("resources", fixed()),
        ("prompts", fixed()),
        ("completions", Json::Object(Vec::new())),
    ]);
    let server =
        Json::object([("name", Json::text("inkveil")), ("version", Json::text(env!("CARGO_PKG_VERSION")))]);
    Json::object([
        ("protocolVersion", Json::text(version)),
        ("capabilities", capabilities),
        ("serverInfo", server),
        ("instructions", Json::text(ABOUT)),
    ])
}

/// Runs the work of a route of our own.
async fn run(gateway: &Arc<Gateway>, caller: Caller, work: Work, document: Json) -> Result<Json, Failure> {
    let _place = gateway.place()?;
    let (inner, runtime) = (gateway.clone(), gateway.runtime());
    gateway.work(&runtime.settings, move |engine| work(&inner, engine, &caller, &document)).await
}
