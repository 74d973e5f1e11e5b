//! The path of a request: check, veil, forward, restore.

mod work;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use inkveil::Receipt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::Url;

use crate::caller::Caller;
use crate::engine::{Engine, EngineSettings, Outcome, Restorers, Terms};
use crate::error::{Failure, json};
use crate::incoming::{asks_for_json, check_path, json_body, session};
use crate::json::Json;
use crate::metrics::{Metrics, Record};
use crate::mode::Mode;
use crate::page::Page;
use crate::positions::{Leaf, Protocol, Table, Vault, Walker};
use crate::query::Query;
use crate::receipts::Receipts;
use crate::restoring::{Restoring, whole_answer};
use crate::secret::{CallerId, ConversationName, GatewaySecret};
use crate::settings::{EmbeddingsFrom, Settings};
use crate::upstream::{Credentials, NoAnswer, Upstream, request};
use crate::vectors;

/// The header with the id of the receipt of vectors.
const VECTOR_RECEIPT: &str = "x-inkveil-vector-receipt";

/// The gateway.
pub struct Gateway {
    runtime: RwLock<Arc<Runtime>>,
    engine: Arc<Engine>,
    secret: Arc<GatewaySecret>,
    upstream: Upstream,
    metrics: Metrics,
    requests: Arc<Semaphore>,
    /// Places for work that takes the processor, as many as for requests.
    working: Arc<Semaphore>,
    receipts: Receipts,
    page: Page,
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

