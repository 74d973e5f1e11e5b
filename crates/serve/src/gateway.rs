//! The path of a request: check, veil, forward, restore.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use futures_util::stream;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use inkveil::files::Sha256Sum;
use inkveil::release::Account;
use sha2::{Digest as _, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::answer::Answer;
use crate::engine::{Engine, EngineSettings, Outcome, Restorers, Terms};
use crate::error::Failure;
use crate::json::Json;
use crate::metrics::{Metrics, Record};
use crate::mode::Mode;
use crate::positions::{Leaf, Protocol, Table, Vault, Walker};
use crate::secret::{CallerId, ConversationName, GatewaySecret};
use crate::settings::{LocalKey, Settings};
use crate::stream::StreamRestorer;
use crate::upstream::{Credentials, NoAnswer, Upstream, request, returned};

/// The header with the id of a session.
pub(crate) const SESSION: &str = "x-inkveil-session";
/// The header with a local key, if the usual header holds the key of the upstream.
pub(crate) const LOCAL_KEY: &str = "x-inkveil-key";
/// The longest id of a session.
const LONGEST_SESSION: usize = 256;
/// The longest answer that is not a stream.
const LONGEST_ANSWER: usize = 256 << 20;
/// The number of receipts that are kept and can be asked for by their id.
const MOST_RECEIPTS: usize = 1000;

/// The gateway.
pub struct Gateway {
    runtime: RwLock<Arc<Runtime>>,
    engine: Arc<Engine>,
    secret: Arc<GatewaySecret>,
    upstream: Upstream,
    metrics: Metrics,
    requests: Arc<Semaphore>,
    receipts: Mutex<Vec<(String, String)>>,
    stopping: AtomicBool,
}

/// What a reload of the settings replaces.
pub struct Runtime {
    /// The settings.
    pub settings: Settings,
    tables: Vec<(Protocol, Table)>,
}

impl Runtime {
    fn new(settings: Settings) -> anyhow::Result<Self> {
        settings.check()?;
        let table = |protocol| Ok((protocol, settings.table(protocol)?));
        let tables = Protocol::ALL.into_iter().map(table).collect::<anyhow::Result<_>>()?;
        Ok(Self { settings, tables })
    }

    fn table(&self, protocol: Protocol) -> Option<&Table> {
        self.tables.iter().find(|(known, _)| *known == protocol).map(|(_, table)| table)
    }
}

/// Who sends a request.
pub struct Caller {
    /// The owner of conversations.
    pub id: CallerId,
    key: Option<LocalKey>,
    own: Option<(HeaderName, HeaderValue)>,
}

impl Caller {
    /// The name of the local key.
    pub fn name(&self) -> Option<&str> {
        self.key.as_ref().map(|key| key.name.as_str())
    }
}

impl Gateway {
    /// Opens the models and the secret.
    ///
    /// # Errors
    /// If settings are wrong or models are missing.
    pub fn open(settings: Settings, logs: bool) -> anyhow::Result<Self> {
        let secret = Arc::new(match &settings.secret {
            Some(path) => GatewaySecret::from_file(path)?,
            None => GatewaySecret::fresh()?,
        });
        let detect = match &settings.detect {
            Some(path) => Some(inkveil::detect::Settings::open(path)?),
            None => None,
        };
        let engine = EngineSettings {
            pack: settings.pack.clone(),
            tier: settings.tier,
            detect,
            ..EngineSettings::default()
        };
        let engine = Arc::new(Engine::open(engine, secret.clone(), &settings.modes())?);
        let requests = Arc::new(Semaphore::new(settings.limits.requests));
        Ok(Self {
            runtime: RwLock::new(Arc::new(Runtime::new(settings)?)),
            engine,
            secret,
            upstream: Upstream::new()?,
            metrics: Metrics::new(logs),
            requests,
            receipts: Mutex::default(),
            stopping: AtomicBool::new(false),
        })
    }

    /// The settings in use.
    pub fn runtime(&self) -> Arc<Runtime> {
        self.runtime.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Uses new settings for new requests. Address, secret, models and limits stay as they are.
    ///
    /// # Errors
    /// If the settings are wrong. The old ones stay in use then.
    pub fn reload(&self, settings: Settings) -> anyhow::Result<()> {
        for mode in settings.modes() {
            self.engine.prepare(mode)?;
        }
        let runtime = Arc::new(Runtime::new(settings)?);
        *self.runtime.write().unwrap_or_else(PoisonError::into_inner) = runtime;
        Ok(())
    }

    /// Says that no new requests are wanted.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether new requests are wanted.
    pub fn is_ready(&self) -> bool {
        !self.stopping.load(Ordering::Relaxed) && self.requests.available_permits() > 0
    }

    /// The counters.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The secret.
    pub fn secret(&self) -> &Arc<GatewaySecret> {
        &self.secret
    }

    /// The receipt with an id.
    pub fn receipt(&self, id: &str) -> Option<String> {
        let receipts = self.receipts.lock().unwrap_or_else(PoisonError::into_inner);
        receipts.iter().find(|(known, _)| known == id).map(|(_, receipt)| receipt.clone())
    }

    /// Keeps a receipt, and returns its id.
    pub fn keep_receipt(&self, receipt: String) -> String {
        let id = Sha256Sum::of(receipt.as_bytes()).to_string()[..24].to_owned();
        let mut receipts = self.receipts.lock().unwrap_or_else(PoisonError::into_inner);
        if !receipts.iter().any(|(known, _)| *known == id) {
            if receipts.len() >= MOST_RECEIPTS {
                receipts.remove(0);
            }
            receipts.push((id.clone(), receipt));
        }
        id
    }

    /// Finds out who sends a request.
    ///
    /// # Errors
    /// If there are local keys and the request has none of them.
    pub fn caller(&self, settings: &Settings, headers: &HeaderMap) -> Result<Caller, Failure> {
        let bearer = |value: &HeaderValue| -> Option<String> {
            let text = value.to_str().ok()?;
            Some(text.strip_prefix("Bearer ").unwrap_or(text).trim().to_owned())
        };
        let usual = ["x-api-key", "authorization", "api-key"].map(HeaderName::from_static);
        let own =
            usual.into_iter().find_map(|name| headers.get(&name).map(|value| (name.clone(), value.clone())));
        if settings.keys.is_empty() {
            let key = own.as_ref().and_then(|(_, value)| bearer(value)).unwrap_or_default();
            return Ok(Caller { id: self.secret.caller(&format!("caller {key}")), key: None, own });
        }
        let find = |value: &HeaderValue| {
            let sum: [u8; 32] = Sha256::digest(bearer(value)?.as_bytes()).into();
            settings.keys.iter().find(|key| key.sha256 == sum).cloned()
        };
        let named = headers.get(LOCAL_KEY).map(find);
        let (key, own) = match named {
            Some(key) => (key, own),
            // The usual header holds a local key, which the upstream must not see.
            None => (own.as_ref().and_then(|(_, value)| find(value)), None),
        };
        match key {
            Some(key) => {
                Ok(Caller { id: self.secret.caller(&format!("key {}", key.name)), key: Some(key), own })
            }
            None => Err(Failure::new(
                StatusCode::UNAUTHORIZED,
                "unknown_key",
                "the key of the caller is not known here",
            )),
        }
    }

    /// Waits for a place among the requests. If all are taken, the request is refused at once.
    ///
    /// # Errors
    /// If too many requests are being worked on.
    pub fn place(&self) -> Result<OwnedSemaphorePermit, Failure> {
        if self.stopping.load(Ordering::Relaxed) {
            return Err(Failure::unavailable("stopping", "the gateway is stopping"));
        }
        let busy =
            |_| Failure::unavailable("overloaded", "too many requests at the same time; try again later");
        self.requests.clone().try_acquire_owned().map_err(busy)
    }

    /// Reads a body of JSON.
    ///
    /// # Errors
    /// If it is too long, too slow, compressed, or not JSON.
    pub async fn body(&self, settings: &Settings, headers: &HeaderMap, body: Body) -> Result<Json, Failure> {
        if headers.get(header::CONTENT_ENCODING).is_some_and(|value| value != "identity") {
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Err(Failure::new(status, "encoding", "compressed requests are not read"));
        }
        let is_json = |value: &HeaderValue| {
            value.to_str().is_ok_and(|kind| kind.trim().to_ascii_lowercase().starts_with("application/json"))
        };
        if !headers.get(header::CONTENT_TYPE).is_some_and(is_json) {
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Err(Failure::new(status, "content_type", "the content type must be application/json"));
        }
        let longest = settings.limits.body;
        let too_large = || Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "the body is too large");
        let announced =
            headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        if announced.is_some_and(|length: usize| length > longest) {
            return Err(too_large());
        }
        match tokio::time::timeout(settings.limits.reading, to_bytes(body, longest)).await {
            Ok(Ok(bytes)) => Ok(Json::parse(&bytes)?),
            Ok(Err(_)) => Err(too_large()),
            Err(_) => {
                Err(Failure::new(StatusCode::REQUEST_TIMEOUT, "slow_request", "the request came too slowly"))
            }
        }
    }

    /// Runs work that takes the processor, with a time limit.
    ///
    /// # Errors
    /// If it takes too long or breaks off. Nothing is sent then.
    pub async fn work<T: Send + 'static>(
        &self,
        settings: &Settings,
        work: impl FnOnce(&Engine) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let engine = self.engine.clone();
        let done = tokio::task::spawn_blocking(move || work(&engine));
        match tokio::time::timeout(settings.limits.veiling, done).await {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => {
                Err(Failure::unavailable("veil_failed", "the text could not be veiled, so nothing was sent"))
            }
            Err(_) => Err(Failure::unavailable("veil_slow", "veiling took too long, so nothing was sent")),
        }
    }

    /// Answers a request of a protocol.
    pub async fn forward(self: Arc<Self>, protocol: Protocol, request: Request<Body>) -> Response<Body> {
        let begun = Instant::now();
        let mut record = Record { route: protocol.name(), ..Record::default() };
        let answer = self.answer(protocol, request, &mut record).await;
        record.total = begun.elapsed();
        let response = match answer {
            Ok(response) => response,
            Err(failure) => {
                record.refused = Some(failure.code);
                failure.response(protocol.is_anthropic())
            }
        };
        record.status = response.status().as_u16();
        self.metrics.count(&record);
        response
    }

    async fn answer(
        self: &Arc<Self>,
        protocol: Protocol,
        incoming: Request<Body>,
        record: &mut Record,
    ) -> Result<Response<Body>, Failure> {
        let runtime = self.runtime();
        let settings = &runtime.settings;
        let (parts, body) = incoming.into_parts();
        let caller = self.caller(settings, &parts.headers)?;
        record.key = caller.name().map(str::to_owned);
        let (Some(base), key_variable) = settings.upstream_of(protocol) else {
            return Err(Failure::new(
                StatusCode::NOT_FOUND,
                "no_upstream",
                "no upstream is set for this protocol",
            ));
        };
        let path = checked_path(parts.uri.path(), parts.uri.query())?;
        let place = self.place()?;
        let credentials = credentials(key_variable, &caller)?;
        let mut document = self.body(settings, &parts.headers, body).await?;
        let model = document.str_of("model").map(str::to_owned);
        let mode = settings.mode_of(caller.key.as_ref(), model.as_deref(), protocol);
        record.mode = mode.name();
        let begun = Instant::now();
        let session = session(&parts.headers)?;
        let json_text = asks_for_json(&document);
        let work = VeilWork {
            runtime: runtime.clone(),
            secret: self.secret.clone(),
            protocol,
            mode,
            caller: caller.id,
            name: caller.name().map(str::to_owned),
            session,
        };
        let (document, mut outcome) = self
            .work(settings, move |engine| {
                let outcome = work.run(engine, &mut document)?;
                Ok((document, outcome))
            })
            .await?;
        record.veiling = Some(begun.elapsed());
        record.kinds.clone_from(&outcome.kinds);
        let receipt = outcome.receipt.take().map(|receipt| self.keep_receipt(receipt.to_json()));
        record.receipt.clone_from(&receipt);
        if mode == Mode::Block && outcome.found() > 0 {
            let message =
                format!("the request holds {} sensitive values, and this mode refuses them", outcome.found());
            return Err(Failure::bad("blocked", message));
        }
        let wrong =
            |_| Failure::new(StatusCode::BAD_GATEWAY, "upstream_address", "the upstream cannot be addressed");
        let out = request(
            Method::POST,
            base,
            &path,
            Some(protocol),
            &parts.headers,
            &credentials,
            document.write(),
        )
        .map_err(wrong)?;
        let answer = self.upstream.send(out, settings.limits.answering).await.map_err(no_answer)?;
        if outcome.confirm().is_err() {
            return Err(Failure::unavailable("ledger", "the ledger cannot be written"));
        }
        let restoring = Restoring {
            protocol,
            restorers: outcome.restorers.clone(),
            json_text,
            secret: self.secret.clone(),
            caller: caller.id,
            longest_pause: settings.limits.answering,
        };
        let mut response = restoring.response(answer, place).await?;
        let headers = response.headers_mut();
        headers.insert("x-inkveil-mode", HeaderValue::from_static(mode.name()));
        headers.insert("x-inkveil-found", HeaderValue::from(outcome.found()));
        let kinds: Vec<String> =
            outcome.kinds.iter().map(|(kind, count)| format!("{kind}={count}")).collect();
        if let Ok(value) = HeaderValue::from_str(&kinds.join(", ")) {
            headers.insert("x-inkveil-kinds", value);
        }
        if let Some(Ok(value)) = receipt.as_deref().map(HeaderValue::from_str) {
            headers.insert("x-inkveil-receipt", value);
        }
        Ok(response)
    }

    /// Forwards a request without a body: it names a model, or something that the provider has stored. What is
    /// stored there is veiled, and it comes back veiled.
    pub async fn bare(self: Arc<Self>, incoming: Request<Body>) -> Response<Body> {
        let anthropic = incoming.headers().contains_key("anthropic-version");
        let begun = Instant::now();
        let mut record = Record { route: "bare", ..Record::default() };
        let answer = self.bare_answer(incoming, anthropic).await;
        record.total = begun.elapsed();
        let response = answer.unwrap_or_else(|failure| {
            record.refused = Some(failure.code);
            failure.response(anthropic)
        });
        record.status = response.status().as_u16();
        self.metrics.count(&record);
        response
    }

    async fn bare_answer(&self, incoming: Request<Body>, anthropic: bool) -> Result<Response<Body>, Failure> {
        let runtime = self.runtime();
        let settings = &runtime.settings;
        let (parts, _) = incoming.into_parts();
        let caller = self.caller(settings, &parts.headers)?;
        let protocol = if anthropic { Protocol::Messages } else { Protocol::Chat };
        let (Some(base), key_variable) = settings.upstream_of(protocol) else {
            return Err(Failure::new(
                StatusCode::NOT_FOUND,
                "no_upstream",
                "no upstream is set for this protocol",
            ));
        };
        let path = checked_path(parts.uri.path(), parts.uri.query())?;
        let place = self.place()?;
        let credentials = credentials(key_variable, &caller)?;
        let wrong =
            |_| Failure::new(StatusCode::BAD_GATEWAY, "upstream_address", "the upstream cannot be addressed");
        let out = request(
            parts.method.clone(),
            base,
            &path,
            Some(protocol),
            &parts.headers,
            &credentials,
            String::new(),
        )
        .map_err(wrong)?;
        let answer = self.upstream.send(out, settings.limits.answering).await.map_err(no_answer)?;
        let restorers = Restorers::none()?;
        let restoring = Restoring {
            protocol,
            restorers,
            json_text: false,
            secret: self.secret.clone(),
            caller: caller.id,
            longest_pause: settings.limits.answering,
        };
        restoring.response(answer, place).await
    }
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Gateway")
    }
}

