//! LiteLLM's generic guardrail endpoint: LiteLLM sends the texts of a request, and later those of its answer.
//!
//! The answer does not come with the request, so what restores it is kept in memory for a few minutes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::post;

use crate::caller::Caller;
use crate::engine::{Engine, Restorers, Terms};
use crate::error::Failure;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::mode::Mode;
use crate::native::answer;
use crate::positions::{Leaf, Vault};
use crate::secret::{CallerId, ConversationName};

/// How long an answer may take.
const LONGEST: Duration = Duration::from_secs(900);
/// The most calls that wait for their answer.
const MOST: usize = 4096;

/// The route.
pub(crate) fn routes() -> Router<Arc<Gateway>> {
    Router::new()
        .route("/beta/litellm_basic_guardrail_api", post(|state, request| answer(state, request, guard)))
}

type Calls = Mutex<HashMap<(CallerId, String), (Instant, Restorers)>>;

fn calls() -> &'static Calls {
    static CALLS: OnceLock<Calls> = OnceLock::new();
    CALLS.get_or_init(Calls::default)
}

fn remember(caller: CallerId, call: &str, restorers: Restorers) {
    let mut calls = calls().lock().unwrap_or_else(PoisonError::into_inner);
    calls.retain(|_, (begun, _)| begun.elapsed() < LONGEST);
    if calls.len() < MOST {
        calls.insert((caller, call.to_owned()), (Instant::now(), restorers));
    }
}

fn recall(caller: CallerId, call: &str) -> Option<Restorers> {
    let calls = calls().lock().unwrap_or_else(PoisonError::into_inner);
    calls.get(&(caller, call.to_owned())).map(|(_, restorers)| restorers.clone())
}

/// The texts of a request or an answer.
fn texts(document: &Json) -> Vec<&str> {
    document.get("texts").map(Json::items).unwrap_or_default().iter().filter_map(Json::as_str).collect()
}

fn guard(gateway: &Gateway, engine: &Engine, caller: &Caller, document: &Json) -> Result<Json, Failure> {
    let call = document.str_of("litellm_call_id").or(document.str_of("litellm_trace_id")).unwrap_or_default();
    let texts = texts(document);
    let unchanged = || Json::object([("action", Json::text("NONE"))]);
    let changed = |texts: Vec<String>| {
        Json::object([
            ("action", Json::text("GUARDRAIL_INTERVENED")),
            ("texts", Json::Array(texts.into_iter().map(Json::String).collect())),
        ])
    };
    if document.str_of("input_type") == Some("response") {
        let Some(restorers) = recall(caller.id, call) else { return Ok(unchanged()) };
        let restored: Vec<String> = texts.iter().map(|text| restorers.text.restore_text(text).0).collect();
        return Ok(if restored == texts { unchanged() } else { changed(restored) });
    }
    let runtime = gateway.runtime();
    let media = document.get("images").map(Json::items).unwrap_or_default();
    let blocked =
        |why: &str| Json::object([("action", Json::text("BLOCKED")), ("blocked_reason", Json::text(why))]);
    if !media.is_empty() && !runtime.settings.media_passes {
        return Ok(blocked("inkveil: images are refused, because they are not veiled"));
    }
    let mode = runtime.settings.mode;
    let leaves: Vec<Leaf> = texts
        .iter()
        .enumerate()
        .map(|(number, text)| Leaf::text((*text).to_owned(), Vault::Open, number + 1))
        .collect();
    // The first text is the same in every turn of a conversation.
    let name =
        ConversationName::Beginning(texts.first().map(|text| (*text).to_owned()).into_iter().collect());
    let wrong = |_| Failure::unavailable("veil_failed", "the key of the conversation cannot be made");
    let key = gateway.secret().conversation(caller.id, &name).map_err(wrong)?;
    let account = runtime.settings.account(caller.name(), caller.id);
    let mut outcome = engine.veil(&leaves, &Terms { mode, key, account, route: "guardrail" })?;
    outcome.confirm()?;
    if mode == Mode::Block && outcome.found() > 0 {
        return Ok(blocked("inkveil: the request holds sensitive values"));
    }
    if outcome.texts == texts {
        return Ok(unchanged());
    }
    if !call.is_empty() {
        remember(caller.id, call, outcome.restorers.clone());
    }
    Ok(changed(outcome.texts))
}
