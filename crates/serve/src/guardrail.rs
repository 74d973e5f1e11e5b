//! LiteLLM's generic guardrail endpoint: LiteLLM sends the texts of a request, and later those of its answer.
//!
//! The answer does not come with the request, so what restores it is kept in memory for a few minutes. LiteLLM sends the
//! arguments of tools too, but takes them back only as a part of whole messages. So these are veiled with the table of
//! chats, and a request that cannot come back veiled is blocked.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::post;
use inkveil::restore::PieceRestorer;

use crate::caller::Caller;
use crate::engine::{Engine, Restorers, Terms};
use crate::error::Failure;
use crate::gateway::Gateway;
use crate::json::Json;
use crate::mode::Mode;
use crate::native::answer;
use crate::positions::{Leaf, Protocol, Vault, Walker};
use crate::secret::{CallerId, ConversationName};

/// How long an answer may take.
const LONGEST: Duration = Duration::from_secs(900);
/// The most calls that wait for their answer.
const MOST: usize = 4096;
/// The first version of LiteLLM that is known to take whole messages back.
const TAKES_MESSAGES: (u32, u32) = (1, 106);

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
fn texts(document: &Json) -> Result<Vec<&str>, Failure> {
    let wrong = || Failure::bad("texts", "give a list of strings in \"texts\"");
    match document.get("texts") {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::Array(items)) => items.iter().map(|item| item.as_str().ok_or_else(wrong)).collect(),
        Some(_) => Err(wrong()),
    }
}

fn strings(texts: Vec<String>) -> Json {
    Json::Array(texts.into_iter().map(Json::String).collect())
}

fn unchanged() -> Json {
    Json::object([("action", Json::text("NONE"))])
}

fn blocked(why: impl AsRef<str>) -> Json {
    let reason = format!("inkveil: {}", why.as_ref());
    Json::object([("action", Json::text("BLOCKED")), ("blocked_reason", Json::text(reason))])
}

fn guard(gateway: &Gateway, engine: &Engine, caller: &Caller, document: &Json) -> Result<Json, Failure> {
    match document.str_of("input_type") {
        Some("response") => restored(caller, document),
        Some("request") => veiled(gateway, engine, caller, document),
        _ => Err(Failure::bad("input_type", "give \"request\" or \"response\" in \"input_type\"")),
    }
}

fn call_id(document: &Json) -> &str {
    document.str_of("litellm_call_id").or(document.str_of("litellm_trace_id")).unwrap_or_default()
}

/// Restores the texts of an answer, or of its beginning if the answer is a stream.
fn restored(caller: &Caller, document: &Json) -> Result<Json, Failure> {
    let texts = texts(document)?;
    let Some(restorers) = recall(caller.id, call_id(document)) else { return Ok(unchanged()) };
    let restored: Vec<String> = texts.iter().map(|text| restorers.text.restore_text(text).0).collect();
    // The end of each text that may be the beginning of a replacement. LiteLLM keeps it back while a stream goes on.
    let held = |(text, restored): (&&str, &String)| {
        let sure = PieceRestorer::new(&restorers.text).push(text);
        let same = restored.chars().zip(sure.chars()).take_while(|(a, b)| a == b).count();
        Json::count(restored.chars().count() - same)
    };
    let held: Vec<Json> = texts.iter().zip(&restored).map(held).collect();
    let action = if restored == texts { "NONE" } else { "GUARDRAIL_INTERVENED" };
    let mut answer = Json::object([("action", Json::text(action)), ("texts", strings(restored))]);
    answer.set("stream_holdback_chars", Json::Array(held));
    if let Some(Json::Array(calls)) = document.get("tool_calls") {
        answer.set(
            "tool_calls",
            Json::Array(calls.iter().map(|call| restored_call(&restorers, call)).collect()),
        );
    }
    Ok(answer)
}

/// Restores the arguments of a tool.
fn restored_call(restorers: &Restorers, call: &Json) -> Json {
    let mut call = call.clone();
    if let Some(Json::String(arguments)) = call.get_mut("function").and_then(|call| call.get_mut("arguments"))
    {
        *arguments = restorers.arguments.restore_text(arguments).0;
    }
    call
}

/// The messages and tools of a request, as a request of a chat.
fn as_chat(document: &Json) -> Json {
    let mut chat = Json::object([]);
    for (key, name) in [("structured_messages", "messages"), ("tools", "tools")] {
        if let Some(value @ Json::Array(_)) = document.get(key) {
            chat.set(name, value.clone());
        }
    }
    chat
}

