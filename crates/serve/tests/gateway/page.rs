//! The page: who may use it, what it veils, and what it shows of requests.

use inkveil_serve::{Json, Settings};

use crate::harness::{Got, TestGateway, Upstream, echo, echoing, settings};

const HOST: (&str, &str) = ("host", "127.0.0.1:8080");

/// A page that has entered.
struct Entered<'g> {
    gateway: &'g TestGateway,
    token: String,
}

impl<'g> Entered<'g> {
    fn new(gateway: &'g TestGateway) -> Self {
        let key = gateway.gateway.page().new_key().unwrap();
        let body = Json::object([("key", Json::text(key))]).write();
        let got = gateway.send("POST", "/page/api/enter", &[HOST], body.as_bytes());
        assert_eq!(got.status, 200, "{}", got.body);
        Self { gateway, token: got.json().str_of("token").unwrap().to_owned() }
    }

    fn post(&self, route: &str, body: &Json) -> Got {
        let headers = [HOST, ("x-inkveil-page", self.token.as_str())];
        self.gateway.send("POST", &format!("/page/api/{route}"), &headers, body.write().as_bytes())
    }

    fn veil(&self, text: &str, level: &str, overrides: Vec<Json>) -> Json {
        let got = self.post("veil", &draft(text, level, overrides));
        assert_eq!(got.status, 200, "{}", got.body);
        got.json()
    }
}

fn draft(text: &str, level: &str, overrides: Vec<Json>) -> Json {
    Json::object([
        ("text", Json::text(text)),
        ("level", Json::text(level)),
        ("session", Json::text("s")),
        ("overrides", Json::Array(overrides)),
    ])
}

fn decision(literal: &str, action: &str) -> Json {
    Json::object([("literal", Json::text(literal)), ("action", Json::text(action))])
}

/// What a place of the veiled text holds, by the units of UTF-16 that the page counts.
fn at(units: &[u16], pair: &Json) -> String {
    let [start, end] = [0, 1].map(|index| pair.items()[index].as_u64().unwrap() as usize);
    String::from_utf16(&units[start..end]).unwrap()
}

#[test]
fn a_key_opens_the_page_once_and_strangers_stay_out() {
    let (gateway, _) = echoing();
    let page = Entered::new(gateway);
    let state = "/page/api/state";
    let token = ("x-inkveil-page", page.token.as_str());
    let send = |headers: &[(&str, &str)]| gateway.send("POST", state, headers, b"{}").status;
    assert_eq!(send(&[HOST, token]), 200);
    assert_eq!(send(&[HOST]), 401);
    assert_eq!(send(&[HOST, ("x-inkveil-page", "00")]), 401);
    assert_eq!(send(&[("host", "rebound.example"), token]), 403);
    assert_eq!(send(&[HOST, token, ("origin", "http://evil.example")]), 403);
    assert_eq!(send(&[HOST, token, ("origin", "http://127.0.0.1:8080")]), 200);
    assert_eq!(send(&[HOST, token, ("sec-fetch-site", "cross-site")]), 403);
    let index = gateway.send("GET", "/", &[HOST], b"");
    assert!(index.status == 200 && index.body.contains("main.js"));
    let policy = index.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(index.header("access-control-allow-origin"), None);
    assert_eq!(gateway.send("GET", "/", &[("host", "rebound.example")], b"").status, 403);
    assert_eq!(gateway.send("GET", "/page/none.js", &[HOST], b"").status, 404);
    assert_eq!(gateway.send("GET", "/page/api/events", &[HOST], b"").status, 401);
}

#[test]
fn a_text_is_veiled_with_places_as_the_page_counts_them() {
    let (gateway, _) = echoing();
    let page = Entered::new(gateway);
    let text = "😀 Ana Lima from Porto: ana.lima@example.org";
    let veiled = page.veil(text, "light", Vec::new());
    let (before, after): (Vec<u16>, Vec<u16>) =
        (text.encode_utf16().collect(), veiled.str_of("text").unwrap().encode_utf16().collect());
    let changes = veiled.get("changes").unwrap().items();
    let of = |value: &str| {
        let is = |change: &&Json| at(&before, change.get("at").unwrap()) == value;
        changes.iter().find(is).unwrap_or_else(|| panic!("{value} is not there"))
    };
    let email = of("ana.lima@example.org");
    assert_eq!(email.str_of("kind"), Some("email"));
    assert!(at(&after, email.get("to").unwrap()).contains('@'));
    assert!(!veiled.str_of("text").unwrap().contains("Lima"));
    assert!(veiled.get("receipt").unwrap().str_of("in_words").unwrap().contains("not covered"));
    let marks = page.post("marks", &Json::object([("text", Json::text(text))])).json();
    assert!(!marks.get("marks").unwrap().items().is_empty());
    for level in ["medium", "strict"] {
        assert!(page.veil(text, level, Vec::new()).str_of("text").unwrap().contains("[email"));
    }
    assert_eq!(page.post("veil", &draft(text, "none", Vec::new())).status, 400);
}

