//! Chats in JSON: exports of OpenAI and of Slack.
//!
//! Every string is a text, unless the key it stands under is known to hold an id, a time or a word of the format. Ids are
//! replaced by new ones that belong together in the same way.

use std::collections::HashMap;

use serde::de::IgnoredAny;

use crate::builder::Builder;
use crate::document::Body;
use crate::error::{Error, ErrorKind};
use crate::passage::PassageKind;
use crate::pieces::{Escape, Pieces};
use crate::text_bytes::decode;

const FORMAT: &str = "chat";

/// Keys with words of the format. Other words under them are texts.
const WORDS: &[(&str, &[&str])] = &[
    ("role", &["system", "user", "assistant", "tool"]),
    (
        "content_type",
        &["text", "code", "multimodal_text", "execution_output", "tether_quote", "tether_browsing_display"],
    ),
    ("status", &["finished_successfully", "in_progress", "finished_partial_completion"]),
    (
        "type",
        &[
            "message",
            "text",
            "section",
            "rich_text",
            "rich_text_section",
            "mrkdwn",
            "plain_text",
            "image_url",
        ],
    ),
    ("recipient", &["all"]),
    ("language", &["unknown"]),
];
/// Keys with ids.
const IDS: &[&str] = &[
    "id",
    "parent",
    "children",
    "current_node",
    "conversation_id",
    "message_id",
    "client_msg_id",
    "gizmo_id",
    "default_model_slug",
    "model_slug",
    "request_id",
    "parent_id",
    "turn_exchange_id",
    "team",
    "user",
    "channel",
    "thread_ts",
    "ts",
    "bot_id",
    "block_id",
    "user_team",
    "source_team",
    "parent_user_id",
    "latest_reply",
    "conversation_template_id",
    "async_status",
    "voice",
];

/// Reads an export.
pub(crate) fn read_json(bytes: &[u8], builder: &mut Builder) -> Result<Body, Error> {
    let text = decode(bytes, None)?;
    // The reader below relies on it.
    serde_json::from_str::<IgnoredAny>(&text).map_err(|_| Error::damaged(FORMAT, "it is not valid JSON"))?;
    if depth(&text) > builder.limits.depth {
        return Err(ErrorKind::TooDeep { limit: builder.limits.depth }.into());
    }
    if !is_chat(&text) {
        return Err(ErrorKind::Unsupported {
            what: "JSON that is no export of a chat",
            advice: "convert it to JSON lines and name the column with the texts",
        }
        .into());
    }
    let mut reader = Reader {
        text: &text,
        at: 0,
        fixed: 0,
        builder,
        pieces: Pieces::default(),
        ids: HashMap::new(),
        keys: Vec::new(),
    };
    reader.value();
    let rest = &reader.text[reader.fixed..];
    reader.pieces.fixed(rest);
    Ok(Body::File(reader.pieces.list))
}

/// Returns whether the beginning of a JSON file looks like the export of a chat.
///
/// ```
/// assert!(inkveil_documents::looks_like_chat(br#"[{"ts": "1700000000.1", "user": "U1", "text": "Hello"}]"#));
/// assert!(!inkveil_documents::looks_like_chat(br#"{"rows": [1, 2]}"#));
/// ```
pub fn looks_like_chat(beginning: &[u8]) -> bool {
    let text = String::from_utf8_lossy(beginning);
    text.trim_start_matches('\u{feff}').trim_start().starts_with(['[', '{']) && is_chat(&text)
}

/// Whether this looks like an export of OpenAI (`mapping`, `content`) or of Slack (`ts`, `text`).
fn is_chat(text: &str) -> bool {
    let has = |key: &str| text.contains(&format!("\"{key}\""));
    (has("mapping") && has("author")) || (has("ts") && has("text")) || (has("role") && has("content"))
}

/// How deeply lists and objects are nested.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Everything before this is written.
    fixed: usize,
    builder: &'a mut Builder,
    pieces: Pieces,
    ids: HashMap<String, String>,
    keys: Vec<String>,
}