/// What veils one request.
struct VeilWork {
    runtime: Arc<Runtime>,
    secret: Arc<GatewaySecret>,
    protocol: Protocol,
    mode: Mode,
    caller: CallerId,
    name: Option<String>,
    session: Option<String>,
}

impl VeilWork {
    fn run(self, engine: &Engine, document: &mut Json) -> Result<Outcome, Failure> {
        let settings = &self.runtime.settings;
        let seals = self.secret.seals(self.caller);
        let table = self.runtime.table(self.protocol);
        let table = table.ok_or_else(|| Failure::unavailable("no_table", "the protocol has no table"))?;
        let walker = Walker::collect(table, &seals, settings.media_passes, document)?;
        let name = match self.session {
            Some(session) => ConversationName::Session(session),
            None => ConversationName::Beginning(beginning(walker.leaves())),
        };
        let wrong = |_| Failure::unavailable("veil_failed", "the key of the conversation cannot be made");
        let key = self.secret.conversation(self.caller, &name).map_err(wrong)?;
        let account = match &settings.ledger {
            Some(path) => Account::new(path).subject(self.name.unwrap_or_else(|| self.caller.short())),
            None => Account::none(),
        };
        let terms = Terms { mode: self.mode, key, account, route: self.protocol.name() };
        let mut outcome = engine.veil(walker.leaves(), &terms)?;
        walker.write(document, std::mem::take(&mut outcome.texts))?;
        Ok(outcome)
    }
}

