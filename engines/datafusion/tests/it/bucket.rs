//! A small server that speaks enough of S3 for tests, and fails where a test says so.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use percent::decoded;

/// What the server does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It refuses everything, and tells the id of the key.
    Forbidden,
    /// It sends every request to this port.
    Redirected(u16),
    /// It refuses parts from this number on.
    Part(usize),
    /// It refuses to complete an upload.
    Complete,
    /// It refuses to complete an upload, and everything that follows.
    CompleteAndRest,
    /// It takes two seconds to complete an upload.
    Slow,
}

#[derive(Default)]
pub(crate) struct State {
    /// Objects by their keys, with the bucket.
    pub(crate) objects: BTreeMap<String, Vec<u8>>,
    /// Uploads that are neither complete nor aborted.
    pub(crate) uploads: BTreeMap<String, BTreeMap<usize, Vec<u8>>>,
    /// The requests: method and target.
    pub(crate) requests: Vec<String>,
    pub(crate) fault: Option<Fault>,
    next: usize,
}

/// A server until the test ends.
pub(crate) struct Bucket {
    pub(crate) port: u16,
    state: Arc<Mutex<State>>,
}

impl Bucket {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = shared.clone();
                // A connection that breaks ends its thread only.
                std::thread::spawn(move || serve(stream, &state));
            }
        });
        Self { port, state }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn put(&self, key: &str, bytes: Vec<u8>) {
        self.state().objects.insert(key.to_owned(), bytes);
    }

    /// The keys of all objects.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.state().objects.keys().cloned().collect()
    }
}

struct Request {
    method: String,
    key: String,
    query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

struct Answer {
    status: &'static str,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

fn answer(status: &'static str, body: impl Into<Vec<u8>>) -> Answer {
    Answer { status, headers: Vec::new(), body: body.into() }
}

fn serve(stream: TcpStream, state: &Mutex<State>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream;
    loop {
        let request = read_request(&mut reader, &mut stream)?;
        let is_head = request.method == "HEAD";
        let is_end = request.method == "POST" && request.query.contains_key("uploadId");
        if is_end && state.lock().unwrap_or_else(PoisonError::into_inner).fault == Some(Fault::Slow) {
            std::thread::sleep(std::time::Duration::from_secs(2));
        }
        let answer = state.lock().unwrap_or_else(PoisonError::into_inner).answer(request);
        let mut head = format!("HTTP/1.1 {}\r\nContent-Length: {}\r\n", answer.status, answer.body.len());
        for (name, value) in answer.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).ok()?;
        if !is_head {
            stream.write_all(&answer.body).ok()?;
        }
    }
}

fn read_request(reader: &mut BufReader<TcpStream>, stream: &mut TcpStream) -> Option<Request> {
    let mut line = || {
        let mut line = String::new();
        (reader.read_line(&mut line).ok()? > 0).then(|| line.trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let header = line()?;
        let Some((name, value)) = header.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    if headers.contains_key("expect") {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok()?;
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let query = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), decoded(value))
    });
    Some(Request {
        method,
        key: decoded(path.trim_start_matches('/')),
        query: query.collect(),
        headers,
        body,
    })
}

