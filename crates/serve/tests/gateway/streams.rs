//! Streamed answers: interleaved tool calls, several choices, escapes, and the first text at once.

use std::sync::Arc;

use inkveil_serve::Json;

use crate::harness::{Recorded, Reply, TestGateway, Upstream, settings};

/// The address in the last message, as the upstream sees it.
fn address(request: &Recorded) -> String {
    let json = request.json();
    let message = json.get("messages").unwrap().items().last().unwrap().clone();
    let text = message.str_of("content").unwrap();
    text.split(' ').find(|word| word.contains('@')).unwrap().trim_end_matches(['.', ',']).to_owned()
}

fn data(json: &str) -> String {
    format!("data: {json}\n\n")
}

#[test]
fn interleaved_tool_calls_and_choices_are_restored() {
    let answer = |request: &Recorded| {
        let address = address(request);
        let arguments = format!(r#"{{\"to\": \"{address}\", \"n\": 1}}"#);
        let mut out = String::new();
        // Two choices, each with two tool calls and text, piece by piece and in turn.
        let pieces: Vec<String> = arguments.chars().map(String::from).collect();
        let mut at = 0;
        while at < pieces.len() {
            // An escape stays in one piece, because it is one character of the string.
            let step = if pieces[at] == "\\" { 2 } else { 1 };
            let piece = pieces[at..at + step].concat();
            for choice in 0..2 {
                for tool in 0..2 {
                    out += &data(&format!(
                        r#"{{"choices":[{{"index":{choice},"delta":{{"tool_calls":[{{"index":{tool},"function":{{"arguments":"{piece}"}}}}]}},"finish_reason":null}}]}}"#
                    ));
                }
            }
            at += step;
        }
        for piece in address.chars() {
            for choice in 0..2 {
                out += &data(&format!(
                    r#"{{"choices":[{{"index":{choice},"delta":{{"content":"{piece}"}},"finish_reason":null}}]}}"#
                ));
            }
        }
        for choice in 0..2 {
            out += &data(&format!(
                r#"{{"choices":[{{"index":{choice},"delta":{{}},"finish_reason":"tool_calls"}}]}}"#
            ));
        }
        out += "data: [DONE]\n\n";
        Reply::events(&out, 13)
    };
    let upstream = Upstream::start(Arc::new(answer));
    let gateway = TestGateway::start(settings(), &upstream);
    let got = gateway.post(
        "/v1/chat/completions",
        r#"{"model":"m","stream":true,"n":2,"messages":[{"role":"user","content":"Write to ana.lima@example.org today."}]}"#,
    );
    let mut texts = std::collections::BTreeMap::new();
    for event in got.events() {
        for choice in event.get("choices").unwrap().items() {
            let index = choice.get("index").unwrap().as_u64().unwrap();
            let delta = choice.get("delta").unwrap();
            let ended = choice.str_of("finish_reason").is_some();
            if let Some(text) = delta.str_of("content") {
                let entry: &mut String = texts.entry((index, 9)).or_default();
                assert!(!ended);
                *entry += text;
            }
            for call in delta.get("tool_calls").map(Json::items).unwrap_or_default() {
                let tool = call.get("index").unwrap().as_u64().unwrap();
                let entry: &mut String = texts.entry((index, tool)).or_default();
                *entry += call.get("function").unwrap().str_of("arguments").unwrap();
            }
        }
    }
    assert_eq!(texts.len(), 6);
    for ((_, part), text) in texts {
        match part {
            9 => assert_eq!(text, "ana.lima@example.org"),
            _ => assert_eq!(text, r#"{"to": "ana.lima@example.org", "n": 1}"#),
        }
    }
    assert!(got.body.ends_with("data: [DONE]\n\n"));
}

#[test]
fn an_error_that_echoes_the_prompt_is_restored() {
    let answer = |request: &Recorded| {
        let message = format!("bad input: {}", address(request));
        let error = Json::object([("error", Json::object([("message", Json::text(message))]))]);
        Reply { status: 400, ..Reply::json(&error) }
    };
    let upstream = Upstream::start(Arc::new(answer));
    let gateway = TestGateway::start(settings(), &upstream);
    let body =
        r#"{"model":"m","messages":[{"role":"user","content":"Write to ana.lima@example.org today."}]}"#;
    let got = gateway.post("/v1/chat/completions", body);
    assert_eq!(got.status, 400);
    assert!(got.body.contains("bad input: ana.lima@example.org"), "{}", got.body);
}

#[test]
fn json_answers_stay_valid() {
    // The model writes the address into JSON; the original of the first value has a quote in it.
    let answer = |request: &Recorded| {
        let said = format!("{{\"to\":\"{}\"}}", address(request));
        crate::harness::reply("/v1/chat/completions", &said, false, 9)
    };
    let upstream = Upstream::start(Arc::new(answer));
    let gateway = TestGateway::start(settings(), &upstream);
    let body = r#"{"model":"m","response_format":{"type":"json_object"},"messages":[{"role":"user","content":"Write to ana.lima@example.org today."}]}"#;
    let got = gateway.post("/v1/chat/completions", body);
    let said = crate::harness::said(&got);
    assert_eq!(Json::parse(said.as_bytes()).unwrap().str_of("to"), Some("ana.lima@example.org"));
}
