//! The program itself: TLS, signals, kills, many connections, slow callers, memory.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use inkveil_serve::Json;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};

use crate::harness::{
    Got, Recorded, Reply, Upstream, echo, fixed_secret, read_message, reply, said, send, send_on,
};

const PATH: &str = "/v1/chat/completions";
const BODY: &str =
    r#"{"model":"m","messages":[{"role":"user","content":"I am Ana Lima, ana.lima@example.org."}]}"#;
const STREAMED: &str = r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"I am Ana Lima, ana.lima@example.org."}]}"#;

/// A running gateway. It is killed when dropped.
struct Program {
    child: Child,
    address: SocketAddr,
    /// The lines of its log.
    log: Receiver<String>,
}

impl Program {
    fn start(arguments: &[&str]) -> Self {
        let secret = fixed_secret();
        let mut child = Command::new(env!("CARGO_BIN_EXE_inkveil-serve"))
            .args(["--listen", "127.0.0.1:0", "--tier", "fast", "--secret", secret.to_str().unwrap()])
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (lines, log) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| lines.send(line)));
        let address = loop {
            let line = log.recv_timeout(Duration::from_secs(60)).unwrap();
            if let Some((_, rest)) = line.split_once("://") {
                break rest.split(',').next().unwrap().parse().unwrap();
            }
        };
        Self { child, address, log }
    }

    fn before(upstream: &Upstream, arguments: &[&str]) -> Self {
        let address = format!("http://{}/v1", upstream.address);
        Self::start(&[&["--upstream", &address], arguments].concat())
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for a line of the log with these words.
    fn wait_for(&self, words: &str) {
        let end = Instant::now() + Duration::from_secs(30);
        while Instant::now() < end {
            if self.log.recv_timeout(Duration::from_secs(30)).is_ok_and(|line| line.contains(words)) {
                return;
            }
        }
        panic!("the log does not say {words:?}");
    }

    fn post(&self, body: &str) -> Got {
        send(self.address, "POST", PATH, &[("authorization", "Bearer sk-test")], body.as_bytes())
    }

    /// The memory that it uses, in MiB.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request and returns the connection.
fn begin(address: SocketAddr, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nhost: g\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

/// Creates a certificate for localhost, if there is `openssl`.
fn certificate(folder: &Path) -> bool {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"])
        .args(["-subj", "/CN=localhost", "-days", "2", "-addext", "subjectAltName=DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout", "key.pem", "-out", "cert.pem"])
        .current_dir(folder)
        .output();
    made.is_ok_and(|made| made.status.success())
}

#[test]
fn requests_come_over_tls_and_others_are_not_served() {
    let folder = tempfile::tempdir().unwrap();
    if !certificate(folder.path()) {
        eprintln!("there is no openssl: not tried");
        return;
    }
    let upstream = Upstream::start(Arc::new(echo));
    let path = |name: &str| folder.path().join(name);
    let settings = format!(
        "[tls]\ncertificate = {:?}\nkey = {:?}\n",
        path("cert.pem").display().to_string(),
        path("key.pem").display().to_string()
    );
    fs::write(path("serve.toml"), settings).unwrap();
    let program = Program::before(&upstream, &["--config", path("serve.toml").to_str().unwrap()]);
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(path("cert.pem")).unwrap()).unwrap();
    let config = rustls::ClientConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let mut session = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let mut socket = TcpStream::connect(program.address).unwrap();
    let mut stream = rustls::Stream::new(&mut session, &mut socket);
    let got = send_on(&mut stream, "POST", PATH, &[], BODY.as_bytes());
    assert_eq!(got.status, 200, "{}", got.body);
    assert!(said(&got).contains("Ana Lima") && !upstream.take()[0].body.contains("Lima"));
    // A request in the clear is not answered, and nothing of it is passed on.
    let mut plain = begin(program.address, BODY);
    assert!(read_message(&mut plain).is_none_or(|(head, _)| !head.contains(" 200 ")));
    assert!(upstream.take().is_empty());
}

#[test]
fn a_hang_up_reads_the_settings_again_and_a_wrong_file_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("serve.toml");
    fs::write(&path, "mode = \"surrogates\"\n").unwrap();
    let upstream = Upstream::start(Arc::new(echo));
    let program = Program::before(&upstream, &["--config", path.to_str().unwrap()]);
    let mode = || program.post(BODY).header("x-inkveil-mode");
    assert_eq!(mode().as_deref(), Some("surrogates"));
    fs::write(&path, "mode = \"placeholders\"\n").unwrap();
    program.signal("-HUP");
    program.wait_for("read again");
    assert_eq!(mode().as_deref(), Some("placeholders"));
    for wrong in ["mode = \"none\"\n", "mode = ", "colour = 1\n"] {
        fs::write(&path, wrong).unwrap();
        program.signal("-HUP");
        program.wait_for("stay as they are");
        assert_eq!(mode().as_deref(), Some("placeholders"));
    }
    fs::write(&path, "mode = \"block\"\n").unwrap();
    program.signal("-HUP");
    program.wait_for("read again");
    upstream.take();
    assert_eq!(program.post(BODY).status, 400);
    assert!(upstream.take().is_empty());
}

/// A stream that takes about two seconds.
fn slow(request: &Recorded) -> Reply {
    let prompt =
        request.json().get("messages").map(Json::items).unwrap()[0].str_of("content").unwrap().to_owned();
    let whole = reply(PATH, &prompt, true, 64);
    let pause = Duration::from_millis(2000 / whole.pieces.len() as u64);
    Reply { pause, ..whole }
}