/// The texts that a conversation begins with: all before the second turn of the user, without the definitions of tools.
fn beginning(leaves: &[Leaf]) -> Vec<String> {
    let first = leaves.iter().find(|leaf| leaf.by_user).map(|leaf| leaf.message);
    leaves
        .iter()
        .filter(|leaf| leaf.vault != Vault::Tools)
        .filter(|leaf| first.is_none_or(|first| leaf.message <= first))
        .map(|leaf| leaf.text.clone())
        .collect()
}

fn session(headers: &HeaderMap) -> Result<Option<String>, Failure> {
    let Some(value) = headers.get(SESSION) else { return Ok(None) };
    match value.to_str() {
        Ok(id) if !id.is_empty() && id.len() <= LONGEST_SESSION => Ok(Some(id.to_owned())),
        _ => Err(Failure::bad("session", "the id of a session has 1 to 256 visible ASCII characters")),
    }
}

/// Whether the text of the answer will be JSON.
fn asks_for_json(document: &Json) -> bool {
    let formats = [
        document.get("response_format"),
        document.get("text").and_then(|text| text.get("format")),
        document.get("output_format"),
        document.get("output_config").and_then(|config| config.get("format")),
    ];
    formats
        .into_iter()
        .flatten()
        .any(|format| format.str_of("type").is_some_and(|kind| kind.starts_with("json")))
}

