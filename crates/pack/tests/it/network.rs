//! Credentials, redirects, proxies, offline mode.

use inkveil_pack::{ErrorKind, Sha256Sum};

use crate::server::{Reply, Server, file};
use crate::site::{Client, correct_index, page, wheel};

const SOURCE: &str = "pypi:tiny-model";

/// An index that requires a password and links to a file on another server.
fn index_linking_to(link: String, bytes: &[u8]) -> Server {
    let sum = Sha256Sum::of(bytes);
    Server::start(move |request| match (request.path.as_str(), request.header("authorization")) {
        (_, None) => Reply::new(401, ""),
        ("/simple/tiny-model/", Some(_)) => page(&link, Some(sum), None),
        _ => Reply::new(302, "").with("location", link.clone()),
    })
}

#[test]
fn sends_a_password_only_to_its_host() {
    let bytes = wheel(1000);
    let files = Server::start({
        let bytes = bytes.clone();
        move |request| file(request, &bytes, "1")
    });
    for linked in [files.url("/tiny.whl"), "/redirect/tiny.whl".to_owned()] {
        let elsewhere = files.url("/tiny.whl");
        let sum = Sha256Sum::of(&bytes);
        let index =
            Server::start(move |request| match (request.path.as_str(), request.header("authorization")) {
                // me:p@ss
                (_, found) if found != Some("Basic bWU6cEBzcw==") => Reply::new(401, ""),
                ("/simple/tiny-model/", _) => page(&linked, Some(sum), None),
                _ => Reply::new(302, "").with("location", elsewhere.clone()),
            });
        let client = Client::new().with("PIP_INDEX_URL", &index.url_with_user("me:p%40ss", "/simple/"));
        client.pull(SOURCE).unwrap();
    }
    let asked = files.log();
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|request| request.header("authorization").is_none()));
}

#[test]
fn uses_a_password_from_netrc() {
    let index = Server::start(|request| {
        Reply::new(if request.header("authorization").is_some() { 404 } else { 401 }, "")
    });
    let client = Client::of(&index);
    std::fs::write(client.home().join(".netrc"), "machine 127.0.0.1 login me password pw").unwrap();
    assert!(matches!(client.failure(SOURCE), ErrorKind::NoPackage { .. }));
}

#[test]
fn errors_do_not_contain_passwords() {
    let index = Server::start(|_| Reply::new(401, ""));
    let client =
        Client::new().with("PIP_INDEX_URL", &index.url_with_user("me:hunter2", "/simple?token=hunter3"));
    let error = client.pull(SOURCE).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Refused { status: 401, .. }), "{error}");
    let missing = Server::start(|_| Reply::new(404, ""));
    let client =
        Client::new().with("PIP_INDEX_URL", &missing.url_with_user("me:hunter2", "/simple?token=hunter3"));
    let other = client.pull(SOURCE).unwrap_err();
    // No server listens on port 1.
    let closed = Client::new().with("PIP_INDEX_URL", "http://me:hunter2@127.0.0.1:1/simple?token=hunter3");
    let network = closed.pull(SOURCE).unwrap_err();
    assert!(matches!(network.kind(), ErrorKind::Network { .. }), "{network}");
    for error in [error, other, network] {
        let text = format!("{error} {error:?}");
        assert!(text.contains("127.0.0.1") && !text.contains("hunter"), "{text}");
    }
}

#[test]
fn refuses_plain_http_that_the_user_did_not_choose() {
    let bytes = wheel(1000);
    let index = index_linking_to("http://files.example/tiny.whl".to_owned(), &bytes);
    let client = Client::new().with("PIP_INDEX_URL", &index.url_with_user("a:b", "/simple"));
    assert_eq!(client.failure(SOURCE), ErrorKind::InsecureUrl);
    let odd = index_linking_to("file:///etc/passwd".to_owned(), &bytes);
    let client = Client::new().with("PIP_INDEX_URL", &odd.url_with_user("a:b", "/simple"));
    assert_eq!(client.failure(SOURCE), ErrorKind::BadUrl);
}

#[test]
fn stops_at_circular_redirects() {
    let server = Server::start(|request| Reply::new(302, "").with("location", request.path.clone()));
    assert!(matches!(Client::of(&server).failure(SOURCE), ErrorKind::BadPage { .. }));
    assert!(server.log().len() <= 11);
}

#[test]
fn uses_a_proxy() {
    let (server, proxy) = (correct_index(wheel(1000)), Server::start(|_| Reply::new(500, "")));
    let client = Client::of(&server).with("http_proxy", &proxy.url(""));
    client.pull(SOURCE).unwrap();
    let through = proxy.log();
    assert!(
        through.len() >= 2
            && through.iter().all(|r| r.method == "CONNECT" && server.url("").ends_with(&r.path))
    );
    let direct = Client::of(&server).with("http_proxy", &proxy.url("")).with("NO_PROXY", "127.0.0.1");
    direct.pull(SOURCE).unwrap();
    assert_eq!(proxy.log().len(), through.len());
}

#[test]
fn offline_mode_sends_no_request() {
    let server = correct_index(wheel(1000));
    for variable in ["INKVEIL_OFFLINE", "HF_HUB_OFFLINE"] {
        let client = Client::of(&server).with(variable, "1");
        assert_eq!(client.failure(SOURCE), ErrorKind::Offline);
        assert_eq!(client.failure("minilm"), ErrorKind::Offline);
        assert_eq!(client.failure("hf:a/b"), ErrorKind::Offline);
    }
    assert!(server.log().is_empty());
    assert_eq!(Client::of(&server).with("PIP_NO_INDEX", "1").failure(SOURCE), ErrorKind::IndexForbidden);
    assert_eq!(Client::new().failure(SOURCE), ErrorKind::NoIndex);
}

#[test]
fn refuses_a_file_without_certificates() {
    let client = Client::new().with("PIP_INDEX_URL", "https://127.0.0.1:1/");
    let path = client.home().join("own.pem");
    std::fs::write(&path, "not a certificate").unwrap();
    let client = client.with("SSL_CERT_FILE", path.to_str().unwrap());
    assert_eq!(client.failure(SOURCE), ErrorKind::BadCertificates);
}