impl State {
    fn answer(&mut self, request: Request) -> Answer {
        let Request { method, key, query, headers, body } = request;
        let names: Vec<&str> = query.keys().map(String::as_str).collect();
        self.requests.push(format!("{method} {key} {}", names.join(",")));
        let upload = query.get("uploadId").cloned();
        let part: Option<usize> = query.get("partNumber").and_then(|part| part.parse().ok());
        let is_signed = headers.get("authorization").is_some_and(|value| value.contains("AKIATESTID"));
        let is_refused = match self.fault {
            Some(Fault::Forbidden) => true,
            Some(Fault::Redirected(port)) => {
                let mut answer = answer("307 Temporary Redirect", "");
                answer.headers.push(("Location", format!("http://127.0.0.1:{port}/{key}")));
                return answer;
            }
            Some(Fault::Part(first)) => part.is_some_and(|part| part >= first),
            Some(Fault::Complete | Fault::CompleteAndRest) => method == "POST" && upload.is_some(),
            Some(Fault::Slow) | None => false,
        };
        if is_refused && self.fault == Some(Fault::CompleteAndRest) {
            self.fault = Some(Fault::Forbidden);
        }
        if is_refused || !is_signed {
            return answer(
                "403 Forbidden",
                "<Error><Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>AKIATESTID</AWSAccessKeyId></Error>",
            );
        }
        match (method.as_str(), upload, part) {
            ("PUT", Some(upload), Some(part)) => match self.uploads.get_mut(&upload) {
                Some(parts) => {
                    parts.insert(part, body);
                    tagged(answer("200 OK", ""))
                }
                None => answer("404 Not Found", ""),
            },
            ("POST", Some(upload), _) => {
                let Some(parts) = self.uploads.remove(&upload) else { return answer("404 Not Found", "") };
                self.objects.insert(key, parts.into_values().flatten().collect());
                answer(
                    "200 OK",
                    "<CompleteMultipartUploadResult><ETag>\"e\"</ETag></CompleteMultipartUploadResult>",
                )
            }
            ("DELETE", Some(upload), _) => {
                self.uploads.remove(&upload);
                answer("204 No Content", "")
            }
            ("POST", None, _) if query.contains_key("uploads") => {
                self.next += 1;
                let upload = format!("u{}", self.next);
                self.uploads.insert(upload.clone(), BTreeMap::new());
                let body = format!(
                    "<InitiateMultipartUploadResult><UploadId>{upload}</UploadId></InitiateMultipartUploadResult>"
                );
                answer("200 OK", body)
            }
            ("POST", None, _) if query.contains_key("delete") => {
                let text = String::from_utf8(body).unwrap();
                let mut deleted = String::new();
                for found in text.split("<Key>").skip(1) {
                    let found = found.split("</Key>").next().unwrap();
                    self.objects.remove(&format!("{}/{found}", key.trim_end_matches('/')));
                    deleted.push_str(&format!("<Deleted><Key>{found}</Key></Deleted>"));
                }
                answer("200 OK", format!("<DeleteResult>{deleted}</DeleteResult>"))
            }
            ("DELETE", None, _) => {
                self.objects.remove(&key);
                answer("204 No Content", "")
            }
            ("PUT", None, _) if headers.contains_key("x-amz-copy-source") => {
                let source = decoded(headers["x-amz-copy-source"].trim_start_matches('/'));
                let Some(bytes) = self.objects.get(&source).cloned() else {
                    return answer("404 Not Found", "");
                };
                self.objects.insert(key, bytes);
                answer("200 OK", "<CopyObjectResult><ETag>\"e\"</ETag></CopyObjectResult>")
            }
            ("PUT", None, _) => {
                match self.objects.contains_key(&key) && headers.contains_key("if-none-match") {
                    true => answer("412 Precondition Failed", ""),
                    false => {
                        self.objects.insert(key, body);
                        tagged(answer("200 OK", ""))
                    }
                }
            }
            ("GET", None, _) if query.contains_key("list-type") => answer("200 OK", self.list(&key, &query)),
            ("GET" | "HEAD", None, _) => match self.objects.get(&key) {
                Some(bytes) => ranged(bytes, headers.get("range")),
                None => answer("404 Not Found", "<Error><Code>NoSuchKey</Code></Error>"),
            },
            _ => answer("400 Bad Request", ""),
        }
    }

    fn list(&self, bucket: &str, query: &BTreeMap<String, String>) -> String {
        let prefix = query.get("prefix").cloned().unwrap_or_default();
        let bucket = format!("{}/", bucket.trim_end_matches('/'));
        let mut folders = std::collections::BTreeSet::new();
        let mut all = String::new();
        for (key, bytes) in &self.objects {
            let Some(key) = key.strip_prefix(&bucket) else { continue };
            let Some(rest) = key.strip_prefix(&prefix) else { continue };
            match rest.split_once('/').filter(|_| query.contains_key("delimiter")) {
                Some((folder, _)) => {
                    folders.insert(format!("{prefix}{folder}/"));
                }
                None => all.push_str(&format!(
                    "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>\"e\"</ETag>\
                     <Size>{}</Size></Contents>",
                    bytes.len()
                )),
            }
        }
        for folder in folders {
            all.push_str(&format!("<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>"));
        }
        format!("<ListBucketResult><IsTruncated>false</IsTruncated>{all}</ListBucketResult>")
    }
}

fn tagged(mut answer: Answer) -> Answer {
    answer.headers.push(("ETag", "\"e\"".to_owned()));
    answer.headers.push(("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT".to_owned()));
    answer
}

fn ranged(bytes: &[u8], range: Option<&String>) -> Answer {
    let Some(range) = range.and_then(|range| range.strip_prefix("bytes=")) else {
        return tagged(answer("200 OK", bytes));
    };
    let (first, last) = range.split_once('-').unwrap();
    let end = bytes.len();
    let (first, end) = match (first.parse::<usize>(), last.parse::<usize>()) {
        (Ok(first), Ok(last)) => (first, end.min(last + 1)),
        (Ok(first), Err(_)) => (first, end),
        (Err(_), Ok(last)) => (end.saturating_sub(last), end),
        _ => (0, end),
    };
    if first >= end {
        return answer("416 Range Not Satisfiable", "");
    }
    let mut answer = tagged(answer("206 Partial Content", &bytes[first..end]));
    answer.headers.push(("Content-Range", format!("bytes {first}-{}/{}", end - 1, bytes.len())));
    answer
}

mod percent {
    /// A part of an address with its `%` resolved.
    pub(super) fn decoded(text: &str) -> String {
        let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
        while let Some((first, after)) = rest.split_first() {
            let hex = (*first == b'%').then(|| after.get(..2)).flatten();
            let byte = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
            bytes.push(byte.unwrap_or(*first));
            rest = if byte.is_some() { &after[2..] } else { after };
        }
        String::from_utf8(bytes).unwrap()
    }
}
