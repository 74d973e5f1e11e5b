//! Requests: one thread each, so that a silent server never keeps the user waiting for Ctrl-C.

use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use ureq::http::{HeaderMap, Response};
use ureq::tls::{PemItem, RootCerts, TlsConfig};
use ureq::{Agent, Body};

use crate::error::{Error, ErrorKind};
use crate::job::Job;
use crate::net::credentials::{Credentials, Secret};
use crate::net::proxy::Proxies;
use crate::net::retry::{may_pass, retrying};
use crate::net::settings::{NetworkSettings, Patience};
use crate::net::stream::{Piece, Stream, timed_out};
use crate::net::url::{Origin, Url};

/// More than any honest chain of redirects.
const MOST_REDIRECTS: usize = 10;
const PIECE: usize = 128 << 10;

/// Sends requests as the user's settings say.
#[derive(Clone)]
pub(crate) struct Client {
    shared: Arc<Shared>,
    patience: Patience,
}

struct Shared {
    /// Differ in whom they trust; the next is asked when the one before does not trust the server. A server is trusted
    /// if the platform trusts it or the user's own certificates do.
    agents: Vec<Agent>,
    proxies: Proxies,
    credentials: Credentials,
    /// Where the user asked for plain http.
    plain: Vec<Origin>,
}

/// What a server says before the body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Where the answer came from, after redirects.
    pub(crate) url: Url,
    headers: HeaderMap,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn length(&self) -> Option<u64> {
        self.header("content-length")?.trim().parse().ok()
    }

    /// Fails unless the status is 200 or 206.
    pub(crate) fn check_status(&self) -> Result<(), Error> {
        let status = self.status;
        let kind = match status {
            200 | 206 => return Ok(()),
            401 | 403 => ErrorKind::Refused {
                status,
                advice: "check the user and password in its address or in ~/.netrc, or the token in HF_TOKEN",
            },
            407 => ErrorKind::Refused { status, advice: "check the user and password of the proxy" },
            _ => ErrorKind::Status { status },
        };
        Err(Error::from(kind).of(&self.url))
    }
}

impl Client {
    pub(crate) fn new(settings: &NetworkSettings) -> Result<Self, Error> {
        let mut agents = vec![agent(RootCerts::PlatformVerifier, &settings.patience)];
        let own = own_certificates(settings)?;
        if !own.is_empty() {
            agents.push(agent(RootCerts::from(own), &settings.patience));
        }
        let shared = Shared {
            agents,
            proxies: Proxies::from_environment(&settings.environment, settings.pip.get("proxy")),
            credentials: Credentials::from_environment(&settings.environment),
            plain: Vec::new(),
        };
        Ok(Self { shared: Arc::new(shared), patience: settings.patience })
    }

    /// The same client for an address that the user gave: its password and, if it is plain http, that are used.
    pub(crate) fn trusting(&self, url: &Url, token: Option<&Secret>) -> Self {
        let mut shared = Shared {
            agents: self.shared.agents.clone(),
            proxies: self.shared.proxies.clone(),
            credentials: self.shared.credentials.clone(),
            plain: vec![url.origin().clone()],
        };
        if let Some(token) = token {
            shared.credentials.learn_token(url.origin(), token);
        }
        shared.credentials.learn(url);
        Self { shared: Arc::new(shared), patience: self.patience }
    }

    pub(crate) fn patience(&self) -> &Patience {
        &self.patience
    }