/// Queries of the protocols. Anything else is refused, because it would leave unveiled.
fn checked_path(path: &str, query: Option<&str>) -> Result<String, Failure> {
    const KNOWN: [&str; 13] = [
        "beta",
        "limit",
        "after",
        "before",
        "after_id",
        "before_id",
        "order",
        "include",
        "include[]",
        "model",
        "starting_after",
        "stream",
        "include_obfuscation",
    ];
    if !crate::positions::is_name(path) {
        return Err(Failure::bad("refused_position", "path: free text is not allowed here"));
    }
    let Some(query) = query.filter(|query| !query.is_empty()) else { return Ok(path.to_owned()) };
    let is_known = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = name.replace("%5B%5D", "[]");
        KNOWN.contains(&name.as_str()) && crate::positions::is_name(value)
    };
    match query.split('&').all(is_known) {
        true => Ok(format!("{path}?{query}")),
        false => Err(Failure::bad("refused_position", "query: the gateway does not know this parameter")),
    }
}

fn credentials(variable: Option<&str>, caller: &Caller) -> Result<Credentials, Failure> {
    match (variable, &caller.own) {
        (Some(variable), _) => match std::env::var(variable) {
            Ok(key) if !key.is_empty() => Ok(Credentials::Key(key)),
            _ => Err(Failure::unavailable(
                "no_upstream_key",
                "the environment variable with the key of the upstream is empty",
            )),
        },
        (None, Some((name, value))) => Ok(Credentials::Caller(name.clone(), value.clone())),
        (None, None) => Ok(Credentials::None),
    }
}

