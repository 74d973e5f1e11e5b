//! Text inside base64 is decoded, veiled and encoded again. Everything else is refused, unless media pass.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inkveil_serve::{Mode, Settings};

use crate::harness::{Recorded, TestGateway, Upstream, reply, said, settings};

/// The content of the first text in base64 of a request.
fn file_of(request: &Recorded) -> String {
    let start =
        [";base64,", "\"data\":\""].iter().find_map(|mark| Some(request.body.find(mark)? + mark.len()));
    let rest = &request.body[start.unwrap()..];
    String::from_utf8(STANDARD.decode(&rest[..rest.find('"').unwrap()]).unwrap()).unwrap()
}

/// An upstream that quotes the file of a request.
fn quoting() -> Upstream {
    let quote = |request: &Recorded| {
        let path = request.head.split(' ').nth(1).unwrap_or_default().to_owned();
        reply(&path, &format!("It says: {}", file_of(request)), false, 7)
    };
    Upstream::start(Arc::new(quote))
}

const TEXT: &str = "name,mail\nx,canary@leak.example\n";

fn url(kind: &str, text: &str) -> String {
    format!("data:{kind};base64,{}", STANDARD.encode(text))
}

/// Requests with a file, by protocol.
fn requests(kind: &str, text: &str) -> Vec<(&'static str, String)> {
    let (url, data) = (url(kind, text), STANDARD.encode(text));
    let source = format!(r#"{{"type":"base64","media_type":"{kind}","data":"{data}"}}"#);
    let file = |part: &str| format!(r#"{{"model":"m","messages":[{{"role":"user","content":[{part}]}}]}}"#);
    let input = |items: &str| format!(r#"{{"model":"m","input":[{items}]}}"#);
    vec![
        ("/v1/chat/completions", file(&format!(r#"{{"type":"file","file":{{"file_data":"{url}"}}}}"#))),
        ("/v1/messages", file(&format!(r#"{{"type":"document","source":{source}}}"#))),
        (
            "/v1/messages",
            file(&format!(
                r#"{{"type":"tool_result","tool_use_id":"t","content":[{{"type":"document","source":{source}}}]}}"#
            )),
        ),
        (
            "/v1/responses",
            input(&format!(r#"{{"role":"user","content":[{{"type":"input_file","file_data":"{url}"}}]}}"#)),
        ),
        (
            "/v1/responses",
            input(&format!(
                r#"{{"type":"function_call_output","call_id":"c","output":[{{"type":"input_file","file_data":"{url}"}}]}}"#
            )),
        ),
    ]
}

#[test]
fn text_in_base64_is_veiled_and_answers_that_quote_it_are_restored() {
    let upstream = quoting();
    let gateway = TestGateway::start(settings(), &upstream);
    for kind in ["text/plain", "text/csv", "text/markdown;charset=utf-8", "application/json"] {
        let json = r#"{"mail":"canary@leak.example","k":1}"#;
        let text = if kind == "application/json" { json } else { TEXT };
        for (path, body) in requests(kind, text) {
            let got = gateway.post(path, &body);
            assert_eq!(got.status, 200, "{path}: {}", got.body);
            let seen = upstream.take();
            let file = file_of(&seen[0]);
            assert!(!file.contains("canary") && !seen[0].body.contains("canary"), "{path}: {file}");
            assert_eq!(file.lines().count(), text.lines().count(), "{path}: {file}");
            assert!(file.contains('@'), "{path}: {file}");
            assert_eq!(said(&got), format!("It says: {text}"), "{path}");
        }
    }
}

#[test]
fn a_file_without_sensitive_text_keeps_its_bytes() {
    let upstream = quoting();
    let gateway = TestGateway::start(settings(), &upstream);
    for (path, body) in requests("application/json", "{ \"a\" : [ 1 ] }") {
        assert_eq!(gateway.post(path, &body).status, 200);
        assert_eq!(upstream.take()[0].body, body);
    }
}

#[test]
fn files_that_are_not_text_are_refused_unless_media_pass() {
    let upstream = quoting();
    let gateway = TestGateway::start(settings(), &upstream);
    let passing = TestGateway::start(Settings { media_passes: true, ..settings() }, &upstream);
    for (kind, text) in
        [("application/pdf", TEXT), ("text/html", TEXT), ("text/plain", "%PDF-1.7 x"), ("image/png", "x")]
    {
        for (path, body) in requests(kind, text) {
            let got = gateway.post(path, &body);
            assert_eq!(got.status, 400, "{path}: {}", got.body);
            assert!(got.body.contains("text/plain"), "the message says what to do: {}", got.body);
            assert!(upstream.take().is_empty());
            assert_eq!(passing.post(path, &body).status, 200, "{path}");
            assert_eq!(upstream.take()[0].body, body, "{path}");
        }
    }
    // Where media pass, text is veiled all the same.
    for (path, body) in requests("text/plain", TEXT) {
        assert_eq!(passing.post(path, &body).status, 200);
        let seen = upstream.take();
        assert!(!file_of(&seen[0]).contains("canary"), "{path}");
    }
    let blocked = Settings { mode: Mode::Block, ..settings() };
    let blocked = TestGateway::start(blocked, &upstream);
    for (path, body) in requests("text/plain", TEXT) {
        assert_eq!(blocked.post(path, &body).status, 400, "what is found in a file counts: {path}");
    }
    assert!(upstream.take().is_empty());
}
