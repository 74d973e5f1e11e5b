//! The client side: requests go to the upstream that the operator named, and nowhere else.

use std::time::Duration;

use anyhow::Context as _;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls_platform_verifier::BuilderVerifierExt as _;
use url::Url;

use crate::positions::Protocol;

/// Sends requests. It follows no redirect and uses no proxy.
pub(crate) struct Upstream {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

/// Why an upstream gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// It cannot be reached, or the connection broke.
    Unreachable,
    /// It took too long.
    TimedOut,
}

/// The longest time to connect.
const CONNECTING: Duration = Duration::from_secs(10);

/// Headers of a caller that the upstream gets, if they hold names only.
const PASSED: [&str; 5] =
    ["anthropic-version", "anthropic-beta", "openai-organization", "openai-project", "openai-beta"];

/// Headers of the upstream that the caller gets.
const RETURNED: [&str; 4] = ["content-type", "request-id", "x-request-id", "retry-after"];
const RETURNED_GROUPS: [&str; 4] =
    ["x-ratelimit-", "openai-", "anthropic-ratelimit-", "anthropic-organization-id"];

impl Upstream {
    /// Opens a client that trusts the certificates of the system.
    ///
    /// # Errors
    /// If the certificates cannot be used.
    pub(crate) fn new() -> anyhow::Result<Self> {
        let provider = rustls::crypto::ring::default_provider();
        let tls = rustls::ClientConfig::builder_with_provider(provider.into())
            .with_safe_default_protocol_versions()
            .context("TLS cannot be used")?
            .with_platform_verifier()
            .context("the certificates of the system cannot be read")?
            .with_no_client_auth();
        let mut plain = HttpConnector::new();
        plain.enforce_http(false);
        plain.set_nodelay(true);
        plain.set_connect_timeout(Some(CONNECTING));
        let https = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
        let connector = https.wrap_connector(plain);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(60))
            .build(connector);
        Ok(Self { client })
    }

    /// Sends a request, and returns the beginning of the answer.
    ///
    /// # Errors
    /// If there is no answer in time.
    pub(crate) async fn send(
        &self,
        request: Request<Full<Bytes>>,
        longest: Duration,
    ) -> Result<Response<Incoming>, NoAnswer> {
        match tokio::time::timeout(longest, self.client.request(request)).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(_)) => Err(NoAnswer::Unreachable),
            Err(_) => Err(NoAnswer::TimedOut),
        }
    }
}

impl std::fmt::Debug for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Upstream")
    }
}

/// How the upstream knows the caller.
#[derive(Clone)]
pub(crate) enum Credentials {
    /// A key of the operator.
    Key(String),
    /// The caller's own header.
    Caller(HeaderName, HeaderValue),
    /// None.
    None,
}

/// Builds a request for the upstream. Only known headers pass.
///
/// # Errors
/// If the address or the key cannot be written into a request.
pub(crate) fn request(
    method: Method,
    base: &Url,
    path: &str,
    protocol: Option<Protocol>,
    headers: &HeaderMap,
    credentials: &Credentials,
    body: String,
) -> anyhow::Result<Request<Full<Bytes>>> {
    let address = format!("{}{path}", base.as_str().trim_end_matches('/'));
    let anthropic = protocol.is_some_and(Protocol::is_anthropic);
    let mut request = Request::builder().method(method).uri(address);
    let fields = request.headers_mut().context("the address of the upstream is wrong")?;
    for name in PASSED {
        for value in headers.get_all(name) {
            if is_list_of_names(value) {
                fields.append(HeaderName::from_static(name), value.clone());
            }
        }
    }
    match credentials {
        Credentials::Key(key) => {
            let (name, text) = match anthropic {
                true => (HeaderName::from_static("x-api-key"), key.clone()),
                false => (header::AUTHORIZATION, format!("Bearer {key}")),
            };
            let mut value =
                HeaderValue::from_str(&text).ok().context("the key of the upstream is not a header")?;
            value.set_sensitive(true);
            fields.insert(name, value);
        }
        Credentials::Caller(name, value) => {
            let mut value = value.clone();
            value.set_sensitive(true);
            fields.insert(name.clone(), value);
        }
        Credentials::None => {}
    }
    if anthropic && !fields.contains_key("anthropic-version") {
        fields.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    fields.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    fields
        .insert(header::USER_AGENT, HeaderValue::from_static(concat!("inkveil/", env!("CARGO_PKG_VERSION"))));
    if !body.is_empty() {
        fields.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    Ok(request.body(Full::new(Bytes::from(body)))?)
}

/// The headers of an answer that the caller gets.
pub(crate) fn returned(headers: &HeaderMap) -> HeaderMap {
    let keep = |name: &HeaderName| {
        RETURNED.contains(&name.as_str())
            || RETURNED_GROUPS.iter().any(|group| name.as_str().starts_with(group))
    };
    headers.iter().filter(|(name, _)| keep(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Whether a header holds names, dates and commas only.
fn is_list_of_names(value: &HeaderValue) -> bool {
    value.to_str().is_ok_and(|text| {
        text.len() <= 1024
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b',' | b' '))
            && text.split(',').all(|name| !name.trim().contains(' '))
    })
}
