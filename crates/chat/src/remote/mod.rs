//! A language model on a server with OpenAI's chat completions protocol.

mod address;
mod failure;
mod key;
mod wire;

use std::fmt;
use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;

use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

use self::address::Address;
pub(crate) use self::address::is_address;
use self::failure::Failure;
use self::key::Key;
use crate::{Answer, Chat, Error, ErrorKind, Request};

/// The default time limit of an answer. A large model on a small machine needs minutes.
const TIMEOUT: Duration = Duration::from_secs(300);
/// The largest time limit. The HTTP library overflows on extreme durations.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);
/// The time limit for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest accepted answer, so that a server cannot fill the memory.
const LONGEST_ANSWER: u64 = 4 << 20;
/// The pauses before retries, if the server does not ask for one.
const PAUSES: [Duration; 2] = [Duration::from_millis(300), Duration::from_millis(1000)];
/// The longest accepted pause. If the server asks for more, the request fails.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// The number of concurrent requests. Most servers accept several at a time, few accept many.
const CONCURRENT_REQUESTS: usize = 4;

/// A language model on a server. **Every request leaves this machine** unless the server runs on
/// it.
///
/// Each request sends the full text of all messages, the model's name, the settings and the key, if
/// there is one, to the server at the given address, and to no other: redirects are not followed.
/// The server's operator can read all of it. Over plain `http` anyone on the way can, too. Keys are
/// only sent over `https` or to a server on this machine; texts are sent over plain `http` if the
/// address says so.
///
/// A request that fails for a transient reason (the connection, status 429 or 5xx) is retried
/// twice. The proxy of the environment is used (`HTTPS_PROXY`, `NO_PROXY`), except for servers on
/// this machine.
///
/// ```
/// use std::time::Duration;
///
/// use inkveil_chat::{Chat, RemoteChat};
///
/// let chat = RemoteChat::new("http://localhost:11434", "qwen2.5:7b", None)?.with_timeout(Duration::from_secs(60));
/// assert_eq!(chat.name(), "qwen2.5:7b at http://localhost:11434");
/// # Ok::<(), inkveil_chat::Error>(())
/// ```
pub struct RemoteChat {
    address: Address,
    model: String,
    key: Option<Key>,
    timeout: Duration,
    agent: Agent,
}

impl RemoteChat {
    /// Creates a client for a model on a server, with an optional key. Nothing is sent yet.
    ///
    /// The address may end before `/v1`, with `/v1`, or with `/chat/completions`: `https://HOST`,
    /// `https://HOST/v1` and `https://HOST/v1/chat/completions` are equivalent. A query is kept. A
    /// key is only sent over https, unless the server is on this machine.
    pub fn new(address: &str, model: impl Into<String>, key: Option<String>) -> Result<Self, Error> {
        let address = Address::parse(address)?;
        let model = model.into();
        if model.trim().is_empty() {
            return Err(Error::from(ErrorKind::NoModelName).of(&address));
        }
        let key = key.map(Key::new).transpose().map_err(|e| e.of(&address))?.flatten();
        if key.is_some() && !address.is_confidential() {
            return Err(Error::from(ErrorKind::PlainKey).of(&address));
        }
        let agent = agent(&address, TIMEOUT);
        Ok(RemoteChat { address, model, key, timeout: TIMEOUT, agent })
    }

    /// Sets the time limit of an answer, at most one day. The default is five minutes. Each retry
    /// has the same limit.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        let timeout = timeout.min(LONGEST_TIMEOUT);
        // Set on the agent, since a request with its own configuration would open a new connection.
        self.agent = agent(&self.address, timeout);
        self.timeout = timeout;
        self
    }

    /// Sends a request once and returns the body of the response.
    fn send(&self, body: &[u8]) -> Result<Vec<u8>, Failure> {
        let failed = |error| Failure::of(error, self.timeout);
        let mut request = self.agent.post(self.address.uri()).header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", key.header().map_err(Failure::permanent)?);
        }
        let mut response = request.send(body).map_err(failed)?;
        let status = response.status().as_u16();
        if status != 200 {
            let retry_after = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
            return Err(Failure::status(status, retry_after, &self.model));
        }
        response.body_mut().with_config().limit(LONGEST_ANSWER).read_to_vec().map_err(failed)
    }

    /// Sends a request and retries transient failures.
    fn send_with_retries(&self, body: &[u8]) -> Result<Vec<u8>, ErrorKind> {
        let mut pauses = PAUSES.into_iter();
        loop {
            let failure = match self.send(body) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let pause = pauses
                .next()
                .filter(|_| failure.is_transient)
                .map(|usual| failure.retry_after.unwrap_or(usual));
            match pause {
                Some(pause) if pause <= LONGEST_PAUSE => thread::sleep(pause),
                _ => return Err(failure.kind),
            }
        }
    }
}

impl Chat for RemoteChat {
    fn name(&self) -> String {
        format!("{} at {}", self.model, self.address)
    }

    fn answer(&self, request: &Request) -> Result<Answer, Error> {
        request.check()?;
        let answer = wire::body(&self.model, request).and_then(|body| self.send_with_retries(&body));
        answer.and_then(|bytes| wire::read(&bytes)).map_err(|kind| Error::from(kind).of(&self.address))
    }

    fn answer_each(&self, requests: &[Request]) -> Result<Vec<Answer>, Error> {
        let mut answers = Vec::with_capacity(requests.len());
        for some in requests.chunks(CONCURRENT_REQUESTS) {
            answers.extend(thread::scope(|scope| {
                // If the system refuses a thread, the request waits for its turn in this one.
                let ask = |request| {
                    thread::Builder::new()
                        .spawn_scoped(scope, move || self.answer(request))
                        .map_err(|_| request)
                };
                let asked: Vec<_> = some.iter().map(ask).collect();
                let answers = asked.into_iter().map(|asked| match asked {
                    Ok(asked) => asked.join().unwrap_or_else(|e| resume_unwind(e)),
                    Err(request) => self.answer(request),
                });
                answers.collect::<Result<Vec<_>, _>>()
            })?);
        }
        Ok(answers)
    }
}

impl fmt::Debug for RemoteChat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RemoteChat({}, {})", self.name(), if self.key.is_some() { "with a key" } else { "no key" })
    }
}

fn agent(address: &Address, timeout: Duration) -> Agent {
    let mut settings = Agent::config_builder()
        .http_status_as_error(false)
        // Private text goes to the given server only.
        .max_redirects(0)
        .user_agent(concat!("inkveil/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(CONNECT_TIMEOUT))
        .timeout_global(Some(timeout))
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build());
    if address.is_local() {
        settings = settings.proxy(None);
    }
    settings.build().new_agent()
}
