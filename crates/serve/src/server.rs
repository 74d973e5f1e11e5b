//! Listens, and hands requests to the gateway.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::routing::{get, post};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use crate::error::Failure;
use crate::gateway::Gateway;
use crate::patience::Patient;
use crate::positions::Protocol;
use crate::{guardrail, mcp, native, openapi, page, presidio};

/// All routes. Everything else is refused.
pub fn router(gateway: Arc<Gateway>) -> Router {
    let mut router = Router::new();
    for protocol in Protocol::ALL {
        let forward =
            move |State(gateway): State<Arc<Gateway>>, request: Request| gateway.forward(protocol, request);
        router = router.route(protocol.path(), post(forward));
    }
    // Models, and what the provider has stored: the caller names it, and sends no text.
    let bare = |State(gateway): State<Arc<Gateway>>, request: Request| gateway.bare(request);
    router
        .route("/v1/models", get(bare))
        .route("/v1/models/{*model}", get(bare).delete(bare))
        .route("/v1/chat/completions", get(bare))
        .route("/v1/chat/completions/{id}", get(bare).delete(bare))
        .route("/v1/chat/completions/{id}/messages", get(bare))
        .route("/v1/responses/{id}", get(bare).delete(bare))
        .route("/v1/responses/{id}/cancel", post(bare))
        .route("/v1/responses/{id}/input_items", get(bare))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .route("/openapi.json", get(|| async { text("application/json", openapi::DESCRIPTION) }))
        .merge(native::routes())
        .merge(presidio::routes())
        .merge(guardrail::routes())
        .merge(mcp::routes())
        .merge(page::routes())
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .with_state(gateway)
}

async fn unknown() -> Response<Body> {
    let message = "the gateway does not know this route, and passes nothing on that it does not know";
    Failure::new(StatusCode::NOT_FOUND, "unknown_route", message).response(false)
}

async fn wrong_method() -> Response<Body> {
    let message = "the gateway knows this route, but not with this method";
    Failure::new(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", message).response(false)
}

async fn ready(State(gateway): State<Arc<Gateway>>) -> Response<Body> {
    if gateway.is_ready() {
        return text("text/plain", "ready\n");
    }
    let mut response = text("text/plain", "busy\n");
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response
}

async fn metrics(State(gateway): State<Arc<Gateway>>, request: Request) -> Response<Body> {
    let runtime = gateway.runtime();
    match gateway.caller(&runtime.settings, request.headers()) {
        Ok(_) => text("text/plain; version=0.0.4", gateway.metrics().text()),
        Err(failure) => failure.response(false),
    }
}

/// A text as an answer.
pub(crate) fn text(kind: &'static str, text: impl Into<String>) -> Response<Body> {
    let mut response = Response::new(Body::from(text.into()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Serves connections until `stop` is ready. Then it finishes open answers, as long as the settings allow.
///
/// # Errors
/// If the certificate cannot be used.
pub async fn serve(
    gateway: Arc<Gateway>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let runtime = gateway.runtime();
    let limits = runtime.settings.limits;
    let tls =
        runtime.settings.tls.as_ref().map(|(certificate, key)| acceptor(certificate, key)).transpose()?;
    let places = Arc::new(Semaphore::new(limits.connections));
    let service = TowerToHyperService::new(router(gateway.clone()));
    let graceful = GracefulShutdown::new();
    // Before a connection shows its version, and in HTTP/2, no time limit would hold for idle connections.
    let mut builder = auto::Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(limits.reading);
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let Ok((stream, _)) = accepted else {
            // The process has no files left; wait until connections end.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        // A connection beyond the limit is closed at once.
        let Ok(place) = places.clone().try_acquire_owned() else { continue };
        let _ = stream.set_nodelay(true);
        let stream = Patient::new(stream, limits.answering);
        let (builder, service, watcher, tls) =
            (builder.clone(), service.clone(), graceful.watcher(), tls.clone());
        tokio::spawn(async move {
            let _place = place;
            match tls {
                None => {
                    let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
                    let _ = watcher.watch(connection).await;
                }
                Some(tls) => {
                    if let Some(stream) = handshake(&tls, stream, limits.reading).await {
                        let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
                        let _ = watcher.watch(connection).await;
                    }
                }
            }
        });
    }
    gateway.stop();
    drop(listener);
    let _ = tokio::time::timeout(limits.stopping, graceful.shutdown()).await;
    Ok(())
}

async fn handshake(
    tls: &TlsAcceptor,
    stream: Patient<TcpStream>,
    longest: Duration,
) -> Option<tokio_rustls::server::TlsStream<Patient<TcpStream>>> {
    tokio::time::timeout(longest, tls.accept(stream)).await.ok()?.ok()
}

fn acceptor(certificate: &Path, key: &Path) -> anyhow::Result<TlsAcceptor> {
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .ok()
        .with_context(|| format!("{} is not a certificate in PEM", certificate.display()))?;
    ensure!(!chain.is_empty(), "{} holds no certificate", certificate.display());
    let key = PrivateKeyDer::from_pem_file(key)
        .ok()
        .with_context(|| format!("{} is not a private key in PEM", key.display()))?;
    let mut config =
        rustls::ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .context("the certificate and the key do not fit together")?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
