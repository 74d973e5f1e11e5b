//! Servers that answer, refuse, disconnect, delay or send invalid responses.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use inkveil_chat::{AnswerSettings, Chat, Error, ErrorKind, RemoteChat, Request, open};

use crate::server::{Asked, Reply, Server};

const KEY: &str = "sk-hunter2";
const TEXT: &str = "Wilhelmina lives in Tromsø.";

fn chat(server: &Server) -> RemoteChat {
    RemoteChat::new(&server.url("/v1"), "tiny", Some(KEY.to_owned())).unwrap()
}

fn request() -> Request {
    Request::new().system("Answer briefly.").user(TEXT)
}

/// Returns the error and the number of requests for a server that always gives this reply. Checks
/// that the error contains no secret.
fn failure(handler: impl Fn(usize, &Asked) -> Reply + Send + Sync + 'static) -> (ErrorKind, usize) {
    let server = Server::start(handler);
    let error = chat(&server).answer(&request()).unwrap_err();
    check(&error);
    assert!(error.to_string().starts_with(&server.url(": ")), "{error}");
    (error.kind().clone(), server.log().len())
}

/// An error contains no text, no key and no message of the server.
fn check(error: &Error) {
    let text = format!("{error} {error:?} {:?}", error.kind());
    for secret in [KEY, "hunter2", "Wilhelmina", "Tromsø", "briefly", "the server's own words"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn requests_and_answers_follow_the_protocol() {
    let server = Server::start(|_, _| Reply::saying("\n She does. "));
    let settings = AnswerSettings {
        max_tokens: 20,
        temperature: 0.5,
        top_p: Some(0.9),
        seed: Some(3),
        stop: vec!["\n\n".into()],
        ..AnswerSettings::default()
    };
    let answer = chat(&server).answer(&request().with(settings)).unwrap();
    assert_eq!((answer.text.as_str(), answer.cut), ("She does.", false));
    let [asked] = server.log().try_into().unwrap();
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", "/v1/chat/completions"));
    assert_eq!(asked.header("authorization"), Some("Bearer sk-hunter2"));
    assert_eq!(asked.header("content-type"), Some("application/json"));
    let body: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
    assert_eq!(body["messages"][1], serde_json::json!({"role": "user", "content": TEXT}));
    assert_eq!((&body["model"], &body["max_tokens"]), (&"tiny".into(), &20.into()));
    assert_eq!(body["top_p"], 0.9);
    assert_eq!((&body["seed"], &body["stop"]), (&3.into(), &serde_json::json!(["\n\n"])));
}

#[test]
fn addresses_may_omit_the_path() {
    let server = Server::start(|_, _| Reply::saying("yes"));
    for path in ["", "/", "/v1", "/v1/", "/v1/chat/completions"] {
        let chat = RemoteChat::new(&server.url(path), "tiny", None).unwrap();
        chat.answer(&request()).unwrap();
    }
    assert!(server.log().iter().all(|asked| asked.path == "/v1/chat/completions"));
    assert!(server.log().iter().all(|asked| asked.header("authorization").is_none()));
}

#[test]
fn an_address_names_server_and_model() {
    let server = Server::start(|_, _| Reply::saying("yes"));
    let spec = server.url("/v1#maker/tiny:free");
    let chat = open(&spec, Some(KEY.into()), |_| panic!("an address must not be looked up")).unwrap();
    assert_eq!(chat.name(), format!("maker/tiny:free at {}", server.url("")));
    assert_eq!(chat.answer(&request()).unwrap().text, "yes");
    let asked = server.log().remove(0);
    assert!(asked.body.contains(r#""model":"maker/tiny:free""#));
    let kind = |spec: &str| open(spec, None, |_| None).err().unwrap().kind().clone();
    assert_eq!(kind("https://host/v1"), ErrorKind::NoModelName);
    assert_eq!(kind("https://host/v1#"), ErrorKind::NoModelName);
    assert!(matches!(kind("ftp://host/v1#m"), ErrorKind::BadAddress { .. }));
}

#[test]
fn refused_requests_are_not_retried() {
    let refuse =
        |status: u16| failure(move |_, _| Reply::new(status, "the server's own words, and sk-hunter2"));
    assert_eq!(refuse(401), (ErrorKind::Unauthorised { status: 401 }, 1));
    assert_eq!(refuse(403), (ErrorKind::Unauthorised { status: 403 }, 1));
    assert_eq!(refuse(404), (ErrorKind::NotFound { model: "tiny".into() }, 1));
    assert!(matches!(refuse(400), (ErrorKind::Status { status: 400, .. }, 1)));
    let server = Server::start(|_, _| Reply::new(401, ""));
    assert!(chat(&server).answer(&request()).unwrap_err().to_string().contains("INKVEIL_API_KEY"));
}

#[test]
fn transient_failures_are_retried() {
    for status in [429, 500, 503] {
        let server = Server::start(move |number, _| match number {
            0 => Reply::new(status, "the server's own words"),
            _ => Reply::saying("better now"),
        });
        assert_eq!(chat(&server).answer(&request()).unwrap().text, "better now");
        assert_eq!(server.log().len(), 2);
    }
}

#[test]
fn lasting_failures_are_reported() {
    let (kind, asked) = failure(|_, _| Reply::new(502, "the server's own words"));
    assert!(matches!(kind, ErrorKind::Status { status: 502, .. }));
    assert_eq!(asked, 3);
}

#[test]
fn the_retry_after_header_is_respected() {
    let server = Server::start(|number, _| match number {
        0 | 1 => Reply::new(429, "").with("retry-after", "0"),
        _ => Reply::saying("yes"),
    });
    let start = Instant::now();
    chat(&server).answer(&request()).unwrap();
    // Less than the default pauses of 1.3 seconds.
    assert!(start.elapsed() < Duration::from_millis(1300), "{:?}", start.elapsed());
    // An hour is too long to wait.
    let (kind, asked) = failure(|_, _| Reply::new(429, "").with("retry-after", "3600"));
    assert!(matches!(kind, ErrorKind::Status { status: 429, .. }));
    assert_eq!(asked, 1);
}

#[test]
fn invalid_answers_are_refused() {
    for body in ["", "{", "<html>the server's own words</html>", r#"{"choices": "Wilhelmina"}"#] {
        let (kind, asked) = failure(move |_, _| Reply::new(200, body));
        assert!(matches!(kind, ErrorKind::NotAnAnswer { .. }), "{kind}");
        assert_eq!(asked, 1);
    }
    assert!(matches!(failure(|_, _| Reply::Noise).0, ErrorKind::NotAnAnswer { .. }));
}

fn cut(after: usize) -> Reply {
    let body = format!(r#"{{"choices": [{{"message": {{"content": "{TEXT}"}}}}]}}"#);
    Reply::Cut { body: body.into_bytes(), after }
}

#[test]
fn closed_connections_are_retried() {
    // In the body, in the header, and before the first byte.
    for after in [90, 20, 0] {
        let server = Server::start(move |number, _| match number {
            0 => cut(after),
            _ => Reply::saying("yes"),
        });
        assert_eq!(chat(&server).answer(&request()).unwrap().text, "yes", "{after}");
    }
}

#[test]
fn connections_that_always_close_fail() {
    let (kind, asked) = failure(|_, _| cut(90));
    assert!(matches!(kind, ErrorKind::Unreachable { .. }), "{kind}");
    assert_eq!(asked, 3);
}

#[test]
fn a_server_that_does_not_answer_times_out() {
    let server = Server::start(|_, _| Reply::Silence(Duration::from_secs(5)));
    let start = Instant::now();
    let chat = chat(&server).with_timeout(Duration::from_millis(300));
    let error = chat.answer(&request()).unwrap_err();
    check(&error);
    assert_eq!(error.kind(), &ErrorKind::TimedOut { after: Duration::from_millis(300) });
    // The server may still be working on the answer, so a retry would double its work.
    assert!(start.elapsed() < Duration::from_secs(2) && server.log().len() == 1);
    let server = Server::start(|_, _| Reply::saying("yes"));
    let patient = RemoteChat::new(&server.url(""), "tiny", None).unwrap().with_timeout(Duration::MAX);
    assert_eq!(patient.answer(&request()).unwrap().text, "yes");
}

#[test]
fn answers_that_are_too_long_are_refused() {
    let (kind, asked) = failure(|_, _| Reply::saying(&"Wilhelmina ".repeat(500_000)));
    assert_eq!((kind, asked), (ErrorKind::AnswerTooLong { limit: 4 << 20 }, 1));
}

#[test]
fn unreachable_servers_are_reported() {
    // Port 1 is closed.
    let chat = RemoteChat::new("http://127.0.0.1:1", "tiny", Some(KEY.into())).unwrap();
    let error = chat.answer(&request()).unwrap_err();
    check(&error);
    assert!(matches!(error.kind(), ErrorKind::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("check that it runs"), "{error}");
}

#[test]
fn redirects_are_not_followed() {
    let other = Arc::new(Server::start(|_, _| Reply::saying("mine now")));
    for status in [301, 302, 303, 307, 308] {
        let target = other.url("/v1/chat/completions");
        let (kind, _) = failure(move |_, _| Reply::new(status, "").with("location", target.clone()));
        assert_eq!(kind, ErrorKind::Redirected { status });
    }
    assert!(other.log().is_empty());
}

#[test]
fn keys_are_not_sent_over_plain_http() {
    let new = |address: &str, key: Option<&str>| RemoteChat::new(address, "m", key.map(str::to_owned));
    let error = new("http://models.example:8080/v1", Some(KEY)).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::PlainKey);
    check(&error);
    assert_eq!(new("http://127.0.0.1.example", Some(KEY)).unwrap_err().kind(), &ErrorKind::PlainKey);
    for (address, key) in [
        ("http://models.example:8080/v1", None),
        ("http://models.example:8080/v1", Some(" ")),
        ("https://models.example/v1", Some(KEY)),
        ("http://localhost:8080", Some(KEY)),
        ("http://[::1]:8080", Some(KEY)),
    ] {
        let chat = new(address, key).unwrap();
        assert!(!format!("{chat:?} {}", chat.name()).contains("hunter2"));
    }
    assert_eq!(new("https://host", Some("two words")).unwrap_err().kind(), &ErrorKind::BadKey);
}

#[test]
fn concurrent_requests_are_answered_in_order() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let server = Server::start(move |_, asked| {
        seen.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(60));
        now.fetch_sub(1, Ordering::SeqCst);
        let body: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
        match body["messages"][0]["content"].as_str().unwrap() {
            "bad" => Reply::new(404, ""),
            text => Reply::saying(&format!("re: {text}")),
        }
    });
    let requests: Vec<Request> = (0..10).map(|number| Request::new().user(number.to_string())).collect();
    let answers = chat(&server).answer_each(&requests).unwrap();
    let expected: Vec<String> = (0..10).map(|number| format!("re: {number}")).collect();
    assert_eq!(answers.iter().map(|answer| answer.text.as_str()).collect::<Vec<_>>(), expected);
    assert!((2..=4).contains(&most.load(Ordering::SeqCst)));
    assert!(chat(&server).answer_each(&[]).unwrap().is_empty());
    let error = chat(&server).answer_each(&[Request::new().user("good"), Request::new().user("bad")]);
    assert!(matches!(error.unwrap_err().kind(), ErrorKind::NotFound { .. }));
}