/// Veils the texts, messages and tools of a request.
fn veiled(gateway: &Gateway, engine: &Engine, caller: &Caller, document: &Json) -> Result<Json, Failure> {
    let texts = texts(document)?;
    let runtime = gateway.runtime();
    let settings = &runtime.settings;
    let images = document.get("images").map(Json::items).unwrap_or_default();
    if !images.is_empty() && !settings.media_passes {
        return Ok(blocked("images are refused, because they are not veiled"));
    }
    let wrong = |_| Failure::unavailable("veil_failed", "the key of the conversation cannot be made");
    let no_table = || Failure::unavailable("no_table", "the protocol has no table");
    let seals = gateway.secret().seals(caller.id);
    let table = runtime.table(Protocol::Chat).ok_or_else(no_table)?;
    let mut chat = as_chat(document);
    let walker = match Walker::collect(table, &seals, settings.media_passes, &mut chat) {
        Ok(walker) => walker,
        Err(refusal) => return Ok(blocked(refusal.to_string())),
    };
    // A text that stands in a message is veiled there, with its role. Other texts come last.
    let before = as_chat(document);
    let in_messages: HashSet<&str> = messages(&before).flat_map(contents).collect();
    let others: Vec<&str> = texts.iter().copied().filter(|text| !in_messages.contains(text)).collect();
    let mut leaves: Vec<Leaf> = walker.leaves().to_vec();
    let in_chat = leaves.len();
    leaves.extend(others.iter().map(|text| Leaf::text((*text).to_owned(), Vault::Open, 1)));
    let of_calls = calls_in(document);
    leaves.extend(of_calls.iter().map(|text| Leaf::text(text.clone(), Vault::Open, 1)));
    let mode = settings.mode_of(caller.key.as_ref(), document.str_of("model"), Protocol::Chat);
    // The first text is the same in every turn of a conversation.
    let name =
        ConversationName::Beginning(texts.first().map(|text| (*text).to_owned()).into_iter().collect());
    let key = gateway.secret().conversation(caller.id, &name).map_err(wrong)?;
    let account = settings.account(caller.name(), caller.id);
    let mut outcome = engine.veil(&leaves, &Terms { mode, key, account, route: "guardrail" })?;
    if mode == Mode::Block && outcome.found() > 0 {
        return Ok(blocked("the request holds sensitive values"));
    }
    let mut out = std::mem::take(&mut outcome.texts);
    let out_calls = out.split_off(in_chat + others.len());
    let out_others = out.split_off(in_chat);
    if let Err(refusal) = walker.write(&mut chat, out) {
        return Ok(blocked(refusal.to_string()));
    }
    let veiled: HashMap<&str, &str> = messages(&before)
        .flat_map(contents)
        .zip(messages(&chat).flat_map(contents))
        .chain(others.into_iter().zip(out_others.iter().map(String::as_str)))
        .collect();
    let out_texts: Option<Vec<String>> =
        texts.iter().map(|text| veiled.get(text).map(|veiled| (*veiled).to_owned())).collect();
    let Some(out_texts) = out_texts else { return Ok(blocked("a text got lost")) };
    // Texts are taken back one by one. Everything else is taken back only as a whole.
    let tools_changed = chat.get("tools") != before.get("tools");
    let messages_changed = !is_taken_back(&before, &chat, &texts);
    if messages_changed && !takes_messages(document.str_of("litellm_version")) {
        return Ok(blocked(
            "the arguments of a tool hold sensitive values, and this version of LiteLLM cannot take them back veiled",
        ));
    }
    if out_calls != of_calls && !messages_changed {
        return Ok(blocked(
            "the arguments of a tool hold sensitive values, and LiteLLM did not send the messages they stand in",
        ));
    }
    outcome.confirm()?;
    if out_texts == texts && !tools_changed && !messages_changed {
        return Ok(unchanged());
    }
    let call = call_id(document);
    if !call.is_empty() {
        remember(caller.id, call, outcome.restorers.clone());
    }
    let mut answer =
        Json::object([("action", Json::text("GUARDRAIL_INTERVENED")), ("texts", strings(out_texts))]);
    for (is_changed, name, key) in
        [(messages_changed, "messages", "structured_messages"), (tools_changed, "tools", "tools")]
    {
        if let Some(value) = chat.get(name).filter(|_| is_changed) {
            answer.set(key, value.clone());
        }
    }
    Ok(answer)
}

fn messages(chat: &Json) -> impl Iterator<Item = &Json> {
    chat.get("messages").map(Json::items).unwrap_or_default().iter()
}

/// The texts in the content of a message, which LiteLLM sends as texts too.
fn contents(message: &Json) -> Vec<&str> {
    match message.get("content") {
        Some(Json::String(text)) => vec![text],
        Some(Json::Array(parts)) => parts.iter().filter_map(|part| part.str_of("text")).collect(),
        _ => Vec::new(),
    }
}

/// Whether messages differ only in contents that are among the texts. A name or an argument of a tool may be the same text
/// as a content, and LiteLLM does not put a changed text there.
fn is_taken_back(before: &Json, after: &Json, texts: &[&str]) -> bool {
    let rest = |message: &Json, is_among: &[bool]| {
        let mut message = message.clone();
        let mut is_among = is_among.iter();
        let mut blank = |text: &mut Json| {
            if text.as_str().is_some() && is_among.next() == Some(&true) {
                *text = Json::Null;
            }
        };
        match message.get_mut("content") {
            Some(Json::Array(parts)) => {
                parts.iter_mut().filter_map(|part| part.get_mut("text")).for_each(blank)
            }
            Some(content) => blank(content),
            None => {}
        }
        message
    };
    messages(before).count() == messages(after).count()
        && messages(before).zip(messages(after)).all(|(before, after)| {
            let is_among: Vec<bool> = contents(before).iter().map(|text| texts.contains(text)).collect();
            rest(before, &is_among) == rest(after, &is_among)
        })
}

/// The arguments of the tools that LiteLLM lists beside the texts.
fn calls_in(document: &Json) -> Vec<String> {
    let calls = document.get("tool_calls").map(Json::items).unwrap_or_default();
    let arguments = |call: &Json| call.get("function")?.str_of("arguments").map(str::to_owned);
    calls.iter().filter_map(arguments).collect()
}

/// Whether this version of LiteLLM takes whole messages back.
fn takes_messages(version: Option<&str>) -> bool {
    let mut parts = version.unwrap_or_default().split('.').map(|part| part.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => (major, minor) >= TAKES_MESSAGES,
        _ => false,
    }
}