fn no_answer(why: NoAnswer) -> Failure {
    match why {
        NoAnswer::Unreachable => {
            Failure::new(StatusCode::BAD_GATEWAY, "upstream", "the upstream cannot be reached")
        }
        NoAnswer::TimedOut => {
            Failure::new(StatusCode::GATEWAY_TIMEOUT, "upstream_slow", "the upstream took too long")
        }
    }
}

/// What restores an answer.
struct Restoring {
    protocol: Protocol,
    restorers: Restorers,
    json_text: bool,
    secret: Arc<GatewaySecret>,
    caller: CallerId,
    longest_pause: Duration,
}

impl Restoring {
    async fn response(
        self,
        answer: Response<Incoming>,
        place: OwnedSemaphorePermit,
    ) -> Result<Response<Body>, Failure> {
        let (parts, body) = answer.into_parts();
        let broken =
            || Failure::new(StatusCode::BAD_GATEWAY, "upstream", "the answer of the upstream cannot be read");
        if parts.headers.get(header::CONTENT_ENCODING).is_some_and(|value| value != "identity") {
            return Err(broken());
        }
        let kind =
            parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let out = match kind.starts_with("text/event-stream") {
            true => self.stream(body, place),
            false => {
                let limited = Limited::new(body, LONGEST_ANSWER).collect();
                let bytes = match tokio::time::timeout(self.longest_pause, limited).await {
                    Ok(Ok(collected)) => collected.to_bytes(),
                    _ => return Err(broken()),
                };
                Body::from(self.whole(&bytes))
            }
        };
        let mut response = Response::new(out);
        *response.status_mut() = parts.status;
        *response.headers_mut() = returned(&parts.headers);
        Ok(response)
    }

