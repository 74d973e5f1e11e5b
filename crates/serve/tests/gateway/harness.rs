//! A gateway on a free port, an upstream that records every byte, and a client.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, OnceLock};
use std::thread;
use std::time::Duration;

use inkveil::detect::Tier;
use inkveil_serve::{Gateway, Json, Settings, serve, upstream_address};

/// What the upstream answers to a request.
pub(crate) type Answer = Arc<dyn Fn(&Recorded) -> Reply + Send + Sync>;

/// A request as the upstream saw it.
#[derive(Clone)]
pub(crate) struct Recorded {
    /// The request line and the headers.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Recorded {
    pub(crate) fn json(&self) -> Json {
        Json::parse(self.body.as_bytes()).unwrap()
    }
}

/// An answer of the upstream.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) kind: &'static str,
    /// The body, in the pieces in which it is sent.
    pub(crate) pieces: Vec<Vec<u8>>,
    /// The connection breaks after the pieces.
    pub(crate) breaks_off: bool,
    /// The time before each piece.
    pub(crate) pause: Duration,
}

impl Reply {
    pub(crate) fn json(body: &Json) -> Self {
        Self {
            status: 200,
            kind: "application/json",
            pieces: vec![body.write().into_bytes()],
            breaks_off: false,
            pause: Duration::ZERO,
        }
    }

    /// A stream of events, cut into pieces of this many bytes.
    pub(crate) fn events(text: &str, cut: usize) -> Self {
        let pieces = text.as_bytes().chunks(cut).map(<[u8]>::to_vec).collect();
        Self { status: 200, kind: "text/event-stream", pieces, breaks_off: false, pause: Duration::ZERO }
    }
}

/// An upstream that records every byte.
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    pub(crate) seen: Arc<Mutex<Vec<Recorded>>>,
}

impl Upstream {
    pub(crate) fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Vec<Recorded>>> = Arc::default();
        let record = seen.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (answer, record) = (answer.clone(), record.clone());
                thread::spawn(move || drop(Self::connection(stream.unwrap(), &answer, &record)));
            }
        });
        Self { address, seen }
    }

    fn connection(
        mut stream: TcpStream,
        answer: &Answer,
        record: &Mutex<Vec<Recorded>>,
    ) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        while let Some((head, body)) = read_message(&mut stream) {
            let request = Recorded { head, body: String::from_utf8(body).unwrap() };
            record.lock().unwrap().push(request.clone());
            let reply = answer(&request);
            let head = format!(
                "HTTP/1.1 {} x\r\ncontent-type: {}\r\ntransfer-encoding: chunked\r\n\r\n",
                reply.status, reply.kind
            );
            stream.write_all(head.as_bytes())?;
            for piece in reply.pieces.iter().filter(|piece| !piece.is_empty()) {
                thread::sleep(reply.pause);
                stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
                stream.write_all(piece)?;
                stream.write_all(b"\r\n")?;
                stream.flush()?;
            }
            if reply.breaks_off {
                return Ok(());
            }
            stream.write_all(b"0\r\n\r\n")?;
        }
        Ok(())
    }

    /// What was seen since the last call.
    pub(crate) fn take(&self) -> Vec<Recorded> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }
}

/// Reads one message: the head and the body.
pub(crate) fn read_message(stream: &mut impl Read) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 << 10];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut body = bytes.split_off(end + 4);
    let field = |name: &str| {
        head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    fn more(body: &mut Vec<u8>, stream: &mut impl Read) -> bool {
        let mut buffer = [0; 16 << 10];
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => false,
            Ok(count) => {
                body.extend_from_slice(&buffer[..count]);
                true
            }
        }
    }
    if let Some(length) = field("content-length").and_then(|length| length.parse::<usize>().ok()) {
        while body.len() < length && more(&mut body, stream) {}
        body.truncate(length);
        return Some((head, body));
    }
    if field("transfer-encoding").is_some_and(|encoding| encoding == "chunked") {
        let mut out = Vec::new();
        loop {
            let Some(line) = body.windows(2).position(|window| window == b"\r\n") else {
                if more(&mut body, stream) {
                    continue;
                }
                return Some((head + "\r\nx-broken: yes", out));
            };
            let size = usize::from_str_radix(&String::from_utf8_lossy(&body[..line]), 16).unwrap();
            while body.len() < line + 2 + size + 2 {
                if !more(&mut body, stream) {
                    return Some((head + "\r\nx-broken: yes", out));
                }
            }
            out.extend_from_slice(&body[line + 2..line + 2 + size]);
            body.drain(..line + 2 + size + 2);
            if size == 0 {
                return Some((head, out));
            }
        }
    }
    Some((head, body))
}

