//! The model hub.

use inkveil_pack::{ErrorKind, Monitor, Sha256Sum};

use crate::server::{Reply, Request, Server, file};
use crate::site::Client;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const WEIGHTS: &[u8] = b"the weights of this test";

fn listing(sum: Sha256Sum) -> Reply {
    let weights = format!(r#"{{"sha256": "{sum}", "size": {}}}"#, WEIGHTS.len());
    let json = format!(
        r#"{{"sha": "{COMMIT}", "cardData": {{"license": "apache-2.0"}}, "siblings": [
            {{"rfilename": "config.json", "size": 2}}, {{"rfilename": "pytorch_model.bin", "size": 9}},
            {{"rfilename": "1_Pooling/config.json", "size": 2}},
            {{"rfilename": "model.safetensors", "size": {}, "lfs": {weights}}}]}}"#,
        WEIGHTS.len()
    );
    Reply::new(200, json)
}

/// A hub that requires a token and stores large files on another server.
fn hub(storage: &Server, sum: Sha256Sum) -> Server {
    let large = storage.url("/signed?key=secret");
    let resolve = format!("/me/tiny/resolve/{COMMIT}/");
    Server::start(move |request| match request.path.as_str() {
        _ if request.header("authorization") != Some("Bearer hf_test") => Reply::new(401, ""),
        "/api/models/me/tiny/revision/main?blobs=true" => listing(sum),
        "/api/models/me/tiny/revision/refs%2Fpr%2F1?blobs=true" => listing(sum),
        path => match path.strip_prefix(&resolve) {
            Some("model.safetensors") => Reply::new(302, "").with("location", large.clone()),
            Some("config.json" | "1_Pooling/config.json") => file(request, b"{}", "1"),
            _ => Reply::new(404, ""),
        },
    })
}

fn storage() -> Server {
    Server::start(|request: &Request| file(request, WEIGHTS, "1"))
}

fn client(hub: &Server) -> Client {
    Client::new().with("HF_ENDPOINT", &hub.url("")).with("HF_TOKEN", "hf_test")
}

#[test]
fn pins_a_model_to_its_commit() {
    let storage = storage();
    let hub = hub(&storage, Sha256Sum::of(WEIGHTS));
    let client = client(&hub);
    let pulled = client.pull("hf:me/tiny").unwrap();
    pulled.pack.verify(&mut Monitor::silent()).unwrap();
    let manifest = pulled.pack.manifest().unwrap();
    assert_eq!(manifest.provenance().origin, format!("hf:me/tiny@{COMMIT}"));
    assert_eq!(manifest.provenance().licence, "Apache-2.0");
    let paths: Vec<&str> = manifest.files().iter().map(|f| f.path.as_str()).collect();
    assert_eq!(paths, ["1_Pooling/config.json", "config.json", "model.safetensors"]);
    assert_eq!(client.packs(), ["me--tiny"]);
    assert!(
        storage.log().iter().all(|r| r.header("authorization").is_none()),
        "the token is sent only to the hub"
    );
    assert!(hub.asked("pytorch_model.bin").is_empty());
    client.pull_again("hf:me/tiny@refs/pr/1").unwrap();
}

#[test]
fn checks_the_checksum_of_the_hub() {
    let hub = hub(&storage(), Sha256Sum::of(b"other weights"));
    assert!(matches!(client(&hub).failure("hf:me/tiny"), ErrorKind::WrongHash { .. }));
}

#[test]
fn missing_and_private_models_are_errors() {
    let hub = hub(&storage(), Sha256Sum::of(WEIGHTS));
    assert_eq!(client(&hub).failure("hf:me/other"), ErrorKind::NoModel);
    let without = Client::new().with("HF_ENDPOINT", &hub.url(""));
    let error = without.pull("hf:me/tiny").unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::NoModel);
    assert!(error.to_string().contains("HF_TOKEN"));
}

#[test]
fn errors_do_not_contain_signed_addresses() {
    let broken = Server::start(|_| Reply::new(403, ""));
    let hub = hub(&broken, Sha256Sum::of(WEIGHTS));
    let error = client(&hub).pull("hf:me/tiny").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Refused { .. }));
    assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
}

#[test]
fn tries_the_hub_if_the_index_lacks_a_known_model() {
    let weights = b"not the weights that are known";
    let sum = Sha256Sum::of(weights);
    let hub = Server::start(move |request| match request.path.as_str() {
        "/api/models/minishlab/potion-base-8M/revision/main?blobs=true" => listing(sum),
        _ => Reply::new(404, ""),
    });
    let client = client(&hub).with("PIP_INDEX_URL", &hub.url("/simple"));
    let (result, notes) = client.pull_with_notes("potion-8m");
    assert!(matches!(result.unwrap_err().kind(), ErrorKind::NoPackage { .. }));
    assert!(notes.iter().any(|note| note.contains("no file has the checksum")), "{notes:?}");
    assert!(hub.asked("/resolve/").is_empty(), "other weights are not downloaded");
}
