//! Presidio's interface, LiteLLM's guardrail, the routes of our own, and MCP.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inkveil_serve::Json;

use crate::harness::{Got, echoing};

fn post(path: &str, body: &str) -> Got {
    echoing().0.send("POST", path, &[], body.as_bytes())
}

fn get(path: &str) -> Got {
    echoing().0.send("GET", path, &[], b"")
}

#[test]
fn presidio_analyze() {
    let text = "é John Smith, mail john@example.org";
    let got = post("/analyze", &format!(r#"{{"text":"{text}","language":"en"}}"#)).json();
    let mail = got.items().iter().find(|item| item.str_of("entity_type") == Some("EMAIL_ADDRESS")).unwrap();
    assert_eq!(
        (mail.get("start").unwrap().as_u64(), mail.get("end").unwrap().as_u64()),
        (Some(19), Some(35))
    );
    assert_eq!(mail.get("analysis_explanation"), Some(&Json::Null));
    assert!(got.items().iter().any(|item| item.str_of("entity_type") == Some("PERSON")));
    let only = post("/analyze", &format!(r#"{{"text":"{text}","language":"en","entities":["EMAIL_ADDRESS"],"return_decision_process":true}}"#)).json();
    assert_eq!(only.items().len(), 1);
    assert!(only.items()[0].get("analysis_explanation").unwrap().str_of("recognizer").is_some());
    let lists = post(
        "/analyze",
        r#"{"text":["nothing","john@example.org"],"language":"en","entities":["EMAIL_ADDRESS"]}"#,
    )
    .json();
    assert_eq!(lists.items().iter().map(|list| list.items().len()).collect::<Vec<_>>(), [0, 1]);
    let allowed = post("/analyze", r#"{"text":"john@example.org","language":"en","entities":["EMAIL_ADDRESS"],"allow_list":["john@example.org"]}"#).json();
    assert!(allowed.items().is_empty());
    for (body, status, error) in [
        ("{}", 500, "No text provided"),
        (r#"{"text":"a"}"#, 500, "No language provided"),
        (r#"{"text":"a","language":"zz"}"#, 500, "No matching recognizers were found to serve the request."),
    ] {
        let got = post("/analyze", body);
        assert_eq!((got.status, got.json().str_of("error")), (status, Some(error)));
    }
}

#[test]
fn presidio_ad_hoc_recognizers() {
    let recognizer = |context: &str| {
        format!(
            r#"{{"text":"drivers license. Zip code: 10023","language":"en","entities":["ZIP"],"ad_hoc_recognizers":[{{"name":"z","supported_language":"en","supported_entity":"ZIP","patterns":[{{"name":"weak","regex":"(\\b\\d{{5}}(?:\\-\\d{{4}})?\\b)","score":0.01}}]{context}}}]}}"#
        )
    };
    let got = post("/analyze", &recognizer("")).json();
    let zip = &got.items()[0];
    assert_eq!(
        (zip.get("start").unwrap().as_u64(), zip.get("score").unwrap().as_f64()),
        (Some(27), Some(0.01)),
        "{}",
        got.write()
    );
    let got = post("/analyze", &recognizer(r#","context":["zip","code"]"#)).json();
    assert_eq!(got.items()[0].get("score").unwrap().as_f64(), Some(0.4), "{}", got.write());
    let list = r#"{"text":"Mr. Smith","language":"en","entities":["MR_TITLE"],"ad_hoc_recognizers":[{"name":"m","supported_language":"en","deny_list":["Mr."],"supported_entity":"MR_TITLE"}]}"#;
    let got = post("/analyze", list).json();
    assert_eq!(got.items().len(), 1, "{}", got.write());
    let wrong = recognizer("").replace("\"regex\"", "\"bebex\"");
    assert_eq!(post("/analyze", &wrong).status, 400);
}

/// Quadratic time took 50 seconds for 30,000 places.
#[test]
fn many_places_are_anonymised_quickly() {
    let count = 40_000;
    let places: Vec<String> = (0..count)
        .map(|at| format!(r#"{{"start":{},"end":{},"score":0.5,"entity_type":"X"}}"#, 3 * at, 3 * at + 2))
        .collect();
    let body = format!(r#"{{"text":"{}","analyzer_results":[{}]}}"#, "éb ".repeat(count), places.join(","));
    let begun = Instant::now();
    let got = post("/anonymize", &body);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_eq!(got.status, 200);
    let got = got.json();
    assert_eq!(got.str_of("text"), Some("<X> ".repeat(count).as_str()));
    let last = &got.get("items").unwrap().items()[0];
    assert_eq!(last.get("start").unwrap().as_u64(), Some(4 * (count as u64 - 1)));
}

#[test]
fn presidio_anonymize() {
    let body = r#"{"text":"hello world, my name is Jane Doe. My number is: 034453334","anonymizers":{"DEFAULT":{"type":"replace","new_value":"ANONYMIZED"},"PHONE_NUMBER":{"type":"mask","masking_char":"*","chars_to_mask":4,"from_end":true}},"analyzer_results":[{"start":24,"end":32,"score":0.8,"entity_type":"NAME"},{"start":24,"end":28,"score":0.8,"entity_type":"FIRST_NAME"},{"start":48,"end":57,"score":0.95,"entity_type":"PHONE_NUMBER"}]}"#;
    let got = post("/anonymize", body);
    assert_eq!(
        got.body,
        r#"{"text":"hello world, my name is ANONYMIZED. My number is: 03445****","items":[{"start":50,"end":59,"entity_type":"PHONE_NUMBER","text":"03445****","operator":"mask"},{"start":24,"end":34,"entity_type":"NAME","text":"ANONYMIZED","operator":"replace"}]}"#
    );
    for (operator, text) in [
        (r#"{"type":"redact"}"#, ""),
        (r#"{"type":"keep"}"#, "Ana"),
        (r#"{"type":"replace"}"#, "<PERSON>"),
        (r#"{"type":"hash"}"#, "74a0d9f47b71b0c2eb49f8a92f0bc84a7f5d7a1b0e6ba9c3b9b5c8b0a1b3a6c4"),
    ] {
        let body = format!(
            r#"{{"text":"é Ana!","anonymizers":{{"DEFAULT":{operator}}},"analyzer_results":[{{"start":2,"end":5,"score":1,"entity_type":"PERSON"}}]}}"#
        );
        let got = post("/anonymize", &body).json();
        match operator.contains("hash") {
            true => assert_eq!(got.str_of("text").unwrap().chars().count(), 2 + 64 + 1),
            false => assert_eq!(got.str_of("text"), Some(format!("é {text}!").as_str())),
        }
    }
    for (body, status) in [
        (r#"{"text":"a","analyzer_results":[{"start":0,"end":9,"score":1,"entity_type":"X"}]}"#, 422),
        (r#"{"text":"","analyzer_results":[]}"#, 200),
        (r#"{"text":"a"}"#, 422),
        (
            r#"{"text":"a","anonymizers":{"DEFAULT":{"type":"custom"}},"analyzer_results":[{"start":0,"end":1,"score":1,"entity_type":"X"}]}"#,
            400,
        ),
        (
            r#"{"text":"a","anonymizers":{"DEFAULT":{"type":"mask"}},"analyzer_results":[{"start":0,"end":1,"score":1,"entity_type":"X"}]}"#,
            422,
        ),
        ("{", 400),
    ] {
        assert_eq!(post("/anonymize", body).status, status, "{body}");
    }
    assert!(get("/anonymizers").json().items().len() == 6);
    assert!(get("/supportedentities?language=en").json().items().contains(&Json::text("PERSON")));
    assert_eq!(get("/supportedentities?language=he").status, 500);
    assert_eq!(get("/health").status, 200);
}

#[test]
fn the_guardrail_of_litellm_veils_requests_and_restores_answers() {
    let path = "/beta/litellm_basic_guardrail_api";
    let got = post(
        path,
        r#"{"texts":["Write to ana.lima@example.org."],"input_type":"request","litellm_call_id":"c1"}"#,
    )
    .json();
    assert_eq!(got.str_of("action"), Some("GUARDRAIL_INTERVENED"));
    let veiled = got.get("texts").unwrap().items()[0].as_str().unwrap().to_owned();
    assert!(!veiled.contains("lima"), "{veiled}");
    let answer = |call: &str| {
        let texts = Json::Array(vec![Json::text(format!("OK: {veiled}"))]).write();
        post(path, &format!(r#"{{"texts":{texts},"input_type":"response","litellm_call_id":"{call}"}}"#))
            .json()
    };
    let restored = answer("c1");
    assert_eq!(
        restored.get("texts").unwrap().items()[0].as_str(),
        Some("OK: Write to ana.lima@example.org.")
    );
    assert_eq!(answer("c2").str_of("action"), Some("NONE"));
    assert_eq!(
        post(path, r#"{"texts":["hello"],"input_type":"request"}"#).json().str_of("action"),
        Some("NONE")
    );
    let image = post(path, r#"{"texts":["hello"],"images":["data:"],"input_type":"request"}"#).json();
    assert_eq!(image.str_of("action"), Some("BLOCKED"));
}

/// The position that LiteLLM's own guardrail for Presidio does not look at: arguments of tools in the history.
#[test]
fn the_guardrail_veils_the_arguments_of_tools_and_the_definitions() {
    let path = "/beta/litellm_basic_guardrail_api";
    let arguments = r#"{\"to\":\"ana.lima@example.org\",\"copies\":2}"#;
    let call =
        format!(r#"{{"id":"c","type":"function","function":{{"name":"send","arguments":"{arguments}"}}}}"#);
    let messages = format!(
        r#"[{{"role":"system","content":"Copy all to boss@firm.example."}},{{"role":"user","content":"Send it."}},{{"role":"assistant","content":null,"tool_calls":[{call}]}},{{"role":"tool","tool_call_id":"c","content":"sent"}}]"#
    );
    let tools = r#"[{"type":"function","function":{"name":"send","description":"Ask help@desk.example","parameters":{"type":"object"}}}]"#;
    let body = |version: &str, messages: &str| {
        format!(
            r#"{{"input_type":"request","litellm_call_id":"g1","litellm_version":"{version}","texts":["Copy all to boss@firm.example.","Send it.","sent"],"tool_calls":[{call}],"tools":{tools},"structured_messages":{messages}}}"#
        )
    };
    let got = post(path, &body("1.106.2", &messages));
    assert!(
        !got.body.contains("lima") && !got.body.contains("boss@") && !got.body.contains("desk.example"),
        "{}",
        got.body
    );
    let got = got.json();
    assert_eq!(got.str_of("action"), Some("GUARDRAIL_INTERVENED"), "{}", got.write());
    let rows = got.get("structured_messages").unwrap().items();
    assert_eq!(rows.len(), 4);
    let function = rows[2].get("tool_calls").unwrap().items()[0].get("function").unwrap().clone();
    let veiled = function.str_of("arguments").unwrap().to_owned();
    assert_eq!(Json::parse(veiled.as_bytes()).unwrap().get("copies").unwrap().as_u64(), Some(2));
    // The system prompt is the same text in both places, and its values are not restored in the answer.
    assert_eq!(rows[0].str_of("content"), got.get("texts").unwrap().items()[0].as_str());
    let said = Json::text(format!("{} {veiled}", rows[0].str_of("content").unwrap())).write();
    let call = Json::object([("function", function)]).write();
    let answer = post(
        path,
        &format!(
            r#"{{"input_type":"response","litellm_call_id":"g1","texts":[{said}],"tool_calls":[{call}]}}"#
        ),
    )
    .json();
    let text = answer.get("texts").unwrap().items()[0].as_str().unwrap().to_owned();
    assert!(text.contains("ana.lima@example.org") && !text.contains("boss@"), "{text}");
    assert!(answer.get("tool_calls").unwrap().write().contains("ana.lima@example.org"));

    // What cannot come back veiled is blocked.
    for body in [
        body("1.80.0", &messages),
        body("", &messages),
        body("1.106.2", "null"),
        body("1.106.2", &messages.replace("\"tool_call_id\"", "\"secret_field\"")),
    ] {
        let got = post(path, &body).json();
        assert_eq!(got.str_of("action"), Some("BLOCKED"), "{}", got.write());
        assert!(!got.write().contains("lima"));
    }
    assert_eq!(post(path, r#"{"texts":["hello"]}"#).status, 400);
    assert_eq!(post(path, r#"{"texts":[7],"input_type":"request"}"#).status, 400);
}

/// LiteLLM puts a changed text into contents only, so an argument that is the same text must come back in its message.
#[test]
fn the_guardrail_veils_an_argument_that_is_also_a_text() {
    let path = "/beta/litellm_basic_guardrail_api";
    let body = |version: &str| {
        format!(
            r#"{{"input_type":"request","litellm_call_id":"e1","litellm_version":"{version}","texts":["ana.lima@example.org"],"structured_messages":[{{"role":"user","content":"ana.lima@example.org"}},{{"role":"assistant","content":null,"tool_calls":[{{"id":"c","type":"function","function":{{"name":"send","arguments":"{{\"to\":\"ana.lima@example.org\"}}"}}}}]}}]}}"#
        )
    };
    let got = post(path, &body("1.109.1")).json();
    assert_eq!(got.str_of("action"), Some("GUARDRAIL_INTERVENED"), "{}", got.write());
    let rows = got.get("structured_messages").map(Json::items).unwrap_or_default();
    assert!(rows.len() == 2 && !got.write().contains("lima"), "{}", got.write());
    assert_eq!(rows[0].str_of("content"), got.get("texts").unwrap().items()[0].as_str());
    assert_eq!(post(path, &body("1.80.0")).json().str_of("action"), Some("BLOCKED"));
}

/// The result of a tool as `json.dumps` of Python writes it.
#[test]
fn the_guardrail_reads_escapes() {
    let path = "/beta/litellm_basic_guardrail_api";
    let text = Json::text(r#"{"to":"ana.lima\u0040example.org"}"#).write();
    let body = format!(
        r#"{{"input_type":"request","litellm_version":"1.109.1","texts":[{text}],"structured_messages":[{{"role":"tool","tool_call_id":"c","content":{text}}}]}}"#
    );
    let got = post(path, &body).json();
    assert!(
        got.str_of("action") == Some("GUARDRAIL_INTERVENED") && !got.write().contains("lima"),
        "{}",
        got.write()
    );
}

/// LiteLLM adds `thinking_blocks` to each message of an assistant that it translates from Anthropic's protocol.
#[test]
fn the_guardrail_takes_messages_without_thoughts_and_blocks_thoughts() {
    let path = "/beta/litellm_basic_guardrail_api";
    let body = |thoughts: &str| {
        format!(
            r#"{{"input_type":"request","litellm_call_id":"t1","litellm_version":"1.109.1","texts":["Write to ana.lima@example.org.","Done."],"structured_messages":[{{"role":"user","content":"Write to ana.lima@example.org."}},{{"role":"assistant","content":"Done.","thinking_blocks":{thoughts}}}]}}"#
        )
    };
    let got = post(path, &body("null")).json();
    assert_eq!(got.str_of("action"), Some("GUARDRAIL_INTERVENED"), "{}", got.write());
    assert!(!got.write().contains("lima"), "{}", got.write());
    let thoughts = r#"[{"type":"thinking","thinking":"To ana.lima@example.org.","signature":"s"}]"#;
    let got = post(path, &body(thoughts)).json();
    assert_eq!(got.str_of("action"), Some("BLOCKED"), "{}", got.write());
    assert!(!got.write().contains("lima"), "{}", got.write());
}

#[test]
fn the_guardrail_says_what_a_stream_must_hold_back() {
    let path = "/beta/litellm_basic_guardrail_api";
    let body =
        r#"{"texts":["Write to ana.lima@example.org."],"input_type":"request","litellm_call_id":"h1"}"#;
    let veiled = post(path, body).json().get("texts").unwrap().items()[0].as_str().unwrap().to_owned();
    let whole = "Write to ana.lima@example.org.";
    let mut sent = String::new();
    for end in 1..=veiled.len() {
        let texts = Json::text(veiled.get(..end).unwrap()).write();
        let got =
            post(path, &format!(r#"{{"texts":[{texts}],"input_type":"response","litellm_call_id":"h1"}}"#))
                .json();
        let text = got.get("texts").unwrap().items()[0].as_str().unwrap().to_owned();
        let held = got.get("stream_holdback_chars").unwrap().items()[0].as_u64().unwrap();
        let text: Vec<char> = text.chars().collect();
        let shown: String = text[..text.len() - usize::try_from(held).unwrap()].iter().collect();
        // What LiteLLM has sent to the caller can never be taken back.
        assert!(shown.starts_with(&sent) && whole.starts_with(&shown), "{end}: {shown} after {sent}");
        sent = shown;
    }
    assert!(sent.starts_with("Write to "), "{sent}");
}

#[test]
fn our_own_routes_veil_restore_and_detect() {
    let texts = r#""texts":["I am Ana Lima.","Ana Lima, ana@example.org"],"session":"s""#;
    let got = post("/v1/inkveil/veil", &format!("{{{texts}}}")).json();
    let veiled: Vec<String> =
        got.get("texts").unwrap().items().iter().map(|text| text.as_str().unwrap().to_owned()).collect();
    assert!(!veiled.concat().contains("Lima") && !veiled.concat().contains(" ana@"), "{veiled:?}");
    let answer = Json::text(veiled.join(" | ")).write();
    let got = post("/v1/inkveil/restore", &format!(r#"{{{texts},"answer":{answer}}}"#)).json();
    assert_eq!(got.str_of("answer"), Some("I am Ana Lima. | Ana Lima, ana@example.org"));
    let got = post("/v1/inkveil/detect", r#"{"text":"é ana@example.org"}"#).json();
    let span = &got.get("spans").unwrap().items()[0];
    assert_eq!((span.str_of("kind"), span.get("start").unwrap().as_u64()), (Some("email"), Some(2)));
    assert_eq!(post("/v1/inkveil/veil", r#"{"text":"a","extra":1}"#).status, 400);
    assert_eq!(post("/v1/inkveil/veil", r#"{"texts":[1]}"#).status, 400);
    assert!(get("/openapi.json").json().get("paths").is_some());
}

#[test]
fn documents_are_veiled_restored_and_searched() {
    let encoded = |text: &str| STANDARD.encode(text);
    let decoded =
        |json: &Json| String::from_utf8(STANDARD.decode(json.str_of("content").unwrap()).unwrap()).unwrap();
    let page = "<p>I am <b>Ana</b> Lima, ana@example.org.</p><!-- secret-draft -->";
    let of = |page: &str| format!(r#""name":"letter.html","content":"{}""#, encoded(page));
    let got = post("/v1/inkveil/document", &format!(r#"{{{},"session":"d"}}"#, of(page))).json();
    let veiled = decoded(&got);
    assert!(veiled.starts_with("<p>I am <b>"), "{veiled}");
    assert!(!veiled.contains("Lima") && !veiled.contains(" ana@") && !veiled.contains("secret-draft"));
    assert_eq!(got.str_of("extension"), Some("html"));
    let receipt = get(&format!("/v1/inkveil/receipts/{}", got.str_of("receipt").unwrap()));
    assert!(receipt.status == 200 && !receipt.body.contains("Lima"));

    let edited = encoded(&veiled.replace("<p>I am", "<p>Dear all, I am"));
    let body = format!(r#"{{{},"session":"d","answer":"{edited}"}}"#, of(page));
    let restored = decoded(&post("/v1/inkveil/document/restore", &body).json());
    assert!(restored.starts_with("<p>Dear all, I am <b>Ana</b> Lima, ana@example.org."), "{restored}");

    let got = post("/v1/inkveil/document/detect", &format!("{{{}}}", of(page))).json();
    assert_eq!(got.str_of("text").map(str::trim), Some("I am Ana Lima, ana@example.org."));
    assert!(got.get("spans").unwrap().items().iter().any(|span| span.str_of("kind") == Some("email")));

    let damaged = format!(r#"{{"name":"letter.docx","content":"{}"}}"#, encoded("Ana Lima"));
    for (body, part) in [
        (damaged.as_str(), "document"),
        (r#"{"name":"letter.exe","content":"QQ=="}"#, "name"),
        (r#"{"name":"letter.html","content":"?"}"#, "base64"),
        (r#"{"name":"letter.html"}"#, "base64"),
    ] {
        let got = post("/v1/inkveil/document", body);
        assert!(got.status == 400 && got.body.contains(part) && !got.body.contains("Lima"), "{}", got.body);
    }
}

#[test]
fn mcp_offers_the_tools() {
    let call = |body: &str| post("/mcp", body);
    let got = call(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#).json();
    assert_eq!(got.get("result").unwrap().str_of("protocolVersion"), Some("2025-03-26"));
    assert_eq!(call(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).status, 202);
    assert!(call(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#).json().get("result").is_some());
    let tools = call(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#).json();
    assert_eq!(tools.get("result").unwrap().get("tools").unwrap().items().len(), 4);
    let got = call(r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"detect","arguments":{"texts":["ana@example.org"]}}}"#).json();
    assert!(got.write().contains("email"), "{}", got.write());
    let got = call(r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"veil","arguments":{"texts":["ana@example.org"]}}}"#).json();
    assert!(!got.write().contains("ana@"), "{}", got.write());
    for (body, code) in [
        (r#"{"jsonrpc":"2.0","id":5,"method":"fly"}"#, "-32601"),
        (r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"fly"}}"#, "-32602"),
        (r#"{"id":5,"method":"ping"}"#, "-32600"),
        ("{", "-32700"),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "-32600"),
        (r#"{"jsonrpc":"2.0","id":[5],"method":"ping"}"#, "-32600"),
        (r#"[{"jsonrpc":"2.0","id":5,"method":"ping"}]"#, "-32600"),
        ("7", "-32600"),
        (r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":[]}"#, "-32602"),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"veil","arguments":"ana@example.org"}}"#,
            "-32602",
        ),
        (r#"{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"x"}}"#, "-32602"),
        (r#"{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"fly"}}"#, "-32602"),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"ask_veiled","arguments":{"text":"ana@example.org"}}}"#,
            "-32602",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"ask_veiled","arguments":{"text":"ana@example.org","question":"Who?","mode":"ana@"}}}"#,
            "-32602",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"inkveil://receipts/ana@example.org"}}"#,
            "-32002",
        ),
    ] {
        let got = call(body);
        assert!(got.body.contains(code) && !got.body.contains("ana@"), "{body}: {}", got.body);
    }
    // What a tool refuses is a result that a model can read.
    let got = call(
        r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"veil","arguments":{"texts":7}}}"#,
    );
    assert!(got.body.contains(r#""isError":true"#), "{}", got.body);
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for (version, status) in [("2025-06-18", 200), ("2025-11-25", 200), ("1999-01-01", 400)] {
        let got = echoing().0.send("POST", "/mcp", &[("mcp-protocol-version", version)], ping);
        assert_eq!(got.status, status, "{version}");
    }
    assert_eq!(get("/mcp").status, 405);
    let evil = echoing().0.send(
        "POST",
        "/mcp",
        &[("origin", "https://evil.example")],
        br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
    );
    assert_eq!(evil.status, 403);
}

#[test]
fn mcp_offers_a_prompt_and_the_receipts_of_the_caller() {
    let call = |key: &str, method: &str, params: &str| {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let got = echoing().0.send("POST", "/mcp", &[("authorization", key)], body.as_bytes());
        got.json().get("result").unwrap_or_else(|| panic!("{method}: {}", got.body)).clone()
    };
    let (one, two) = ("Bearer mcp-1", "Bearer mcp-2");
    let prompts = call(one, "prompts/list", "{}");
    assert_eq!(prompts.get("prompts").unwrap().items()[0].str_of("name"), Some("ask_veiled"));
    let asked = r#"{"name":"ask_veiled","arguments":{"question":"Who is Ana Lima?","text":"I am Ana Lima, ana.lima@example.org.","mode":"placeholders"}}"#;
    let message = call(one, "prompts/get", asked).get("messages").unwrap().items()[0].clone();
    let said = message.get("content").unwrap().str_of("text").unwrap().to_owned();
    assert!(
        said.starts_with("Who is [person ") && said.contains("[email ") && !said.contains("Lima"),
        "{said}"
    );
    // The prompt was a release, so it has a receipt.
    let listed = call(one, "resources/list", "{}");
    let uri = listed.get("resources").unwrap().items()[0].str_of("uri").unwrap().to_owned();
    let receipt = call(one, "resources/read", &format!(r#"{{"uri":"{uri}"}}"#));
    let text = receipt.get("contents").unwrap().items()[0].str_of("text").unwrap().to_owned();
    assert!(text.contains("inkveil-receipt") && !text.contains("Lima"), "{text}");
    assert!(call(two, "resources/list", "{}").get("resources").unwrap().items().is_empty());
    let templates = call(one, "resources/templates/list", "{}");
    assert_eq!(templates.get("resourceTemplates").unwrap().items().len(), 1);
}

#[test]
fn presidio_encrypt_and_decrypt() {
    let body = r#"{"text":"é Ana!","anonymizers":{"DEFAULT":{"type":"encrypt","key":"1111111111111111"}},"analyzer_results":[{"start":2,"end":5,"score":1,"entity_type":"PERSON"}]}"#;
    let got = post("/anonymize", body).json();
    let text = got.str_of("text").unwrap();
    assert!(!text.contains("Ana") && text.starts_with("é ") && text.ends_with('!'), "{text}");
    let end = text.chars().count() - 1;
    let back = format!(
        r#"{{"text":"{text}","deanonymizers":{{"PERSON":{{"type":"decrypt","key":"KEY"}}}},"anonymizer_results":[{{"start":2,"end":{end},"entity_type":"PERSON"}}]}}"#
    );
    let got = post("/deanonymize", &back.replace("KEY", "1111111111111111"));
    assert_eq!(
        got.body,
        r#"{"text":"é Ana!","items":[{"start":2,"end":5,"entity_type":"PERSON","text":"Ana","operator":"decrypt"}]}"#
    );
    for (body, status) in [
        (back.replace("KEY", "2222222222222222"), 422),
        (back.replace("KEY", "short"), 422),
        (back.replace("decrypt", "mask"), 422),
        (back.replace(&format!("\"end\":{end}"), "\"end\":999"), 422),
        (body.replace("1111111111111111", "short"), 422),
        ("{}".to_owned(), 400),
        (r#"{"text":"a"}"#.to_owned(), 200),
    ] {
        let path = if body.contains("\"anonymizers\"") { "/anonymize" } else { "/deanonymize" };
        assert_eq!(post(path, &body).status, status, "{body}");
    }
    assert_eq!(get("/deanonymizers").json().items().len(), 1);
}

#[test]
fn a_field_of_a_wrong_type_is_refused() {
    for wrong in [r#""mode":{}"#, r#""mode":null"#, r#""session":7"#, r#""session":null"#, r#""texts":{}"#] {
        let texts = if wrong.contains("texts") { "" } else { r#""texts":["I am Ana Lima."],"# };
        for (path, answer) in [("veil", ""), ("restore", r#""answer":"a","#)] {
            let got = post(&format!("/v1/inkveil/{path}"), &format!("{{{texts}{answer}{wrong}}}"));
            assert_eq!(got.status, 400, "{path} {wrong}: {}", got.body);
        }
    }
}

#[test]
fn style_is_measured_and_not_quoted() {
    let text = "Well; I never! A most peculiar evening, and so very long, was had by Ana and by all of us.";
    let got = post("/v1/inkveil/style/risk", &format!(r#"{{"texts":["{text}","too short"]}}"#));
    let json = got.json();
    let styles = json.get("styles").unwrap().items();
    let risk = styles[0].get("risk").unwrap().as_f64().unwrap();
    assert!((0.0..=1.0).contains(&risk), "{}", got.body);
    assert_eq!(styles[1].str_of("status"), Some("too-short"));
    assert!(!got.body.contains("Ana"));
    let got = post("/v1/inkveil/style/rewrite", &format!(r#"{{"text":"{text}"}}"#));
    assert_eq!((got.status, got.header("x-inkveil-error").as_deref()), (404, Some("no_rewriter")));
}
