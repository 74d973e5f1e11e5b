//! A language model behind an address: any server that has the chat completions of OpenAI's protocol.

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

/// How long an answer may take: a large model on a small machine needs minutes.
const TIMEOUT: Duration = Duration::from_secs(300);
/// No answer is worth more waiting, and the library cannot add up times that never end.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// More than any answer. A server that sends without end does not fill the memory.
const LONGEST_ANSWER: u64 = 4 << 20;
/// How long to wait before each further try, where the server does not say.
const PAUSES: [Duration; 2] = [Duration::from_millis(300), Duration::from_millis(1000)];
/// A server that wants to be left alone for longer is not waited for.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How many requests are on their way at once. Servers answer many at a time; few accept very many.
const AT_ONCE: usize = 4;

/// A language model behind an address. What is asked goes to that server, and to no other: redirects are not followed.
///
/// A request that fails for a reason that may pass (the connection, status 429 or 5xx) is tried twice more. The proxy of the
/// environment is used (`HTTPS_PROXY`, `NO_PROXY`), but for servers on this machine.
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
    /// The model of a server, which is asked with the key, if there is one.
    ///
    /// The address may end before `/v1`, in it, or with `/chat/completions`: `https://HOST`, `https://HOST/v1` and
    /// `https://HOST/v1/chat/completions` are the same. A query in it is kept. A key is sent over https only, unless the
    /// server is on this machine.
    pub fn new(address: &str, model: impl Into<String>, key: Option<String>) -> Result<Self, Error> {
        let address = Address::parse(address)?;
        let model = model.into();
        if model.trim().is_empty() {
            return Err(Error::from(ErrorKind::NoModelName).of(&address));
        }
        let key = key.map(Key::new).transpose().map_err(|e| e.of(&address))?.flatten();
        if key.is_some() && !address.is_private() {
            return Err(Error::from(ErrorKind::PlainKey).of(&address));
        }
        let agent = agent(&address, TIMEOUT);
        Ok(RemoteChat { address, model, key, timeout: TIMEOUT, agent })
    }

    /// Waits for an answer so long, up to a day, and no longer; otherwise it is five minutes. Every further try has as long
    /// again.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        let timeout = timeout.min(LONGEST_TIMEOUT);
        // With the agent and not with each request: one with settings of its own would connect anew.
        self.agent = agent(&self.address, timeout);
        self.timeout = timeout;
        self
    }

    /// Sends a request once and gives back all of the answer.
    fn send(&self, body: &[u8]) -> Result<Vec<u8>, Failure> {
        let failed = |error| Failure::of(error, self.timeout);
        let mut request = self.agent.post(self.address.uri()).header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", key.header().map_err(Failure::lasting)?);
        }
        let mut response = request.send(body).map_err(failed)?;
        let status = response.status().as_u16();
        if status != 200 {
            let wait = response.headers().get("retry-after").and_then(|wait| wait.to_str().ok());
            return Err(Failure::status(status, wait, &self.model));
        }
        response.body_mut().with_config().limit(LONGEST_ANSWER).read_to_vec().map_err(failed)
    }

    /// Sends a request, again if need be.
    fn send_patiently(&self, body: &[u8]) -> Result<Vec<u8>, ErrorKind> {
        let mut pauses = PAUSES.into_iter();
        loop {
            let failure = match self.send(body) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let pause = pauses.next().filter(|_| failure.may_pass).map(|usual| failure.wait.unwrap_or(usual));
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
        let answer = wire::body(&self.model, request).and_then(|body| self.send_patiently(&body));
        answer.and_then(|bytes| wire::read(&bytes)).map_err(|kind| Error::from(kind).of(&self.address))
    }

    fn answer_each(&self, requests: &[Request]) -> Result<Vec<Answer>, Error> {
        let mut answers = Vec::with_capacity(requests.len());
        for some in requests.chunks(AT_ONCE) {
            answers.extend(thread::scope(|scope| {
                let asked: Vec<_> = some.iter().map(|request| scope.spawn(|| self.answer(request))).collect();
                let answers =
                    asked.into_iter().map(|asked| asked.join().unwrap_or_else(|e| resume_unwind(e)));
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
        // Private text goes where the user said and nowhere else.
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