    /// Sends a request. The answer comes as a stream, in pieces.
    pub(crate) fn open(
        &self,
        url: &Url,
        headers: Vec<(&'static str, String)>,
        job: &Job<'_>,
    ) -> Result<(Answer, Stream), Error> {
        let (sender, pieces) = sync_channel(4);
        let (shared, wanted) = (Arc::clone(&self.shared), url.clone());
        let patience = self.patience;
        std::thread::Builder::new()
            .name("inkveil-request".to_owned())
            .spawn(move || shared.run(&wanted, &headers, &sender, patience.timeout))
            .map_err(|e| Error::io("start a thread", &e))?;
        let mut stream = Stream::new(pieces, patience.timeout, url);
        match stream.next_piece(job)? {
            Piece::Head(answer) => {
                stream.restart_pace();
                Ok((*answer, stream))
            }
            Piece::Bytes(_) | Piece::End => Err(ErrorKind::BadPage { what: "it has no head" }.into()),
        }
    }

    /// Sends a request for a small page and gives back all of it, however the server answers; tries again where that may
    /// help.
    pub(crate) fn page(
        &self,
        url: &Url,
        accept: &str,
        limit: u64,
        job: &mut Job<'_>,
    ) -> Result<(Answer, Vec<u8>), Error> {
        retrying(&self.patience, job, |job, _| {
            let (answer, mut stream) = self.open(url, vec![("accept", accept.to_owned())], job)?;
            if may_pass(answer.status) {
                answer.check_status()?;
            }
            let mut page = Vec::new();
            while let Some(piece) = stream.next(job)? {
                page.extend_from_slice(&piece);
                if page.len() as u64 > limit {
                    return Err(Error::from(ErrorKind::TooLarge { limit }).of(url));
                }
            }
            Ok((answer, page))
        })
    }
}

impl Shared {
    /// Sends the request and then the pieces of its answer, until nobody listens any more.
    fn run(
        &self,
        url: &Url,
        headers: &[(&'static str, String)],
        sender: &SyncSender<Result<Piece, Error>>,
        timeout: Duration,
    ) {
        let (answer, mut body) = match self.follow(url, headers, timeout) {
            Ok((answer, body)) => (answer, body.into_reader()),
            Err(error) => return drop(sender.send(Err(error))),
        };
        let url = answer.url.clone();
        if sender.send(Ok(Piece::Head(Box::new(answer)))).is_err() {
            return;
        }
        loop {
            let mut piece = vec![0; PIECE];
            let result = match body.read(&mut piece) {
                Ok(0) => Ok(Piece::End),
                Ok(read) => {
                    piece.truncate(read);
                    Ok(Piece::Bytes(piece))
                }
                Err(e) => Err(failure(ureq::Error::from(e), timeout).of(&url)),
            };
            let ended = !matches!(result, Ok(Piece::Bytes(_)));
            if sender.send(result).is_err() || ended {
                return;
            }
        }
    }

    /// Follows redirects. Credentials are looked up for each host anew, so none travels to another.
    fn follow(
        &self,
        url: &Url,
        headers: &[(&'static str, String)],
        timeout: Duration,
    ) -> Result<(Answer, Body), Error> {
        let mut url = url.clone();
        for _ in 0..=MOST_REDIRECTS {
            let origin = url.origin();
            if !origin.https && !origin.is_loopback() && !self.plain.contains(origin) {
                return Err(Error::from(ErrorKind::InsecureUrl).of(&url));
            }
            let (parts, body) = self.send(&url, headers).map_err(|e| e.of(&url, timeout))?.into_parts();
            let status = parts.status.as_u16();
            if !matches!(status, 301 | 302 | 303 | 307 | 308) {
                return Ok((Answer { status, url, headers: parts.headers }, body));
            }
            let target = parts.headers.get("location").and_then(|to| to.to_str().ok());
            let target = target.ok_or(ErrorKind::BadPage { what: "it redirects to nowhere" });
            url = url.join(target.map_err(|kind| Error::from(kind).of(&url))?).map_err(|e| e.of(&url))?;
        }
        Err(Error::from(ErrorKind::BadPage { what: "it redirects in a circle" }).of(&url))
    }

    fn send(&self, url: &Url, headers: &[(&'static str, String)]) -> Result<Response<Body>, SendError> {
        let proxy = self.proxies.for_origin(url.origin()).map_err(SendError::Settings)?;
        let mut result = Err(SendError::Transport(ureq::Error::ConnectionFailed));
        for agent in &self.agents {
            let mut request = agent.get(url.request());
            // Only where it is needed: a request with settings of its own does not share the agent's TLS state.
            if let Some(proxy) = &proxy {
                request = request.config().proxy(Some(proxy.clone())).build();
            }
            for (name, value) in headers {
                request = request.header(*name, value);
            }
            if let Some(header) = self.credentials.header(url.origin()) {
                request = request.header("authorization", header.reveal());
            }
            result = request.call().map_err(SendError::Transport);
            if !matches!(&result, Err(SendError::Transport(error)) if is_distrust(error)) {
                break;
            }
        }
        result
    }
}

enum SendError {
    Settings(Error),
    Transport(ureq::Error),
}

impl SendError {
    fn of(self, url: &Url, timeout: Duration) -> Error {
        match self {
            Self::Settings(error) => error,
            Self::Transport(error) => failure(error, timeout).of(url),
        }
    }
}

/// Whether the server's certificate was not accepted: an error of rustls, or one that it passed through a socket.
fn is_distrust(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) => true,
        ureq::Error::Io(e) => e.kind() == std::io::ErrorKind::InvalidData,
        _ => false,
    }
}

/// A failure in our words. The library's own may hold addresses with their queries.
fn failure(error: ureq::Error, timeout: Duration) -> Error {
    let reason = match &error {
        ureq::Error::Timeout(_) => return timed_out(timeout),
        ureq::Error::Io(e) if e.kind() == std::io::ErrorKind::TimedOut => return timed_out(timeout),
        _ if is_distrust(&error) => return ErrorKind::Untrusted.into(),
        ureq::Error::Io(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            "the connection was cut".to_owned()
        }
        ureq::Error::Io(e) => match e.raw_os_error() {
            Some(code) => std::io::Error::from_raw_os_error(code).to_string(),
            None => e.kind().to_string(),
        },
        ureq::Error::HostNotFound => "the host was not found".to_owned(),
        ureq::Error::ConnectProxyFailed(_) => "the proxy refused".to_owned(),
        ureq::Error::Protocol(_) => "the server does not speak HTTP".to_owned(),
        _ => "the request could not be sent".to_owned(),
    };
    ErrorKind::Network { reason }.into()
}

fn agent(roots: RootCerts, patience: &Patience) -> Agent {
    let timeout = Some(patience.timeout);
    Agent::config_builder()
        .http_status_as_error(false)
        // Redirects are followed here, where credentials and schemes are looked after; proxies are chosen per host.
        .max_redirects(0)
        .proxy(None)
        .user_agent(concat!("inkveil/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(timeout)
        .timeout_connect(timeout)
        .timeout_send_request(timeout)
        .timeout_recv_response(timeout)
        .timeout_per_read(timeout)
        .tls_config(TlsConfig::builder().root_certs(roots).build())
        .build()
        .new_agent()
}

/// The certificates in the files that the user named.
fn own_certificates(settings: &NetworkSettings) -> Result<Vec<ureq::tls::Certificate<'static>>, Error> {
    let mut all = Vec::new();
    for path in settings.certificates() {
        // pip's own list may be a folder, which only OpenSSL reads.
        if path.is_dir() {
            continue;
        }
        let name = path.display();
        let pem = std::fs::read(&path).map_err(|e| Error::io("read the certificates", &e).of(&name))?;
        let before = all.len();
        all.extend(ureq::tls::parse_pem(&pem).filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        }));
        if all.len() == before {
            return Err(Error::from(ErrorKind::BadCertificates).of(&name));
        }
    }
    Ok(all)
}