    /// Restores an answer that is not a stream.
    fn whole(&self, bytes: &Bytes) -> Vec<u8> {
        match Json::parse(bytes) {
            Ok(mut document) => {
                let seals = self.secret.seals(self.caller);
                let answer = Answer { restorers: &self.restorers, seals: &seals, json_text: self.json_text };
                answer.restore(&mut document);
                document.write().into_bytes()
            }
            Err(_) => match std::str::from_utf8(bytes) {
                Ok(text) => self.restorers.text.restore_text(text).0.into_bytes(),
                Err(_) => bytes.to_vec(),
            },
        }
    }

    fn stream(self, body: Incoming, place: OwnedSemaphorePermit) -> Body {
        let restorer =
            StreamRestorer::new(self.protocol, self.restorers, self.json_text, self.secret, self.caller);
        let state = Streaming { body, restorer, pause: self.longest_pause, ended: false, _place: place };
        Body::from_stream(stream::unfold(state, Streaming::next))
    }
}

/// A streamed answer on its way.
struct Streaming {
    body: Incoming,
    restorer: StreamRestorer,
    pause: Duration,
    ended: bool,
    _place: OwnedSemaphorePermit,
}

impl Streaming {
    async fn next(mut self) -> Option<(Result<Bytes, std::io::Error>, Self)> {
        let broken = || std::io::Error::other("the upstream broke off");
        loop {
            if self.ended {
                return None;
            }
            let piece = match tokio::time::timeout(self.pause, self.body.frame()).await {
                Ok(Some(Ok(frame))) => match frame.into_data() {
                    Ok(bytes) => self.restorer.push(&bytes).map_err(|_| broken()),
                    Err(_) => continue,
                },
                Ok(None) => {
                    self.ended = true;
                    self.restorer.finish().map_err(|_| broken())
                }
                // The caller must see that the answer is not complete.
                Ok(Some(Err(_))) | Err(_) => Err(broken()),
            };
            match piece {
                Ok(text) if text.is_empty() => {}
                Ok(text) => return Some((Ok(Bytes::from(text)), self)),
                Err(error) => {
                    self.ended = true;
                    // What came before the break is written first.
                    tokio::task::yield_now().await;
                    return Some((Err(error), self));
                }
            }
        }
    }
}
