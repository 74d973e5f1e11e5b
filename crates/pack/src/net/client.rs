//! Requests. Each has a thread of its own, so that Ctrl-C works at once even if the server is silent.

use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use ureq::http::{HeaderMap, Response};
use ureq::tls::{PemItem, RootCerts, TlsConfig};
use ureq::{Agent, Body};
use url::Origin;

use crate::error::{Error, ErrorKind};
use crate::monitor::Monitor;
use crate::net::address::Address;
use crate::net::credentials::{Credentials, Secret};
use crate::net::proxy::Proxies;
use crate::net::retry::{is_temporary, retrying};
use crate::net::settings::{NetworkSettings, RetryPolicy};
use crate::net::stream::{Piece, Stream, timed_out};

/// More redirects than any real server sends.
const MOST_REDIRECTS: usize = 10;
const PIECE: usize = 128 << 10;

/// Sends requests with the user's network settings.
#[derive(Clone)]
pub(crate) struct Client {
    shared: Arc<Shared>,
    retry: RetryPolicy,
}

struct Shared {
    /// One agent for the platform's certificates and one for the user's. The second is tried if the first does not trust
    /// the server.
    agents: Vec<Agent>,
    proxies: Proxies,
    credentials: Credentials,
    /// Origins for which the user chose plain http.
    plain_http: Vec<Origin>,
}

/// The status and headers of a response.
#[derive(Debug)]
pub(crate) struct ResponseHead {
    pub(crate) status: u16,
    /// The address after redirects.
    pub(crate) address: Address,
    headers: HeaderMap,
}

impl ResponseHead {
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
                advice: "check the user and password in the address or in ~/.netrc, or the token in HF_TOKEN",
            },
            407 => ErrorKind::Refused { status, advice: "check the user and password of the proxy" },
            _ => ErrorKind::Status { status },
        };
        Err(Error::from(kind).of(&self.address))
    }
}

impl Client {
    pub(crate) fn new(settings: &NetworkSettings) -> Result<Self, Error> {
        let mut agents = vec![agent(RootCerts::PlatformVerifier, &settings.retry)];
        let own = own_certificates(settings)?;
        if !own.is_empty() {
            agents.push(agent(RootCerts::from(own), &settings.retry));
        }
        let shared = Shared {
            agents,
            proxies: Proxies::from_environment(&settings.environment, settings.pip.get("proxy")),
            credentials: Credentials::from_environment(&settings.environment),
            plain_http: Vec::new(),
        };
        Ok(Self { shared: Arc::new(shared), retry: settings.retry })
    }

    /// A client for an address that the user gave: it uses the password in it, and plain http if it has that scheme.
    pub(crate) fn trusting(&self, address: &Address, token: Option<&Secret>) -> Self {
        let mut shared = Shared {
            agents: self.shared.agents.clone(),
            proxies: self.shared.proxies.clone(),
            credentials: self.shared.credentials.clone(),
            plain_http: vec![address.origin()],
        };
        if let Some(token) = token {
            shared.credentials.add_token(address, token);
        }
        shared.credentials.add_login(address);
        Self { shared: Arc::new(shared), retry: self.retry }
    }

    pub(crate) fn retry_policy(&self) -> &RetryPolicy {
        &self.retry
    }

