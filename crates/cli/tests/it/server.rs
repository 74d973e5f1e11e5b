//! A server on loopback that gives every request the same answer and records the requests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

pub(crate) struct Server {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn saying(text: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let message = serde_json::json!({ "role": "assistant", "content": text });
        let choice = serde_json::json!({ "index": 0, "message": message, "finish_reason": "stop" });
        let body = serde_json::json!({ "object": "chat.completion", "choices": [choice] }).to_string();
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            // A client may be killed at any time; the server goes on.
            for mut stream in listener.incoming().flatten() {
                if let Ok(question) = answer(&mut stream, &body) {
                    log.lock().unwrap().push(question);
                }
            }
        });
        Self { url, asked }
    }

    /// The bodies of all requests.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Reads a request, answers it, and returns its body.
fn answer(stream: &mut TcpStream, body: &str) -> std::io::Result<String> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut question = vec![0; length];
    reader.read_exact(&mut question)?;
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    Ok(String::from_utf8_lossy(&question).into_owned())
}
