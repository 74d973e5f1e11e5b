//! Odd requests, as a hostile or careless program sends them. Nothing leaks, and the answer says what is wrong.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use inkveil_serve::Json;

use crate::harness::{Got, Recorded, TestGateway, Upstream, echo, read_message, settings};

const PATH: &str = "/v1/chat/completions";
const CANARY: &str = "canary@leak.example";

struct Both {
    gateway: TestGateway,
    upstream: Upstream,
}

fn both() -> Both {
    let upstream = Upstream::start(Arc::new(echo));
    Both { gateway: TestGateway::start(settings(), &upstream), upstream }
}

impl Both {
    /// Sends bytes, and returns all answers.
    fn raw(&self, bytes: &[u8]) -> Vec<Got> {
        let mut stream = TcpStream::connect(self.gateway.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _ = stream.write_all(bytes);
        let mut answers = Vec::new();
        while let Some((head, body)) = read_message(&mut stream) {
            let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
            let closes = head.to_lowercase().contains("connection: close");
            answers.push(Got { status, head, body: String::from_utf8(body).unwrap() });
            if closes || answers.len() == 2 {
                break;
            }
        }
        answers
    }

    /// What the upstream saw, without a canary in it.
    fn seen(&self, case: &str) -> Vec<Recorded> {
        let seen = self.upstream.take();
        for request in &seen {
            let all = format!("{}\n{}", request.head, request.body).to_lowercase();
            assert!(!all.contains("canary"), "{case}: {all}");
        }
        seen
    }
}

fn chat(text: &str) -> String {
    format!(r#"{{"model":"m","messages":[{{"role":"user","content":"{text}"}}]}}"#)
}

fn error_of(got: &Got) -> String {
    got.header("x-inkveil-error").unwrap_or_default()
}

#[test]
fn a_canary_in_every_header_stays_here() {
    let both = both();
    for name in [
        "accept",
        "accept-charset",
        "accept-encoding",
        "accept-language",
        "baggage",
        "cache-control",
        "content-disposition",
        "content-language",
        "content-location",
        "cookie",
        "date",
        "dnt",
        "etag",
        "forwarded",
        "from",
        "helicone-user-id",
        "http-referer",
        "idempotency-key",
        "if-match",
        "link",
        "origin",
        "pragma",
        "priority",
        "range",
        "referer",
        "sec-ch-ua",
        "te",
        "traceparent",
        "tracestate",
        "trailer",
        "user-agent",
        "via",
        "warning",
        "x-client-request-id",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-http-method-override",
        "x-inkveil-key",
        "x-inkveil-mode",
        "x-inkveil-upstream",
        "x-original-url",
        "x-request-id",
        "x-rewrite-url",
        "x-stainless-arch",
        "x-title",
        "anthropic-beta",
        "anthropic-dangerous-direct-browser-access",
        "anthropic-version",
        "openai-beta",
        "openai-organization",
        "openai-project",
    ] {
        let got = both.gateway.send("POST", PATH, &[(name, CANARY)], chat("hi").as_bytes());
        assert_eq!(got.status, 200, "{name}: {}", got.body);
        assert_eq!(both.seen(name).len(), 1, "{name}");
    }
    let body = chat("hi");
    let head =
        format!("POST {PATH} HTTP/1.1\r\nhost: canary.leak.example\r\ncontent-type: application/json\r\n");
    let request = format!("{head}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    assert_eq!(both.raw(request.as_bytes())[0].status, 200);
    assert_eq!(both.seen("host").len(), 1);
}

#[test]
fn huge_headers_and_targets_are_refused() {
    let both = both();
    let body = chat("hi");
    let long = CANARY.repeat(60_000);
    let many: String = (0..300).map(|number| format!("x-{number}: {CANARY}\r\n")).collect();
    for head in [
        format!("POST {PATH} HTTP/1.1\r\nhost: g\r\nx-long: {long}\r\n"),
        format!("POST {PATH} HTTP/1.1\r\nhost: g\r\n{many}"),
        format!("POST {PATH}?after={long} HTTP/1.1\r\nhost: g\r\n"),
    ] {
        let request = format!(
            "{head}content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        let answers = both.raw(request.as_bytes());
        // The connection may be closed before the whole head is written.
        assert!(answers.iter().all(|got| matches!(got.status, 400 | 414 | 431)), "{}", answers[0].status);
        assert!(both.seen("huge").is_empty());
    }
    assert_eq!(both.gateway.post(PATH, &body).status, 200, "the gateway still answers");
}

#[test]
fn compressed_and_other_bodies_are_refused_and_the_answer_says_why() {
    let both = both();
    let body = chat(CANARY);
    // The beginning of a gzip file.
    let gzip = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3][..], body.as_bytes()].concat();
    let utf16: Vec<u8> = body.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bom = [&[0xef, 0xbb, 0xbf][..], body.as_bytes()].concat();
    let form = format!("--b\r\ncontent-disposition: form-data; name=\"file\"\r\n\r\n{CANARY}\r\n--b--\r\n");
    let json = ("content-type", "application/json");
    for (case, headers, body, status, error) in [
        ("gzip", &[json, ("content-encoding", "gzip")][..], &gzip[..], 415, "encoding"),
        ("gzip, capitals", &[json, ("Content-Encoding", "GZIP")], &gzip, 415, "encoding"),
        ("two encodings", &[json, ("content-encoding", "identity, br")], &gzip, 415, "encoding"),
        ("gzip that is not announced", &[json], &gzip, 400, "invalid_json"),
        ("UTF-16", &[("content-type", "application/json; charset=utf-16")], &utf16, 400, "invalid_json"),
        ("byte order mark", &[json], &bom, 400, "invalid_json"),
        (
            "multipart",
            &[("content-type", "multipart/form-data; boundary=b")],
            form.as_bytes(),
            415,
            "content_type",
        ),
        ("form", &[("content-type", "application/x-www-form-urlencoded")], b"a=canary", 415, "content_type"),
        ("text", &[("content-type", "text/plain")], body.as_bytes(), 415, "content_type"),
        ("almost JSON", &[("content-type", "application/jsonlines")], body.as_bytes(), 415, "content_type"),
        ("two documents", &[json], b"{} {}", 400, "invalid_json"),
        ("lines", &[json], b"{}\n{\"a\":\"canary\"}", 400, "invalid_json"),
        ("a comment", &[json], b"{/* canary */}", 400, "invalid_json"),
        ("NaN", &[json], br#"{"temperature":NaN}"#, 400, "invalid_json"),
    ] {
        let got = both.gateway.send("POST", PATH, headers, body);
        assert_eq!((got.status, error_of(&got).as_str()), (status, error), "{case}: {}", got.body);
        assert!(got.body.contains("inkveil: ") && !got.body.contains("canary"), "{case}: {}", got.body);
        assert!(both.seen(case).is_empty(), "{case}");
    }
    // An empty body has no content type and no document.
    let got = both.gateway.send("POST", PATH, &[], b"");
    assert_eq!(got.status, 415, "{}", got.body);
    let got = both.gateway.send("POST", PATH, &[json, ("content-length", "0")], b"");
    assert_eq!((got.status, error_of(&got).as_str()), (400, "invalid_json"));
}

#[test]
fn chunked_bodies_are_read_and_their_extensions_and_trailers_stay_here() {
    let both = both();
    let body = chat(CANARY);
    let (first, second) = body.split_at(30);
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nhost: g\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\ntrailer: x-canary\r\nconnection: close\r\n\r\n"
    );
    let chunks = |end: &str| {
        format!("{head}{:x};note=canary\r\n{first}\r\n{:x}\r\n{second}\r\n{end}", first.len(), second.len())
    };
    let got = both.raw(chunks("0\r\nx-canary: canary@leak.example\r\n\r\n").as_bytes());
    assert_eq!(got[0].status, 200, "{}", got[0].body);
    assert_eq!(both.seen("chunked").len(), 1);
    // A size that is not a number: the answer does not say that the body is too large.
    let got = both.raw(chunks("zz\r\n").as_bytes());
    assert_eq!((got[0].status, error_of(&got[0]).as_str()), (400, "broken_request"), "{}", got[0].body);
    assert!(both.seen("broken chunk").is_empty());
}

#[test]
fn a_request_inside_a_request_is_not_sent() {
    let both = both();
    let inner_body = chat(CANARY);
    let inner = format!(
        "POST {PATH} HTTP/1.1\r\nhost: g\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{inner_body}",
        inner_body.len()
    );
    // A refused request whose body looks like another one; then both kinds of lengths at once.
    let refused = format!(
        "POST {PATH} HTTP/1.1\r\nhost: g\r\ncontent-type: text/plain\r\ncontent-length: {}\r\n\r\n{inner}",
        inner.len()
    );
    let lengths = format!(
        "POST {PATH} HTTP/1.1\r\nhost: g\r\ncontent-type: application/json\r\ncontent-length: {}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{inner}",
        inner.len() + 5
    );
    let twice =
        format!("POST {PATH} HTTP/1.1\r\nhost: g\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd");
    for (case, bytes) in [("refused", refused), ("two lengths", lengths), ("two numbers", twice)] {
        let answers =
            both.raw((bytes + "GET /healthz HTTP/1.1\r\nhost: g\r\nconnection: close\r\n\r\n").as_bytes());
        assert!(matches!(answers[0].status, 400 | 415), "{case}: {}", answers[0].status);
        both.seen(case);
    }
}

#[test]
fn odd_targets_lead_nowhere_else() {
    let both = both();
    let body = chat("hi");
    for (target, status) in [
        ("http://canary.leak.example/v1/chat/completions", 200),
        ("/v1/chat/completions/", 404),
        ("//v1/chat/completions", 404),
        ("/v1/../v1/chat/completions", 404),
        ("/v1/chat/completions;canary", 404),
        ("/v1/chat%2fcompletions", 404),
        ("/V1/CHAT/COMPLETIONS", 404),
        ("/v1/chat/completions?metadata[a]=canary%40leak.example", 400),
        ("/v1/models/../../canary@leak.example", 405),
    ] {
        let request = format!(
            "POST {target} HTTP/1.1\r\nhost: g\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        let got = both.raw(request.as_bytes()).remove(0);
        assert_eq!(got.status, status, "{target}: {}", got.body);
        assert_eq!(both.seen(target).len(), usize::from(status == 200), "{target}");
        assert!(status == 200 || got.body.contains("inkveil: "), "{target}: {}", got.body);
    }
    // Many servers resolve such parts, and the request would reach a route that the gateway does not know.
    for (method, target) in [
        ("GET", "/v1/models/../files/file-1/content"),
        ("DELETE", "/v1/models/../files/file-1"),
        ("GET", "/v1/models/a/../../files"),
        ("GET", "/v1/models/./a"),
        ("GET", "/v1/models//a"),
        ("GET", "/v1/models/a/"),
        ("GET", "/v1/responses/.."),
        ("POST", "/v1/responses/../cancel"),
        ("GET", "/v1/chat/completions/../messages"),
    ] {
        let got = both.gateway.send(method, target, &[], b"");
        assert_eq!((got.status, error_of(&got).as_str()), (400, "refused_position"), "{target}");
        assert!(both.seen(target).is_empty(), "{target}");
    }
    assert_eq!(both.gateway.send("GET", "/v1/models/ft:gpt-4o.org::a..b", &[], b"").status, 200);
    assert_eq!(both.seen("a name with points").len(), 1);
    for method in ["PUT", "PATCH", "OPTIONS", "TRACE", "CANARY"] {
        let got = both.gateway.send(method, PATH, &[], b"");
        assert_eq!((got.status, error_of(&got).as_str()), (405, "wrong_method"), "{method}");
    }
    assert!(both.seen("methods").is_empty());
}

#[test]
fn odd_documents_are_refused_or_veiled() {
    let both = both();
    let call = |arguments: &str| {
        format!(
            r#"{{"model":"m","messages":[{{"role":"assistant","tool_calls":[{{"id":"c","type":"function","function":{{"name":"f","arguments":{arguments}}}}}]}}]}}"#
        )
    };
    let deep = format!("\"{}\\\"{CANARY}\\\"{}\"", "[".repeat(5_000), "]".repeat(5_000));
    for (case, body, status) in [
        // Two readers of the arguments may see different values, so they are veiled as text.
        ("repeated key in arguments", call(r#""{\"to\":\"x\",\"to\":\"canary@leak.example\"}""#), 200),
        ("escaped arguments", call(r#""{\"to\":\"c\\u0061nary@leak.example\"}""#), 200),
        ("JSON in JSON in arguments", call(r#""{\"to\":\"{\\\"a\\\":\\\"canary@leak.example\\\"}\"}""#), 200),
        ("deep arguments", call(&deep), 200),
        ("arguments as an object", call(r#"{"to":"canary@leak.example"}"#), 400),
        ("arguments as a list", call(r#"["canary@leak.example"]"#), 400),
        (
            "repeated key",
            r#"{"model":"m","messages":[],"messages":[{"role":"user","content":"canary"}]}"#.to_owned(),
            400,
        ),
        ("prototype", r#"{"model":"m","messages":[],"__proto__":{"a":"canary"}}"#.to_owned(), 400),
        (
            "messages as an object",
            r#"{"model":"m","messages":{"0":{"role":"user","content":"canary"}}}"#.to_owned(),
            400,
        ),
        ("messages as a string", r#"{"model":"m","messages":"canary@leak.example"}"#.to_owned(), 400),
        (
            "lists of lists",
            r#"{"model":"m","messages":[[{"role":"user","content":"canary"}]]}"#.to_owned(),
            400,
        ),
        ("no role", r#"{"model":"m","messages":[{"content":"canary@leak.example"}]}"#.to_owned(), 200),
        (
            "content as an object",
            r#"{"model":"m","messages":[{"role":"user","content":{"a":"canary"}}]}"#.to_owned(),
            400,
        ),
        (
            "content as a number",
            r#"{"model":"m","messages":[{"role":"user","content":351912345678}]}"#.to_owned(),
            400,
        ),
        (
            "text where a flag is",
            r#"{"model":"m","messages":[],"stream_options":{"include_usage":"canary@leak.example"}}"#
                .to_owned(),
            400,
        ),
        (
            "a key with another case",
            r#"{"model":"m","Messages":[{"role":"user","content":"canary"}]}"#.to_owned(),
            400,
        ),
        (
            "half a pair",
            r#"{"model":"m","messages":[{"role":"user","content":"\ud800canary"}]}"#.to_owned(),
            400,
        ),
        (
            "a null byte",
            r#"{"model":"m","messages":[{"role":"user","content":"\u0000canary@leak.example\u0000"}]}"#
                .to_owned(),
            200,
        ),
        ("a stop in every message", chat("canary@leak.example. canary@leak.example"), 200),
    ] {
        let got = both.gateway.post(PATH, &body);
        assert_eq!(got.status, status, "{case}: {}", got.body);
        assert_eq!(both.seen(case).len(), usize::from(status == 200), "{case}");
        assert!(status == 200 || !got.body.contains("canary"), "{case}: {}", got.body);
    }
}

/// A model reads the escapes of JSON, also where a program put JSON into a text.
#[test]
fn escapes_in_texts_hide_nothing() {
    let both = both();
    for (case, text) in [
        ("a result as json.dumps writes it", r#"{"to": "canary\u0040leak.example"}"#),
        ("a line break before a name", r#"{"body": "Hi,\ncanary@leak.example\n"}"#),
        ("JSON in a sentence", r#"The record: {"to": "c\u0061nary\u0040leak.example"}"#),
        ("JSON in JSON", r#"{"a": "{\"to\": \"canary\\u0040leak.example\"}"}"#),
        ("a string of JSON", r#""canary\u0040leak.example""#),
        ("broken JSON", r#"{"to": "canary\u0040leak.example", "#),
    ] {
        let content = Json::text(text).write();
        for body in [
            format!(
                r#"{{"model":"m","messages":[{{"role":"tool","tool_call_id":"c","content":{content}}}]}}"#
            ),
            format!(
                r#"{{"model":"m","messages":[{{"role":"system","content":[{{"type":"text","text":{content}}}]}}]}}"#
            ),
            format!(
                r#"{{"model":"m","messages":[{{"role":"assistant","tool_calls":[{{"id":"c","type":"function","function":{{"name":"f","arguments":{content}}}}}]}}]}}"#
            ),
        ] {
            let got = both.gateway.post(PATH, &body);
            assert_eq!(got.status, 200, "{case}: {}", got.body);
            let seen = both.seen(case);
            assert!(!seen[0].body.contains("leak.example"), "{case}: {}", seen[0].body);
            // What is JSON stays JSON.
            let sent = seen[0].json().get("messages").unwrap().items()[0].clone();
            if let (Some(sent), true) = (sent.str_of("content"), Json::parse(text.as_bytes()).is_ok()) {
                assert!(Json::parse(sent.as_bytes()).is_ok(), "{case}: {sent}");
            }
        }
    }
    // Tables with gaps write whole numbers with a fraction.
    for number in ["4111111111111111.0", "4.111111111111111e15"] {
        let body = format!(r#"{{"model":"m","messages":[],"metadata":{{"card":{number},"n":1.5}}}}"#);
        assert_eq!(both.gateway.post(PATH, &body).status, 200);
        let seen = both.seen(number);
        assert!(!seen[0].body.contains("11111111") && seen[0].body.contains("1.5"), "{}", seen[0].body);
    }
    // A text in which nothing is found keeps its bytes.
    let plain = r#"{ "k" : "\u00e9", "n":[1, 2] }"#;
    let body = chat(Json::text(plain).write().trim_matches('"'));
    assert_eq!(both.gateway.post(PATH, &body).status, 200);
    assert_eq!(both.seen("plain")[0].body, body);
}

#[test]
fn keys_and_signatures_carry_no_text() {
    let both = both();
    let message = |message: &str| format!(r#"{{"model":"m","max_tokens":9,"messages":[{message}]}}"#);
    for (path, body) in [
        (PATH, message(r#"{"role":"user","content":"hi","cache_control":{"canary of Lyon":true}}"#)),
        (PATH, r#"{"model":"m","messages":[],"prompt_cache_options":{"canary@leak.example":1}}"#.to_owned()),
        (
            "/v1/messages",
            message(r#"{"role":"assistant","content":[{"type":"thinking","signature":"canary of Lyon"}]}"#),
        ),
        (
            "/v1/messages",
            message(
                r#"{"role":"assistant","content":[{"type":"thinking","thinking":null,"signature":"canary of Lyon"}]}"#,
            ),
        ),
    ] {
        let got = both.gateway.post(path, &body);
        assert_eq!((got.status, both.seen(&body).len()), (400, 0), "{body}");
        assert!(!got.body.contains("canary"), "{}", got.body);
    }
}

/// A page of another site must not use the key of the operator, also if its name points to this machine.
#[test]
fn requests_of_other_sites_are_refused() {
    let both = both();
    let body = chat("hi");
    for (path, method, headers, status) in [
        (PATH, "POST", &[("origin", "https://evil.example")][..], 403),
        (PATH, "POST", &[("origin", "http://evil.example"), ("host", "evil.example")], 403),
        (PATH, "GET", &[("sec-fetch-site", "same-origin"), ("host", "evil.example")], 403),
        ("/v1/inkveil/veil", "POST", &[("origin", "null")], 403),
        (PATH, "POST", &[("origin", "http://127.0.0.1:8080"), ("host", "127.0.0.1:8080")], 200),
        (PATH, "POST", &[], 200),
    ] {
        let sent = if method == "POST" { body.as_bytes() } else { b"" };
        let got = both.gateway.send(method, path, headers, sent);
        assert_eq!((got.status, both.seen(path).len()), (status, usize::from(status == 200)), "{headers:?}");
    }
}

#[test]
fn texts_in_the_query_are_veiled() {
    let both = both();
    let get = |query: &str| both.gateway.send("GET", &format!("{PATH}?{query}"), &[], b"");
    assert_eq!(get("metadata[topic]=weather&limit=2&order=asc").status, 200);
    let seen = both.seen("a word");
    assert!(
        seen[0].head.starts_with("GET /v1/chat/completions?metadata%5Btopic%5D=weather&limit=2&order=asc ")
    );
    for query in [
        "metadata[to]=canary%40leak.example",
        "metadata%5Bto%5D=c%61nary@leak.example&model=m",
        "metadata[canary@leak.example]=x",
        "metadata=canary@leak.example",
    ] {
        let got = get(query);
        assert_eq!(got.status, 200, "{query}: {}", got.body);
        assert_eq!(both.seen(query).len(), 1);
    }
    for query in ["limit=canary%40leak.example", "Metadata[a]=canary", "metadata[a=canary", "user=canary"] {
        let got = get(query);
        assert_eq!(got.status, 400, "{query}");
        assert!(both.seen(query).is_empty() && !got.body.contains("canary"));
    }
    // A body that the route does not have is not forwarded.
    let got = both.gateway.send("GET", PATH, &[], chat(CANARY).as_bytes());
    assert_eq!(got.status, 200);
    assert_eq!(both.seen("body of GET").len(), 1);
}
