//! An HTTP server on loopback that answers as a test defines and logs all requests.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request of a client.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// The reply of the server.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// A complete response.
    Whole { status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8> },
    /// The first `after` bytes of a response with this body, then the connection closes.
    Cut { body: Vec<u8>, after: usize },
    /// Bytes that are not HTTP.
    Noise,
    /// No response for this duration.
    Silence(Duration),
}

impl Reply {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Reply::Whole { status, headers: Vec::new(), body: body.into() }
    }

    /// A valid answer with this text.
    pub(crate) fn saying(text: &str) -> Self {
        let message = serde_json::json!({"role": "assistant", "content": text});
        let choice = serde_json::json!({"index": 0, "message": message, "finish_reason": "stop"});
        Reply::new(200, serde_json::json!({"object": "chat.completion", "choices": [choice]}).to_string())
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Reply::Whole { headers, .. } = &mut self {
            headers.push((name, value.into()));
        }
        self
    }
}

/// Answers the request with this number (from 0).
type Handler = dyn Fn(usize, &Asked) -> Reply + Send + Sync;

pub(crate) struct Server {
    address: SocketAddr,
    log: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub(crate) fn start(handler: impl Fn(usize, &Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let (handler, kept): (Arc<Handler>, _) = (Arc::new(handler), Arc::clone(&log));
        // The thread ends with the test process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (handler, log) = (Arc::clone(&handler), Arc::clone(&kept));
                // A client that disconnects is not an error.
                std::thread::spawn(move || drop(serve(stream, &*handler, &log)));
            }
        });
        Self { address, log }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn log(&self) -> Vec<Asked> {
        self.log.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, handler: &Handler, log: &Mutex<Vec<Asked>>) -> std::io::Result<()> {
    let Some(asked) = read(&mut BufReader::new(stream.try_clone()?))? else { return Ok(()) };
    let number = {
        let mut log = log.lock().unwrap();
        log.push(asked.clone());
        log.len() - 1
    };
    match handler(number, &asked) {
        Reply::Whole { status, headers, body } => {
            let mut head = head(status, body.len());
            for (name, value) in &headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            stream.write_all(format!("{head}\r\n").as_bytes())?;
            stream.write_all(&body)
        }
        Reply::Cut { body, after } => {
            let whole = [format!("{}\r\n", head(200, body.len())).as_bytes(), &body].concat();
            stream.write_all(&whole[..after.min(whole.len())])
        }
        Reply::Noise => stream.write_all(b"220 mail.example ready\r\n\r\n"),
        Reply::Silence(time) => {
            std::thread::sleep(time);
            Ok(())
        }
    }
}

fn head(status: u16, length: usize) -> String {
    format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {length}\r\n")
}

fn read(reader: &mut impl BufRead) -> std::io::Result<Option<Asked>> {
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
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(Asked { method, path, headers, body }))
}
