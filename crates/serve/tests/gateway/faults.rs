//! What goes wrong leads to a refusal, and nothing leaves that was not veiled.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use inkveil_serve::{Limits, Settings};

use crate::harness::{Recorded, Reply, TestGateway, Upstream, echo, settings};

const BODY: &str = r#"{"model":"m","messages":[{"role":"user","content":"I am Ana Lima."}]}"#;

#[test]
fn bodies_that_cannot_be_read_are_refused() {
    let upstream = Upstream::start(Arc::new(echo));
    let gateway = TestGateway::start(settings(), &upstream);
    let path = "/v1/chat/completions";
    let deep = format!(r#"{{"model":"m","messages":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    let large = vec![b' '; 32 << 20];
    for (headers, body, status) in [
        (&[][..], deep.as_bytes(), 400),
        (&[], br#"{"model":"m","model":"n"}"#, 400),
        (&[], b"{\"model\":\"\xff\"}", 400),
        (&[], b"not json", 400),
        (&[], b"[]", 400),
        (&[("content-type", "text/plain")], BODY.as_bytes(), 415),
        (&[("content-encoding", "gzip")], BODY.as_bytes(), 415),
        (&[], &large, 413),
    ] {
        let got = gateway.send("POST", path, headers, body);
        assert_eq!(got.status, status, "{}", got.body);
        assert!(!got.body.contains("Lima"));
    }
    assert_eq!(gateway.send("PUT", path, &[], b"").status, 405);
    assert!(upstream.take().is_empty());
}

#[test]
fn a_request_that_is_not_veiled_in_time_is_not_sent() {
    let upstream = Upstream::start(Arc::new(echo));
    let limits = Limits { veiling: Duration::from_nanos(1), ..Limits::default() };
    let gateway = TestGateway::start(Settings { limits, ..settings() }, &upstream);
    let got = gateway.post("/v1/chat/completions", BODY);
    assert_eq!((got.status, got.header("x-inkveil-error").as_deref()), (503, Some("veil_slow")));
    std::thread::sleep(Duration::from_millis(300));
    assert!(upstream.take().is_empty());
}

#[test]
fn work_that_takes_too_long_cannot_pile_up() {
    let upstream = Upstream::start(Arc::new(echo));
    let limits = Limits { requests: 1, veiling: Duration::from_millis(1), ..Limits::default() };
    let gateway = TestGateway::start(Settings { limits, ..settings() }, &upstream);
    let error = |body: &str| gateway.post("/v1/chat/completions", body).header("x-inkveil-error");
    let text: String = (0..5_000).map(|number| format!("Ana{number} met Eva{number}. ")).collect();
    let long = format!(r#"{{"model":"m","messages":[{{"role":"user","content":"{text}"}}]}}"#);
    assert_eq!(error(&long).as_deref(), Some("veil_slow"));
    // The request has its answer, but the work on its text goes on.
    assert_eq!(gateway.send("GET", "/readyz", &[], b"").status, 503);
    assert_eq!(error(BODY).as_deref(), Some("overloaded"));
    let free = (0..1_200).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        gateway.send("GET", "/readyz", &[], b"").status == 200
    });
    assert!(free, "the place is free when the work has ended");
    assert!(upstream.take().is_empty());
}

#[test]
fn a_connection_without_a_request_is_closed() {
    let upstream = Upstream::start(Arc::new(echo));
    let limits = Limits { reading: Duration::from_secs(1), ..Limits::default() };
    let gateway = TestGateway::start(Settings { limits, ..settings() }, &upstream);
    for first in [&b""[..], b"PO", b"PRI * HT", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let mut stream = TcpStream::connect(gateway.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(first).unwrap();
        // A connection that is cut is closed as well. One that stays open leads to a time-out.
        let kind = stream.read_to_end(&mut Vec::new()).map_err(|error| error.kind());
        assert!(matches!(kind, Ok(_) | Err(ErrorKind::ConnectionReset)), "{kind:?}");
    }
}

#[test]
fn an_answer_that_breaks_off_is_seen_to_break_off() {
    let answer = |_: &Recorded| Reply {
        breaks_off: true,
        ..Reply::events(
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Dear\"},\"finish_reason\":null}]}\n\n",
            9,
        )
    };
    let upstream = Upstream::start(Arc::new(answer));
    let gateway = TestGateway::start(settings(), &upstream);
    let got = gateway.post("/v1/chat/completions", &BODY.replace("\"m\",", "\"m\",\"stream\":true,"));
    assert!(got.body.contains("Dear"), "{}", got.body);
    assert!(got.head.contains("x-broken"), "the end of the stream is missing");
}

#[test]
fn an_upstream_that_changes_the_protocol_gives_502() {
    let answer = |request: &Recorded| Reply { status: 101, ..echo(request) };
    let upstream = Upstream::start(Arc::new(answer));
    let gateway = TestGateway::start(settings(), &upstream);
    assert_eq!(gateway.post("/v1/chat/completions", BODY).status, 502);
}

#[test]
fn an_upstream_that_is_not_there_gives_502() {
    let upstream = Upstream { address: ([127, 0, 0, 1], 9).into(), seen: Arc::default() };
    let gateway = TestGateway::start(settings(), &upstream);
    assert_eq!(gateway.post("/v1/chat/completions", BODY).status, 502);
}

#[test]
fn too_many_requests_are_refused_and_idle_connections_do_not_block() {
    let answer = |request: &Recorded| {
        std::thread::sleep(Duration::from_millis(700));
        echo(request)
    };
    let upstream = Upstream::start(Arc::new(answer));
    let limits = Limits { requests: 1, ..Limits::default() };
    let gateway = TestGateway::start(Settings { limits, ..settings() }, &upstream);
    let idle: Vec<TcpStream> = (0..200).map(|_| TcpStream::connect(gateway.address).unwrap()).collect();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let gateway = &gateway;
        let sent: Vec<_> =
            (0..4).map(|_| scope.spawn(move || gateway.post("/v1/chat/completions", BODY).status)).collect();
        sent.into_iter().map(|sent| sent.join().unwrap()).collect()
    });
    assert!(statuses.contains(&200) && statuses.contains(&503), "{statuses:?}");
    assert_eq!(gateway.send("GET", "/healthz", &[], b"").status, 200);
    assert_eq!(gateway.post("/v1/chat/completions", BODY).status, 200, "the place is free again");
    drop(idle);
}

