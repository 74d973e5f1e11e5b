//! The same value gets the same replacement, in every process, and earlier turns never change.

use std::sync::Arc;

use inkveil_serve::{Json, Settings};

use crate::harness::{TestGateway, Upstream, echo, said, settings};

const TURNS: [&str; 3] = [
    "I am Ana Lima from Porto, write to ana.lima@example.org.",
    "Does Ana Lima know Bruno Costa (bruno@firm.example)?",
    "Send bruno@firm.example and Ana Lima the plan of 3 May 2024.",
];

fn veiled(gateway: &TestGateway, upstream: &Upstream, turns: usize, headers: &[(&str, &str)]) -> Vec<String> {
    upstream.take();
    let messages: Vec<String> =
        TURNS[..turns].iter().map(|text| format!(r#"{{"role":"user","content":"{text}"}}"#)).collect();
    let body = format!(r#"{{"model":"m","messages":[{}]}}"#, messages.join(","));
    let got = gateway.send("POST", "/v1/chat/completions", headers, body.as_bytes());
    assert_eq!(got.status, 200, "{}", got.body);
    let seen = upstream.take();
    let messages = seen[0].json();
    let messages = messages.get("messages").map(Json::items).unwrap_or_default();
    messages.iter().map(|message| message.str_of("content").unwrap().to_owned()).collect()
}

#[test]
fn earlier_turns_keep_their_bytes_in_every_process() {
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::start(Arc::new(echo));
    let start = |digits: &str| {
        let secret = folder.path().join(digits);
        std::fs::write(&secret, digits.repeat(32)).unwrap();
        TestGateway::start(Settings { secret: Some(secret), ..settings() }, &upstream)
    };
    let (one, again, other) = (start("1a"), start("1a"), start("2b"));
    let key = [("authorization", "Bearer sk-1")];
    let whole = veiled(&one, &upstream, 3, &key);
    for (text, veiled) in TURNS.iter().zip(&whole) {
        assert_ne!(text, veiled);
        assert!(!veiled.contains("Lima") && !veiled.contains("bruno"), "{veiled}");
    }
    for turns in 1..=3 {
        assert_eq!(veiled(&one, &upstream, turns, &key), whole[..turns], "in the same process");
        assert_eq!(veiled(&again, &upstream, turns, &key), whole[..turns], "in another process");
    }
    assert_ne!(veiled(&other, &upstream, 3, &key), whole, "another secret");
    assert_ne!(veiled(&one, &upstream, 3, &[("authorization", "Bearer sk-2")]), whole, "another caller");
    let session = |name| veiled(&one, &upstream, 3, &[key[0], ("x-inkveil-session", name)]);
    assert_ne!(session("s"), whole);
    assert_eq!(session("s"), session("s"));
    assert_ne!(session("s"), session("t"));
}

#[test]
fn a_thought_goes_back_unchanged_and_only_if_this_gateway_handed_it_out() {
    let answer = |request: &crate::harness::Recorded| {
        let streams = request.json().get("stream") == Some(&Json::Bool(true));
        let thought = "I think of Made Up and her knee.";
        if streams {
            let mut out = crate::harness::event(
                "content_block_start",
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
            );
            for piece in [&thought[..9], &thought[9..]] {
                out += &crate::harness::event(
                    "content_block_delta",
                    &format!(
                        r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"thinking_delta","thinking":"{piece}"}}}}"#
                    ),
                );
            }
            out += &crate::harness::event(
                "content_block_delta",
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"SIG=="}}"#,
            );
            out += &crate::harness::event("content_block_stop", r#"{"type":"content_block_stop","index":0}"#);
            return crate::harness::Reply::events(&out, 11);
        }
        let body = format!(
            r#"{{"content":[{{"type":"thinking","thinking":"{thought}","signature":"SIG=="}},{{"type":"redacted_thinking","data":"BLOB"}}]}}"#
        );
        crate::harness::Reply::json(&Json::parse(body.as_bytes()).unwrap())
    };
    let upstream = Upstream::start(Arc::new(answer));
    let gateway = TestGateway::start(settings(), &upstream);
    let got = gateway
        .post("/v1/messages", r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#);
    let content = got.json().get("content").unwrap().clone();
    assert_eq!(content.items()[0].str_of("thinking"), Some("I think of Made Up and her knee."));
    let streamed = gateway.post(
        "/v1/messages",
        r#"{"model":"m","stream":true,"max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#,
    );
    let signature = content.items()[0].str_of("signature").unwrap().to_owned();
    assert!(streamed.body.contains(&signature), "{}", streamed.body);
    let back = |content: &str| {
        upstream.take();
        let body = format!(
            r#"{{"model":"m","max_tokens":9,"messages":[{{"role":"user","content":"hi"}},{{"role":"assistant","content":{content}}}]}}"#
        );
        (gateway.post("/v1/messages", &body).status, upstream.take())
    };
    let (status, seen) = back(&content.write());
    assert_eq!(status, 200);
    assert!(
        seen[0].body.contains(r#""signature":"SIG==""#) && seen[0].body.contains(r#""data":"BLOB""#),
        "{}",
        seen[0].body
    );
    assert_eq!(back(&content.write().replace("knee", "canary")).0, 400);
    assert_eq!(back(&content.write().replace("SIG", "GIS")).0, 400);
}

/// A user who knows one form of a name must not learn the others from the operator's prompt, in any form of answer.
#[test]
fn an_answer_opens_no_value_of_the_system_prompt() {
    let upstream = Upstream::start(Arc::new(echo));
    let gateway = TestGateway::start(settings(), &upstream);
    let system =
        "The customer is Ana Novak, ana.novak@example.org, born on 3 May 1984. Ana Novak owes 300 euros.";
    let ask = r#"[{"role":"user","content":"What does Ana owe? Her mail begins with ana."}]"#;
    for stream in [false, true] {
        for (path, body) in [
            (
                "/v1/chat/completions",
                format!(
                    r#"{{"model":"m","stream":{stream},"messages":[{{"role":"system","content":"{system}"}},{}"#,
                    &ask[1..]
                ) + "}",
            ),
            (
                "/v1/messages",
                format!(
                    r#"{{"model":"m","stream":{stream},"max_tokens":9,"system":"{system}","messages":{ask}}}"#
                ),
            ),
            (
                "/v1/responses",
                format!(r#"{{"model":"m","stream":{stream},"instructions":"{system}","input":{ask}}}"#),
            ),
        ] {
            let got = gateway.post(path, &body);
            assert_eq!(got.status, 200, "{path}: {}", got.body);
            assert!(!upstream.take()[0].body.contains("Novak"), "{path}");
            assert!(
                !got.body.contains("Novak") && !got.body.contains("ana.novak"),
                "{path} {stream}: {}",
                said(&got)
            );
        }
    }
}
