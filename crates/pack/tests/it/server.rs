//! A local HTTP server that answers as a test requires, logs its requests, and can act as a proxy.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request of a client.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// With its query.
    pub(crate) path: String,
    headers: BTreeMap<String, String>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// A response of the server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    /// The announced length, if not the true one.
    pub(crate) announced: Option<usize>,
    /// The connection ends after this many bytes of the body.
    pub(crate) cut_after: Option<usize>,
    /// The body is sent byte by byte with this pause.
    pub(crate) drip: Option<Duration>,
}

impl Reply {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, body: body.into(), ..Self::default() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

type Handler = dyn Fn(&Request) -> Reply + Send + Sync;

pub(crate) struct Server {
    address: SocketAddr,
    log: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub(crate) fn start(handler: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let (handler, kept): (Arc<Handler>, _) = (Arc::new(handler), Arc::clone(&log));
        // The thread ends with the process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (handler, log) = (Arc::clone(&handler), Arc::clone(&kept));
                // A disconnected client is not an error.
                std::thread::spawn(move || drop(serve(stream, &*handler, &log)));
            }
        });
        Self { address, log }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The address with a user and password.
    pub(crate) fn url_with_user(&self, user: &str, path: &str) -> String {
        format!("http://{user}@{}{path}", self.address)
    }

    pub(crate) fn log(&self) -> Vec<Request> {
        self.log.lock().unwrap().clone()
    }

    /// The requests whose path contains this text.
    pub(crate) fn asked(&self, part: &str) -> Vec<Request> {
        self.log().into_iter().filter(|request| request.path.contains(part)).collect()
    }
}

fn serve(stream: TcpStream, handler: &Handler, log: &Mutex<Vec<Request>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    let Some(request) = read_request(&mut reader)? else { return Ok(()) };
    log.lock().unwrap().push(request.clone());
    if request.method == "CONNECT" {
        return tunnel(stream, &request.path);
    }
    let reply = handler(&request);
    let length = reply.announced.unwrap_or(reply.body.len());
    let mut head =
        format!("HTTP/1.1 {} x\r\nconnection: close\r\ncontent-length: {length}\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    let end = reply.cut_after.unwrap_or(reply.body.len()).min(reply.body.len());
    let body = &reply.body[..end];
    match reply.drip {
        Some(pause) => {
            for byte in body {
                stream.write_all(&[*byte])?;
                std::thread::sleep(pause);
            }
        }
        None => stream.write_all(body)?,
    }
    stream.flush()
}

fn read_request(reader: &mut impl BufRead) -> std::io::Result<Option<Request>> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
    let (method, path) = (method.to_owned(), path.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    Ok(Some(Request { method, path, headers }))
}

/// Passes bytes in both directions, as a proxy does.
fn tunnel(mut client: TcpStream, target: &str) -> std::io::Result<()> {
    let mut server = TcpStream::connect(target)?;
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
    let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
    std::thread::spawn(move || pump(&mut from, &mut to));
    pump(&mut server, &mut client)
}

fn pump(from: &mut TcpStream, to: &mut TcpStream) -> std::io::Result<()> {
    let mut buffer = [0; 4096];
    loop {
        let read = from.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        to.write_all(&buffer[..read])?;
    }
}

/// A file with support for ranges, as a correct server sends it.
pub(crate) fn file(request: &Request, bytes: &[u8], etag: &str) -> Reply {
    let tag = format!("\"{etag}\"");
    let start = request
        .header("range")
        .filter(|_| request.header("if-range").is_none_or(|wanted| wanted == tag))
        .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
    match start {
        Some(start) if start >= bytes.len() => {
            Reply::new(416, "").with("content-range", format!("bytes */{}", bytes.len()))
        }
        Some(start) => Reply::new(206, &bytes[start..])
            .with("etag", tag)
            .with("content-range", format!("bytes {start}-{}/{}", bytes.len() - 1, bytes.len())),
        None => Reply::new(200, bytes).with("etag", tag),
    }
}
