//! Modes, keys, the ledger and headers.

use std::sync::Arc;

use inkveil::ledger::{BudgetScope, Counted, Ledger, Limit};
use inkveil_serve::{Json, LocalKey, Mode, Settings};
use sha2::{Digest as _, Sha256};

use crate::harness::{TestGateway, Upstream, echo, said, settings};

const BODY: &str = r#"{"model":"m","messages":[{"role":"user","content":"My knee hurts. I am Ana Lima, ana.lima@example.org."}]}"#;

fn start(settings: Settings) -> (TestGateway, Upstream) {
    let upstream = Upstream::start(Arc::new(echo));
    (TestGateway::start(settings, &upstream), upstream)
}

#[test]
fn modes_do_what_they_say() {
    let (gateway, upstream) = start(settings());
    let with = |mode| {
        gateway
            .gateway
            .reload(Settings {
                mode,
                upstream: Some(format!("http://{}", upstream.address).parse().unwrap()),
                ..settings()
            })
            .unwrap()
    };

    with(Mode::Placeholders);
    let got = gateway.post("/v1/chat/completions", BODY);
    let seen = upstream.take().remove(0).body;
    assert!(seen.contains("[email ") && !seen.contains("Lima"), "{seen}");
    assert_eq!(said(&got), BODY);
    assert_eq!(got.header("x-inkveil-mode").as_deref(), Some("placeholders"));
    assert!(got.header("x-inkveil-kinds").unwrap().contains("email=1"));
    let id = got.header("x-inkveil-receipt").unwrap();
    let receipt = gateway.send("GET", &format!("/v1/inkveil/receipts/{id}"), &[], b"");
    assert_eq!(receipt.json().str_of("format"), Some("inkveil-receipt"), "{}", receipt.body);
    assert!(!receipt.body.contains("Lima"));

    with(Mode::Detect);
    let got = gateway.post("/v1/chat/completions", BODY);
    assert_eq!(upstream.take().remove(0).body, BODY);
    assert_eq!(got.header("x-inkveil-mode").as_deref(), Some("detect"));
    assert_ne!(got.header("x-inkveil-found").as_deref(), Some("0"));

    with(Mode::Block);
    let got = gateway.post("/v1/chat/completions", BODY);
    assert_eq!((got.status, got.header("x-inkveil-error").as_deref()), (400, Some("blocked")));
    assert!(upstream.take().is_empty());
    let harmless = r#"{"model":"m","messages":[{"role":"user","content":"What is a knee?"}]}"#;
    assert_eq!(gateway.post("/v1/chat/completions", harmless).status, 200);

    with(Mode::Stamp);
    upstream.take();
    let got = gateway.post("/v1/chat/completions", BODY);
    assert_eq!(got.status, 200, "{}", got.body);
    let seen = upstream.take().remove(0).body;
    assert!(!seen.contains("Lima"), "{seen}");
}

fn key(name: &str, key: &str, mode: Option<Mode>) -> LocalKey {
    LocalKey { name: name.to_owned(), sha256: Sha256::digest(key.as_bytes()).into(), mode }
}

