//! The JSON of the chat completions protocol.

use serde::{Deserialize, Serialize};

use crate::{Answer, ErrorKind, Request, Role};

#[derive(Serialize)]
struct WireRequest<'a> {
    model: &'a str,
    messages: Vec<WireMessage<'a>>,
    max_tokens: usize,
    temperature: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop: &'a [String],
    stream: bool,
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    content: &'a str,
}

/// The fields of a response that are used.
#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: WireAnswer,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct WireAnswer {
    content: Option<String>,
}

/// Returns the body of a request: everything that is sent besides the headers.
pub(super) fn body(model: &str, request: &Request) -> Result<Vec<u8>, ErrorKind> {
    let messages = request.messages.iter().map(|message| WireMessage {
        role: match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        },
        content: &message.content,
    });
    let settings = &request.settings;
    let question = WireRequest {
        model,
        messages: messages.collect(),
        max_tokens: settings.max_tokens,
        temperature: settings.temperature,
        top_p: settings.top_p,
        seed: settings.seed,
        stop: &settings.stop,
        stream: false,
    };
    serde_json::to_vec(&question)
        .map_err(|_| ErrorKind::BadRequest { what: "the request cannot be written as JSON" })
}

/// Parses the body of a response. The parser's messages are dropped, since they may quote the
/// answer.
pub(super) fn read(bytes: &[u8]) -> Result<Answer, ErrorKind> {
    let not = |what| ErrorKind::NotAnAnswer { what };
    let completion: Completion =
        serde_json::from_slice(bytes).map_err(|_| not("is not JSON with choices in it"))?;
    let choice = completion.choices.into_iter().next().ok_or_else(|| not("has no choices"))?;
    let text = choice.message.content.ok_or_else(|| not("has no text"))?;
    Ok(Answer { text: text.trim().to_owned(), cut: choice.finish_reason.as_deref() == Some("length") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnswerSettings;

    #[test]
    fn only_given_settings_are_sent() {
        let plain = body("m", &Request::new().system("s").user("u")).unwrap();
        let plain: serde_json::Value = serde_json::from_slice(&plain).unwrap();
        let expected = serde_json::json!({
            "model": "m",
            "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
            "max_tokens": 512, "temperature": 0.0, "stream": false,
        });
        assert_eq!(plain, expected);
        let settings = AnswerSettings {
            max_tokens: 9,
            temperature: 0.5,
            top_p: Some(0.9),
            seed: Some(u64::MAX),
            stop: vec!["\n".into()],
            ..AnswerSettings::default()
        };
        let full = body("m", &Request::new().assistant("a").with(settings)).unwrap();
        let full = String::from_utf8(full).unwrap();
        assert!(full.contains(r#""top_p":0.9,"seed":18446744073709551615,"stop":["\n"]"#), "{full}");
    }

    #[test]
    fn answers_are_read() {
        let cut = br#"{"id": 1, "choices": [{"message": {"role": "assistant", "content": " a\n"}, "finish_reason": "length"}]}"#;
        assert_eq!(read(cut), Ok(Answer { text: "a".into(), cut: true }));
        let whole = br#"{"choices": [{"message": {"content": ""}}, {"message": {"content": "b"}}]}"#;
        assert_eq!(read(whole), Ok(Answer { text: String::new(), cut: false }));
        for bad in [
            "",
            "<html>",
            "[]",
            r#"{"error": {"message": "no"}}"#,
            r#"{"choices": []}"#,
            r#"{"choices": [{"message": {"content": null}}]}"#,
            r#"{"choices": [{"message": {"content": 1}}]}"#,
        ] {
            assert!(matches!(read(bad.as_bytes()), Err(ErrorKind::NotAnAnswer { .. })), "{bad}");
        }
    }
}