#[test]
fn decisions_hold_and_the_receipt_counts_them() {
    let (gateway, _) = echoing();
    let page = Entered::new(gateway);
    let text = "Ana Lima met Tom Baker in Porto about the blue folder.";
    let veiled = |overrides| page.veil(text, "light", overrides).str_of("text").unwrap().to_owned();
    let plain = veiled(Vec::new());
    assert!(!plain.contains("Porto") && plain.contains("blue folder"));
    let kept = page.veil(text, "light", vec![decision("Porto", "keep")]);
    assert!(kept.str_of("text").unwrap().contains("Porto"));
    let words = kept.get("receipt").unwrap().str_of("in_words").unwrap();
    assert!(words.contains("1 kept") && !words.contains("Porto"), "{words}");
    assert!(!veiled(vec![decision("blue folder", "replace")]).contains("blue"));
    let again = veiled(vec![decision("Ana Lima", "another")]);
    let twice = veiled(vec![decision("Ana Lima", "another"), decision("Ana Lima", "another")]);
    assert!(plain != again && again != twice && plain != twice, "{plain}\n{again}\n{twice}");
    assert!(!again.contains("Ana Lima") && !twice.contains("Ana Lima"));
    // What is previewed is what is released.
    let draft = draft(text, "light", vec![decision("Ana Lima", "another")]);
    assert_eq!(page.post("release", &draft).json().str_of("text"), Some(again.as_str()));
    assert_eq!(page.post("veil", &self::draft(text, "light", vec![decision("x", "hide")])).status, 400);
    let mut answer = draft.clone();
    let name = again.split(" met ").next().unwrap();
    answer.set("answer", Json::text(format!("Tell {name} about it.")));
    let restored = page.post("restore", &answer).json();
    assert_eq!(restored.str_of("answer"), Some("Tell Ana Lima about it."));
}

#[test]
fn a_release_of_the_page_is_charged_and_a_preview_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::start(std::sync::Arc::new(echo));
    let ledger = Some(folder.path().join("budget.ledger"));
    let gateway = TestGateway::start(Settings { ledger, ..settings() }, &upstream);
    let page = Entered::new(&gateway);
    let releases = || {
        let ledger = page.post("ledger", &Json::object([])).json();
        let of_page = |total: &&Json| total.str_of("name") == Some("page");
        let totals = ledger.get("totals").unwrap().items();
        totals.iter().find(of_page).map_or(0, |total| total.get("releases").unwrap().as_u64().unwrap())
    };
    page.veil("Ana Lima lives here.", "light", Vec::new());
    assert_eq!(releases(), 0);
    let released = page.post("release", &draft("Ana Lima lives here.", "light", Vec::new()));
    assert_eq!(released.status, 200, "{}", released.body);
    assert_eq!(releases(), 1);
    let id = released.json().str_of("receipt").unwrap().to_owned();
    let opened = page.post("receipt", &Json::object([("id", Json::text(id))])).json();
    assert!(opened.get("problems").unwrap().items().is_empty());
    let texts = ["Ana Lima", "Porto", "12"].map(Json::text).to_vec();
    let table = Json::object([
        ("texts", Json::Array(texts)),
        ("fields", Json::Array(["name", "city", "id"].map(Json::text).to_vec())),
    ]);
    let table = page.post("table", &table).json();
    assert_eq!(table.get("texts").unwrap().items().len(), 3);
    assert_ne!(table.get("texts").unwrap().items()[0].as_str(), Some("Ana Lima"));
    assert_eq!(releases(), 2);
}

#[test]
fn events_show_requests_without_text() {
    let (gateway, _) = echoing();
    let page = Entered::new(gateway);
    let body =
        r#"{"model":"m","messages":[{"role":"user","content":"I am Ana Lima, ana.lima@example.org."}]}"#;
    assert_eq!(gateway.post("/v1/chat/completions", body).status, 200);
    let (earlier, _) = gateway.gateway.metrics().events();
    let last = Json::parse(earlier.last().unwrap().as_bytes()).unwrap();
    assert_eq!(last.get("kinds").unwrap().get("email").unwrap().as_u64(), Some(1));
    assert!(earlier.iter().all(|event| !event.contains("Ana") && !event.contains("example.org")));
    let style = page.post("style", &Json::object([("text", Json::text("too short"))])).json();
    assert_eq!(style.str_of("status"), Some("too-short"));
    let rewrite = page.post("rewrite", &Json::object([("text", Json::text("A text."))]));
    assert_eq!((rewrite.status, rewrite.header("x-inkveil-error").as_deref()), (404, Some("no_rewriter")));
}