#[test]
fn local_keys_open_the_gateway_and_stay_here() {
    let keys = vec![key("team", "local-1", None), key("guests", "local-2", Some(Mode::Block))];
    let (gateway, upstream) = start(Settings { keys, ..settings() });
    let send =
        |headers: &[(&str, &str)]| gateway.send("POST", "/v1/chat/completions", headers, BODY.as_bytes());
    for headers in [
        &[][..],
        &[("authorization", "Bearer wrong")],
        &[("x-inkveil-key", "wrong"), ("authorization", "Bearer local-1")],
    ] {
        assert_eq!(send(headers).status, 401, "{headers:?}");
    }
    assert_eq!(gateway.send("GET", "/metrics", &[], b"").status, 401);
    assert_eq!(gateway.send("POST", "/analyze", &[], b"{}").status, 401);
    assert_eq!(gateway.send("POST", "/mcp", &[], br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).status, 401);
    assert!(upstream.take().is_empty());
    assert_eq!(send(&[("authorization", "Bearer local-1")]).status, 200);
    assert!(!upstream.take().remove(0).head.contains("local-1"), "a local key is not passed on");
    let got = send(&[("x-inkveil-key", "local-1"), ("authorization", "Bearer sk-mine")]);
    assert_eq!(got.status, 200);
    let receipt = format!("/v1/inkveil/receipts/{}", got.header("x-inkveil-receipt").unwrap());
    for (key, status) in [("local-1", 200), ("local-2", 404), ("wrong", 401)] {
        assert_eq!(gateway.send("GET", &receipt, &[("x-inkveil-key", key)], b"").status, status, "{key}");
    }
    let head = upstream.take().remove(0).head;
    assert!(head.contains("Bearer sk-mine") && !head.contains("local-1"), "{head}");
    assert_eq!(send(&[("x-api-key", "local-2")]).status, 400, "the mode of this key blocks");
}

#[test]
fn the_ledger_charges_each_key_and_limits_answer_429() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("budget.ledger");
    let keys = vec![key("team", "local-1", None), key("guests", "local-2", None)];
    let (gateway, upstream) =
        start(Settings { keys, mode: Mode::Stamp, ledger: Some(path.clone()), ..settings() });
    let send =
        |key: &str| gateway.send("POST", "/v1/chat/completions", &[("x-api-key", key)], BODY.as_bytes());
    assert_eq!(send("local-1").status, 200);
    let mut ledger = Ledger::open(&path).unwrap();
    let totals = ledger.totals(&Default::default()).unwrap();
    assert!(!totals.is_empty());
    let subject = BudgetScope::Subject("team".to_owned());
    ledger.set_limit(&Limit::new(subject, Counted::WorstCase, inkveil::Epsilon::new(0.5).unwrap())).unwrap();
    upstream.take();
    let got = send("local-1");
    assert_eq!(got.status, 429, "{}", got.body);
    assert!(upstream.take().is_empty(), "nothing is sent beyond a limit");
    assert_eq!(send("local-2").status, 200, "{}", "another key has its own budget");
    let error = got.json();
    let error = error.get("error").unwrap();
    assert!(["spent", "asked", "left"].iter().all(|key| error.str_of(key).is_some()), "{}", got.body);
}

#[test]
fn restoring_is_not_charged_and_works_at_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("budget.ledger");
    let (gateway, _upstream) = start(Settings {
        keys: vec![key("team", "local-1", None)],
        ledger: Some(path.clone()),
        ..settings()
    });
    let send =
        |route: &str, body: &str| gateway.send("POST", route, &[("x-api-key", "local-1")], body.as_bytes());
    let spent = || format!("{:?}", Ledger::open(&path).unwrap().totals(&Default::default()).unwrap());
    let of = r#""text":"Ana Lima, ana@example.org","session":"s""#;
    let veiled = send("/v1/inkveil/veil", &format!("{{{of}}}"));
    assert_eq!(veiled.status, 200, "{}", veiled.body);
    let before = spent();

    let veiled = veiled.json();
    let answer = Json::text(veiled.str_of("text").unwrap().to_owned()).write();
    let got = send("/v1/inkveil/restore", &format!(r#"{{{of},"answer":{answer}}}"#));
    assert_eq!(got.json().str_of("answer"), Some("Ana Lima, ana@example.org"), "{}", got.body);
    // A page: <p>Ana Lima</p>, which is also the answer.
    let page =
        r#""name":"a.html","content":"PHA+QW5hIExpbWE8L3A+","session":"s","answer":"PHA+QW5hIExpbWE8L3A+""#;
    assert_eq!(send("/v1/inkveil/document/restore", &format!("{{{page}}}")).status, 200);
    assert_eq!(spent(), before);
}
