//! Vectors and embeddings with noise, and their receipts.

use std::sync::Arc;

use inkveil::Epsilon;
use inkveil_serve::{EmbeddingsFrom, Json, Settings, VectorSettings};

use crate::harness::{Got, Recorded, Reply, TestGateway, Upstream, settings};

const BODY: &str = r#"{"model":"m","input":["I am Ana Lima.","Nothing here."],"encoding_format":"float"}"#;

fn with(embeddings: EmbeddingsFrom) -> Settings {
    let epsilon = Epsilon::new(5.0).unwrap();
    let vectors = VectorSettings { epsilon, masks: Vec::new(), floor: 0.0, embeddings };
    Settings { vectors: Some(vectors), ..settings() }
}

/// Two embeddings, one as numbers and one in base64, as OpenAI's clients ask for them.
fn embeddings(_: &Recorded) -> Reply {
    Reply::json(&Json::parse(br#"{"object":"list","model":"m","data":[{"object":"embedding","index":0,"embedding":[0.6,0.8,0]},{"object":"embedding","index":1,"embedding":"AAAAAAAAAAAAAIA/"}]}"#).unwrap())
}

fn receipt(gateway: &TestGateway, got: &Got) -> String {
    let id = got.header("x-inkveil-vector-receipt").unwrap();
    gateway.send("GET", &format!("/v1/inkveil/receipts/{id}"), &[], b"").body
}

#[test]
fn embeddings_of_the_upstream_get_noise_and_a_receipt() {
    let upstream = Upstream::start(Arc::new(embeddings));
    let gateway = TestGateway::start(with(EmbeddingsFrom::Upstream), &upstream);
    let got = gateway.post("/v1/embeddings", BODY);
    assert_eq!(got.status, 200, "{}", got.body);
    assert!(!upstream.take()[0].body.contains("Lima"));
    let json = got.json();
    let data = json.get("data").unwrap().items();
    let first: Vec<f64> =
        data[0].get("embedding").unwrap().items().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!(first.len() == 3 && first != [0.6, 0.8, 0.0], "{first:?}");
    let second = data[1].str_of("embedding").unwrap();
    assert!(second.len() == 16 && second != "AAAAAAAAAAAAAIA/", "{second}");
    assert!(receipt(&gateway, &got).contains("\"vectors\""));
    // The same request gets the same noise. Repeating it reveals nothing more.
    assert_eq!(gateway.post("/v1/embeddings", BODY).body, got.body);
    let other = gateway.send("POST", "/v1/embeddings", &[("authorization", "Bearer other")], BODY.as_bytes());
    assert_ne!(other.body, got.body);
}

#[test]
fn an_answer_that_holds_no_embeddings_is_not_passed_on() {
    for data in [
        "{}",
        "[{\"index\":0}]",
        "[{\"embedding\":\"AAA\"}]",
        "[{\"embedding\":[0.1]},{\"embedding\":[0.1,0.2]}]",
        "7",
    ] {
        let body = format!("{{\"data\":{data}}}");
        let upstream =
            Upstream::start(Arc::new(move |_| Reply::json(&Json::parse(body.as_bytes()).unwrap())));
        let gateway = TestGateway::start(with(EmbeddingsFrom::Upstream), &upstream);
        let got = gateway.post("/v1/embeddings", BODY);
        assert!(got.status >= 400, "{data}: {}", got.body);
        assert!(!got.body.contains("embedding\""), "{data}: {}", got.body);
    }
}

#[test]
fn embeddings_are_computed_here_and_no_text_leaves() {
    let upstream = Upstream::start(Arc::new(embeddings));
    let gateway = TestGateway::start(with(EmbeddingsFrom::Here), &upstream);
    let got = gateway.post("/v1/embeddings", BODY);
    assert_eq!(got.status, 200, "{}", got.body);
    let json = got.json();
    let data = json.get("data").unwrap().items();
    assert_eq!(data.len(), 2);
    assert_eq!(data[0].get("embedding").unwrap().items().len(), 384);
    assert!(receipt(&gateway, &got).contains("\"vectors\""));
    for wrong in [r#"{"model":"m","input":[]}"#, r#"{"model":"m","input":[[1,2]]}"#, r#"{"input":"a","x":1}"#]
    {
        assert_eq!(gateway.post("/v1/embeddings", wrong).status, 400, "{wrong}");
    }
    assert!(upstream.take().is_empty());
}

#[test]
fn vectors_get_noise_and_limits_hold() {
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::start(Arc::new(embeddings));
    let ledger = Some(folder.path().join("l.ledger"));
    let gateway = TestGateway::start(Settings { ledger, ..with(EmbeddingsFrom::Unchanged) }, &upstream);
    let got = gateway.post("/v1/inkveil/vectors", r#"{"vectors":[[0.6,0.8],[1,0]]}"#);
    assert_eq!(got.status, 200, "{}", got.body);
    let json = got.json();
    assert_eq!(json.get("vectors").unwrap().items().len(), 2);
    assert_ne!(json.get("vectors").unwrap().write(), "[[0.6,0.8],[1,0]]");
    for wrong in ["[]", "[[]]", "[[1],[1,2]]", "[[\"a\"]]", "[7]", "[[1e999]]"] {
        let got = gateway.post("/v1/inkveil/vectors", &format!("{{\"vectors\":{wrong}}}"));
        assert_eq!(got.status, 400, "{wrong}: {}", got.body);
    }
    let plain = TestGateway::start(settings(), &upstream);
    assert_eq!(plain.post("/v1/inkveil/vectors", r#"{"vectors":[[1,0]]}"#).status, 404);
}