impl Reader<'_> {
    fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        bytes.get(self.at).copied().unwrap_or(0)
    }

    fn value(&mut self) {
        match self.peek() {
            b'{' => {
                self.at += 1;
                while self.peek() != b'}' && self.at < self.text.len() {
                    if self.peek() == b',' {
                        self.at += 1;
                        continue;
                    }
                    let start = self.at;
                    let key = self.string();
                    // Ids are keys too.
                    let is_id = self.keys.last().is_some_and(|key| key == "mapping") || looks_like_id(&key);
                    if is_id && self.builder.releases() {
                        let new = self.id(&key);
                        self.write(start, &format!("\"{new}\""));
                    }
                    self.keys.push(key);
                    if self.peek() == b':' {
                        self.at += 1;
                    }
                    self.value();
                    self.keys.pop();
                }
                self.at += 1;
            }
            b'[' => {
                self.at += 1;
                while self.peek() != b']' && self.at < self.text.len() {
                    match self.peek() {
                        b',' => self.at += 1,
                        _ => self.value(),
                    }
                }
                self.at += 1;
            }
            b'"' => {
                let start = self.at;
                let value = self.string();
                self.text_value(start, &value);
            }
            _ => {
                let start = self.at;
                let is_end = |byte: &u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
                let rest = &self.text.as_bytes()[self.at..];
                self.at += rest.iter().position(is_end).unwrap_or(rest.len()).max(1);
                self.number(start);
            }
        }
    }

    /// A number may be a time or an id.
    fn number(&mut self, start: usize) {
        let digits =
            self.text[start..self.at.min(self.text.len())].bytes().filter(u8::is_ascii_digit).count();
        if digits >= 6 && self.builder.releases() {
            self.builder.removed.add("times and numbers");
            self.write(start, "0");
        }
    }

    fn text_value(&mut self, start: usize, value: &str) {
        if !self.builder.releases() {
            return self.run(start, value);
        }
        let key = self.keys.last().map(String::as_str).unwrap_or_default();
        let is_word =
            WORDS.iter().any(|(known, words)| *known == key && words.contains(&value)) || value.is_empty();
        if is_word {
            return;
        }
        if IDS.contains(&key) && !value.contains(char::is_whitespace) {
            let new = self.id(value);
            self.builder.removed.add("ids");
            return self.write(start, &format!("\"{new}\""));
        }
        let is_address = value.starts_with("http")
            || key.contains("url")
            || key.contains("hash")
            || key.starts_with("image_");
        if is_address && !value.contains(char::is_whitespace) {
            self.builder.removed.add("link targets");
            return self.write(start, "\"\"");
        }
        self.run(start, value);
    }

    fn run(&mut self, start: usize, value: &str) {
        if value.is_empty() {
            return;
        }
        let key = self.keys.last().map(String::as_str).unwrap_or_default();
        let kind = match key {
            "title" | "topic" | "purpose" => PassageKind::Title,
            "name" | "real_name" | "display_name" | "username" | "first_name" | "last_name" => {
                PassageKind::Person
            }
            _ => PassageKind::Message,
        };
        self.pieces.fixed(&self.text[self.fixed..start + 1]);
        let run = self.builder.run(value, kind);
        self.pieces.run_with_source(run, Escape::Json, &self.text.as_bytes()[start + 1..self.at - 1]);
        self.fixed = self.at - 1;
    }

    /// Writes something instead of what was read from `start` on.
    fn write(&mut self, start: usize, new: &str) {
        self.pieces.fixed(&self.text[self.fixed..start]);
        self.pieces.fixed(new);
        self.fixed = self.at;
    }

    fn id(&mut self, old: &str) -> String {
        let next = self.ids.len() + 1;
        self.ids.entry(old.to_owned()).or_insert_with(|| format!("id-{next}")).clone()
    }

    /// Reads a string and returns its text.
    fn string(&mut self) -> String {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += 1;
        while self.at < bytes.len() && bytes[self.at] != b'"' {
            self.at += if bytes[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at = (self.at + 1).min(bytes.len());
        serde_json::from_str(self.text.get(start..self.at).unwrap_or("\"\"")).unwrap_or_default()
    }
}

/// A key that is not a word: with several digits.
fn looks_like_id(key: &str) -> bool {
    key.bytes().filter(u8::is_ascii_digit).count() > 3
        || key.contains(char::is_whitespace)
        || key.contains('@')
}