    /// Sends a request and returns the head of the response and a stream of its body.
    pub(crate) fn open(
        &self,
        address: &Address,
        headers: Vec<(&'static str, String)>,
        monitor: &Monitor<'_>,
    ) -> Result<(ResponseHead, Stream), Error> {
        let (sender, pieces) = sync_channel(4);
        let (shared, wanted) = (Arc::clone(&self.shared), address.clone());
        let timeout = self.retry.timeout;
        std::thread::Builder::new()
            .name("inkveil-request".to_owned())
            .spawn(move || shared.run(&wanted, &headers, &sender, timeout))
            .map_err(|e| Error::io("start a thread", &e))?;
        let mut stream = Stream::new(pieces, timeout, address);
        match stream.next_piece(monitor)? {
            Piece::Head(head) => {
                stream.restart_pace();
                Ok((*head, stream))
            }
            Piece::Bytes(_) | Piece::End => Err(ErrorKind::BadPage { what: "it has no header" }.into()),
        }
    }

    /// Requests a small page and returns all of it, for any permanent status. Retries temporary failures.
    pub(crate) fn page(
        &self,
        address: &Address,
        accept: &str,
        limit: u64,
        monitor: &mut Monitor<'_>,
    ) -> Result<(ResponseHead, Vec<u8>), Error> {
        retrying(&self.retry, monitor, |monitor, _| {
            let (head, mut stream) = self.open(address, vec![("accept", accept.to_owned())], monitor)?;
            if is_temporary(head.status) {
                head.check_status()?;
            }
            let mut page = Vec::new();
            while let Some(piece) = stream.next(monitor)? {
                page.extend_from_slice(&piece);
                if page.len() as u64 > limit {
                    return Err(Error::from(ErrorKind::TooLarge { limit }).of(address));
                }
            }
            Ok((head, page))
        })
    }
}

impl Shared {
    /// Sends the request, then passes the pieces of the response to `sender` until the receiver is gone.
    fn run(
        &self,
        address: &Address,
        headers: &[(&'static str, String)],
        sender: &SyncSender<Result<Piece, Error>>,
        timeout: Duration,
    ) {
        let (head, mut body) = match self.follow(address, headers, timeout) {
            Ok((head, body)) => (head, body.into_reader()),
            Err(error) => return drop(sender.send(Err(error))),
        };
        let address = head.address.clone();
        if sender.send(Ok(Piece::Head(Box::new(head)))).is_err() {
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
                Err(e) => Err(failure(ureq::Error::from(e), timeout).of(&address)),
            };
            let ended = !matches!(result, Ok(Piece::Bytes(_)));
            if sender.send(result).is_err() || ended {
                return;
            }
        }
    }

    /// Follows redirects. Credentials are looked up for each host, so that none is sent to another.
    fn follow(
        &self,
        address: &Address,
        headers: &[(&'static str, String)],
        timeout: Duration,
    ) -> Result<(ResponseHead, Body), Error> {
        let mut address = address.clone();
        for _ in 0..=MOST_REDIRECTS {
            let secure = address.is_https() || address.is_loopback();
            if !secure && !self.plain_http.contains(&address.origin()) {
                return Err(Error::from(ErrorKind::InsecureUrl).of(&address));
            }
            let (parts, body) =
                self.send(&address, headers).map_err(|e| e.of(&address, timeout))?.into_parts();
            let status = parts.status.as_u16();
            if !matches!(status, 301 | 302 | 303 | 307 | 308) {
                return Ok((ResponseHead { status, address, headers: parts.headers }, body));
            }
            let target = parts.headers.get("location").and_then(|to| to.to_str().ok());
            let target = target.ok_or(ErrorKind::BadPage { what: "a redirect without a target" });
            let target = target.map_err(|kind| Error::from(kind).of(&address))?;
            address = address.join(target).map_err(|e| e.of(&address))?;
        }
        Err(Error::from(ErrorKind::BadPage { what: "too many redirects" }).of(&address))
    }

    fn send(
        &self,
        address: &Address,
        headers: &[(&'static str, String)],
    ) -> Result<Response<Body>, SendError> {
        let proxy = self.proxies.for_address(address).map_err(SendError::Settings)?;
        let mut result = Err(SendError::Transport(ureq::Error::ConnectionFailed));
        for agent in &self.agents {
            let mut request = agent.get(address.request());
            // Only if needed: a request with settings of its own does not share the agent's TLS state.
            if let Some(proxy) = &proxy {
                request = request.config().proxy(Some(proxy.clone())).build();
            }
            for (name, value) in headers {
                request = request.header(*name, value);
            }
            if let Some(header) = self.credentials.header(address) {
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
    fn of(self, address: &Address, timeout: Duration) -> Error {
        match self {
            Self::Settings(error) => error,
            Self::Transport(error) => failure(error, timeout).of(address),
        }
    }
}

/// Whether the server's certificate was refused. Rustls reports that directly or through the socket.
fn is_distrust(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) => true,
        ureq::Error::Io(e) => e.kind() == std::io::ErrorKind::InvalidData,
        _ => false,
    }
}

/// Describes a failure. The library's own message may contain an address with its query.
fn failure(error: ureq::Error, timeout: Duration) -> Error {
    let reason = match &error {
        ureq::Error::Timeout(_) => return timed_out(timeout),
        ureq::Error::Io(e) if e.kind() == std::io::ErrorKind::TimedOut => return timed_out(timeout),
        _ if is_distrust(&error) => return ErrorKind::Untrusted.into(),
        ureq::Error::Io(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            "the connection was interrupted".to_owned()
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

fn agent(roots: RootCerts, policy: &RetryPolicy) -> Agent {
    let timeout = Some(policy.timeout);
    Agent::config_builder()
        .http_status_as_error(false)
        // `follow` handles redirects, because it checks credentials and schemes. Proxies are chosen per host.
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

/// Reads the certificate files that the user named.
fn own_certificates(settings: &NetworkSettings) -> Result<Vec<ureq::tls::Certificate<'static>>, Error> {
    let mut all = Vec::new();
    for path in settings.certificates() {
        // pip's list may be a folder, which only OpenSSL can read.
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
