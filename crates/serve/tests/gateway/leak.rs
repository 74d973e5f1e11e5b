//! No canary reaches the upstream, and every veiled one comes back.

use crate::canaries::{self, Expect};
use crate::harness::{Got, TestGateway, Upstream, echoing, said};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The echoing upstream records all requests, so these tests take turns.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn sent(body: &str, path: &str) -> (Got, Vec<String>) {
    let (gateway, upstream): &(TestGateway, Upstream) = echoing();
    upstream.take();
    let got = gateway.post(path, body);
    let seen = upstream.take().into_iter().map(|request| format!("{}\n{}", request.head, request.body));
    (got, seen.collect())
}

fn check(path: &str, cases: &[(&str, Expect, &str)], stream: bool) -> usize {
    let _turn = turn();
    let mut count = 0;
    for (number, (name, expect, part)) in cases.iter().enumerate() {
        let canary = format!("canary{number}x@leak{number}.example");
        let flag = if stream { r#","stream":true"# } else { "" };
        let body = format!(r#"{{"model":"m",{}{flag}}}"#, part.replace("@@", &canary));
        let (got, seen) = sent(&body, path);
        let context = format!("{path}, {name}, stream {stream}: {} {}", got.status, got.body);
        for request in &seen {
            assert!(!request.to_lowercase().contains("canary"), "{context}\n{request}");
        }
        match expect {
            Expect::Refused => {
                assert_eq!(got.status, 400, "{context}");
                assert!(seen.is_empty(), "{context}");
                assert!(!got.body.contains("canary"), "{context}");
            }
            Expect::Restored => {
                assert_eq!((got.status, seen.len()), (200, 1), "{context}");
                assert_eq!(said(&got), body, "{context}");
            }
            Expect::Vault => {
                assert_eq!((got.status, seen.len()), (200, 1), "{context}");
                assert!(!said(&got).contains("canary"), "{context}");
            }
        }
        count += 1;
    }
    count
}

#[test]
fn no_position_of_a_chat_leaks() {
    for stream in [false, true] {
        assert!(check("/v1/chat/completions", canaries::CHAT, stream) > 50);
    }
}

#[test]
fn no_position_of_anthropic_messages_leaks() {
    for stream in [false, true] {
        assert!(check("/v1/messages", canaries::MESSAGES, stream) > 25);
    }
    check("/v1/messages/count_tokens", canaries::MESSAGES, false);
}

#[test]
fn no_position_of_responses_leaks() {
    for stream in [false, true] {
        check("/v1/responses", canaries::RESPONSES, stream);
    }
}

#[test]
fn no_position_of_completions_and_embeddings_leaks() {
    check("/v1/completions", canaries::COMPLETIONS, false);
    check("/v1/embeddings", canaries::EMBEDDINGS, false);
}

#[test]
fn the_query_the_headers_and_unknown_routes_lead_nowhere() {
    let _turn = turn();
    let (gateway, upstream) = echoing();
    upstream.take();
    let body = br#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;
    let canary = "canary@leak.example";
    for (path, status) in [
        ("/v1/chat/completions?user=canary@leak.example", 400),
        ("/v1/chat/completions?upstream=http://canary", 400),
        ("/v1/audio/speech", 404),
        ("/v1/threads", 404),
        ("/v1/chat/completions/canary@leak.example", 400),
        // The page is there, for GET alone.
        ("/", 405),
    ] {
        let got = gateway.send("POST", path, &[], body);
        assert_eq!(got.status, status, "{path}");
    }
    assert_eq!(gateway.send("GET", "/v1/models/canary%40leak.example", &[], b"").status, 400);
    assert!(upstream.take().is_empty());
    let headers = [
        ("x-canary", canary),
        ("user-agent", canary),
        ("cookie", canary),
        ("openai-organization", canary),
        ("x-forwarded-for", canary),
        ("x-stainless-os", canary),
        ("referer", canary),
        ("anthropic-beta", "tools-2024-04-04,prompt-caching-2024-07-31"),
        ("x-inkveil-session", canary),
    ];
    let got = gateway.send("POST", "/v1/chat/completions", &headers, body);
    assert_eq!(got.status, 200);
    let seen = upstream.take();
    assert!(!seen[0].head.contains("canary"), "{}", seen[0].head);
    assert!(seen[0].head.contains("tools-2024-04-04"));
    assert_eq!(gateway.send("GET", "/v1/models?limit=3", &[], b"").status, 200);
    assert!(upstream.take()[0].head.starts_with("GET /v1/models?limit=3 "));
}

/// Requests of several messages, with canaries of several kinds at positions drawn at random.
#[test]
fn five_hundred_generated_conversations_do_not_leak() {
    let _turn = turn();
    let mut state: u64 = 7;
    let mut draw = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for number in 0..500 {
        let mut canaries: Vec<String> = Vec::new();
        let mut canary = |draw: &mut dyn FnMut(usize) -> usize| {
            let digits: String = (0..4).map(|_| char::from(b'0' + draw(10) as u8)).collect();
            let canary = match draw(3) {
                0 => format!("canary{number}x{digits}@leak.example"),
                1 => format!("https://canary{number}{digits}.example/x"),
                _ => format!("canary.{number}.{digits}@mail.example"),
            };
            canaries.push(canary.clone());
            canary
        };
        let mut messages = Vec::new();
        for turn in 0..1 + draw(6) {
            let text = format!(
                "Please ask {} about it, line {turn}.\\nThanks \\\"{}\\\" é",
                canary(&mut draw),
                canary(&mut draw)
            );
            messages.push(match draw(4) {
                0 => format!(r#"{{"role":"user","content":"{text}"}}"#),
                1 => format!(r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}]}}"#),
                2 => format!(
                    r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{turn}","type":"function","function":{{"name":"f","arguments":"{{\"to\":[\"{}\",7],\"n\":null}}"}}}}]}}"#,
                    canary(&mut draw)
                ),
                _ => format!(r#"{{"role":"tool","tool_call_id":"c{turn}","content":"{text}"}}"#),
            });
        }
        let stream = if draw(2) == 0 { "true" } else { "false" };
        let body = format!(r#"{{"model":"m","stream":{stream},"messages":[{}]}}"#, messages.join(","));
        let (got, seen) = sent(&body, "/v1/chat/completions");
        assert_eq!(got.status, 200, "{body}\n{}", got.body);
        for canary in &canaries {
            assert!(!seen[0].contains(canary.as_str()), "{canary}\n{}", seen[0]);
        }
        assert!(!seen[0].contains("canary"), "{}", seen[0]);
        assert_eq!(said(&got), body);
    }
}