/// What the client got.
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Got {
    pub(crate) fn json(&self) -> Json {
        Json::parse(self.body.as_bytes()).unwrap_or_else(|_| panic!("{}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    }

    /// The data of the events.
    pub(crate) fn events(&self) -> Vec<Json> {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter(|data| *data != "[DONE]").map(|data| Json::parse(data.as_bytes()).unwrap()).collect()
    }
}

/// A gateway of this process.
pub(crate) struct TestGateway {
    pub(crate) address: SocketAddr,
    pub(crate) gateway: Arc<Gateway>,
}

impl TestGateway {
    pub(crate) fn start(mut settings: Settings, upstream: &Upstream) -> Self {
        settings.upstream = Some(upstream_address(&format!("http://{}/v1", upstream.address)).unwrap());
        let gateway = Arc::new(Gateway::open(settings, false).unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        let served = gateway.clone();
        thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                serve(served, listener, std::future::pending()).await.unwrap();
            });
        });
        Self { address, gateway }
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Got {
        send(self.address, method, path, headers, body)
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Got {
        self.send("POST", path, &[("authorization", "Bearer sk-test")], body.as_bytes())
    }
}

/// Sends a request on a connection of its own.
pub(crate) fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Got {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    send_on(&mut stream, method, path, headers, body)
}

/// Sends a request on a connection.
pub(crate) fn send_on(
    stream: &mut (impl Read + Write),
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Got {
    let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        head += "host: gateway\r\n";
    }
    if !body.is_empty() {
        head += &format!("content-length: {}\r\n", body.len());
    }
    let has_kind = headers.iter().any(|(name, _)| *name == "content-type");
    if !body.is_empty() && !has_kind {
        head += "content-type: application/json\r\n";
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    stream.write_all((head + "\r\n").as_bytes()).unwrap();
    // A refused body may be cut off.
    let _ = stream.write_all(body);
    let (head, body) = read_message(stream).unwrap_or_default();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    Got { status, head, body: String::from_utf8(body).unwrap() }
}

/// Settings with a tier that is fast to open. The secret is fixed: a random surrogate may contain a name
/// that a test looks for.
pub(crate) fn settings() -> Settings {
    Settings { tier: Tier::Fast, secret: Some(fixed_secret()), ..Settings::default() }
}

/// A file with the secret of all tests.
pub(crate) fn fixed_secret() -> PathBuf {
    static WRITTEN: Once = Once::new();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gateway.secret");
    WRITTEN.call_once(|| std::fs::write(&file, "5a".repeat(32)).unwrap());
    file
}

/// A gateway whose upstream answers with the body that it got, as the text of the answer.
pub(crate) fn echoing() -> &'static (TestGateway, Upstream) {
    static ECHO: OnceLock<(TestGateway, Upstream)> = OnceLock::new();
    ECHO.get_or_init(|| {
        let upstream = Upstream::start(Arc::new(echo));
        (TestGateway::start(settings(), &upstream), upstream)
    })
}

fn text(value: &str) -> Json {
    Json::text(value)
}

/// Answers with the body of the request as text, in the form of its protocol, whole or as a stream.
pub(crate) fn echo(request: &Recorded) -> Reply {
    let path = request.head.split(' ').nth(1).unwrap_or_default().to_owned();
    if request.body.is_empty() {
        return Reply::json(&Json::object([("data", Json::Array(Vec::new()))]));
    }
    let streams = request.json().get("stream") == Some(&Json::Bool(true));
    reply(&path, &request.body, streams, 7)
}

/// A text as an answer of a protocol. A stream has pieces of five characters, and is cut at every `cut` bytes.
pub(crate) fn reply(path: &str, said: &str, streams: bool, cut: usize) -> Reply {
    let characters: Vec<char> = said.chars().collect();
    let pieces: Vec<String> = characters.chunks(5).map(|piece| piece.iter().collect()).collect();
    match (path.split('?').next().unwrap_or_default(), streams) {
        ("/v1/chat/completions", false) => {
            let message = Json::object([("role", text("assistant")), ("content", text(said))]);
            let choice = Json::object([
                ("index", Json::count(0_u32)),
                ("message", message),
                ("finish_reason", text("stop")),
            ]);
            Reply::json(&Json::object([("id", text("c1")), ("choices", Json::Array(vec![choice]))]))
        }
        ("/v1/chat/completions", true) => {
            let mut out = String::new();
            for piece in &pieces {
                let delta = Json::object([("content", text(piece))]);
                out += &chunk(delta, Json::Null);
            }
            out += &chunk(Json::object([]), text("stop"));
            out += "data: [DONE]\n\n";
            Reply::events(&out, cut)
        }
        ("/v1/completions", _) => {
            let choice = Json::object([
                ("index", Json::count(0_u32)),
                ("text", text(said)),
                ("finish_reason", text("stop")),
            ]);
            Reply::json(&Json::object([("choices", Json::Array(vec![choice]))]))
        }
        ("/v1/messages", true) => {
            let mut out = event(
                "message_start",
                r#"{"type":"message_start","message":{"id":"m","role":"assistant","content":[]}}"#,
            );
            out += &event(
                "content_block_start",
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
            );
            for piece in &pieces {
                let delta = Json::object([("type", text("text_delta")), ("text", text(piece))]);
                let data = Json::object([
                    ("type", text("content_block_delta")),
                    ("index", Json::count(0_u32)),
                    ("delta", delta),
                ]);
                out += &event("content_block_delta", &data.write());
            }
            out += &event("content_block_stop", r#"{"type":"content_block_stop","index":0}"#);
            out += &event("message_stop", r#"{"type":"message_stop"}"#);
            Reply::events(&out, cut)
        }
        ("/v1/messages", false) => {
            let block = Json::object([("type", text("text")), ("text", text(said))]);
            Reply::json(&Json::object([("type", text("message")), ("content", Json::Array(vec![block]))]))
        }
        ("/v1/responses", true) => {
            let mut out = String::new();
            for piece in &pieces {
                let data = Json::object([
                    ("type", text("response.output_text.delta")),
                    ("output_index", Json::count(0_u32)),
                    ("content_index", Json::count(0_u32)),
                    ("delta", text(piece)),
                ]);
                out += &event("response.output_text.delta", &data.write());
            }
            let done = Json::object([
                ("type", text("response.output_text.done")),
                ("output_index", Json::count(0_u32)),
                ("content_index", Json::count(0_u32)),
                ("text", text(said)),
            ]);
            out += &event("response.output_text.done", &done.write());
            Reply::events(&out, cut)
        }
        ("/v1/responses", false) => {
            let part = Json::object([("type", text("output_text")), ("text", text(said))]);
            let item = Json::object([("type", text("message")), ("content", Json::Array(vec![part]))]);
            Reply::json(&Json::object([("output", Json::Array(vec![item]))]))
        }
        _ => Reply::json(&Json::object([("message", text(said))])),
    }
}

fn chunk(delta: Json, finish: Json) -> String {
    let choice = Json::object([("index", Json::count(0_u32)), ("delta", delta), ("finish_reason", finish)]);
    format!(
        "data: {}\n\n",
        Json::object([("id", text("c1")), ("choices", Json::Array(vec![choice]))]).write()
    )
}

pub(crate) fn event(name: &str, data: &str) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// The text of an answer, whole or streamed.
pub(crate) fn said(got: &Got) -> String {
    if got.head.contains("text/event-stream") {
        let mut out = String::new();
        for event in got.events() {
            let choice = event.get("choices").map(Json::items).unwrap_or_default().first();
            let delta = choice.and_then(|choice| choice.get("delta")).or(event.get("delta"));
            let piece = match delta {
                Some(Json::String(piece)) => Some(piece.as_str()),
                Some(delta) => delta.str_of("content").or(delta.str_of("text")),
                None => None,
            };
            out += piece.unwrap_or_default();
        }
        return out;
    }
    let json = got.json();
    let first = |key: &str| json.get(key).map(Json::items).unwrap_or_default().first().cloned();
    if let Some(choice) = first("choices") {
        let content = choice.get("message").and_then(|message| message.str_of("content"));
        return content.or(choice.str_of("text")).unwrap_or_default().to_owned();
    }
    if let Some(block) = first("content") {
        return block.str_of("text").unwrap_or_default().to_owned();
    }
    if let Some(item) = first("output") {
        let part = item.get("content").map(Json::items).unwrap_or_default().first().cloned();
        return part.and_then(|part| part.str_of("text").map(str::to_owned)).unwrap_or_default();
    }
    json.str_of("message").unwrap_or_default().to_owned()
}