#[test]
fn a_stop_finishes_open_streams_and_takes_no_new_requests() {
    let upstream = Upstream::start(Arc::new(slow));
    let mut program = Program::before(&upstream, &[]);
    let mut stream = begin(program.address, STREAMED);
    let mut first = [0; 64];
    stream.read_exact(&mut first).unwrap();
    program.signal("-TERM");
    program.wait_for("stopping");
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    let whole = [first.to_vec(), rest].concat();
    let (head, body) = read_message(&mut &whole[..]).unwrap();
    let got = Got { status: 200, head, body: String::from_utf8(body).unwrap() };
    assert!(!got.head.contains("x-broken") && got.body.contains("[DONE]"), "{}", got.body);
    assert!(said(&got).contains("Ana Lima, ana.lima@example.org"), "{}", said(&got));
    assert!(program.child.wait().unwrap().success());
    assert!(TcpStream::connect(program.address).is_err());
}

#[test]
fn a_kill_with_sessions_open_changes_no_replacement_and_leaves_no_text_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("budget.ledger");
    let arguments = ["--ledger", ledger.to_str().unwrap()];
    let upstream = Upstream::start(Arc::new(slow));
    let sent = |program: &Program| {
        upstream.take();
        let headers = [("authorization", "Bearer sk-test"), ("x-inkveil-session", "s")];
        assert_eq!(send(program.address, "POST", PATH, &headers, BODY.as_bytes()).status, 200);
        upstream.take()[0].body.clone()
    };
    let program = Program::before(&upstream, &arguments);
    let before = sent(&program);
    assert!(!before.contains("Lima"));
    let open: Vec<TcpStream> = (0..4).map(|_| begin(program.address, STREAMED)).collect();
    thread::sleep(Duration::from_millis(500));
    drop(program);
    drop(open);
    for file in fs::read_dir(folder.path()).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(4).any(|window| window == b"Lima" || window == b"lima"));
    }
    let again = Program::before(&upstream, &arguments);
    assert_eq!(sent(&again), before);
}

#[test]
fn a_thousand_idle_connections_do_not_block_a_request() {
    let upstream = Upstream::start(Arc::new(echo));
    let program = Program::before(&upstream, &[]);
    assert_eq!(program.post(BODY).status, 200);
    let before = program.memory();
    let mut idle = Vec::new();
    for index in 0..1000 {
        let Ok(mut stream) = TcpStream::connect(program.address) else {
            eprintln!("this machine allows {index} open files: not tried");
            return;
        };
        // Half of them have begun a request.
        if index % 2 == 0 {
            stream.write_all(b"POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\n").unwrap();
        }
        idle.push(stream);
    }
    for _ in 0..20 {
        let got = program.post(BODY);
        assert_eq!(got.status, 200, "{}", got.body);
    }
    let grown = program.memory().saturating_sub(before);
    assert!(grown < 100, "{grown} MiB for 1,000 connections");
}

/// Megabytes of events, as fast as they are taken.
fn endless(_: &Recorded) -> Reply {
    static EVENTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let events = EVENTS.get_or_init(|| {
        let event = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word word word word\"}}]}\n\n";
        vec![event.repeat(200).into_bytes(); 8000]
    });
    Reply { pieces: events.clone(), ..Reply::events("", 1) }
}

#[test]
fn a_caller_that_does_not_read_holds_the_upstream_back_and_takes_no_memory() {
    let upstream = Upstream::start(Arc::new(endless));
    let program = Program::before(&upstream, &[]);
    let before = program.memory();
    let slow: Vec<TcpStream> = (0..4).map(|_| begin(program.address, STREAMED)).collect();
    thread::sleep(Duration::from_secs(4));
    let grown = program.memory().saturating_sub(before);
    // Each upstream has 120 MB to send.
    assert!(grown < 120, "{grown} MiB");
    drop(slow);
    let free = (0..100).any(|_| {
        thread::sleep(Duration::from_millis(100));
        send(program.address, "GET", "/readyz", &[], b"").status == 200
    });
    assert!(free);
}

/// `scripts/gateway-clients --load` sends 100,000.
#[test]
fn memory_does_not_grow_with_requests() {
    let upstream = Upstream::start(Arc::new(echo));
    let program = Program::before(&upstream, &["--quiet"]);
    let send_some = |from: usize, count: usize| {
        for number in from..from + count {
            let body = BODY.replace("Ana Lima", &format!("Ana Lima and I have {number} questions"));
            let body = if number % 3 == 0 { body.replace("\"m\",", "\"m\",\"stream\":true,") } else { body };
            assert_eq!(program.post(&body).status, 200);
        }
        upstream.take();
    };
    send_some(0, 300);
    let before = program.memory();
    send_some(300, 1500);
    let grown = program.memory().saturating_sub(before);
    assert!(grown < 30, "{grown} MiB for 1,500 requests");
}

/// The log may be a pipe whose reader is gone.
#[test]
fn a_log_that_cannot_be_written_stops_nothing() {
    let upstream = Upstream::start(Arc::new(echo));
    let address = format!("http://{}/v1", upstream.address);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_inkveil-serve"))
        .args(["--listen", &port.to_string(), "--tier", "fast", "--upstream", &address])
        .stdin(Stdio::null())
        .stderr(full)
        .spawn()
        .unwrap();
    let program = Program { child, address: port, log: channel().1 };
    let started = (0..300).any(|_| {
        thread::sleep(Duration::from_millis(100));
        TcpStream::connect(port).is_ok()
    });
    assert!(started);
    for _ in 0..3 {
        assert_eq!(program.post(BODY).status, 200);
    }
}