    /// The table of a protocol.
    pub(crate) fn table(&self, protocol: Protocol) -> Option<&Table> {
        self.tables.iter().find(|(known, _)| *known == protocol).map(|(_, table)| table)
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
        let places = settings.limits.requests;
        Ok(Self {
            runtime: RwLock::new(Arc::new(Runtime::new(settings)?)),
            engine,
            secret,
            upstream: Upstream::new()?,
            metrics: Metrics::new(logs),
            requests: Arc::new(Semaphore::new(places)),
            working: Arc::new(Semaphore::new(places)),
            receipts: Receipts::default(),
            page: Page::default(),
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
        let is_free = |places: &Semaphore| places.available_permits() > 0;
        !self.is_stopping() && is_free(&self.requests) && is_free(&self.working)
    }

    /// Whether the gateway is about to end.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Who may use the page.
    pub fn page(&self) -> &Page {
        &self.page
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

    /// The receipts of the last releases.
    pub fn receipts(&self) -> &Receipts {
        &self.receipts
    }

    /// Finds out who sends a request.
    ///
    /// # Errors
    /// If there are local keys and the request has none of them.
    pub fn caller(&self, settings: &Settings, headers: &HeaderMap) -> Result<Caller, Failure> {
        Caller::of(headers, settings, &self.secret)
    }

    /// Waits for a place among the requests. If all are taken, the request is refused at once.
    ///
    /// # Errors
    /// If too many requests are being worked on.
    pub fn place(&self) -> Result<OwnedSemaphorePermit, Failure> {
        if self.stopping.load(Ordering::Relaxed) {
            return Err(Failure::unavailable("stopping", "the gateway is stopping"));
        }
        place_of(&self.requests)
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
        if self.runtime().settings.embeddings_of(protocol) == EmbeddingsFrom::Here {
            return self.embeddings_here(incoming, record).await;
        }
        let (parts, body) = incoming.into_parts();
        let accepted = self.accept(protocol, &parts)?;
        let settings = &accepted.runtime.settings;
        record.key = accepted.caller.name().map(str::to_owned);
        let mut document = json_body(settings, &parts.headers, body).await?;
        let model = document.str_of("model").map(str::to_owned);
        let mode = settings.mode_of(accepted.caller.key.as_ref(), model.as_deref(), protocol);
        record.mode = mode.name();
        let begun = Instant::now();
        let session = session(&parts.headers)?;
        let json_text = asks_for_json(&document);
        let work = VeilWork {
            runtime: accepted.runtime.clone(),
            secret: self.secret.clone(),
            protocol,
            mode,
            caller: accepted.caller.id,
            name: accepted.caller.name().map(str::to_owned),
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
        let keep = |receipt: Receipt| self.receipts.keep(accepted.caller.id, receipt.to_json());
        let receipt = outcome.receipt.take().map(keep);
        record.receipt.clone_from(&receipt);
        if mode == Mode::Block && outcome.found() > 0 {
            return Err(blocked(&outcome));
        }
        let answer = self.send(&accepted, Method::POST, &parts.headers, document.write()).await?;
        if outcome.confirm().is_err() {
            return Err(Failure::unavailable("ledger", "the ledger cannot be written"));
        }
        let mut response = match settings.embeddings_of(protocol) {
            EmbeddingsFrom::Upstream => self.noisy_embeddings(accepted, answer).await?,
            _ => self.restored(accepted, answer, outcome.restorers.clone(), json_text).await?,
        };
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

    /// Answers a request for embeddings with the encoder of the pack.
    async fn embeddings_here(
        self: &Arc<Self>,
        incoming: Request<Body>,
        record: &mut Record,
    ) -> Result<Response<Body>, Failure> {
        let runtime = self.runtime();
        let (parts, body) = incoming.into_parts();
        let caller = self.caller(&runtime.settings, &parts.headers)?;
        let _place = self.place()?;
        record.key = caller.name().map(str::to_owned);
        let document = json_body(&runtime.settings, &parts.headers, body).await?;
        let inner = self.clone();
        let work = move |engine: &Engine| vectors::embeddings_here(&inner, engine, &caller, &document);
        let answer = self.work(&runtime.settings, work).await?;
        let receipt = answer.str_of("inkveil_receipt").map(str::to_owned);
        let mut response = json(StatusCode::OK, &answer);
        if let Some(Ok(value)) = receipt.as_deref().map(HeaderValue::from_str) {
            response.headers_mut().insert(VECTOR_RECEIPT, value);
        }
        Ok(response)
    }

    /// Adds noise to the embeddings of the upstream. An answer without embeddings is restored as usual if it is an
    /// error, and refused otherwise.
    async fn noisy_embeddings(
        self: &Arc<Self>,
        accepted: Accepted,
        answer: Response<Incoming>,
    ) -> Result<Response<Body>, Failure> {
        if !answer.status().is_success() {
            return self.restored(accepted, answer, Restorers::none()?, false).await;
        }
        let Accepted { runtime, caller, place, .. } = accepted;
        let (parts, bytes) = whole_answer(answer, runtime.settings.limits.answering).await?;
        let inner = self.clone();
        let work = move |engine: &Engine| {
            let mut document = Json::parse(&bytes)?;
            let receipt = vectors::noisy_answer(&inner, engine, &caller, &mut document)?;
            Ok((document, receipt))
        };
        let (document, receipt) = self.work_on_answer(&runtime.settings, work).await?;
        drop(place);
        let mut response = json(parts.status, &document);
        if let Ok(value) = HeaderValue::from_str(&receipt) {
            response.headers_mut().insert(VECTOR_RECEIPT, value);
        }
        Ok(response)
    }

    /// Forwards a request without a body: it names a model, or something that the provider has stored. What is
    /// stored there is veiled, and it comes back veiled.
    pub async fn bare(self: Arc<Self>, incoming: Request<Body>) -> Response<Body> {
        let anthropic = incoming.headers().contains_key("anthropic-version");
        let begun = Instant::now();
        let mut record = Record { route: "bare", ..Record::default() };
        let protocol = if anthropic { Protocol::Messages } else { Protocol::Chat };
        let answer = self.bare_answer(incoming, protocol).await;
        record.total = begun.elapsed();
        let response = answer.unwrap_or_else(|failure| {
            record.refused = Some(failure.code);
            failure.response(anthropic)
        });
        record.status = response.status().as_u16();
        self.metrics.count(&record);
        response
    }

    async fn bare_answer(
        &self,
        incoming: Request<Body>,
        protocol: Protocol,
    ) -> Result<Response<Body>, Failure> {
        let (parts, _) = incoming.into_parts();
        let mut accepted = self.accept(protocol, &parts)?;
        let mut outcome = self.veil_query(&mut accepted, session(&parts.headers)?).await?;
        let answer = self.send(&accepted, parts.method.clone(), &parts.headers, String::new()).await?;
        let restorers = match &mut outcome {
            Some(outcome) => {
                outcome
                    .confirm()
                    .map_err(|_| Failure::unavailable("ledger", "the ledger cannot be written"))?;
                outcome.restorers.clone()
            }
            None => Restorers::none()?,
        };
        self.restored(accepted, answer, restorers, false).await
    }

    /// Veils the texts in the query of a request, if there are any.
    async fn veil_query(
        &self,
        accepted: &mut Accepted,
        session: Option<String>,
    ) -> Result<Option<Outcome>, Failure> {
        let leaves = accepted.query.leaves();
        if leaves.is_empty() {
            return Ok(None);
        }
        let Accepted { runtime, caller, protocol, .. } = &*accepted;
        let settings = &runtime.settings;
        let name = match session {
            Some(session) => ConversationName::Session(session),
            None => ConversationName::Beginning(beginning(&leaves)),
        };
        let wrong = |_| Failure::unavailable("veil_failed", "the key of the conversation cannot be made");
        let terms = Terms {
            mode: settings.mode_of(caller.key.as_ref(), None, *protocol),
            key: self.secret.conversation(caller.id, &name).map_err(wrong)?,
            account: settings.account(caller.name(), caller.id),
            route: "query",
        };
        let mode = terms.mode;
        let mut outcome = self.work(settings, move |engine| Ok(engine.veil(&leaves, &terms)?)).await?;
        if mode == Mode::Block && outcome.found() > 0 {
            return Err(blocked(&outcome));
        }
        accepted.query = std::mem::take(&mut accepted.query).veiled(std::mem::take(&mut outcome.texts))?;
        Ok(Some(outcome))
    }

    /// Checks everything about a request except its body.
    fn accept(&self, protocol: Protocol, parts: &Parts) -> Result<Accepted, Failure> {
        let runtime = self.runtime();
        let caller = self.caller(&runtime.settings, &parts.headers)?;
        let (Some(base), key_variable) = runtime.settings.upstream_of(protocol) else {
            return Err(Failure::new(
                StatusCode::NOT_FOUND,
                "no_upstream",
                "no upstream is set for this protocol",
            ));
        };
        let base = base.to_owned();
        let path = parts.uri.path().to_owned();
        check_path(&path)?;
        let query = Query::read(&parts.method, &path, parts.uri.query())?;
        let place = self.place()?;
        let credentials = caller.credentials(key_variable)?;
        Ok(Accepted { runtime, protocol, caller, base, path, query, place, credentials })
    }

    /// Sends a veiled body to the upstream.
    async fn send(
        &self,
        accepted: &Accepted,
        method: Method,
        headers: &HeaderMap,
        body: String,
    ) -> Result<Response<Incoming>, Failure> {
        let Accepted { protocol, base, path, query, credentials, .. } = accepted;
        let wrong =
            |_| Failure::new(StatusCode::BAD_GATEWAY, "upstream_address", "the upstream cannot be addressed");
        let out = request(method, base, &query.after(path), Some(*protocol), headers, credentials, body)
            .map_err(wrong)?;
        self.upstream.send(out, accepted.runtime.settings.limits.answering).await.map_err(no_answer)
    }

    /// Restores an answer of the upstream.
    async fn restored(
        &self,
        accepted: Accepted,
        answer: Response<Incoming>,
        restorers: Restorers,
        json_text: bool,
    ) -> Result<Response<Body>, Failure> {
        let restoring = Restoring {
            protocol: accepted.protocol,
            restorers,
            json_text,
            secret: self.secret.clone(),
            caller: accepted.caller.id,
            longest_pause: accepted.runtime.settings.limits.answering,
        };
        restoring.response(answer, accepted.place).await
    }
}

/// A request that may be worked on.
struct Accepted {
    runtime: Arc<Runtime>,
    protocol: Protocol,
    caller: Caller,
    base: Url,
    path: String,
    query: Query,
    place: OwnedSemaphorePermit,
    credentials: Credentials,
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
        let account = settings.account(self.name.as_deref(), self.caller);
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

/// Takes a place, if one is free.
fn place_of(places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Failure> {
    let busy = |_| Failure::unavailable("overloaded", "too many requests at the same time; try again later");
    places.clone().try_acquire_owned().map_err(busy)
}

fn blocked(outcome: &Outcome) -> Failure {
    let message =
        format!("the request holds {} sensitive values, and this mode refuses them", outcome.found());
    Failure::bad("blocked", message)
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