#[test]
fn a_caller_that_goes_away_frees_its_place() {
    let answer = |request: &Recorded| {
        let mut reply = echo(request);
        reply.pieces = vec![b": wait\n\n".to_vec(); 20_000];
        reply.kind = "text/event-stream";
        reply
    };
    let upstream = Upstream::start(Arc::new(answer));
    let limits = Limits { requests: 1, ..Limits::default() };
    let gateway = TestGateway::start(Settings { limits, ..settings() }, &upstream);
    let mut stream = TcpStream::connect(gateway.address).unwrap();
    let body = BODY.replace("\"m\",", "\"m\",\"stream\":true,");
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut some = [0; 16];
    stream.read_exact(&mut some).unwrap();
    drop(stream);
    let free = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        gateway.send("GET", "/readyz", &[], b"").status == 200
    });
    assert!(free);
}

#[test]
fn a_caller_that_does_not_read_loses_its_place() {
    let answer = |request: &Recorded| {
        let mut reply = echo(request);
        let text = format!(": {}\n\n", "wait ".repeat(20_000));
        reply.pieces = vec![text.into_bytes(); 1_000];
        reply.kind = "text/event-stream";
        reply
    };
    let upstream = Upstream::start(Arc::new(answer));
    let limits = Limits { requests: 1, answering: Duration::from_secs(1), ..Limits::default() };
    let gateway = TestGateway::start(Settings { limits, ..settings() }, &upstream);
    let mut stream = TcpStream::connect(gateway.address).unwrap();
    let body = BODY.replace("\"m\",", "\"m\",\"stream\":true,");
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut some = [0; 16];
    stream.read_exact(&mut some).unwrap();
    assert_eq!(gateway.send("GET", "/readyz", &[], b"").status, 503);
    let free = (0..300).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        gateway.send("GET", "/readyz", &[], b"").status == 200
    });
    assert!(free);
    drop(stream);
}

#[test]
fn metrics_hold_counts_and_no_text() {
    let upstream = Upstream::start(Arc::new(echo));
    let gateway = TestGateway::start(settings(), &upstream);
    gateway.post("/v1/chat/completions", BODY);
    gateway.post("/v1/chat/completions", r#"{"model":"m","Lima":1}"#);
    let text = gateway.send("GET", "/metrics", &[], b"").body;
    assert!(
        text.contains(r#"inkveil_requests_total{route="chat/completions",mode="surrogates",status="200"} 1"#),
        "{text}"
    );
    assert!(text.contains(r#"inkveil_refused_total{code="refused_position"} 1"#), "{text}");
    assert!(text.contains("inkveil_veiling_seconds_count 1"), "{text}");
    assert!(!text.contains("Lima"));
}
